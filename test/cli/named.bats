# named.bats - workspaces that a person named, and whose turn it is in one.

load ../lib/common
load ../lib/jobs

setup() {
	cx_setup
	cx_l0
}

# exec in a named workspace: in_ws NAME FLAG... [-- ARGV...]
in_ws() {
	local name=$1
	shift
	cx_exec --workspace "$name" "$@"
}

# Its data folder, by its label: place_of NAME
place_of() {
	local label
	label=$(grep -ls "\"name\":\"$1\"" "$CX_STATE"/volumes/ws/*/*/label)
	echo "${label%/label}/data"
}

# A command in the workspace NAME until go stands there; holder is its pid.
hold() {
	cx_mint >held
	cx-run exec --workspace "$1" -f held -c 'echo >begun
		until [ -e go ]; do sleep 0.02; done' >held.out &
	holder=$!
	cx_wait 10 begun_in "$1"
}

begun_in() {
	[ -e "$(place_of "$1")/begun" ]
}

let_go() {
	local place
	place=$(place_of "$1")
	touch "$place/go"
	wait "$holder"
	rm -f "$place/go" "$place/begun"
}

@test "a named workspace keeps what every later command of its org finds" {
	in_ws notes -c 'mkdir -p a && echo one >a/f' >/dev/null
	cx_mint --user bob >bob
	run --separate-stderr cx-run exec --raw --workspace notes -f bob \
		-c 'cat a/f; id -u; echo two >>a/f'
	assert_output $'one\n10001'
	new_job >job
	run --separate-stderr cx-run exec --raw --workspace notes -f job \
		-c 'cat a/f'
	assert_output $'one\ntwo'
	run --separate-stderr in_ws other -c 'ls -A'
	jq -e '.result.stdout == ""' <<<"$output"
	cx-run close -f job >/dev/null
	run --separate-stderr in_ws notes --raw -c 'cat a/f'
	assert_output $'one\ntwo'
}

@test "a name belongs to one organization" {
	in_ws notes -c 'echo acme >f' >/dev/null
	cx-seal mint -n --org other --user ada --surface chat >foreign
	run --separate-stderr cx-run exec --raw --workspace notes -f foreign \
		-c 'ls -A; echo theirs >f'
	assert_output ""
	run --separate-stderr in_ws notes --raw -c 'cat f'
	assert_output acme
	cx-run workspace rm --org other --workspace notes
	cx_refuses 66 io_error cx-run workspace export --org other \
		--workspace notes -o x.tar
	run --separate-stderr in_ws notes --raw -c 'cat f'
	assert_output acme
}

@test "a document names no workspace" {
	in_ws notes -c 'echo acme >f' >/dev/null
	cx_mint | jq -c '.run = {command: "ls -A", workspace: "notes"}' >asks
	cx_refuses 65 input_invalid cx-run exec -f asks
	cx_mint | jq -c '.workspace = "notes"' >asks
	cx_refuses 125 input_invalid cx-run exec -f asks -c true
	new_job >job
	jq -c '.job.workspace = "notes"' job >asks
	run --separate-stderr cx-run exec --raw -f asks -c 'ls -A'
	assert_output ""
}

@test "a name outside of the grammar opens nothing" {
	local name
	cx_mint >doc
	for name in '' . .. .a -a _a a/b ../x /etc A 'a b' $'a\nb' ä \
		"$(printf '%064d' 1)"; do
		cx_refuses 77 unsafe_volume_name cx-run workspace export \
			--org acme "--workspace=$name" -o x.tar
		run --separate-stderr cx-run exec "--workspace=$name" -f doc \
			-c true
		assert_equal "$status" 125
		jq -e '.error.class == "unsafe_volume_name" and
			.result.decision == "denied"' <<<"$output"
	done
	[ ! -d "$CX_STATE/volumes/ws" ]
	for name in a 0 a.b_c-d "$(printf '%063d' 1)"; do
		run --separate-stderr cx-run exec --raw "--workspace=$name" \
			-f doc -c 'echo well'
		assert_output well
	done
}

@test "a second command is refused when it won't wait" {
	hold notes
	cx_mint >doc
	for flag in --no-wait --wait=0 --wait=1; do
		run --separate-stderr cx-run exec -f doc --workspace notes \
			$flag -- touch second
		assert_equal "$status" 125
		jq -e '.error.class == "store_busy"' <<<"$output"
		[[ $stderr == *"another command uses the workspace"* ]]
	done
	cx_refuses 75 store_busy cx-run workspace export --no-wait --org acme \
		--workspace notes -o x.tar
	[ ! -e x.tar ]
	[ ! -e "$(place_of notes)/second" ]
	run --separate-stderr cx-run exec -f doc --workspace other --no-wait \
		--raw -c 'echo free'
	assert_output free
	let_go notes
	run --separate-stderr cx-run exec -f doc --workspace notes --no-wait \
		--raw -c 'echo free'
	assert_output free
}

@test "a second command waits for the first one's end" {
	hold notes
	cx_mint >doc
	cx-run exec -f doc --workspace notes --raw -c 'touch second; ls' \
		>second.out 2>second.err &
	second=$!
	cx_wait 10 grep -q "waiting for" second.err
	[ ! -e "$(place_of notes)/second" ]
	let_go notes
	wait "$second"
	[ -e "$(place_of notes)/second" ]
}

