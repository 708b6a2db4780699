#!/usr/bin/env bats
# manners.bats - what a person is told, and what can be done about it.

load ../lib/common

setup() {
	cx_setup
	cx_l0
}

@test "a file that fills the workspace meets the workspace's quota" {
	CX_LIMITS='  workspace_kib: 4096' cx_config
	run -122 --separate-stderr cx_raw 'exec head -c 9000000 /dev/zero >big'
	[[ $stderr == *"disk_quota_exceeded"*"limits.workspace_kib"* ]]
	run -122 --separate-stderr cx_raw 'head -c 9000000 /dev/zero >big'
	[[ $stderr == *"disk_quota_exceeded"*"limits.workspace_kib"* ]]
	# one that has holes fills nothing, and a limit of its own is its own
	run -153 --separate-stderr cx_raw 'exec truncate -s 9000000 big'
	[[ $stderr == *"limits.workspace_kib"* ]]
	CX_LIMITS='  file_size_bytes: 1048576' cx_config
	run -153 --separate-stderr cx_raw 'exec head -c 9000000 /dev/zero >big'
	[[ $stderr == *"limits.file_size_bytes"* ]]
}

@test "a command that met the limit of processes is told so" {
	cx_can_limit || cx_only_as root
	CX_LIMITS='  pids: 6' cx_config
	run --separate-stderr cx_raw \
		'for i in 1 2 3 4 5 6 7 8 9; do sleep 3 & done; wait'
	[[ $stderr == *"limits.pids"* ]]
}

@test "what a dry run says of showing it can be pasted" {
	cx_mint | cx-run exec --raw --workspace notes -c 'echo a >a'
	cx_mint | cx-run exec --raw --workspace notes --dry-run -c 'echo b >b' \
		2>told
	line=$(grep -o 'cx-run workspace diff .*' told)
	[ "$line" = 'cx-run workspace diff --org acme --workspace notes' ]
	run -0 --separate-stderr bash -c "$line"
	jq -e '.changes.added == 1' <<<"$output"
	# an id is the caller's, and a shell's words aren't its
	cx-seal mint -n --org "o'\$(touch hit)" --user ada --surface task |
		cx-run exec --raw --workspace notes --dry-run -c 'echo b >b' 2>told
	line=$(grep -o 'cx-run workspace diff .*' told)
	run -0 --separate-stderr bash -c "$line"
	jq -e '.changes.added == 1' <<<"$output"
	assert_not_exist hit
}

@test "a document over several lines is one fault, and the next is read" {
	{
		cx_mint | jq '.run = {command: "echo one"}'
		cx_mint | jq -c '.run = {command: "echo two"}'
		cx_mint | jq '.run = {command: "x", "x-list": [{}, [{"a": {}}]]}'
		cx_mint | jq -c '.run = {command: "echo four"}'
	} >many
	run -1 --separate-stderr cx-run batch -f many
	[ "${#lines[@]}" -eq 4 ]
	jq -es 'map(.result.stdout) == [null, "two\n", null, "four\n"]' <<<"$output"
	[ "$(grep -c 'one document on each line, as jq -c does' <<<"$stderr")" -eq 2 ]
	jq . >many <<<'{"session": {"orgId": "a", "userId": "b", "surface": "task"}}'
	run -1 --separate-stderr cx-seal mint --stream -f many
	[ "${#lines[@]}" -eq 1 ]
}

@test "a session's other member is pointed at" {
	run -65 --separate-stderr cx-seal mint -f - \
		<<<'{"session": {"orgId": "a", "userID": "b", "surface": "task"}}'
	[[ $output == *'"pointer":"/session/userID"'* ]]
	run -65 --separate-stderr cx-seal mint -f - \
		<<<'{"session": {"orgId":"a","userId":"b","surface":"task","~/x":1}}'
	[[ $output == *'"pointer":"/session/~0~1x"'* ]]
}

@test "what rollout is, is said where it isn't on" {
	run -77 cx-run serve
	assert_output --partial "rollout is unset"
	CX_EXECUTION_PLANE_ROLLOUT=true run -77 cx-run serve
	assert_output --partial "rollout is 'true'"
	cx_config 'rollout: "yes"'
	run -77 cx-run ready
	assert_output --partial "rollout is 'yes'"
}

@test "an unread option is refused, not ignored" {
	cx_refuses 64 usage cx-run spec -n --explain --format oci -- true
}

