# workspace.bats - what persists between commands, and how it goes.

load ../lib/common
load ../lib/jobs

setup() {
	cx_setup
	cx_l0
}

# Archives that nobody's tar would write: hostile PROGRAM-LINES > file
hostile() {
	python3 -c 'import io, sys, tarfile
archive = tarfile.open(fileobj=sys.stdout.buffer, mode="w|")
def add(name, type=b"0", link="", data=b"", mode=0o644):
    member = tarfile.TarInfo(name)
    member.type, member.linkname, member.size = type, link, len(data)
    member.mode = mode
    archive.addfile(member, io.BytesIO(data))
'"$1"'
archive.close()'
}

import() {
	cx-run workspace import --org acme --job "$(jq -r .job.id job)" "$@"
}

export_to() {
	cx-run workspace export --org acme --job "$(jq -r .job.id job)" -o "$1"
}

@test "a job's commands share a workspace, and only they" {
	new_job >job
	on "$(cat job)" -c 'echo one >f; mkdir .local; cp /bin/sh .local/' \
		>/dev/null
	run --separate-stderr cx-run exec --raw -c 'cat f; .local/sh -c id' \
		-f job
	assert_line --index 0 one
	new_job >other
	run --separate-stderr cx-run exec --raw -c 'ls -A' -f other
	assert_output ""
	run --separate-stderr cx_exec -c 'ls -A; ls -A /tmp'
	jq -e '.result.stdout == ""' <<<"$output"
}

@test "a run's commands share a workspace across carriers" {
	agent r/1 | cx-run open >run1
	cx-run exec -c 'echo 1 >n' -f run1 >/dev/null
	agent r/1 >again
	run --separate-stderr cx-run exec --raw -c 'cat n' -f again
	assert_output 1
	cx-seal mint -n --org other --user ada --surface agent --run r/1 |
		cx-run open >foreign
	run --separate-stderr cx-run exec --raw -c 'ls -A' -f foreign
	assert_output ""
	cx-run close -f run1 >/dev/null
	agent r/2 | cx-run open >second
	run --separate-stderr cx-run exec --raw -c 'ls -A' -f second
	assert_output ""
}

@test "one command's own workspace goes with it" {
	cx_exec -c 'mkdir -p a/b; echo >a/b/c; chmod 0 a/b a' >/dev/null
	[ -z "$(ls -A "$CX_STATE"/volumes/ws/*)" ]
}

@test "a job id that is a path opens nothing" {
	local id
	mkdir -p "$BATS_TEST_TMPDIR/outside/data"
	new_job >job
	on "$(cat job)" -- true >/dev/null
	for id in ../x /etc j-/../../x j-.. "$BATS_TEST_TMPDIR/outside" J-A; do
		run --separate-stderr cx-run exec -f <(jq -c --arg i "$id" \
			'.job.id = $i' job) -c true
		jq -e '.error.class == "input_invalid" and
			.error.pointer == "/job/id"' <<<"$output"
		cx_refuses 77 unsafe_volume_name cx-run workspace export \
			--org acme --job "$id" -o x.tar
		cx_refuses 77 unsafe_volume_name cx-run workspace rm \
			--org acme --job "$id"
	done
	[ -d "$BATS_TEST_TMPDIR/outside/data" ]
}

@test "closing a job doesn't interrupt its running command" {
	new_job >job
	cx-run exec -f job -c 'echo begun >begun
		i=0
		until [ -e go ] || [ $i -ge 200 ]; do
			sleep 0.05
			i=$((i + 1))
		done
		echo more >more && cat begun more' >out &
	tool=$!
	cx_wait 10 test -e "$(workspace_of "$(cat job)")/begun"
	run --separate-stderr cx-run close -f job
	assert_success
	[[ $stderr == *"still runs"* ]]
	run --separate-stderr cx-run workspace gc
	run --separate-stderr cx-run workspace rm --org acme \
		--job "$(jq -r .job.id job)"
	touch "$(workspace_of "$(cat job)")/go"
	wait "$tool"
	jq -e '.result.stdout == "begun\nmore\n" and .result.exitCode == 0' out
	[ -z "$(ls -A "$CX_STATE"/volumes/ws/*)" ]
	run --separate-stderr cx-run exec -f job -c true
	jq -e '.error.class == "job_ended"' <<<"$output"
}

@test "list shows whose they are, and how much they take" {
	new_job >job
	on "$(cat job)" -c 'head -c 100000 /dev/zero >f' >/dev/null
	agent r-1 | cx-run open >run
	cx-run exec -c true -f run >/dev/null
	run --separate-stderr cx-run workspace list
	jq -e --arg j "$(jq -r .job.id job)" '.workspaces | sort_by(.runId) |
		length == 2 and (.[0] | .jobId == $j and .orgId == "acme" and
		.userId == "ada" and .state == "live" and .busy == false and
		.kib >= 98 and .kib <= 104 and .inodes == 1) and
		.[1].runId == "r-1"' <<<"$output"
	run --separate-stderr cx-run workspace list --org other
	jq -e '.workspaces == []' <<<"$output"
}

