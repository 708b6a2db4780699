# run.bats - exec: what runs, with what, and what comes back.

load ../lib/common
load ../lib/jobs

@test "one command's result comes back whole" {
	run --separate-stderr cx_exec -- sh -c 'echo out; echo err >&2; exit 3'
	assert_equal "$status" 3
	jq -e '.result | .decision == "allowed" and .termination == "exited"
		and .exitCode == 3 and .signal == null and .reason == null
		and .stdout == "out\n" and .stderr == "err\n"
		and .stdoutBytes == 4 and .stdoutTruncated == false
		and .stdoutGapAt == null and .workspaceKb == 0
		and .egressMode == "none" and .egressTotalBytes == 0
		and .files == [] and .tainted == true
		and (.jobId | test("^j-[a-z2-7]{26}$"))
		and (.imageDigest | test("^sha256:[0-9a-f]{64}$"))
		and (.profileDigest | test("^sha256:[0-9a-f]{64}$"))
		and (.layerDigests | length > 0)
		and (has("stdoutBase64") | not)' <<<"$output"
	[ "$(jq -r .result.stdoutSha256 <<<"$output")" = \
		"sha256:$(printf 'out\n' | sha256sum | cut -d' ' -f1)" ]
	jq -e 'has("carrier") or has("carrierExpiresAt") | not' <<<"$output"
}

@test "the result holds exactly the contract's members" {
	run --separate-stderr cx_exec -- true
	jq -r '.result | keys_unsorted | join(" ")' <<<"$output" >names
	assert_equal "$(cat names)" "jobId decision reason termination exitCode \
signal stdout stderr stdoutBytes stdoutLines stdoutSha256 stdoutTruncated \
stdoutGapAt stderrBytes stderrLines stderrSha256 stderrTruncated stderrGapAt \
wallMs cpuMs cpuThrottledMs cpuPressureMs memoryPressureMs ioPressureMs \
memoryPeakKb oomKills pidsPeak pidsLimitHit fileLimitHit tmpPeakKb \
workspaceKb imageDigest layerDigests profileDigest enforced egressMode \
egressTotalBytes files tainted"
}

@test "bytes that are no text come back as base64 beside it" {
	run --separate-stderr cx_exec -- printf 'a\0b\377'
	assert_equal "$(jq -r .result.stdoutBase64 <<<"$output")" YQBi/w==
	jq -e '.result.stdout == "a\ufffdb\ufffd"' <<<"$output"
}

@test "-e maps every ending to its status" {
	local row
	CX_LIMITS='  wall_ms: 1000
  grace_ms: 0
  stdout_bytes: 1000'
	cx_config
	while read -r wanted command; do
		run --separate-stderr cx_exec -c "$command"
		assert_equal "$command: $status" "$command: $wanted"
	done <<-'END'
		0 true
		7 exit 7
		139 kill -SEGV $$
		124 sleep 30
		137 yes
	END
	CX_LIMITS='  cpu_ms: 300' cx_config
	run --separate-stderr cx_exec -c 'while :; do :; done'
	assert_equal "$status" 137
	run -127 --separate-stderr cx_exec -- /no/such/program
	run --separate-stderr cx_exec -- /etc/passwd
	assert_equal "$status" 126
	run --separate-stderr bash -c 'echo "{}" | cx-run exec -- true'
	assert_equal "$status" 125
}

@test "without -e the status says whether there is a result" {
	cx_l0
	document=$(with "$(cx_mint)" '.run = {command: "exit 9"}')
	run --separate-stderr cx-run exec <<<"$document"
	assert_success
	jq -e '.result.exitCode == 9' <<<"$output"
	run --separate-stderr cx-run exec -e <<<"$document"
	assert_equal "$status" 9
}

@test "--raw passes streams and status, and nothing else" {
	cx_l0
	cx_mint >document
	run --separate-stderr cx-run exec --raw -f document \
		-c 'printf "a\0"; printf err >&2; exit 4'
	assert_equal "$status" 4
	assert_equal "$stderr" err
	[ "$(cx-run exec --raw -f document -- printf 'a\0b' | wc -c)" -eq 3 ]
	run --separate-stderr cx-run exec --raw -n -- true
	assert_equal "$status" 125
	assert_output ""
	assert_equal "${stderr%: the *}" "cx-run: denied: no_session"
}