@test "one who won't wait keeps a carrier that counts" {
	hold notes
	cx_mint --once >once
	run --separate-stderr cx-run exec -f once --workspace notes --no-wait \
		-c true
	jq -e '.error.class == "store_busy"' <<<"$output"
	let_go notes
	run --separate-stderr cx-run exec -f once --workspace notes --no-wait \
		--raw -c 'echo ran'
	assert_output ran
	run --separate-stderr cx-run exec -f once --workspace notes -c true
	jq -e '.error.class == "carrier_replayed"' <<<"$output"
}

@test "a job that was closed while it waited doesn't run" {
	hold notes
	new_job >job
	cx-run exec -f job --workspace notes -c 'echo >ran' >out 2>err &
	second=$!
	cx_wait 10 grep -q "waiting for" err
	cx-run close -f job >/dev/null
	let_go notes
	wait "$second" || true
	jq -e '.error.class == "job_ended"' out
	[ ! -e "$(place_of notes)/ran" ]
}

@test "a killed holder's turn is free at once, and a waiting one can be stopped" {
	hold notes
	cx_mint >doc
	cx-run exec -f doc --workspace notes -c 'echo >third' >out 2>err &
	second=$!
	cx_wait 10 grep -q "waiting for" err
	kill -TERM "$second"
	status=0
	wait "$second" || status=$?
	assert_equal "$status" 143
	kill -KILL "$holder"
	wait "$holder" || true
	rm -f "$(place_of notes)/begun"
	run --separate-stderr cx-run exec -f doc --workspace notes --wait 5 \
		--raw -c 'ls -A'
	assert_success
	assert_output ""
}

@test "gc takes no named workspace unasked" {
	in_ws old -c 'echo >f' >/dev/null
	in_ws new -c 'echo >f' >/dev/null
	touch -d '2 hours ago' "$(place_of old)/../label"
	run --separate-stderr cx-run workspace gc
	jq -e '.removed == [] and .kept == 2' <<<"$output"
	run --separate-stderr cx-run workspace gc --unused 3600
	jq -e '.removed == [] and .kept == 2' <<<"$output"
	cx_refuses 64 usage cx-run workspace gc --named
	hold old
	touch -d '2 hours ago' "$(place_of old)/../label"
	run --separate-stderr cx-run workspace gc --unused 3600 --named
	jq -e '.removed == [] and .kept == 2' <<<"$output"
	let_go old
	touch -d '2 hours ago' "$(place_of old)/../label"
	run --separate-stderr cx-run workspace gc --unused 3600 --named
	jq -e '[.removed[].name] == ["old"] and .kept == 1' <<<"$output"
}

@test "list shows names; rm takes one when its command has ended" {
	hold notes
	run --separate-stderr cx-run workspace list --org acme
	jq -e '.workspaces | length == 1 and (.[0] | .name == "notes" and
		.userId == "ada" and .state == "live" and .busy and
		.inodes == 1)' <<<"$output"
	cx_mint >doc
	cx-run exec -f doc --workspace notes --raw -c 'ls -A; touch mine' \
		>out 2>err &
	second=$!
	cx_wait 10 grep -q "waiting for" err
	run --separate-stderr cx-run workspace rm --org acme --workspace notes
	assert_success
	[[ $stderr == *"still runs"* ]]
	let_go notes
	wait "$second"
	assert_equal "$(cat out)" ""
	run --separate-stderr cx-run exec -f doc --workspace notes --raw \
		-c 'ls -A'
	assert_output mine
	cx-run workspace rm --org acme --workspace notes
	run --separate-stderr cx-run workspace list
	jq -e '.workspaces == []' <<<"$output"
	[ -z "$(ls -A "$CX_STATE"/volumes/ws/*)" ]
}

@test "an import makes a named workspace, an export takes it along" {
	mkdir in
	echo text >in/f
	tar -C in -cf in.tar --format=pax .
	run --separate-stderr cx-run workspace import --org acme --user ada \
		--workspace notes -f in.tar
	assert_success
	run --separate-stderr in_ws notes --raw -c 'cat f && echo more >>f'
	assert_output text
	cx-run workspace export --org acme --workspace notes -o out.tar >listed
	jq -e --arg d "sha256:$(printf 'text\nmore\n' | sha256sum |
		cut -c1-64)" '.files[0].sha256 == $d' listed
	run --separate-stderr cx-run workspace list
	jq -e '.workspaces[0].userId == "ada"' <<<"$output"
}

@test "a named workspace over its quota takes no more commands" {
	CX_LIMITS='  workspace_kib: 200' cx_config
	run --separate-stderr in_ws notes -c 'head -c 150000 /dev/zero >f'
	jq -e '.result.termination == "exited"' <<<"$output"
	run --separate-stderr in_ws notes -c 'head -c 150000 /dev/zero >g'
	jq -e '.result.termination == "disk_quota_exceeded"' <<<"$output"
	run --separate-stderr in_ws notes -c true
	jq -e '.error.class == "job_ended" and
		(.error.message | contains("limits.workspace_kib"))' <<<"$output"
	CX_LIMITS='  workspace_kib: 1000' cx_config
	run --separate-stderr in_ws notes --raw -c 'rm g; ls'
	assert_output f
}
