#!/usr/bin/env bats
# limits.bats - what a command may use, and what happens beyond: attacked from
# inside and judged by the result document.
#
# The commands are for the sandbox's shell, and jq's filters for jq:
# shellcheck disable=SC2016

load ../lib/common

# The folders of this machine's cgroup hierarchies in which groups stand.
trees() {
	find /sys/fs/cgroup -maxdepth 2 -type d -name cx 2>/dev/null
}

# The command's group, by hierarchy: group memory
group() {
	find "/sys/fs/cgroup/$1/cx" /sys/fs/cgroup/cx -maxdepth 1 \
		-name 'cx.*' 2>/dev/null | head -1
}

has_group() {
	[ -n "$(group memory)" ]
}

groups_left() {
	local tree
	for tree in $(trees); do
		find "$tree" -name 'cx.*'
	done
}

swept() {
	! groups_left | grep -q left-behind
}

field() {
	jq -e "$1" <<<"$output" || {
		echo "not so: $1"
		jq .result <<<"$output"
		return 1
	}
}

@test "a limit that can't be held refuses the command" {
	cat >"$CX_CONFIG" <<-EOF
		store: {shared: $(cx_l0_state)}
	EOF
	cx_l0
	cx_mint >carrier
	if cx_can_limit; then
		# root of a machine without cgroups
		cx_refuses 69 quota_unenforceable unshare -m sh -c '
			mount -t tmpfs none /sys/fs/cgroup &&
			exec cx-run exec -c "touch ran" <carrier'
	else
		cx_refuses 69 quota_unenforceable \
			cx-run exec -c 'touch ran' -f carrier
	fi
	run cat "$BATS_TEST_TMPDIR/stderr"
	assert_output --partial 'cx-run delegate'
	assert_output --partial 'best_effort'
	run jq -r .result.decision <<<"$(cx-run exec -c true -f carrier \
		2>/dev/null || true)"
	cx_can_limit || assert_output denied
}

@test "best effort says by name what doesn't hold" {
	cx_can_limit && skip "here every limit holds"
	run cx_exec -c 'echo ran'
	field '.result.stdout == "ran\n"'
	field '.result.enforced.memory == false'
	field '.result.enforced.cpu == false'
	field '.result.enforced.pids == true'
	field '.result.enforced.wall == true'
}

@test "where all limits hold, the result says so" {
	cx_can_limit || skip "not without cgroups"
	run cx_exec -c true
	field '.result.enforced | length >= 5 and all'
	field '.result.memoryPeakKb > 0'
	field '.result.cpuMs >= 0'
}

@test "a memory hog is killed at the limit" {
	cx_can_limit || skip "memory is held by cgroups alone"
	CX_LIMITS='  memory_bytes: 67108864' cx_config
	run cx_exec -c 'exec tail -c 400m /dev/zero'
	field '.result.termination == "out_of_memory"'
	field '.result.oomKills >= 1'
	field '.result.memoryPeakKb <= 65536 and .result.memoryPeakKb > 49152'
}

@test "a child killed for memory is counted, and the rest goes on" {
	cx_can_limit || skip "memory is held by cgroups alone"
	CX_LIMITS='  memory_bytes: 67108864' cx_config
	run cx_exec -c 'tail -c 400m /dev/zero; echo went on'
	field '.result.termination == "exited" and .result.exitCode == 0'
	field '.result.stdout == "went on\n"'
	field '.result.oomKills >= 1'
}

# Files in memory are memory: /tmp and /dev/shm count.
@test "files in /tmp and /dev/shm count as memory" {
	cx_can_limit || skip "memory is held by cgroups alone"
	CX_LIMITS='  memory_bytes: 67108864' cx_config
	run cx_exec -c 'dd if=/dev/zero of=/tmp/a bs=1M count=50 2>/dev/null
		exec dd if=/dev/zero of=/dev/shm/b bs=1M count=50'
	field '.result.termination == "out_of_memory"'
}

@test "the group has no swap beside its memory" {
	local memory
	cx_can_limit || skip "memory is held by cgroups alone"
	CX_LIMITS='  memory_bytes: 67108864' cx_config
	cx_l0
	cx_mint >carrier
	cx-run exec -c 'echo ready >ready; sleep 3' -f carrier >result &
	cx_wait 5 has_group
	memory=$(group memory)
	if [ -e "$memory/memory.max" ]; then
		cx_wait 3 grep -qx 67108864 "$memory/memory.max"
		run cat "$memory/memory.swap.max"
		assert_output 0
	elif [ -e "$memory/memory.memsw.limit_in_bytes" ]; then
		cx_wait 3 grep -qx 67108864 "$memory/memory.limit_in_bytes"
		run cat "$memory/memory.memsw.limit_in_bytes"
		assert_output 67108864
	else
		run cat "$memory/memory.swappiness"
		assert_output 0
	fi
	wait
}

