#!/usr/bin/env bats
# serve.bats - documents by a Unix socket: cx-run serve.
#
# The commands are for the sandbox's shell:
# shellcheck disable=SC2016,SC2154

load ../lib/common

TALK=$CX_ROOT/test/lib/talk

# COUNT documents of one carrier: documents COUNT COMMAND-TEXT
documents() {
	cx_l0 || return 1
	cx_mint >carrier || return 1
	jq -c --argjson n "$1" --arg c "$2" 'range(1; $n + 1) as $i |
		.run = {command: ($c | gsub("@"; "\($i)"))}' carrier
}

# serving FLAG...: a server at ./socket, whose number is $server
serving() {
	cx_l0 || return 1
	CX_EXECUTION_PLANE_ROLLOUT=on cx-run serve --listen socket "$@" \
		2>server.err &
	server=$!
	cx_wait 5 test -S socket
}

teardown() {
	[ -z "${server:-}" ] || kill -KILL "$server" 2>/dev/null || true
	cx_teardown
}

# stop SIGNAL: $status is what the server ended with
stop() {
	kill "-$1" "$server"
	status=0
	wait "$server" || status=$?
	server=
}

@test "serve is refused unless the rollout flag is exactly on" {
	local word
	cx_l0
	for word in '' 1 true ON 'on ' off; do
		run -77 env CX_EXECUTION_PLANE_ROLLOUT="$word" timeout 3 \
			cx-run serve --listen socket
		assert_output --partial execution_disabled
		assert_output --partial CX_EXECUTION_PLANE_ROLLOUT
	done
	run -77 timeout 3 cx-run serve --listen socket
	assert_not_exists socket
	cx_config 'rollout: "on"'
	cx-run serve --listen socket 2>server.err &
	server=$!
	cx_wait 5 test -S socket
	stop TERM
	assert_equal "$status" 143
}

@test "documents on a connection give their lines in order" {
	documents 6 'sleep 0.$((8 - @)); echo @' >in
	serving -j 3
	assert_equal "$(stat -c %a socket)" 600
	run "$TALK" socket <in
	assert_equal "$(jq -r .result.stdout <<<"$output" | xargs)" \
		"1 2 3 4 5 6"
	# and the next connection, too
	run "$TALK" socket < <(tail -1 in)
	assert_equal "$(jq -r .result.stdout <<<"$output" | xargs)" 6
	stop TERM
	assert_equal "$status" 143
	assert_not_exists socket
}

@test "by default the socket stands in the state folder" {
	documents 1 'echo here' >in
	CX_EXECUTION_PLANE_ROLLOUT=on cx-run serve 2>server.err &
	server=$!
	cx_wait 5 test -S "$CX_STATE/run/serve.sock"
	run -75 env CX_EXECUTION_PLANE_ROLLOUT=on cx-run serve
	assert_output --partial store_busy
	run "$TALK" "$CX_STATE/run/serve.sock" <in
	assert_equal "$(jq -r .result.stdout <<<"$output" | xargs)" here
	stop TERM
}

@test "one connection keeps no other waiting" {
	documents 60 'sleep 0.1; echo @' >many
	documents 1 'echo quick' >one
	serving -j 2 --connections 8
	"$TALK" socket <many >many.out &
	talker=$!
	cx_wait 5 test -s many.out || true
	# half a document for ever, and one that reads nothing
	exec 7> >("$TALK" socket --hold >/dev/null)
	printf '{"carrier":' >&7
	start=$(date +%s%N)
	run "$TALK" socket <one
	took=$((($(date +%s%N) - start) / 1000000))
	assert_equal "$(jq -r .result.stdout <<<"$output" | xargs)" quick
	[ "$took" -lt 2000 ]
	exec 7>&-
	wait "$talker"
	assert_equal "$(jq -r .result.termination many.out | sort | uniq -c |
		xargs)" "60 exited"
}

@test "a slow client is closed, and its commands with it" {
	documents 1 'sleep 30; echo late' >long
	serving -j 2 --patience 1
	# half a document
	start=$SECONDS
	printf '{"carrier":' | timeout 10 "$TALK" socket --hold
	[ $((SECONDS - start)) -le 5 ]
	# gone before its line
	"$TALK" socket --hold <long &
	talker=$!
	cx_wait 10 one_runs
	kill -KILL "$talker"
	wait "$talker" 2>/dev/null || true
	cx_wait 5 none_runs
	run jq -r .event.metadata.termination < <(cx-audit read --instance)
	assert_output cancelled
}

one_runs() {
	[ "$(find "$CX_STATE/run/started" -type f -size +0 2>/dev/null |
		wc -l)" -eq 1 ]
}