@test "several commands run in order, each in a sandbox of its own" {
	document=$(with "$(new_job)" '.run = {commands: ["echo 1 > n; echo $$",
		"cat n; ls /tmp; touch /tmp/x", "ls /tmp; false", "echo never"]}')
	run --separate-stderr cx-run exec <<<"$document"
	assert_success
	jq -e '(has("result") | not) and (.results | length == 4) and
		.results[1].stdout == "1\n" and .results[2].exitCode == 1 and
		.results[2].stdout == "" and .results[3] == (.results[3] +
		{decision: "denied", reason: "not_run", stdout: null})' \
		<<<"$output"
	run --separate-stderr cx-run exec < <(with "$document" \
		'.run.keepGoing = true')
	jq -e '.results[3].stdout == "never\n"' <<<"$output"
	[ "$(audit_rows | grep -c '"reason":"not_run"')" -eq 1 ]
}

@test "standard input comes from the document, a file, or nowhere" {
	cx_l0
	document=$(cx_mint)
	run --separate-stderr cx-run exec --raw -f <(with "$document" \
		'.run = {command: "cat", stdin: "text"}')
	assert_output text
	run --separate-stderr cx-run exec --raw -f <(with "$document" \
		'.run = {command: "wc -c", stdinBase64: "AAE="}')
	assert_output 2
	printf 'from a file' >input
	run --separate-stderr cx-run exec --raw --stdin input -c cat <<<"$document"
	assert_output 'from a file'
	run --separate-stderr cx-run exec --raw -c 'cat; echo end' <<<"$document"
	assert_output end
	run --separate-stderr cx-run exec --raw --stdin nothing -c cat \
		<<<"$document"
	assert_equal "$status" 125
}

@test "a given standard input can't be changed from inside" {
	cx_l0
	printf 'before' >input
	run --separate-stderr cx_exec --stdin input \
		-c 'echo changed > /proc/self/fd/0; cat'
	jq -e '.result.stdout == "before"' <<<"$output"
	assert_equal "$(cat input)" before
}

@test "the working folder is /workspace or below" {
	cx_l0
	document=$(cx_mint)
	for cwd in / /etc .. ../etc /workspace/../etc a//b '/workspace ' a/./b; do
		cx_refuses 65 input_invalid cx-run exec -f <(jq -c --arg c "$cwd" \
			'.run = {command: "pwd", cwd: $c}' <<<"$document")
	done
	document=$(new_job)
	on "$document" -- mkdir -p in/here
	run --separate-stderr cx-run exec --raw -f <(with "$document" \
		'.run = {command: "pwd", cwd: "in/here"}')
	assert_output /workspace/in/here
	run --separate-stderr cx-run exec -f <(with "$document" \
		'.run = {command: "pwd", cwd: "/workspace/gone"}')
	jq -e '.error | .class == "worker_error" and .pointer == "/run/cwd"' \
		<<<"$output"
}

@test "no link in the workspace leads the working folder elsewhere" {
	local cwd document runtime
	document=$(new_job)
	on "$document" -c 'mkdir -p a/b; ln -s / root; ln -s a link; : >file
		ln -s /etc a/etc; ln -s /proc/self/cwd self' >/dev/null
	for runtime in native runc; do
		if [ "$runtime" = runc ]; then
			[ "$(cx_identity)" = root ] || continue
			command -v runc >/dev/null || continue
		fi
		for cwd in root root/etc link link/b a/etc file self; do
			run --separate-stderr cx-run exec --runtime "$runtime" \
				-f <(with "$document" \
				".run = {command: \"pwd\", cwd: \"$cwd\"}")
			assert_equal "$runtime $cwd $status" \
				"$runtime $cwd 77"
			jq -e '.error | .class == "worker_error" and
				.pointer == "/run/cwd" and
				(.message | contains("links"))' <<<"$output"
			jq -e '.result.decision == "denied"' <<<"$output"
		done
		for cwd in a/b . /workspace/a; do
			run --separate-stderr cx-run exec --raw \
				--runtime "$runtime" -f <(with "$document" \
				".run = {command: \"/bin/pwd\", cwd: \"$cwd\"}")
			assert_success
			[[ $output == /workspace* ]]
		done
	done
}

