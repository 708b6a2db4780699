#!/usr/bin/env bats
# limits.bats - what a command may use, and what happens beyond: attacked from
# inside and judged by the result document.
#
# The commands are for the sandbox's shell, and jq's filters for jq:
# shellcheck disable=SC2016

load ../lib/common
load ../lib/asking

# However a test ended: what it delegated is taken back.
teardown() {
	local place uid tree
	if [ -e "$BATS_TEST_TMPDIR/delegated" ]; then
		read -r place uid <"$BATS_TEST_TMPDIR/delegated"
		for tree in /sys/fs/cgroup/*/cx/u"$uid"; do
			cx_wait 5 rmdir "$tree" || true
		done
		rm -rf "$place"
	fi
	cx_teardown
}

# The folders of this machine's cgroup hierarchies in which groups stand. Other
# runs may be under way on this machine: theirs are left out of account.
trees() {
	local tree
	# on the hybrid, groups stand in v1's trees alone
	for tree in /sys/fs/cgroup /sys/fs/cgroup/{memory,pids,cpu,cpuacct}; do
		[ ! -d "$tree/cx" ] || echo "$tree/cx"
	done
}

# The memory folder of the group whose limit is this number of bytes.
group_of() {
	local file
	for file in /sys/fs/cgroup/{memory/cx,cx}/cx.*/memory.{max,limit_in_bytes}; do
		! grep -qsx "$1" "$file" || echo "${file%/*}"
	done
}

has_group() {
	[ -n "$(group_of "$1")" ]
}

left_of() {
	local tree
	for tree in $(trees); do
		find "$tree" -name "cx.$1*"
	done
}

swept() {
	[ -z "$(left_of left-behind)" ]
}

# One command; its document is in $output, whatever was said beside it.
box() {
	output=$(cx_exec "$@" 2>"$BATS_TEST_TMPDIR/said") || true
	# for bats to show when the test fails
	cat "$BATS_TEST_TMPDIR/said"
}

@test "a limit that can't be held refuses the command" {
	cat >"$CX_CONFIG" <<-EOF
		store: {shared: $(cx_l0_state)}
	EOF
	cx_l0
	cx_mint --once >carrier
	if cx_can_limit; then
		# root of a machine without cgroups
		cx_refuses 125 quota_unenforceable unshare -m sh -c '
			mount -t tmpfs none /sys/fs/cgroup &&
			exec cx-run exec -c "touch ran" <carrier'
	else
		cx_refuses 125 quota_unenforceable \
			cx-run exec -c 'touch ran' -f carrier
	fi
	run cat "$BATS_TEST_TMPDIR/stderr"
	assert_output --partial 'best_effort: [memory, cpu]'
	# root of a namespace has another name outside of it
	case $(cx_identity) in
	root) assert_output --partial 'mount them' ;;
	user) assert_output --partial "cx-run delegate $(id -un)" ;;
	unshare) assert_output --regexp 'cx-run delegate [a-z0-9-]+"'
		refute_output --partial 'delegate root' ;;
	esac
	# refused first: nothing was made, and the carrier is as good as before
	[ ! -e "$CX_STATE/volumes" ]
	[ -z "$(ls -A "$CX_STATE/run" 2>/dev/null)" ]
	run cx-seal open -f carrier
	assert_success
}

@test "best effort says by name what doesn't hold" {
	cx_can_limit && skip "here every limit holds"
	box -c 'echo ran'
	field '.result.stdout == "ran\n"'
	field '.result.enforced.memory == false'
	field '.result.enforced.cpu == false'
	field '.result.enforced.pids == true'
	field '.result.enforced.wall == true'
}

@test "where all limits hold, the result says so" {
	cx_can_limit || skip "not without cgroups"
	box -c true
	field '.result.enforced | length >= 5 and all'
	field '.result.memoryPeakKb > 0'
	field '.result.cpuMs >= 0'
}

@test "a memory hog is killed at the limit" {
	cx_can_limit || skip "memory is held by cgroups alone"
	CX_LIMITS='  memory_bytes: 67108864' cx_config
	box -c 'exec dd if=/dev/zero of=/dev/null bs=400M count=1'
	field '.result.termination == "out_of_memory"'
	field '.result.oomKills >= 1'
	field '.result.memoryPeakKb <= 65536 and .result.memoryPeakKb > 49152'
}