none_runs() {
	[ "$(find "$CX_STATE/run/started" -type f -size +0 | wc -l)" -eq 0 ]
}

@test "connections are bounded, and the next waits" {
	documents 1 'echo in' >one
	serving -j 1 --connections 2
	sleep 20 | "$TALK" socket --hold &
	first=$!
	sleep 20 | "$TALK" socket --hold &
	second=$!
	sleep 0.3
	"$TALK" socket <one >out &
	talker=$!
	sleep 0.7
	[ ! -s out ]
	kill "$first"
	cx_wait 5 test -s out
	wait "$talker"
	kill "$second"
	assert_equal "$(jq -r .result.stdout out)" in
}

# The one child of the server: it makes the workers.
steward() {
	pgrep -P "$server" | head -1
}

@test "a server whose steward is killed says so and ends" {
	documents 1 'echo in' >one
	documents 1 'sleep 41.502' >long
	serving -j 2
	run "$TALK" socket <one
	assert_equal "$(jq -r .result.stdout <<<"$output" | xargs)" in
	"$TALK" socket <long >out &
	talker=$!
	cx_wait 10 one_runs
	kill -KILL "$(steward)"
	status=0
	wait "$server" || status=$?
	server=
	assert_equal "$status" 70
	assert_file_contains server.err 'start the server anew'
	assert_not_exists socket
	# what it was at has its line
	wait "$talker"
	assert_equal "$(jq -r .error.class out)" internal
	run pgrep -f '^sleep 41\.502$'
	assert_output ''
}

@test "an idle connection gives its place to one that waits" {
	documents 1 'echo in' >one
	serving -j 1 --connections 2 --patience 1
	# one that had a line once, and one that never asked for any
	"$TALK" socket --hold <one >held &
	first=$!
	"$TALK" socket --hold </dev/null >/dev/null &
	second=$!
	cx_wait 10 test -s held
	run timeout 20 "$TALK" socket <one
	assert_success
	assert_equal "$(jq -r .result.stdout <<<"$output" | xargs)" in
	kill "$first" "$second" 2>/dev/null || true
}

@test "a signal ends what runs, and its lines still go out" {
	documents 2 'echo begun; sleep 41.501' >in
	serving -j 2
	"$TALK" socket <in >out &
	talker=$!
	cx_wait 10 two_run
	stop TERM
	assert_equal "$status" 143
	wait "$talker"
	assert_equal "$(jq -r .result.termination out | xargs)" \
		"cancelled cancelled"
	assert_not_exists socket
}

two_run() {
	[ "$(pgrep -c -f '^sleep 41\.501$')" -eq 2 ]
}

@test "a killed server leaves nothing, not even its socket" {
	local mark="serve-$$-$RANDOM"
	documents 2 'sleep 41.501' >in
	export CX_TEST_MARK=$mark
	serving -j 2
	CX_TEST_MARK=none "$TALK" socket <in >out &
	talker=$!
	cx_wait 10 two_run
	kill -KILL "$server"
	wait "$server" 2>/dev/null || true
	wait "$talker" || true
	cx_wait 3 nobody_marked "$mark"
	cx_wait 3 test ! -e socket
	unset CX_TEST_MARK
	run pgrep -f '^sleep 41\.501$'
	assert_output ''
	run find "$CX_STATE/volumes/ws" -mindepth 2 -maxdepth 2
	assert_output ''
}

nobody_marked() {
	local file
	for file in /proc/[0-9]*/environ; do
		! grep -qsz "^CX_TEST_MARK=$1\$" "$file" || return 1
	done
}

@test "what a dead server left in the way is cleared, nothing else is" {
	documents 1 'echo in' >one
	/usr/bin/python3 -c 'import socket
socket.socket(socket.AF_UNIX).bind("socket")'
	serving
	cx_wait 5 grep -q listening server.err
	run "$TALK" socket <one
	assert_equal "$(jq -r .result.stdout <<<"$output")" in
	stop TERM
	echo mine >socket
	run -74 env CX_EXECUTION_PLANE_ROLLOUT=on cx-run serve --listen socket
	assert_equal "$(cat socket)" mine
}

@test "another user is turned away" {
	cx_need_root
	documents 1 'echo in' >one
	serving
	# the file's own mode would do it, so that is out of the way
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR"
	chmod 755 "$(dirname "$BATS_TEST_TMPDIR")"
	chmod 666 socket
	cp "$TALK" talk
	run setpriv --reuid 4242 --regid 4242 --clear-groups \
		./talk "$PWD/socket" <one
	assert_equal "$(jq -r .error.class <<<"$output")" control_unauthorized
	run "$TALK" socket <one
	assert_equal "$(jq -r .result.stdout <<<"$output")" in
}