@test "a run section that says too much, too little or nonsense is refused" {
	local section pointer
	cx_l0
	document=$(cx_mint)
	while IFS='|' read -r section pointer; do
		run --separate-stderr cx-run exec -f <(with "$document" \
			".run = $section")
		assert_equal "$section: $status" "$section: 65"
		jq -e --arg p "$pointer" '.error.class == "input_invalid" and
			.error.pointer == $p and .result.decision == "denied" and
			.result.reason == "input_invalid" and
			.result.stdout == null' <<<"$output"
	done <<-'END'
		{}|/run
		{command: "a", argv: ["a"]}|/run/argv
		{commands: []}|/run/commands
		{argv: []}|/run/argv
		{argv: [""]}|/run/argv/0
		{argv: ["a", 1]}|/run/argv/1
		{command: 1}|/run/command
		{cmd: "a"}|/run/cmd
		{command: "a", timeoutMs: 0}|/run/timeoutMs
		{command: "a", timeoutMs: 1.5}|/run/timeoutMs
		{command: "a", stdin: "x", stdinBase64: "eA=="}|/run/stdinBase64
		{command: "a", stdinBase64: "eA"}|/run/stdinBase64
		{command: "a", env: {A: 1}}|/run/env/A
		[]|/run
	END
}

@test "a variable that the configuration doesn't list is refused" {
	cx_l0
	document=$(with "$(cx_mint)" '.run = {command: "echo $TOKEN",
		env: {TOKEN: "secret"}}')
	run --separate-stderr cx-run exec <<<"$document"
	assert_equal "$status" 65
	jq -e '.error.pointer == "/run/env/TOKEN"' <<<"$output"
	CX_LIMITS='  env_names: [TOKEN]' cx_config
	run --separate-stderr cx-run exec --raw -f - <<<"$document"
	assert_output secret
}

@test "reserved variables are refused even where the configuration lists them" {
	local name
	cx_l0
	document=$(cx_mint)
	for name in LD_PRELOAD BASH_ENV ENV http_proxy HTTPS_PROXY PATH HOME \
		CX_STATE LD_ GLIBC_TUNABLES; do
		run --separate-stderr cx-run exec < <(jq -c --arg n "$name" \
			'.run = {command: "env", env: {($n): "x"}}' \
			<<<"$document")
		assert_equal "$name $status" "$name 65"
		jq -e --arg n "$name" '.error.pointer == "/run/env/" + $n and
			(.error.message | test("sandbox.s own"))' <<<"$output"
		CX_LIMITS="  env_names: [$name]" cx_config
		cx_refuses 78 config_invalid cx-run exec -n
		cx_config
	done
}

@test "the environment is the enumerated list, and nothing of ours" {
	cx_l0
	cx_mint >document
	SECRET=1 run --separate-stderr cx-run exec --raw -f document -c \
		"env | cut -d= -f1 | grep -v '^_$\|^PWD$\|^SHLVL$\|^OLDPWD$' | sort"
	assert_output "$(printf '%s\n' DEBIAN_FRONTEND GIT_EDITOR GIT_PAGER \
		GIT_TERMINAL_PROMPT GOMAXPROCS HOME LANG LOGNAME \
		MKL_NUM_THREADS NO_PROXY NUMEXPR_MAX_THREADS OMP_NUM_THREADS \
		OPENBLAS_NUM_THREADS PAGER PATH PIP_BREAK_SYSTEM_PACKAGES \
		PIP_USER PYTHONUNBUFFERED PYTHONUSERBASE SHELL TERM TMPDIR TZ \
		USER npm_config_prefix | sort)"
}

@test "a document can't raise a limit" {
	CX_LIMITS='  wall_ms: 800
  grace_ms: 0
  stdout_bytes: 2000
  on_output_cap: truncate'
	cx_config
	cx_l0
	document=$(with "$(cx_mint)" '.run = {timeoutMs: 60000,
		maxOutputBytes: 100000}')
	run --separate-stderr cx-run exec -c 'sleep 10' <<<"$document"
	jq -e '.result.termination == "wall_clock"' <<<"$output"
	run --separate-stderr cx-run exec -c 'seq 5000' <<<"$document"
	jq -e '.result.stdoutTruncated and (.result.stdout | length <= 2000)' \
		<<<"$output"
}

