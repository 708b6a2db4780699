#!/usr/bin/env bats
# warm.bats - what workers keep between two commands, attacked from inside:
# through cx-run batch nothing of one command reaches the next.
#
# The commands are for the sandbox's shell:
# shellcheck disable=SC2016,SC2154

load ../lib/common
load ../lib/probe

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
		cut -d" " -f5 /proc/self/mountinfo | sort | md5sum'
	documents "$look" "$leave" "$leave" "$leave" "$look" "$look" >in
	run --separate-stderr cx-run batch -j 1 -f in
	assert_success
	assert_equal "$(outputs | sed -n '1p;5p;6p' | sort -u | wc -l)" 1
}

@test "a sandbox made ahead gets folder, environment and input late" {
	local n long
	CX_LIMITS='  env_names: [ONE]' cx_config
	cx_l0
	mkdir given && echo it >given/it
	job_with given >job
	long=$(head -c 40000 /dev/zero | tr '\0' ' ')
	for n in 1 2 3 4 5 6; do
		jq -c --arg n "$n" '.run = {cwd: "/workspace/given",
			env: {ONE: $n}, stdin: "in \($n)",
			command: "cat it -; echo; echo $ONE; pwd"}' job
		jq -c --arg n "$n" '.run = {argv: ["/bin/echo", "", $n]}' job
		jq -c --arg n "$n" --arg l "$long" \
			'.run = {command: "echo \($n) $ONE;\($l)"}' job
	done >in
	run --separate-stderr cx-run batch -j 1 -f in
	assert_success
	assert_equal "$(outputs | xargs)" "$(for n in 1 2 3 4 5 6; do
		echo "it in $n $n /workspace/given $n $n"; done | xargs)"
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

# A job of its own whose workspace holds FILE; its document: job_with FILE
job_with() {
	cx_mint | cx-run open >job.json || return 1
	cx-run exec -f job.json --in "$1" --keep-carrier -c true |
		jq -c 'del(.result)'
}

# The probe's line for what comes by $1: batch or serve.
probe_by() {
	lay_probe || return 1
	job_with probe >job
	jq -c --arg c "$(probe_command)" '.run = {command: $c}' job >in
	# the second finds what the first left, if it leaves anything
	cat in in >twice
	run --separate-stderr "$@"
	take_probe_away
	assert_equal "$(jq -r .result.termination <<<"$output" | sort |
		uniq -c | xargs)" "2 exited"
	[[ $output != *OPEN* ]]
	assert_equal "$(jq -r .result.stdout <<<"$output" |
		grep -c '^6[0-9] closed, 0 open$')" 2
}

@test "the probe finds nothing open by way of a batch" {
	probe_by cx-run batch -j 1 -f twice
}

@test "the probe finds nothing open by way of a server" {
	cx_l0
	CX_EXECUTION_PLANE_ROLLOUT=on cx-run serve -j 1 --listen socket \
		2>server.err &
	server=$!
	cx_wait 5 test -S socket
	probe_by bash -c "'$CX_ROOT/test/lib/talk' socket <twice"
	kill "$server"
	wait "$server" || true
}

@test "two commands of a batch at once share no channel" {
	local pattern=101100111000101101001110 name start sent seen i same
	cx_need_built channel
	cp "$CX_TOOLS/channel" channel
	cx_l0
	job_with channel >sender
	job_with channel >receiver
	for name in $(./channel list); do
		start=$(($(date +%s%3N) + 400))
		{
			jq -c --arg c "./channel send $name $start" \
				'.run = {command: $c}' sender
			jq -c --arg c "./channel receive $name $start" \
				'.run = {command: $c}' receiver
		} >in
		cx-run batch -j 2 -f in >out
		sent=$(jq -r .result.stdout out | head -1)
		seen=$(jq -r .result.stdout out | grep . | tail -1)
		[ "$sent" = "$pattern" ]
		[ "${#seen}" = "${#pattern}" ]
		same=0
		for ((i = 0; i < ${#pattern}; i++)); do
			[ "${pattern:i:1}" != "${seen:i:1}" ] ||
				same=$((same + 1))
		done
		if [ "$same" -ge 21 ]; then
			echo "$name carries: $seen"
			return 1
		fi
	done
}