@test "a child killed for memory is counted, and the rest goes on" {
	cx_can_limit || skip "memory is held by cgroups alone"
	CX_LIMITS='  memory_bytes: 67108864' cx_config
	box -c 'dd if=/dev/zero of=/dev/null bs=400M count=1; echo went on'
	field '.result.termination == "exited" and .result.exitCode == 0'
	field '.result.stdout == "went on\n"'
	field '.result.oomKills >= 1'
}

# Files in memory are memory: /tmp and /dev/shm count.
@test "files in /tmp and /dev/shm count as memory" {
	cx_can_limit || skip "memory is held by cgroups alone"
	CX_LIMITS='  memory_bytes: 67108864' cx_config
	box -c 'dd if=/dev/zero of=/tmp/a bs=1M count=50 2>/dev/null
		exec dd if=/dev/zero of=/dev/shm/b bs=1M count=50'
	field '.result.termination == "out_of_memory"'
}

@test "the group has no swap beside its memory" {
	local memory pid bytes=67112960
	cx_can_limit || skip "memory is held by cgroups alone"
	CX_LIMITS="  memory_bytes: $bytes" cx_config
	cx_l0
	cx_mint >carrier
	cx-run exec -c 'sleep 3' -f carrier >result 2>&1 &
	pid=$!
	cx_wait 3 has_group "$bytes"
	memory=$(group_of "$bytes")
	if [ -e "$memory/memory.max" ]; then
		run cat "$memory/memory.swap.max"
		assert_output 0
	elif [ -e "$memory/memory.memsw.limit_in_bytes" ]; then
		run cat "$memory/memory.memsw.limit_in_bytes"
		assert_output "$bytes"
	else
		run cat "$memory/memory.swappiness"
		assert_output 0
	fi
	wait "$pid"
}

@test "a fork bomb stops at the pids limit" {
	CX_LIMITS='  pids: 20' cx_config
	# each child tells that it lives; the shell says what it couldn't make
	box -c 'i=0
		while [ $i -lt 60 ]; do
			(echo alive; exec sleep 2) 2>/dev/null & i=$((i + 1))
		done 2>/dev/null
		sleep 1 2>/dev/null'
	run jq -r '.result.stdout | split("alive") | length' <<<"$output"
	[ "$output" -le 22 ]
}

@test "the pids limit that was met is in the result" {
	cx_can_limit || skip "only a group counts them"
	CX_LIMITS='  pids: 20' cx_config
	box -c 'for i in $(seq 60); do sleep 2 & done; sleep 1'
	field '.result.pidsLimitHit == true'
	field '.result.pidsPeak == null or .result.pidsPeak <= 20'
	box -c true
	field '.result.pidsLimitHit == false'
}

# A twentieth: less than a busy machine would leave them anyway.
@test "spinning processes get no more CPU than the limit" {
	cx_can_limit || skip "CPU is held by cgroups alone"
	CX_LIMITS='  cpus: 0.05' cx_config
	box -c 'for i in 1 2 3 4 5 6; do (while :; do :; done) & done
		sleep 3; kill 0'
	field '.result.cpuMs < .result.wallMs * 0.08 + 20'
	field '.result.cpuMs > 20'
	field '.result.cpuThrottledMs > 100'
	field '.result | has("cpuPressureMs") and has("memoryPressureMs") and
		has("ioPressureMs")'
	box -c true
	field '.result.cpuThrottledMs | . != null and . < 100'
}

@test "as many CPUs are seen as may be used" {
	CX_LIMITS='  cpus: 1' cx_config
	box -c nproc
	field '.result.stdout == "1\n"'
}

@test "files and descriptors are limited inside" {
	CX_LIMITS='  file_size_bytes: 1048576' cx_config
	box -c 'ulimit -n; ulimit -Hn
		dd if=/dev/zero of=big bs=1M count=4 2>/dev/null
		stat -c %s big'
	field '.result.stdout == "1024\n4096\n1048576\n"'
	box -c 'exec dd if=/dev/zero of=big bs=1M count=4'
	field '.result.fileLimitHit == true'
}

