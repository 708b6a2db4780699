# log-egress.bats - the operator's log of destinations: what stands in it, where
# it may stand, and that nothing waits for it.
#
# shellcheck disable=SC2016,SC2030,SC2031,SC2034

load ../lib/common
load ../lib/egress

setup() {
	cx_setup
	cx_need python3
	mkdir -m 700 logs
	LOG=$PWD/logs/egress.log
}

teardown() {
	local pid
	for pid in "${gateways[@]}"; do
		kill "$pid" 2>/dev/null || continue
		wait "$pid" || :
	done
	cx_teardown
}

known() {
	echo '{"canary.example": {"A": ["93.184.215.14"]},
		"inner.example": {"A": ["10.1.2.3"]}}'
}
cx_world_functions=(known)

# logged [SETTING...]: a configuration with a log, and these settings of it.
logged() {
	cx_config "egress:" "  log:" "    path: $LOG" "${@/#/    }"
}

gateways=()
TOKEN=0123456789abcdef0123456789abcdef

# A gateway of its own, with one job: its port, in $port, until the test ends.
begin() {
	local id=${#gateways[@]}
	cx-gateway serve --socket "$PWD/g$id" --listen 127.0.0.1:0 \
		>"where$id" 2>>said 3>&- &
	gateways+=($!)
	cx_wait 10 test -s "where$id"
	port=$(jq -r '.listen[0] | split(":")[1]' "where$id")
	cx-gateway register --socket "$PWD/g$id" >/dev/null <<-END
		{"token": "$TOKEN", "tier": "default_internet",
		"jobId": "job-$id", "orgId": ${1:-\"acme\"}}
	END
}

# ask PORT COUNT [TARGET]: this many requests for what is refused, and that
# each of them is answered, at once.
ask() {
	python3 - "$TOKEN" "$@" <<-'END'
	import base64, os, socket, sys, time
	token, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
	target = sys.argv[4] if len(sys.argv) > 4 else "10.0.0.1:443"
	head = b"CONNECT %s HTTP/1.1\r\nProxy-Authorization: Basic %s\r\n\r\n" % (
	    os.fsencode(target), base64.b64encode(b"j:" + token.encode()))
	for i in range(count):
	    begun = time.monotonic()
	    with socket.create_connection(("127.0.0.1", port), 10) as s:
	        s.sendall(head)
	        got = s.recv(4096)
	    assert got.split()[1] in (b"403", b"400", b"407"), got
	    assert time.monotonic() - begun < 5
	END
}

# Every line is a document, and so many of them there are: of requests, and of
# those that were lost.
told() {
	jq -sc '[length - (map(select(.dropped)) | length),
		(map(.dropped // 0) | add)]' "$@"
}

lines_are() {
	[ "$(cat "$LOG" "$LOG".[0-9]* 2>/dev/null | jq -s length)" = "$1" ]
}

@test "destinations are logged nowhere unless asked for, and never in the state" {
	cx_l0
	cx_mint >carrier
	reach() {
		world 'serve 443; names "$(known)"
			inside "echo give 5 | timeout 10 nc canary.example 443" \
				--tier default_internet'
	}
	reach
	run grep -r canary.example "$CX_STATE" logs
	assert_failure 1
	logged
	reach
	run grep -r canary.example "$CX_STATE"
	assert_failure 1
	run jq -r '[.orgId, .host, .port, .via, .decision, .status, .reason,
		.address, .upBytes, .downBytes] | join(" ")' "$LOG"
	assert_output "acme canary.example 443 transparent allow 200 default_internet 93.184.215.14 7 5"
	run stat -c %a "$LOG"
	assert_output 600
	run cx-audit read --org acme
	refute_output --partial canary

	ln -s "$CX_STATE/audit" link
	for LOG in "$CX_STATE/log" "$CX_STATE/audit/log" "$PWD/link/log" \
		"$CX_STATE/../logs/../state/run/log"; do
		logged
		cx_refuses 78 config_invalid cx-gateway serve --selfcheck
		cx_refuses 125 config_invalid cx-run exec -f carrier \
			--tier default_internet -c true
		[ ! -e "$LOG" ]
	done
}

@test "what a sandbox is refused is logged, by whichever way it asked" {
	cx_l0
	cx_mint >carrier
	logged
	world 'serve 443; names "$(known)"
		inside "
			echo plain | nc canary.example 443
			nc other.example 443 </dev/null
			nc localhost.local 443 </dev/null
			nc 10.1.2.3 443 </dev/null
			for to in other.example:443 inner.canary.example:22 \
				inner.example:443; do
				printf \"CONNECT \$to HTTP/1.1\r\n\r\n\" |
					nc 127.0.0.1 3128
			done" --host canary.example --host inner.example' || :
	run jq -r '[.via, .host, .port, .decision, .reason] | join(" ")' "$LOG"
	assert_output "transparent canary.example 443 deny denied_by_allowlist
resolver other.example  deny denied_by_allowlist
resolver localhost.local  deny denied_by_allowlist
transparent 10.1.2.3 443 deny denied_by_allowlist
proxy other.example 443 deny denied_by_allowlist
proxy inner.canary.example 22 deny denied_port
proxy inner.example 443 deny protected_address"
}

@test "who isn't admitted is logged, with his job if it is known" {
	logged
	begin
	TOKEN=${TOKEN//0/9} ask "$port" 1
	ask "$port" 1
	cx-gateway revoke --socket "$PWD/g0" --job job-0 >/dev/null
	ask "$port" 1
	cx_wait 10 lines_are 3
	run jq -r '[.jobId, .host // .asked, .status, .reason] | join(" ")' \
		"$LOG"
	assert_output " 10.0.0.1:443 407 unregistered_token
job-0 10.0.0.1 403 protected_address
job-0 10.0.0.1:443 407 job_revoked"
}

@test "a log where others may write, or that isn't a file, is no configuration" {
	for LOG in logs/relative "$PWD/nowhere/log" "$PWD/logs/"; do
		logged
		cx_refuses 78 config_invalid cx-gateway serve --selfcheck
	done
	LOG=$PWD/logs/log
	logged
	chmod 777 logs
	cx_refuses 78 config_invalid cx-gateway serve --selfcheck
	chmod 720 logs
	cx_refuses 78 config_invalid cx-gateway serve --selfcheck
	chmod 700 logs
	touch other
	ln -s "$PWD/other" logs/log
	cx_refuses 78 config_invalid cx-gateway serve --selfcheck
	ln -f other logs/log
	cx_refuses 78 config_invalid cx-gateway serve --selfcheck
	rm logs/log
	mkfifo logs/log
	cx_refuses 78 config_invalid cx-gateway serve --selfcheck
	rm logs/log
	logged 'max_bytes: 100'
	cx_refuses 78 config_invalid cx-gateway serve --selfcheck
	logged
	begin
	[ -f logs/log ]
}

@test "no name and no id forges a line" {
	logged
	begin '"a\"c\\mé\",\"x\":1"'
	ask "$port" 1 'a"b\n},{"decision":"allow","x":":443'
	ask "$port" 1 $'a\xff"\xc3\xa4:443'
	ask "$port" 1 'user:canary@10.0.0.1:443'
	cx_wait 10 lines_are 3
	run jq -c '[.orgId, .asked, .decision]' "$LOG"
	assert_output '["a\"c\\mé\",\"x\":1","a\"b\\n},{\"decision\":\"allow\",\"x\":\":443","reject"]
[null,null,"reject"]
["a\"c\\mé\",\"x\":1","10.0.0.1:443","reject"]'
	run grep -c canary "$LOG"
	assert_output 0
}

@test "a full log is put aside, and the oldest goes" {
	logged 'max_bytes: 4096' 'keep: 2'
	begin
	ask "$port" 100
	cx_wait 10 sh -c "[ -e $LOG.2 ] && [ \$(cat $LOG* | wc -l) -gt 20 ]"
	run sh -c 'cd logs && echo *'
	assert_output "egress.log egress.log.1 egress.log.2"
	[ "$(stat -c %s "$LOG.1")" -gt 3500 ]
	for file in "$LOG"*; do
		[ "$(stat -c %s "$file")" -le 4096 ]
		[ "$(stat -c %a "$file")" = 600 ]
		jq -e .host "$file" >/dev/null
	done
}

@test "two gateways share a log, and no line is lost or torn" {
	logged 'max_bytes: 4096' 'keep: 99'
	begin
	local first=$port one two
	begin
	ask "$first" 200 &
	one=$!
	ask "$port" 200 &
	two=$!
	wait "$one"
	wait "$two"
	cx_wait 10 lines_are 400
	run jq -s 'map(.jobId) | [(map(select(. == "job-0")) | length),
		(map(select(. == "job-1")) | length)]' "$LOG" "$LOG".[0-9]*
	assert_output "[
  200,
  200
]"
	for file in "$LOG"*; do
		[ "$(stat -c %s "$file")" -le 4096 ]
	done
}

@test "what was told before a kill -9 is written, and a torn line is ended" {
	logged
	printf '{"time":"2026' >"$LOG"
	begin
	local writer
	writer=$(pgrep -P "${gateways[0]}" -x cx-gateway-log)
	ask "$port" 50
	kill -9 "${gateways[0]}"
	cx_wait 10 sh -c "[ \$(wc -l <$LOG) = 51 ]"
	run head -1 "$LOG"
	assert_output '{"time":"2026'
	run told <(tail -n +2 "$LOG")
	assert_output "[50,0]"
	cx_wait 10 sh -c "! kill -0 $writer"
}

@test "a full disk reaches no connection, and is said once" {
	cx_need unshare
	logged
	export -f begin ask told cx_wait
	export LOG TOKEN
	local own=-m
	[ "$(id -u)" -eq 0 ] || own=-rm
	run -0 unshare "$own" bash -euc '
		mount -t tmpfs -o size=64k,mode=700 none logs
		gateways=()
		begin
		ask $port 1
		head -c 1M /dev/zero >logs/filler 2>/dev/null || :
		for i in $(seq 10); do ask $port 20; done
		cx_wait 10 grep -q "can.t be written" said
		rm logs/filler
		ask $port 1
		cx_wait 10 grep -q dropped $LOG
		ask $port 1
		kill $gateways
		wait $gateways || :
		told $LOG | jq -c "[add, .[1] > 0]"
		wc -l <said'
	assert_output "[203,true]
1"
}

@test "a log that was moved is begun anew, and its bounds are read again" {
	logged
	begin
	ask "$port" 1
	cx_wait 10 lines_are 1
	mv "$LOG" moved
	ask "$port" 1
	cx_wait 10 lines_are 1
	mv "$LOG" moved
	logged 'max_bytes: 4096' 'keep: 1'
	run -0 --separate-stderr cx-gateway reload --socket "$PWD/g0"
	cx_wait 10 test -e "$LOG"
	ask "$port" 60
	cx_wait 10 test -e "$LOG.1"
	[ ! -e "$LOG.2" ]
	for other in "egress: {log: {path: $PWD/logs/other}}" ""; do
		cx_config "$other"
		run --separate-stderr cx-gateway reload --socket "$PWD/g0"
		assert_failure
	done
	run jq -s length moved
	assert_output 1
}

@test "a writer that stands still stops nobody, and what is lost is counted" {
	logged
	begin
	local writer
	writer=$(pgrep -P "${gateways[0]}" -x cx-gateway-log)
	kill -STOP "$writer"
	ask "$port" 1500
	kill -CONT "$writer"
	ask "$port" 1
	cx_wait 10 grep -q dropped "$LOG"
	kill "${gateways[0]}"
	wait "${gateways[0]}" || :
	run told "$LOG"
	assert_output --regexp '^\[[0-9]{3,4},[1-9][0-9]*\]$'
	assert_equal "$(jq add <<<"$output")" 1501

	# nor does one who holds the file
	begin
	flock "$LOG" sleep 3 &
	ask "$port" 100
	wait $!
	ask "$port" 1
	kill "${gateways[1]}"
	wait "${gateways[1]}" || :
	run told "$LOG"
	assert_equal "$(jq add <<<"$output")" 1602
}

@test "a writer that is killed stops nobody, and that is said once" {
	logged
	begin
	ask "$port" 1
	cx_wait 10 lines_are 1
	pkill -KILL -P "${gateways[0]}" -x cx-gateway-log
	ask "$port" 20
	run cat said
	assert_output --partial "the process that writes the log has ended"
	assert_equal "${#lines[@]}" 1
	lines_are 1
}

@test "the log's writer reaches the log's folder and nothing else" {
	cx_need_confined
	logged
	begin
	local writer
	writer=$(pgrep -P "${gateways[0]}" -x cx-gateway-log)
	assert_equal "$(sed -n 's/^Seccomp:\t//p; s/^NoNewPrivs:\t//p
		s/^Cap\(Prm\|Eff\|Amb\):\t0*//p' \
		"/proc/$writer/status" | tr -d '\n')" 12
	run --separate-stderr cx-gateway serve --selfcheck
	assert_success
	assert_equal "$(jq -c '.refused.writeFile' <<<"$output")" true
}
