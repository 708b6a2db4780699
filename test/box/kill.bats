#!/usr/bin/env bats
# kill.bats - kill -9 of cx-run at any instant leaves nothing: no process, no
# mount, no group, no namespace, no file but the state's own.
#
# CX_KILLS instants are tried (200 in the long test of make kill).
#
# shellcheck disable=SC2016,SC2154

load ../lib/common

KILLS=${CX_KILLS:-40}

# Processes whose environment has this test's mark: launcher, sweeper and init
# carry it; the command doesn't, but its pid namespace is init's.
marked() {
	local file
	for file in /proc/[0-9]*/environ; do
		! grep -qsz "^CX_TEST_MARK=$1\$" "$file" || echo "${file%/*}"
	done
}

running() {
	local file
	for file in /proc/[0-9]*/cmdline; do
		! grep -qs -- "$1" "$file" || echo "${file%/*}"
	done
}

quiet() {
	[ -z "$(marked "$1")$(running "$2")" ]
}

groups_of() {
	find /sys/fs/cgroup -maxdepth 4 -path '*/cx*' -name "cx.j-*" \
		-newer "$1" 2>/dev/null
}

groups_gone() {
	local group
	for group in $(groups_of "$1"); do
		# another test's living command isn't ours to judge
		[ -n "$(cat "$group/cgroup.procs" 2>/dev/null)" ] || return 1
	done
}

@test "killed at any instant, cx-run leaves nothing" {
	local mark="kill-$$-$RANDOM" nap
	cx_l0
	cx_mint >carrier
	export CX_TEST_MARK=$mark
	touch before
	sleep 0.05
	# how long a whole run takes here and now
	start=$(date +%s%N)
	for _ in 1 2 3; do cx-run exec -f carrier -c true >/dev/null; done
	whole=$((($(date +%s%N) - start) / 3000))
	for ((i = 0; i < KILLS; i++)); do
		nap=$((RANDOM * 32768 % (whole * 13 / 10) + RANDOM % 1000))
		cx-run exec -f carrier -c 'sleep 41.3307 & sleep 41.3308' \
			>/dev/null 2>&1 &
		tool=$!
		sleep "$((nap / 1000000)).$(printf %06d $((nap % 1000000)))"
		kill -KILL "$tool" 2>/dev/null || true
		wait "$tool" 2>/dev/null || true
	done
	unset CX_TEST_MARK
	cx_wait 10 quiet "$mark" 'sleep.41\.330'
	cx_wait 10 groups_gone before
	run grep -E "\.made-|$CX_STATE" /proc/self/mountinfo
	assert_output ''
	# no half-made layer, no lock that stays
	run find "$(cx_l0_state)/roots" -name '.made*.tmp'
	assert_output ''
	# and the store works as before
	run cx-run exec -f carrier --raw -c 'echo fine'
	assert_output fine
}