@test "a fork bomb stops at the pids limit" {
	CX_LIMITS='  pids: 20' cx_config
	# each child tells that it lives; the shell says what it couldn't make
	run cx_exec -c 'i=0
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
	run cx_exec -c 'for i in $(seq 60); do sleep 2 & done; sleep 1'
	field '.result.pidsLimitHit == true'
	field '.result.pidsPeak == null or .result.pidsPeak <= 20'
	run cx_exec -c true
	field '.result.pidsLimitHit == false'
}

@test "spinning processes get no more CPU than the limit" {
	cx_can_limit || skip "CPU is held by cgroups alone"
	CX_LIMITS='  cpus: 0.2' cx_config
	run cx_exec -c 'for i in 1 2; do (while :; do :; done) & done
		sleep 2; kill 0'
	# an eighth more for the slices at both ends
	field '.result.cpuMs < .result.wallMs * 0.25 + 50'
	field '.result.cpuMs > 50'
}

@test "as many CPUs are seen as may be used" {
	CX_LIMITS='  cpus: 1' cx_config
	run cx_exec -c nproc
	field '.result.stdout == "1\n"'
}

@test "files and descriptors are limited inside" {
	CX_LIMITS='  file_size_bytes: 1048576' cx_config
	run cx_exec -c 'ulimit -n; ulimit -Hn
		dd if=/dev/zero of=big bs=1M count=4 2>/dev/null
		stat -c %s big'
	field '.result.stdout == "1024\n4096\n1048576\n"'
	field '.result.fileLimitHit == true'
}

@test "all five capability sets are empty and no privilege can be gained" {
	run cx_exec -c 'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status'
	run jq -r .result.stdout <<<"$output"
	assert_line --regexp '^CapInh:[[:space:]]+0+$'
	assert_line --regexp '^CapPrm:[[:space:]]+0+$'
	assert_line --regexp '^CapEff:[[:space:]]+0+$'
	assert_line --regexp '^CapBnd:[[:space:]]+0+$'
	assert_line --regexp '^CapAmb:[[:space:]]+0+$'
	assert_line --regexp '^NoNewPrivs:[[:space:]]+1$'
	assert_line --regexp '^Seccomp:[[:space:]]+2$'
}

@test "Landlock refuses what the mounts would let through" {
	run cx_exec -c 'echo x >/proc/self/comm; echo x >/dev/shm/a && cat \
		/dev/shm/a; echo y >/tmp/b && mkdir d && mv /tmp/b d && cat d/b'
	field '.result.stdout == "x\ny\n"'
	field '.result.stderr | contains("comm")'
}

@test "the names of control groups aren't seen inside" {
	run cx_exec -c 'cut -d: -f3 /proc/self/cgroup | sort -u'
	field '.result.stdout == "/\n" or .result.stdout == ""'
}

@test "cx-run's own arguments can't be read inside" {
	cx_l0
	cx_mint >carrier
	run cx-run exec -f carrier -c 'sleep 0.1; : secret-argument
		tr "\0" "\n" </proc/1/cmdline; cat /proc/1/environ'
	field '.result.stdout | contains("secret-argument") | not'
	field '.result.stdout | contains("CX_STATE") | not'
}

@test "a dead launcher's groups are swept, and nobody else's" {
	local tree
	cx_need_root
	[ -n "$(trees)" ] || cx_exec -c true
	for tree in $(trees); do
		mkdir -p "$tree/cx.left-behind" "$tree/other-$$"
	done
	run cx_exec -c true
	cx_wait 5 swept
	for tree in $(trees); do
		[ -d "$tree/other-$$" ]
		rmdir "$tree/other-$$"
	done
}

@test "an ordinary user's limits hold where root has delegated" {
	local uid tree
	cx_need_root
	[ -d /sys/fs/cgroup/memory ] || skip "on v2 the machine of check-v2 tests it"
	uid=$((210000000 + $$))
	cx_l0
	cx-run delegate "$uid"
	cx_mint >carrier
	printf 'store: {shared: %s}\nlimits: {memory_bytes: 67108864}\n' \
		"$(cx_l0_state)" >"$CX_CONFIG"
	mkdir users-state
	chown -R "$uid:$uid" "$BATS_TEST_TMPDIR"
	chmod 755 "$BATS_TEST_TMPDIR"
	run setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=-all \
		cx-run exec -f carrier -c 'tail -c 400m /dev/zero; echo on'
	for tree in $(trees); do
		[ ! -d "$tree/u$uid" ] || rmdir "$tree/u$uid"
	done
	field '.result.enforced | all'
	field '.result.stdout == "on\n" and .result.oomKills >= 1'
}

@test "no group is left after all this" {
	cx_need_root
	cx_exec -c true
	run groups_left
	assert_output ""
}