@test "a document lowers time and output" {
	cx_l0
	document=$(with "$(cx_mint)" '.run = {timeoutMs: 300,
		maxOutputBytes: 10}')
	run --separate-stderr cx-run exec -c 'sleep 10' <<<"$document"
	assert_equal "$status" 124
	run --separate-stderr cx-run exec -c 'seq 5000' <<<"$document"
	jq -e '.result.termination == "output_cap" and
		(.result.stdout | length <= 10)' <<<"$output"
}

@test "one profile has one digest, and another has another" {
	cx_l0
	cx_mint >document
	one=$(cx-run exec -f document -- true | jq .result.profileDigest)
	two=$(cx-run exec -f document -- true | jq .result.profileDigest)
	assert_equal "$one" "$two"
	with "$(cat document)" '.run = {timeoutMs: 1000}' >other
	three=$(cx-run exec -f other -- true | jq .result.profileDigest)
	[ "$one" != "$three" ]
	assert_equal "$(cx-run spec -f other -- true | jq .profileDigest)" \
		"$three"
	[ "$(cx-run spec -f other -- true | jq -cS .profile | tr -d '\n' |
		sha256sum | cut -d' ' -f1)" = "$(jq -r 'ltrimstr("sha256:")' \
		<<<"$three")" ]
}

@test "a missing base says how to make one, and nothing runs" {
	echo "store: {shared: $BATS_TEST_TMPDIR/none}" >"$CX_CONFIG"
	run --separate-stderr cx_mint_exec true
	assert_equal "$status" 125
	jq -e '.error.class == "image_missing" and .result.decision == "denied"
		and (.error.message | test("cx-build l0"))' <<<"$output"
}

cx_mint_exec() {
	cx_mint | cx-run exec -c "$1"
}

