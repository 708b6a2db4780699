# recorded.bats - what cx-run writes into the log, seen from outside.

load ../lib/common

# decision, reason, termination and exit code of each record, in order.
outcomes() {
	cx-audit read --instance | jq -r '.event | [.decision,
		.metadata.reason // "-", .metadata.termination // "-",
		.metadata.exitCode // "-"] | join(" ")'
}

@test "each command has one record, whatever became of it" {
	cx_l0
	cx_exec -- true
	cx_exec -- sh -c 'exit 3' || true
	cx_exec -- sh -c 'kill -9 $$' || true
	cx_mint | jq '.run = {argv: ["sleep", "9"], timeoutMs: 200}' |
		cx-run exec || true
	cx_exec -- no-such-program || true
	CX_GATEWAY=none cx_exec --tier allowlist --host a.example -- true ||
		true
	echo '{"run": {"argv": ["true"]}}' | cx-run exec || true
	echo '{"carrier": "cxs1.x", "run": {"argv": ["true"]}}' |
		cx-run exec || true
	run outcomes
	assert_output 'allowed - exited 0
allowed - exited 3
allowed - signaled 137
allowed - wall_clock 143
allowed - exited 127
denied egress_gateway_required - -
denied no_session - -
denied carrier_malformed - -'
}

@test "each of several commands has its own record and key" {
	cx_l0
	cx_mint | jq '.run = {commands: ["true", "exit 4", "true"]}' |
		cx-run exec || true
	run outcomes
	assert_output 'allowed - exited 0
allowed - exited 4
denied not_run - -'
	run bash -c 'jq -r .idempotencyKey "$CX_STATE"/audit/self/*.meta |
		sed "s/.*\///"'
	assert_output '1
2
3'
	run bash -c 'cx-audit read --instance | jq -r .event.resourceId |
		sort -u | wc -l'
	assert_output 1
}

@test "a log that can't be written changes nothing but a line" {
	local answer
	cx_l0
	cx_mint | jq '.run = {command: "echo out; echo err >&2; exit 7"}' >doc
	cx-run exec <doc >whole
	# a denied one makes the database, which isn't what is tested here
	rm -rf "$CX_STATE/audit"
	touch "$CX_STATE/audit"
	run --separate-stderr cx-run exec -f doc
	assert_success
	answer='.result | del(.jobId, .wallMs, .cpuMs, .memoryPeakKb, .pidsPeak)'
	assert_equal "$(jq -c "$answer" <<<"$output")" "$(jq -c "$answer" whole)"
	assert_equal "$(grep -c audit_unavailable <<<"$stderr")" 1
	echo '{"run": {"argv": ["true"]}}' >none
	run --separate-stderr cx-run exec -f none
	assert_equal "$status" 77
	assert_equal "$(jq -r .result.reason <<<"$output")" no_session
	assert_equal "$(grep -c audit_unavailable <<<"$stderr")" 1
}

@test "a command whose launcher was killed has a lost record, once" {
	local pid
	cx_l0
	cx_mint | jq '.run = {command: "touch began; sleep 60"}' >doc
	cx-run exec <doc >/dev/null 2>&1 &
	pid=$!
	cx_wait 10 bash -c 'ls "$CX_STATE"/run/started/* &&
		ls "$CX_STATE"/volumes/ws/*/*/began ||
		ls -R "$CX_STATE"/volumes/ws | grep -x began'
	kill -9 "$pid"
	wait "$pid" || true
	cx_exec -- true
	cx_exec -- true
	run bash -c 'cx-audit read --instance |
		jq -r .event.metadata.termination | sort | uniq -c |
		sed "s/^ *//"'
	assert_output '2 exited
1 lost'
}

@test "a used workspace isn't used again unless it was left untouched" {
	local left look='ls -A /workspace; stat -c "%a %u %g %h %s" /workspace'
	cx_l0
	cx_mint | jq --arg look "$look" '.run = {command: $look}' >look
	cx-run exec <look | jq -r .result.stdout >first
	assert_exist "$CX_STATE/volumes/spare/0"
	for left in 'echo secret >/workspace/left' 'mkdir -p /workspace/a/b' \
		'ln -s /etc /workspace/link' 'chmod 700 /workspace' \
		'chmod 000 /workspace' 'touch -t 200001010000 /workspace' \
		'cd /workspace && i=0 && while [ $i -lt 600 ]; do
			i=$((i + 1)); : >"a-rather-long-name-$i"; done; rm -f *'; do
		cx_mint | jq --arg left "$left" '.run = {command: $left}' |
			cx-run exec >used
		assert_equal "$left $(jq -r .result.decision used)" \
			"$left allowed"
		run bash -c 'cx-run exec <look | jq -r .result.stdout'
		assert_output "$(cat first)"
	done
	# times tell nothing either
	run bash -c "$(declare -f cx_mint)"'; cx_mint | jq ".run = {command:
		\"expr \$(date +%s) - \$(stat -c %Y /workspace)\"}" |
		cx-run exec | jq -r .result.stdout'
	[ "$output" -lt 60 ]
}