@test "an export holds every file with its digest" {
	new_job >job
	on "$(cat job)" -c 'mkdir -p a/b; echo x >a/b/f; ln -s ../../etc/passwd l
		ln a/b/f again; truncate -s 8M hole; printf y >>hole; mkfifo pipe
		: >"odd
name"; chmod 0 a/b/f; chmod 0 a/b' >/dev/null
	run --separate-stderr export_to ws.tar
	assert_success
	jq -e --arg d "sha256:$(echo x | sha256sum | cut -c1-64)" '.files |
		map({(.path): .}) | add | (.pipe == {path: "pipe",
		type: "pipe"}) and .l.target == "../../etc/passwd" and
		([."a/b/f", .again] | map(.sha256) | index($d) != null) and
		([."a/b/f", .again] | map(.type) | sort ==
		["file", "hardlink"]) and .hole.sparse' <<<"$output"
	[ "$(stat -c %s ws.tar)" -lt 100000 ]
	mkdir out
	tar --no-same-owner -xf ws.tar -C out
	assert_equal "$(stat -c %s out/hole)" 8388609
	chmod -R u+rwX out
	assert_equal "$(cat out/a/b/f)" x
	[ -e "out/odd
name" ]
	[ ! -e out/pipe ]
}

@test "an import brings another tar's files, and GNU's holes" {
	mkdir -p in/deep
	echo text >in/deep/file
	ln -s deep/file in/link
	truncate -s 5M in/hole
	printf z >>in/hole
	touch "in/$(printf '%0150d' 7)"
	tar -C in -cSf plain.tar --format=gnu .
	tar -C in -cSf pax.tar --format=pax .
	new_job >job
	on "$(cat job)" -- true >/dev/null
	cx_refuses 65 input_invalid import -f plain.tar
	tar -C in -cf plain.tar --format=gnu --exclude hole .
	for file in plain.tar pax.tar; do
		run --separate-stderr import -f "$file"
		assert_success
	done
	jq -e '[.files[] | select(.path == "deep/file").sha256] ==
		["sha256:'"$(sha256sum <in/deep/file | cut -c1-64)"'"]' \
		<<<"$output"
	run --separate-stderr cx-run exec --raw -f job -c \
		'cat deep/file link; stat -c "%s %u" hole; echo add >>deep/file
		touch deep/new && rm hole && tail -c 1 deep/../link'
	assert_line --index 2 "5242881 10001"
	export_to ws.tar >/dev/null
	new_job >other
	on "$(cat other)" -- true >/dev/null
	run --separate-stderr cx-run workspace import --org acme \
		--job "$(jq -r .job.id other)" -f ws.tar
	assert_success
}

@test "an archive can't leave the workspace" {
	local name
	new_job >job
	on "$(cat job)" -- true >/dev/null
	for name in ../out /tmp/cx-out a/../../out .. a//b a/./b; do
		hostile "add('$name', data=b'x')" >bad.tar
		cx_refuses 65 unsafe_path import -f bad.tar
		hostile "add('$name', b'5')" >bad.tar
		cx_refuses 65 unsafe_path import -f bad.tar
		hostile "add('fine', data=b'x'); add('h', b'1', '$name')" >bad.tar
		cx_refuses 65 unsafe_path import -f bad.tar
	done
	[ ! -e "$(workspace_of "$(cat job)")/../out" ]
	[ ! -e /tmp/cx-out ]
}

@test "an archive can't write through a link" {
	mkdir outside
	new_job >job
	on "$(cat job)" -c "ln -s $PWD/outside mine; ln -s nothing self" >/dev/null
	hostile "add('mine/x', data=b'x')" >bad.tar
	cx_refuses 65 unsafe_path import -f bad.tar
	hostile "add('d', b'2', '$PWD/outside'); add('d/x', data=b'x')" >bad.tar
	cx_refuses 65 unsafe_path import -f bad.tar
	hostile "add('d', b'2', '$PWD/outside'); add('d', b'5')" >bad.tar
	cx_refuses 65 unsafe_path import -f bad.tar
	hostile "add('self', data=b'x')" >good.tar
	import -f good.tar >/dev/null
	[ ! -L "$(workspace_of "$(cat job)")/self" ]
	[ -z "$(ls -A outside)" ]
}

@test "an archive brings no device, no setuid bit and no more than the quota" {
	CX_LIMITS='  workspace_kib: 100
  inodes: 50' cx_config
	new_job >job
	on "$(cat job)" -- true >/dev/null
	hostile "add('dev', b'3'); add('p', b'6'); add('s', data=b'x',
    mode=0o6755)" >odd.tar
	run --separate-stderr import -f odd.tar
	jq -e '[.files[].type] == ["device", "pipe", "file"]' <<<"$output"
	assert_equal "$(ls "$(workspace_of "$(cat job)")")" s
	assert_equal "$(stat -c %a "$(workspace_of "$(cat job)")/s")" 755
	hostile "add('big', data=b'x' * 200000)" >big.tar
	cx_refuses 65 input_invalid import -f big.tar
	hostile "
for i in range(60): add('f%d' % i)" >many.tar
	cx_refuses 65 input_invalid import -f many.tar
	head -c 20000 /dev/urandom >noise
	cx_refuses 65 input_invalid import -f noise
	head -c 700 big.tar >cut.tar
	cx_refuses 65 input_invalid import -f cut.tar
}

