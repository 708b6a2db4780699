#!/usr/bin/env bats
# channel.bats - two sandboxes that run at once, and the same two programs
# outside: what carries a pattern there carries nothing between sandboxes
# (test/box/channel.c).
#
# shellcheck disable=SC2154 # output is bats'

load ../lib/common

PATTERN=101100111000101101001110

# Milliseconds of the time of day, N from now.
after() {
	echo $(($(date +%s%3N) + $1))
}

# In how many slots of the pattern was the receiver right? The channel is shut
# when it saw the same in all slots, or no more than chance gives.
#   agreement SEEN
agreement() {
	local i same=0
	for ((i = 0; i < ${#PATTERN}; i++)); do
		[ "${PATTERN:i:1}" != "${1:i:1}" ] || same=$((same + 1))
	done
	echo "$same"
}

# One sandbox with a role of one channel: boxed RUNTIME ROLE NAME START
boxed() {
	cx_mint | "$CX_BIN/cx-run" exec --runtime "$1" --in channel --raw -- \
		./channel "$2" "$3" "$4"
}

# Every channel between two sandboxes of a runtime, the first slot so many
# milliseconds from now: shut RUNTIME MS
shut() {
	local name start seen
	cx_need_built channel
	cp "$CX_TOOLS/channel" channel
	cx_l0
	[ "$(./channel list | wc -l)" -ge 14 ]
	for name in $(./channel list); do
		start=$(after "$2")
		boxed "$1" send "$name" "$start" >sent &
		seen=$(boxed "$1" receive "$name" "$start")
		wait $!
		[ "$(cat sent)" = "$PATTERN" ]
		[ "${#seen}" = "${#PATTERN}" ]
		if [ "$(agreement "$seen")" -ge 21 ]; then
			echo "$name carries: $seen"
			return 1
		fi
	done
}

@test "the channels are open where nothing shuts them" {
	local name start open=0
	cp "$CX_TOOLS/channel" channel
	for name in flock ofd-lock inotify sysv-ipc abstract-socket loopback \
		proc-names; do
		start=$(after 100)
		./channel send "$name" "$start" >sent &
		./channel receive "$name" "$start" >seen
		wait $!
		# one late look on a busy machine is no shut channel
		[ "$(agreement "$(cat seen)")" -lt 20 ] || open=$((open + 1))
	done
	[ "$open" -ge 5 ]
}

@test "two sandboxes at once share no channel" {
	shut native 700
}

@test "two sandboxes of an OCI runtime share no channel" {
	cx_only_as root
	cx_need runc
	shut runc 1000
}

@test "locks and listeners work inside one sandbox" {
	local name
	cp "$CX_TOOLS/channel" channel
	cx_l0
	cat >both <<-'EOF'
		start=$(($(date +%s) * 1000 + 1500))
		for name in flock ofd-lock inotify abstract-socket loopback; do
			./channel send $name $start >/dev/null &
			echo $name $(./channel receive $name $start)
			wait
			start=$(($(date +%s) * 1000 + 1500))
		done
	EOF
	run --separate-stderr boxed_both
	for name in flock ofd-lock inotify abstract-socket loopback; do
		seen=$(sed -n "s/^$name //p" <<<"$output")
		[ "$(agreement "$seen")" -ge 18 ]
	done
}

boxed_both() {
	cx_mint | "$CX_BIN/cx-run" exec --in channel --in both --raw -- \
		sh both
}
