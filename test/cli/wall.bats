# wall.bats - the workspace's quota as a wall (limits.workspace_wall).
#
# The commands are for the sandbox's shell:
# shellcheck disable=SC2016

load ../lib/common
load ../lib/jobs
load ../lib/asking

# Walls of 8 MiB and 300 files, of the sort given.
wall() {
	CX_LIMITS="  workspace_wall: $1
  workspace_kib: 8192
  inodes: 300
  file_size_bytes: 104857600${2:-}" cx_config
}

setup() {
	cx_setup
	cx_l0
}

# Every mount of a wall is nobody's: none of them is in a namespace, and none
# of the devices outlives its last user.
no_device() {
	! grep -qs "$BATS_TEST_TMPDIR" /sys/block/loop*/loop/backing_file
}

teardown() {
	cx_wait 5 no_device || true
	cx_teardown
}

# For each sort of wall that this machine can raise.
each_wall() {
	cx_need_root
	for sort in tmpfs image; do
		[ "$sort" != image ] || [ -e /dev/loop-control ] || continue
		[ "$sort" != image ] || cx_need mke2fs
		wall "$sort"
		"$@"
	done
}

bytes_stop() {
	output=$(cx_exec -c 'head -c 6000000 /dev/zero >a || exit 9
		dd if=/dev/zero of=b bs=1000000 count=6; echo rc=$?; rm a b
		head -c 8000000 /dev/zero >c; echo rc=$?; echo kept >d')
	field '.result.termination == "exited"'
	field '.result.stdout == "rc=1\nrc=0\n"'
	field '.result.stderr | contains("No space left on device")'
	field '.result.workspaceKb <= 8192 and .result.workspaceKb > 7800'
	field '.result.enforced.workspace'
}

@test "a wall stops bytes where the quota is" {
	each_wall bytes_stop
}

deleted_stop() {
	output=$(cx_exec -c 'exec 3>a; rm a; head -c 6000000 /dev/zero >&3
		head -c 6000000 /dev/zero >b; echo rc=$?')
	field '.result.termination == "exited" and .result.stdout == "rc=1\n"'
}

@test "a wall counts what was deleted and is still open" {
	each_wall deleted_stop
}

holes_and_links() {
	output=$(cx_exec -c 'truncate -s 50M hole; head -c 3000000 /dev/zero >f
		i=0; while [ $i -lt 20 ]; do ln f l$i; i=$((i+1)); done; echo ok')
	field '.result.stdout == "ok\n" and .result.workspaceKb < 3200 and
		.result.workspaceKb > 2900'
}

@test "behind a wall holes and second names cost nothing" {
	each_wall holes_and_links
}

inodes_stop() {
	output=$(cx_exec -c 'i=0; while touch f$i; do i=$((i+1)); done
		[ $i -ge 290 ] && [ $i -le 330 ] && echo stopped; rm -f f*') || true
	field '.result.stdout == "stopped\n"'
	field '.result.termination == "exited"'
}

@test "a wall stops many small files" {
	each_wall inodes_stop
}

@test "a file system in a file keeps what a job's commands leave" {
	local document
	cx_need_root
	cx_need mke2fs
	[ -e /dev/loop-control ] || skip "no loop devices here"
	wall image
	document=$(new_job)
	on "$document" -c 'echo one >a; head -c 5000000 /dev/zero >b' >/dev/null
	output=$(on "$document" -c 'cat a; stat -c %s b; head -c 5000000 /dev/zero >c
		echo rc=$?; rm b c') || true
	field '.result.stdout == "one\n5000000\nrc=1\n"'
	# two at once are in one file system
	on "$document" -c 'echo in >meet; sleep 1; cat met' >first &
	output=$(on "$document" -c 'until [ -e meet ]; do sleep 0.05; done
		echo out >met; cat meet')
	wait $!
	field '.result.stdout == "in\n"'
	jq -e '.result.stdout == "out\n"' first
	# whatever the configuration says by then
	wall measure
	on "$document" -c 'rm m*; echo three >three' >/dev/null
	cx-run workspace export --org acme --job "$(jq -r .job.id <<<"$document")" \
		-o x.tar >list
	assert_equal "$(tar -tf x.tar | sort | paste -sd' ')" "a three"
	cx-run close <<<"$document" >/dev/null
	[ -z "$(ls "$CX_STATE"/volumes/ws/*)" ]
	cx_wait 5 no_device
}

@test "a wall that can't be raised refuses the command" {
	local sort
	# no file system of this machine is mounted so, but that of the state may
	findmnt -no OPTIONS -T "$BATS_TEST_TMPDIR" | grep -q prjquota &&
		skip "project quotas hold here"
	for sort in project $(cx_can_limit || echo tmpfs image); do
		wall "$sort"
		cx_mint >carrier
		cx_refuses 125 quota_unenforceable \
			cx-run exec -c 'echo ran' -f carrier
		[[ $(cat stderr) == *"best_effort: [workspace]"* ]]
	done
	if cx_can_limit; then
		wall tmpfs
		document=$(new_job)
		cx_refuses 125 quota_unenforceable \
			cx-run exec -c 'echo ran' <<<"$document"
	fi
}

@test "a wall that is best effort is said to be missing" {
	wall project "
  best_effort: [workspace, memory, cpu, pids]"
	# the list stands once in a configuration
	sed -i '2,/best_effort/{/^  best_effort: \[memory, cpu, pids\]$/d}' \
		"$CX_CONFIG"
	findmnt -no OPTIONS -T "$BATS_TEST_TMPDIR" | grep -q prjquota &&
		skip "project quotas hold here"
	output=$(cx_exec -c 'echo ran')
	field '.result.stdout == "ran\n" and
		.result.enforced.workspace == false'
	wall auto
	output=$(cx_exec -c 'echo ran')
	field '.result.enforced.workspace'
}

@test "a killed launcher leaves no device behind" {
	cx_need_root
	cx_need mke2fs
	[ -e /dev/loop-control ] || skip "no loop devices here"
	wall image
	cx_mint >carrier
	cx-run exec -f carrier -c 'echo a >a; sleep 60' >out 2>err &
	cx_wait 10 eval '! no_device'
	sleep 0.2
	kill -KILL $!
	wait $! || true
	cx_wait 5 no_device
	cx_wait 5 eval '[ -z "$(ls "$CX_STATE"/volumes/ws/*)" ]'
}