@test "a folder without a name is told how to be given" {
	cx_mint >doc
	for path in . .. / ./ a/..; do
		run -125 --separate-stderr cx-run exec -c true --in "$path" <doc
		grep -qF '"$PWD"' <<<"$stderr"
	done
	mkdir here
	echo a >here/a
	cd here
	run -0 --separate-stderr cx-run exec --raw -c "cat here/a" --in "$PWD" <../doc
	assert_output a
}

@test "who has no carrier is told what makes one" {
	run -77 --separate-stderr cx-run exec -n --org acme <<<''
	[[ $stderr == *"cx-seal mint -n --org ID --user ID --surface task |"* ]]
	# for the newcomer's one-liner they are the session's
	run -0 --separate-stderr cx run --org acme --user bob -- echo hi
	assert_output hi
	cx-audit read --org acme | jq -e '.event.actorPrincipalId == "bob"'
}

@test "what can't be made is 73, what isn't there 66" {
	cx_mint >doc
	run -66 --separate-stderr cx-run exec -f absent
	jq '.run = {command: "true"}' doc >named
	run -66 --separate-stderr cx-run exec --stdin absent -f named
	run -66 --separate-stderr bash -c \
		'jq ".run = {command: \"true\"}" doc | cx-run exec --in absent'
	run -66 --separate-stderr bash -c \
		'jq ".run = {command: \"true\"}" doc | cx-run exec --out absent'
	run -73 --separate-stderr cx-run workspace export --org acme \
		--workspace notes -o absent/file
	cx_only_as user
	mkdir -m 555 closed
	run -73 --separate-stderr bash -c \
		'cd closed && jq ".run = {command: \"touch a\"}" ../doc | cx-run exec --out a'
}

@test "--out replaces a link, and writes through none" {
	echo mine >victim
	ln -s victim out
	mkdir folder
	cx_mint | cx-run exec --raw -c 'echo theirs >out' --out out
	[ "$(cat victim)" = mine ]
	[ ! -L out ]
	[ "$(cat out)" = theirs ]
	# the command's own status comes first, a fault of --out after it
	cx_mint >doc
	run -3 --separate-stderr cx-run exec --raw -c 'exit 3' --out absent <doc
	run -125 --separate-stderr cx-run exec --raw -c true --out absent <doc
	run -125 --separate-stderr cx-run exec --raw -c 'echo a >folder' \
		--out folder <doc
	assert_dir_exist folder
}

@test "serve that a script put in the background takes SIGINT" {
	(
		trap '' INT
		CX_EXECUTION_PLANE_ROLLOUT=on exec cx-run serve --listen ./sock
	) 2>told &
	server=$!
	cx_wait 20 test -S sock
	cx_wait 20 grep -q listening told
	kill -INT "$server"
	cx_wait 20 bash -c "! kill -0 $server 2>/dev/null"
	run -130 wait "$server"
}

@test "completion offers what is there, once" {
	cx_l0
	cx_mint | cx-run exec --raw --workspace notes -c true
	cp "$CX_ROOT"/completions/bash/* .
	complete=$CX_ROOT/test/lib/complete
	run -0 "$complete" bash cx-run 'cx-run workspace rm --workspace n'
	assert_line --index 0 'cx-run workspace rm --workspace notes |'
	run -0 "$complete" bash cx-run 'cx-run exec --runtime na'
	assert_line --index 0 'cx-run exec --runtime native |'
	run -0 "$complete" bash cx-build 'cx-build l0 bus'
	assert_line --index 0 'cx-build l0 busybox |'
	# the tools under one word
	run -0 "$complete" bash cx 'cx bui'
	assert_line --index 0 'cx build |'
	run -0 "$complete" bash cx 'cx build l0 bus'
	assert_line --index 0 'cx build l0 busybox |'
	run -0 "$complete" bash cx 'cx run --dry'
	assert_line --index 0 'cx run --dry-run |'
	run -0 "$complete" bash cx 'cx run workspace rm --workspace n'
	assert_line --index 0 'cx run workspace rm --workspace notes |'
	# the recipes are those that are shipped
	eval "$(cx-build --cx-bash | sed '/^complete /d')"
	run -0 bash -c "$(_cx_build_kind l0 '' | sed 's/^lines //') | sort"
	assert_output "$(cd "$CX_ROOT/share/l0" && printf '%s\n' *.yaml |
		sed 's/\.yaml$//' | sort)"
	# an image with two names stands there once under each
	run -0 bash -c "$(_cx_build_kind rm '' | sed 's/^lines //') | uniq -d"
	assert_output ''
}
