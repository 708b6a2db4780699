#!/usr/bin/env bats
# warm.bats - what workers keep between two commands, attacked from inside:
# through cx-run batch nothing of one command reaches the next.
#
# The commands are for the sandbox's shell:
# shellcheck disable=SC2016,SC2154

load ../lib/common

# A document for each command given, of a user of its own: documents TEXT...
documents() {
	local n=0 text
	cx_l0 || return 1
	for text; do
		n=$((n + 1))
		"$CX_BIN/cx-seal" mint -n --org "org-$n" --user "user-$n" \
			--surface chat 2>/dev/null |
			jq -c --arg t "$text" '.run = {command: $t}'
	done
}

# Standard output of each, in a line.
outputs() {
	jq -r '.result.stdout // .error.class | gsub("\n"; " ")' <<<"$output"
}

loop='nc -l -p 4242 >/dev/null & sleep 0.2; echo x | nc -w 1 127.0.0.1 4242; wait'
tell='awk "/lo:/ { print \$2, \$10 }" /proc/net/dev; readlink /proc/self/ns/net'

@test "what one command did to its network no later one sees" {
	documents "$loop" "$loop" "$loop" "$tell" "$tell" "$tell" \
		"nc -w 1 10.1.2.3 80; true" "nc -w 1 10.1.2.3 80; true" \
		'grep -c . /proc/net/tcp; awk "/^Ip:/ { n = \$NF } END { print \$13 }" /proc/net/snmp' \
		'awk "/^Ip: [0-9]/ { print \$13 }" /proc/net/snmp' >in
	run --separate-stderr cx-run batch -j 1 -f in
	assert_success
	assert_equal "$(outputs | sed -n 4,6p | sed 's/ net.*//' | sort -u)" "0 0"
	# routes that were asked for in vain were counted, elsewhere
	assert_equal "$(outputs | sed -n 10p)" "0 "
}

@test "a network that was left alone serves the next command" {
	cx_only_as root
	documents "$tell" "$tell" "$tell" "$tell" "$tell" "$tell" >in
	run --separate-stderr cx-run batch -j 1 -f in
	assert_success
	# one of each worker, and there are two
	assert_equal "$(outputs | sort -u | wc -l)" 2
	# never of two that run at once
	documents "readlink /proc/self/ns/net; sleep 0.5" \
		"readlink /proc/self/ns/net; sleep 0.5" >in
	run --separate-stderr cx-run batch -j 2 -f in
	assert_success
	assert_equal "$(outputs | sort -u | wc -l)" 2
}

@test "a worker's next command finds nothing of the last" {
	local leave look
	leave='echo mine >/tmp/left; echo mine >/dev/shm/left; echo mine >left
		ulimit -n 99; sleep 300 & true'
	look='ls -A /tmp /dev/shm /workspace; ls /proc/self/fd | wc -l
		ulimit -n; ps -o comm | grep -c sleep; env | sort | md5sum
		cat /proc/self/status | grep -E "^(Cap|NoNew|Seccomp|Uid|Gid)" | md5sum
		cut -d" " -f5 /proc/self/mountinfo | md5sum'
	documents "$look" "$leave" "$leave" "$leave" "$look" "$look" >in
	run --separate-stderr cx-run batch -j 1 -f in
	assert_success
	assert_equal "$(outputs | sed -n '1p;5p;6p' | sort -u | wc -l)" 1
}

@test "a process left behind holds no later command's output" {
	documents 'sleep 300 & sleep 301 2>/dev/null & echo one' 'echo two' \
		'(sleep 302 &) ; echo three' 'echo four' >in
	start=$SECONDS
	run --separate-stderr cx-run batch -j 2 -f in
	assert_success
	assert_equal "$(outputs | xargs)" "one two three four"
	[ $((SECONDS - start)) -lt 10 ]
}

@test "limits and counters are each command's own in a batch" {
	cx_can_limit || cx_only_as root
	CX_LIMITS='  memory_bytes: 33554432' cx_config
	documents 'head -c 20m /dev/zero | tail | wc -c' \
		'head -c 200m /dev/zero | tail | wc -c; echo on' \
		'echo small' 'echo small' 'echo small' >in
	run --separate-stderr cx-run batch -j 1 -f in
	assert_success
	assert_equal "$(jq -r '.result.oomKills' <<<"$output" | xargs)" \
		"0 1 0 0 0"
	assert_equal "$(jq -r '.result.memoryPeakKb < 16000' <<<"$output" |
		tail -3 | sort -u)" true
	assert_equal "$(jq -r '.result.enforced.memory' <<<"$output" |
		sort -u)" true
}
