#!/usr/bin/env bats
# batch.bats - many documents in, a line for each: cx-run batch.
#
# The commands are for the sandbox's shell:
# shellcheck disable=SC2016,SC2154

load ../lib/common

# COUNT documents of one carrier: documents COUNT COMMAND-TEXT
documents() {
	cx_l0 || return 1
	cx_mint >carrier || return 1
	jq -c --argjson n "$1" --arg c "$2" 'range(1; $n + 1) as $i |
		.run = {command: ($c | gsub("@"; "\($i)"))}' carrier
}

each() {
	jq -r "$1" <<<"$output"
}

@test "each document of a batch gives its line, in input order" {
	documents 8 'sleep 0.$((10 - @)); echo @' >in
	run --separate-stderr cx-run batch -j 4 -f in
	assert_success
	assert_equal "$(each .result.stdout)" "$(printf '%s\n\n' {1..8} | head -15)"
	assert_equal "$(each '[.apiVersion, .result.termination] | @csv' |
		sort -u)" '"cx/v1","exited"'
	# nothing of what let it run goes back
	assert_equal "$(each 'has("carrier")' | sort -u)" false
	assert_equal "$(each .result.jobId | sort -u | wc -l)" 8
}

@test "without order the quick overtake the slow" {
	documents 4 'test @ -gt 1 || sleep 1; echo @' >in
	run --separate-stderr cx-run batch -j 2 --unordered -f in
	assert_success
	assert_equal "$(each .result.stdout | grep . | tail -1)" 1
	assert_equal "$(each .result.stdout | grep . | sort | tr -d '\n')" 1234
}

@test "a bad line is one error line and the rest go on" {
	documents 2 'echo fine' >good
	{
		head -1 good
		echo '{"run": '
		printf '\xff\n'
		jq -c 'del(.carrier)' good | head -1
		jq -c '.carrier |= sub("..$"; "!!")' good | head -1
		jq -c '.error = {class: "no_session", message: "before"}' good |
			head -1
		tail -1 good
	} >in
	run --separate-stderr cx-run batch -j 2 -f in
	assert_failure 1
	assert_equal "$(each '.error.class // .result.stdout' | grep .)" \
		"$(printf '%s\n' fine input_invalid input_invalid no_session \
			carrier_malformed no_session fine)"
	# the one that came with an error goes on as it was, carrier and all
	assert_equal "$(each 'select(.error.message == "before") |
		has("result"), has("carrier")' | xargs)" "false true"
	[[ $stderr == *"document 2"* ]]
	[[ $stderr == *"document 3"* ]]
}

@test "YAML documents make a batch, too" {
	cx_l0
	carrier=$(cx_mint | jq -r .carrier)
	printf 'carrier: %s\nrun:\n  command: echo %s\n---\n' "$carrier" one \
		"$carrier" two >in
	run --separate-stderr cx-run batch -f in
	assert_success
	assert_equal "$(each .result.stdout | xargs)" "one two"
}

@test "each document is judged by its own carrier" {
	cx_l0
	for user in ada bob; do
		"$CX_BIN/cx-seal" mint -n --org "org-$user" --user "$user" \
			--surface chat 2>/dev/null |
			jq -c '.run = {command: "echo mine >note; ls"}'
	done >in
	cx-run open -f <(head -1 in) 2>/dev/null | jq -c .job >job
	# the second names the first one's job with its own carrier
	jq -c --slurpfile j job '.job = $j[0]' in >in2
	cat in >>in2
	run --separate-stderr cx-run batch -j 1 -f in2
	assert_failure 1
	assert_equal "$(each '.error.class // .result.termination' | xargs)" \
		"exited job_ended exited exited"
	run cx-audit read --instance
	assert_equal "$(each '.event | .organizationId + " " + .decision' |
		sort | uniq -c | sed 's/^ *//')" "$(printf '%s\n' \
		'2 org-ada allowed' '1 org-bob allowed' '1 org-bob denied')"
}

@test "two jobs of a batch share no workspace, one job keeps its own" {
	documents 6 'echo @ >file-@; ls' >in
	run --separate-stderr cx-run batch -j 3 -f in
	assert_success
	assert_equal "$(each .result.stdout | grep . | xargs)" \
		"file-1 file-2 file-3 file-4 file-5 file-6"
	cx-run open -f carrier | jq -c .job >job
	jq -c --slurpfile j job '.job = $j[0]' in >kept
	run --separate-stderr cx-run batch -j 1 -f kept
	assert_success
	assert_equal "$(each .result.stdout | tail -7 | grep -c file)" 6
}

@test "a one-time carrier runs one document of a batch" {
	cx_l0
	cx_mint --once | jq -c '.run = {command: "echo ran"}' >one
	for _ in {1..6}; do cat one; done >in
	run --separate-stderr cx-run batch -j 3 -f in
	assert_failure 1
	assert_equal "$(each '.error.class // .result.stdout' | grep . | sort |
		uniq -c | xargs)" "5 carrier_replayed 1 ran"
}

@test "one audit row for each command of a batch" {
	documents 20 'exit @' >in
	run --separate-stderr cx-run batch -j 3 -f in
	assert_success
	run cx-audit read --instance
	assert_equal "$(each .event.metadata.exitCode | sort -n | xargs)" \
		"$(seq 1 20 | xargs)"
	assert_equal "$(each .event.resourceId | sort -u | wc -l)" 20
	run find "$CX_STATE/run/started" -type f
	assert_output ''
}

@test "a slow or endless document keeps no other from running" {
	documents 1 'sleep 20' >in
	documents 5 'echo @' >>in
	mkfifo out
	cx-run batch -j 2 --unordered -f in >out &
	tool=$!
	exec 7<out
	for _ in {1..5}; do
		read -r -t 10 -u 7 line
		[[ $line == *'"termination":"exited"'* ]]
	done
	kill -TERM "$tool"
	read -r -t 10 -u 7 line
	[[ $line == *'"termination":"cancelled"'* ]]
	exec 7<&-
}