@test "all five capability sets are empty and no privilege can be gained" {
	box -c 'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status'
	run jq -r .result.stdout <<<"$output"
	assert_line --regexp '^CapInh:[[:space:]]+0+$'
	assert_line --regexp '^CapPrm:[[:space:]]+0+$'
	assert_line --regexp '^CapEff:[[:space:]]+0+$'
	assert_line --regexp '^CapBnd:[[:space:]]+0+$'
	assert_line --regexp '^CapAmb:[[:space:]]+0+$'
	assert_line --regexp '^NoNewPrivs:[[:space:]]+1$'
	assert_line --regexp '^Seccomp:[[:space:]]+2$'
}

# Of what it forbids, this alone nothing else forbids: init has the command's
# uid, so a signal to it is permitted but for Landlock's scope (Linux 6.12).
@test "Landlock keeps signals to the command's own processes" {
	local major minor
	IFS=.- read -r major minor _ < <(uname -r)
	[ "$major" -gt 6 ] || [ "$major$minor" -ge 612 ] ||
		skip "this kernel's Landlock has no scopes"
	box -c 'kill -0 1 && echo reached init; sleep 1 & kill -0 $! && echo own'
	field '.result.stdout == "own\n"'
}

@test "files move between the folders that may be written" {
	box -c 'echo x >/dev/shm/a && cat /dev/shm/a; mkdir d e && echo y >d/b &&
		mv d/b e && cat e/b; ln e/b d/c && cat d/c'
	field '.result.stdout == "x\ny\ny\n"'
}

@test "the names of control groups aren't seen inside" {
	box -c 'cut -d: -f3 /proc/self/cgroup | sort -u'
	field '.result.stdout == "/\n" or .result.stdout == ""'
}

@test "cx-run's own arguments can't be read inside" {
	cx_l0
	cx_mint >carrier
	output=$(cx-run exec -f carrier -c 'sleep 0.1; : secret-argument
		tr "\0" "\n" </proc/1/cmdline; cat /proc/1/environ') ||
		true
	field '.result.stdout | contains("secret-argument") | not'
	field '.result.stdout | contains("CX_STATE") | not'
}

@test "a dead launcher's groups are swept, and nobody else's" {
	local tree
	cx_need_root
	[ -n "$(trees)" ] || cx_exec -c true
	for tree in $(trees); do
		mkdir -p "$tree/cx.left-behind" "$tree/other-$$"
		touch -d '1 minute ago' "$tree/cx.left-behind"
	done
	box -c true
	cx_wait 5 swept
	for tree in $(trees); do
		[ -d "$tree/other-$$" ]
		rmdir "$tree/other-$$"
	done
}

@test "an ordinary user's limits hold where root has delegated" {
	local uid place
	cx_need_root
	[ -d /sys/fs/cgroup/memory ] || skip "on v2 check-v2 has a test of it"
	uid=$((210000000 + $$))
	place=$(mktemp -d /tmp/cx-delegate-XXXXXX)
	echo "$place $uid" >"$BATS_TEST_TMPDIR/delegated"
	chmod 755 "$place"
	cp "$CX_BIN"/cx-{seal,build,run} "$CX_ROOT/share/l0/busybox.yaml" \
		"$place"
	printf '%s\n' 'egress: {tier: none}' 'limits: {memory_bytes: 67108864}' \
		>"$place/config.yaml"
	chown "$uid:$uid" "$place"
	"$CX_BIN/cx-run" delegate "$uid"
	output=$(cd "$place" && setpriv --reuid "$uid" --regid "$uid" \
		--clear-groups --inh-caps=-all env "CX_STATE=$place/state" \
		"CX_CONFIG=$place/config.yaml" "PATH=$place:$PATH" bash -c '
			cx-build l0 -f busybox.yaml >log 2>&1
			cx-seal mint -n --org acme --user ada --surface chat |
				cx-run exec -c "dd if=/dev/zero of=/dev/null bs=400M count=1
					echo on"') || true
	field '.result.enforced | all'
	field '.result.stdout == "on\n" and .result.oomKills >= 1'
}

@test "no group is left when a command has ended" {
	cx_need_root
	box -c true
	run left_of "$(jq -r .result.jobId <<<"$output")"
	assert_output ""
}