@test "gc collects what nobody uses, and nothing else" {
	new_job >live
	new_job >closed
	new_job >old
	for file in live closed old; do
		on "$(cat $file)" -- touch "$file" >/dev/null
	done
	mkdir -p "$CX_STATE"/volumes/ws/deadbeef/j-left/data \
		"$CX_STATE"/volumes/ws/deadbeef/.new-123/data \
		"$CX_STATE"/volumes/ws/deadbeef/.gone-123/a/b
	touch -d '2 hours ago' "$(workspace_of "$(cat old)")/../label"
	cx-run exec -f live -c 'until [ -e go ]; do sleep 0.05; done' >/dev/null &
	tool=$!
	cx_wait 10 bash -c "ls '$CX_STATE/run/started' | grep -q ."
	run --separate-stderr cx-run workspace gc --dry-run
	jq -e '(.removed | length == 3) and .kept == 3' <<<"$output"
	run --separate-stderr cx-run workspace gc
	jq -e '(.removed | length == 3) and .kept == 3' <<<"$output"
	[ -z "$(ls -A "$CX_STATE"/volumes/ws/deadbeef)" ]
	run --separate-stderr cx-run workspace gc --unused 3600
	jq -e --arg j "$(jq -r .job.id old)" '[.removed[].jobId] == [$j] and
		.kept == 2' <<<"$output"
	touch "$(workspace_of "$(cat live)")/go"
	wait "$tool"
	[ -e "$(workspace_of "$(cat live)")/live" ]
}

@test "a deep chain and a closed tree are listed, exported and removed" {
	new_job >job
	on "$(cat job)" -c 'i=0; while [ $i -lt 200 ]; do mkdir dddddddddddddddd &&
		cd dddddddddddddddd || exit; i=$((i+1)); done; echo x >f
		chmod 0 f; cd ..; chmod 0 dddddddddddddddd' >/dev/null
	run --separate-stderr cx-run workspace list
	jq -e '.workspaces[0].inodes == 201' <<<"$output"
	run --separate-stderr export_to ws.tar
	jq -e '.files | length == 201' <<<"$output"
	cx-run close -f job >/dev/null
	[ -z "$(ls -A "$CX_STATE"/volumes/ws/*)" ]
}

@test "paths without end are exported, and listed in part" {
	new_job >job
	on "$(cat job)" -c 'i=0; t=$(printf "%0250d" 0); mkdir $t; echo x >$t/f
		while [ $i -lt 599 ]; do mkdir n && mv $t n/ && mv n $t || exit
		i=$((i+1)); done' >/dev/null
	run --separate-stderr export_to ws.tar
	assert_success
	jq -e '.truncated and (.files | length > 400 and length < 601)' \
		<<<"$output"
	assert_equal "$(tar -tf ws.tar | wc -l)" 601
}

@test "a workspace that isn't there is said" {
	cx_refuses 66 io_error cx-run workspace export --org acme \
		--job j-aaaaaaaaaaaaaaaaaaaaaaaaaa -o x.tar
	cx_refuses 66 io_error cx-run workspace rm --org acme --run r-9
	cx_refuses 64 usage cx-run workspace rm --org acme
	cx_refuses 64 usage cx-run workspace rm --org acme --run a --job b
	[ ! -e x.tar ]
}

@test "a registry that can't be read collects nothing" {
	new_job >job
	on "$(cat job)" -- touch kept >/dev/null
	cp "$CX_STATE/cx.db" saved
	rm -f "$CX_STATE"/cx.db-*
	head -c 8192 /dev/urandom >"$CX_STATE/cx.db"
	run --separate-stderr cx-run workspace gc
	assert_failure
	[ -e "$(workspace_of "$(cat job)")/kept" ]
}