@test "a stream of documents gives a line for each" {
	cx_l0
	document=$(cx_mint)
	run --separate-stderr bash -c 'printf "%s\n" "$@" |
		cx-run exec --stream' - \
		"$(with "$document" '.run = {command: "echo 1"}')" '{"bad":1}' \
		"$(with "$document" '.run = {command: "echo 3"}')" '{{'
	assert_equal "$status" 1
	assert_equal "${#lines[@]}" 4
	jq -e '.result.stdout == "1\n"' <<<"${lines[0]}"
	jq -e '.error.class == "input_invalid"' <<<"${lines[1]}"
	jq -e '.result.stdout == "3\n"' <<<"${lines[2]}"
	jq -e '.error.class == "input_invalid"' <<<"${lines[3]}"
}

@test "a document with an error passes through and nothing runs" {
	cx_l0
	document=$(with "$(cx_mint)" '.error = {class: "carrier_expired",
		message: "x"} | .run = {command: "true"}')
	run --separate-stderr cx-run exec <<<"$document"
	assert_equal "$status" 77
	assert_equal "$(jq -cS . <<<"$output")" "$(jq -cS . <<<"$document")"
	[ ! -e "$CX_STATE/audit" ]
}

@test "sections that aren't ours pass through in order" {
	cx_l0
	document=$(with "$(cx_mint)" '{apiVersion, "x-b": [1, 2.5, null],
		carrier, call: {id: 1}, "x-a": {z: 1, a: 2}, run: {command: ":"}}')
	run --separate-stderr cx-run exec <<<"$document"
	assert_equal "$(jq -c 'del(.result)' <<<"$output")" \
		"$(jq -c 'del(.carrier)' <<<"$document")"
}

@test "a full or closed standard output is said, and the row is written" {
	cx_l0
	cx_mint >document
	run --separate-stderr bash -c 'cx-run exec -f document -- true >/dev/full'
	assert_equal "$status" 74
	run --separate-stderr bash -c 'cx-run exec -f document -- true >&-'
	assert_equal "$status" 74
	assert_equal "$(audit_rows | wc -l)" 2
	[ -z "$(ls "$CX_STATE/run/started")" ]
}

@test "a reader that goes away ends a raw command" {
	cx_l0
	cx_mint >document
	run --separate-stderr timeout 20 bash -c \
		'cx-run exec --raw -f document -c "while :; do echo x; done" |
		head -n 1; exit "${PIPESTATUS[0]}"'
	assert_equal "$status" 141
	assert_equal "$(audit_rows | jq -r .event.metadata.termination)" \
		cancelled
}

@test "a reader that stops keeps no raw command from its deadline" {
	CX_LIMITS='  wall_ms: 1500
  grace_ms: 0
  on_output_cap: truncate' cx_config
	cx_l0
	cx_mint >document
	mkfifo pipe
	# shellcheck disable=SC2217 # it only holds the pipe open
	sleep 60 <pipe &
	reader=$!
	timeout 30 cx-run exec --raw -f document -c yes >pipe 2>err &
	tool=$!
	cx_wait 10 bash -c 'cx-audit read --instance | grep -q wall_clock'
	kill "$reader"
	status=0
	wait "$tool" || status=$?
	assert_equal "$status" 141
}

@test "raw output that can't be written is said" {
	cx_l0
	cx_mint >document
	run --separate-stderr bash -c \
		'cx-run exec --raw -f document -- echo hi >/dev/full'
	assert_equal "$status" 74
	assert_equal "$stderr" "cx-run: io_error: write the command's output: \
No space left on device"
	for command in 'seq 1 1000' 'seq 1 1000; sleep 1; exit 3' true; do
		run --separate-stderr bash -c \
			'cx-run exec --raw -f document -c "$1" >/dev/full' - \
			"$command"
		[ "$command" = true ] || assert_equal "$status" 74
		[ "$command" != true ] || assert_success
		run --separate-stderr bash -c \
			'cx-run exec --raw -f document -c "$1" >&-' - "$command"
		[ "$command" = true ] || assert_equal "$status" 74
		[ "$command" = true ] || [[ $stderr == "cx-run: io_error: "* ]]
		run --separate-stderr bash -c \
			'cx-run exec --raw -f document -c "exec >&2; $1" \
			2>/dev/full' - "$command"
		[ "$command" = true ] || assert_equal "$status" 74
	done
	run --separate-stderr bash -c 'cx-run exec --raw -f document \
		-c "head -c 900000 /dev/zero; echo e >&2" | (sleep 1; wc -c)'
	assert_output 900000
}

@test "raw output stops at its cap, and the limit is named" {
	local key command
	CX_LIMITS='  stdout_bytes: 1000
  stderr_bytes: 500
  file_size_bytes: 4096
  wall_ms: 2000
  grace_ms: 0' cx_config
	cx_l0
	cx_mint >document
	run --separate-stderr cx-run exec --raw -f document -- yes
	assert_equal "$status" 137
	assert_equal "${#output}" 999
	assert_equal "$stderr" "cx-run: ended: output_cap: more on standard \
output than limits.stdout_bytes"
	run --separate-stderr cx-run exec --raw -f document -c 'seq 300 >&2'
	[ "${#stderr}" -lt 600 ]
	assert_equal "$(head -c 500 <<<"$stderr")" "$(seq 300 | head -c 500)"
	while IFS='|' read -r key command; do
		run --separate-stderr cx-run exec --raw -f document \
			-c "$command"
		[[ ${stderr_lines[-1]} == "cx-run: "*" limits.$key"* ]]
	done <<-'END'
		stderr_bytes|yes >&2
		wall_ms|sleep 20
		file_size_bytes|exec head -c 9999 /dev/zero >file
	END
	CX_LIMITS='  cpu_ms: 200
  workspace_kib: 1000' cx_config
	run --separate-stderr cx-run exec --raw -f document -c \
		'while :; do :; done'
	assert_equal "$stderr" "cx-run: ended: cpu_time: more CPU time than \
limits.cpu_ms"
	run --separate-stderr cx-run exec --raw -f document -c \
		'for i in 1 2 3; do head -c 900000 /dev/zero >f$i; done'
	assert_equal "$status" 122
	[[ $stderr == *"ended: disk_quota_exceeded: "*limits.workspace_kib* ]]
}

@test "a raw command without memory is said to have ended for it" {
	cx_can_limit || skip "no control groups"
	CX_LIMITS='  memory_bytes: 67108864' cx_config
	cx_l0
	cx_mint >document
	run --separate-stderr cx-run exec --raw -f document -- tail /dev/zero
	assert_equal "$status" 137
	assert_equal "$stderr" "cx-run: ended: out_of_memory: more memory than \
limits.memory_bytes"
}

@test "a signal ends the command, is recorded, and ends the tool" {
	local name number
	cx_l0
	cx_mint >document
	while read -r name number; do
		rm -f out
		cx-run exec -f document -c 'echo begun; sleep 60' >out &
		tool=$!
		cx_wait 10 bash -c "ls '$CX_STATE/run/started' | grep -q ."
		sleep 0.2
		kill -"$name" "$tool"
		status=0
		wait "$tool" || status=$?
		assert_equal "$name $status" "$name $((128 + number))"
		jq -e '.result.termination == "cancelled" and
			.result.stdout == "begun\n"' out
		[ -z "$(ls "$CX_STATE/run/started")" ]
		[ -z "$(ls "$CX_STATE"/volumes/ws/*)" ]
	done <<-'END'
		TERM 15
		HUP 1
		INT 2
	END
	assert_equal "$(audit_rows | grep -c '"termination":"cancelled"')" 3
}

@test "a signal in a stream writes what there is and stops" {
	cx_l0
	document=$(cx_mint)
	with "$document" '.run = {command: "echo 1"}' >documents
	with "$document" '.run = {command: "echo 2; sleep 60"}' >>documents
	with "$document" '.run = {command: "echo 3"}' >>documents
	cx-run exec --stream -f documents >out &
	tool=$!
	cx_wait 20 test -s out
	cx_wait 20 bash -c "ls '$CX_STATE/run/started' | grep -q ."
	sleep 0.2
	kill -TERM "$tool"
	status=0
	wait "$tool" || status=$?
	assert_equal "$status" 143
	assert_equal "$(jq -r .result.termination out | tr '\n' ' ')" \
		"exited cancelled "
}

@test "what a killed launcher began is recorded as lost, once" {
	cx_l0
	cx_mint >document
	cx-run exec -f document -c 'touch file; sleep 60' >/dev/null &
	tool=$!
	cx_wait 10 bash -c "ls '$CX_STATE/run/started' | grep -q ."
	sleep 0.2
	kill -KILL "$tool"
	wait "$tool" || true
	cx_wait 10 bash -c "! ls $CX_STATE/volumes/ws/* | grep -q ."
	cx-run exec -f document -- true >/dev/null
	cx-run exec -f document -- true >/dev/null
	assert_equal "$(audit_rows | jq -r .event.metadata.termination |
		sort | tr '\n' ' ')" "exited exited lost "
	[ -z "$(ls "$CX_STATE/run/started")" ]
}

@test "spec shows profile and steps and runs nothing" {
	cx_l0
	run --separate-stderr cx-run spec -n -- true
	jq -e '.profile.uid == 10001 and .profile.limits.pids == 256 and
		.profile.limits.wall_ms == 120000' <<<"$output"
	run --separate-stderr cx-run spec -n --explain -- true
	assert_success
	for step in clone root workspace seccomp exec; do
		grep -qw "$step" <<<"$output"
	done
	refute_line --regexp '^init +portal '
	run --separate-stderr cx-run spec -n --explain --tier allowlist \
		-- true
	assert_line --regexp '^init +portal '
	run --separate-stderr cx-run spec -n --explain --runtime runc \
		--tier default_internet -- true
	assert_line --regexp '^init +portal '
	[ ! -e "$CX_STATE/volumes" ]
}

@test "cx runs one command at once" {
	cx_l0
	mkdir tools
	cp "$CX_ROOT/bin/cx" "$CX_BIN"/cx-* tools
	echo "defaults: {org: corp, user: eve}" >>"$CX_CONFIG"
	run --separate-stderr tools/cx run -- sh -c 'echo hi; exit 3'
	assert_equal "$status" 3
	assert_output hi
	run --separate-stderr tools/cx run -c 'cat' --stdin - <<<"given"
	assert_output given
	audit_rows | head -n 1 | jq -e '.event.organizationId == "corp" and
		.event.actorPrincipalId == "eve"'
	run --separate-stderr bash -c 'tools/cx run -- seq 1 1000 >/dev/full'
	assert_equal "$status" 74
	[[ $stderr == "cx-run: io_error: "* ]]
	run --separate-stderr tools/cx audit read --org corp
	assert_success
	run --separate-stderr tools/cx nonsense
	assert_equal "$status" 64
}