@test "a signal ends what runs, prints it and ends the batch by itself" {
	local signal
	documents 9 'echo begun @; sleep 30.5' >in
	for signal in INT TERM HUP; do
		# what a shell starts in the background ignores INT
		env --default-signal=INT cx-run batch -j 3 -f in >out 2>err &
		tool=$!
		cx_wait 10 three_run
		kill "-$signal" "$tool"
		status=0
		wait "$tool" || status=$?
		assert_equal "$status" "$((128 + $(kill -l $signal)))"
		assert_equal "$(jq -r .result.termination out | xargs)" \
			"cancelled cancelled cancelled"
		assert_equal "$(jq -r .result.stdout out | grep -c begun)" 3
		run find "$CX_STATE/run/started" -type f
		assert_output ''
	done
	run cx-audit read --instance
	assert_equal "$(each .event.metadata.termination | sort | uniq -c |
		xargs)" "9 cancelled"
}

three_run() {
	[ "$(pgrep -c -f '^sleep 30\.5$')" -eq 3 ]
}

@test "a reader that goes away ends the batch quietly" {
	documents 400 'echo @' >in
	set +e
	cx-run batch -j 2 -f in 2>err | head -1 >first
	status=${PIPESTATUS[0]}
	set -e
	assert_equal "$status" 141
	[ -s first ]
	[ ! -s err ]
	run find "$CX_STATE/run/started" -type f
	assert_output ''
	# what was begun is recorded, what wasn't isn't
	[ "$(cx-audit read --instance | wc -l)" -lt 400 ]
}

@test "a reader that takes nothing holds the batch back" {
	documents 2 'head -c 900000 /dev/zero | tr "\0" x' >two
	for _ in {1..100}; do cat two; done >in
	mkfifo out
	cx-run batch -j 2 -f in >out &
	tool=$!
	exec 7<out
	sleep 2
	# bounded by bytes: a part of the two hundred has begun, not all
	[ "$(cx-audit read --instance | wc -l)" -lt 120 ]
	[ "$(awk '/VmHWM/ { print $2 }' "/proc/$tool/status")" -lt 400000 ]
	kill -KILL "$tool"
	exec 7<&-
}

@test "an input that is a fault of ours or missing is told" {
	run -66 cx-run batch -f absent
	cx_l0
	run -0 cx-run batch </dev/null
	assert_output ''
	run -64 cx-run batch -j 0 </dev/null
	cx_mint | jq -c '.run = {command: "true"}' >in
	run bash -c 'cx-run batch -f in >/dev/full'
	assert_failure 74
}

@test "a killed worker costs its own document and no other" {
	documents 1 'sleep 33.1' >in
	documents 4 'sleep 0.2; echo @' >>in
	cx-run batch -j 2 -f in >out 2>err &
	tool=$!
	cx_wait 10 worker_of_sleep
	kill -KILL "$(worker_of_sleep)"
	status=0
	wait "$tool" || status=$?
	assert_equal "$status" 1
	assert_equal "$(jq -r '.error.class // .result.stdout' out | grep . |
		xargs)" "internal 1 2 3 4"
	assert_equal "$(cx-audit read --instance |
		jq -r .event.metadata.termination | sort | uniq -c | xargs)" \
		"4 exited 1 lost"
}

# The worker above the sandbox whose command sleeps so long.
worker_of_sleep() {
	local init
	init=$(ps -eo ppid=,args= | awk '$2 == "sleep" && $3 == "33.1" {
		print $1; exit }')
	[ -n "$init" ] || return 1
	# the shell, or init itself
	while [ "$(ps -o comm= -p "$init")" != cx-run ]; do
		init=$(ps -o ppid= -p "$init" | tr -d ' ')
	done
	ps -o ppid= -p "$init" | tr -d ' '
}

@test "a killed batch leaves nothing" {
	local mark="batch-$$-$RANDOM" i
	documents 40 'sleep 0.0@; sleep 41.@77 & sleep 41.@78' >in
	export CX_TEST_MARK=$mark
	for i in {1..6}; do
		cx-run batch -j 3 -f in >/dev/null 2>&1 &
		tool=$!
		sleep "0.0$((i * 17))"
		kill -KILL "$tool"
		wait "$tool" 2>/dev/null || true
		# all of it within a moment, but for what a slow machine adds
		cx_wait 3 nobody_marked "$mark"
	done
	unset CX_TEST_MARK
	cx_wait 3 no_groups
	run find "$CX_STATE/volumes/ws" -mindepth 2 -maxdepth 2
	assert_output ''
	run grep "$CX_STATE" /proc/self/mountinfo
	assert_output ''
	# the next start records what was lost
	head -1 in | jq -c '.run.command = "true"' >one
	run -0 cx-run batch -f one
	run find "$CX_STATE/run/started" -type f
	assert_output ''
	cx-audit read --instance | jq -r .event.metadata.termination >ends
	grep -q lost ends
}

nobody_marked() {
	local file
	for file in /proc/[0-9]*/environ; do
		! grep -qsz "^CX_TEST_MARK=$1\$" "$file" || return 1
	done
	! pgrep -f '^sleep 41\.[0-9]*7[78]$' >/dev/null
}

no_groups() {
	local id
	for id in $(cx-audit read --instance 2>/dev/null |
		jq -r .event.resourceId); do
		[ -z "$(find /sys/fs/cgroup -maxdepth 4 -name "cx.$id-*" \
			2>/dev/null)" ] || return 1
	done
}
