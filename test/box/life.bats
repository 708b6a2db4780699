#!/usr/bin/env bats
# life.bats - how a run ends, and what is left of it: nothing.
#
# The commands are for the sandbox's shell, and jq's filters for jq:
# shellcheck disable=SC2016,SC2154

load ../lib/common
load ../lib/asking

# One command; its document is in $output.
box() {
	output=$(cx_exec "$@" 2>"$BATS_TEST_TMPDIR/said") || true
	cat "$BATS_TEST_TMPDIR/said"
}

now_ms() {
	date +%s%3N
}

# Processes outside whose arguments hold this word.
running() {
	local file
	for file in /proc/[0-9]*/cmdline; do
		! { tr '\0' ' ' <"$file"; } 2>/dev/null | grep -q -- "$1" ||
			echo "${file%/*}"
	done
}

gone() {
	[ -z "$(running "$1")" ]
}

@test "a status is the command's own" {
	box -c 'exit 7'
	field '.result.exitCode == 7 and .result.termination == "exited"'
	box -c 'kill -SEGV $$'
	field '.result.exitCode == 139 and .result.signal == 11
		and .result.termination == "signaled"'
	box -c 'echo part; kill -KILL $$'
	field '.result.exitCode == 137 and .result.stdout == "part\n"
		and .result.termination == "signaled"'
	box -c 'kill -TERM $$'
	field '.result.exitCode == 143'
}

@test "a program that isn't there is 127, one that is none 126" {
	box -- /no/such/tool
	field '.result.exitCode == 127 and .result.decision == "allowed"
		and (.result.stderr | contains("not found"))'
	box -- no-such-tool
	field '.result.exitCode == 127'
	printf 'echo hi\n' >n
	chmod +x n
	box --in n -- ./n
	field '.result.exitCode == 126 and .result.stdout == ""
		and (.result.stderr | contains("not an executable format"))'
	box -- /etc
	field '.result.exitCode == 126'
}

@test "a working folder that isn't there is no exit status" {
	cx_l0
	cx_mint | jq '.run = {command: "touch ran", cwd: "/workspace/none"}' >d
	run --separate-stderr cx-run exec -f d
	assert_failure
	run jq -r '.error.class, .error.pointer, .result.decision' <<<"$output"
	assert_line --index 0 worker_error
	assert_line --index 1 /run/cwd
	assert_line --index 2 denied
}

@test "the wall clock ends who ignores every signal" {
	CX_LIMITS=$'  wall_ms: 700\n  grace_ms: 300' cx_config
	start=$(now_ms)
	box -c 'trap "" TERM INT HUP QUIT; i=0
		while [ $i -lt 60 ]; do sleep 0.1; i=$((i + 1)); done
		echo survived'
	[ $(($(now_ms) - start)) -lt 3500 ]
	field '.result.termination == "wall_clock" and .result.stdout == ""
		and .result.wallMs >= 700'
}

@test "the wall clock gives a word before the end" {
	CX_LIMITS=$'  wall_ms: 500\n  grace_ms: 3000' cx_config
	start=$(now_ms)
	box -c 'trap "echo cleaned; exit 3" TERM; while :; do sleep 0.05; done'
	[ $(($(now_ms) - start)) -lt 3000 ]
	field '.result.termination == "wall_clock" and .result.exitCode == 3
		and .result.stdout == "cleaned\n"'
}

@test "a stopped tree is ended all the same" {
	CX_LIMITS=$'  wall_ms: 500\n  grace_ms: 200' cx_config
	start=$(now_ms)
	box -c 'sleep 60 & kill -STOP 0; sleep 60'
	[ $(($(now_ms) - start)) -lt 3000 ]
	field '.result.termination == "wall_clock"'
}

@test "a background process doesn't outlive the command" {
	start=$(now_ms)
	box -c 'sleep 4.791'"$$"'9 & setsid sleep 4.791'"$$"'8 & (trap "" TERM; sleep 4.791'"$$"'7) &
		(sleep 1; echo ghost >ghost) & echo hi'
	[ $(($(now_ms) - start)) -lt 2500 ]
	field '.result.termination == "exited" and .result.stdout == "hi\n"'
	gone "sleep 4.791$$"
}

@test "the last lines behind a pipe are kept" {
	for _ in 1 2 3 4 5; do
		box -c '(sleep 0.05; echo late) & echo soon; exit 3'
		field '.result.exitCode == 3 and .result.stdout == "soon\nlate\n"'
	done
}

@test "orphans are reaped while the command runs" {
	box -c 'for i in 1 2 3 4 5 6; do (sleep 0.05 &); done; sleep 0.5
		grep -sl "^State:.*Z" /proc/[0-9]*/status | wc -l'
	field '.result.stdout == "0\n"'
}

@test "a stream beyond its cap ends the command" {
	CX_LIMITS='  stdout_bytes: 4096' cx_config
	box -c 'seq 1 200000; sleep 15'
	field '.result.termination == "output_cap" and .result.stdoutTruncated
		and (.result.stdout | length) == 4096 and .result.stdoutGapAt == 4096
		and .result.stdoutBytes > 4096'
	field '.result.stdout[:6] == "1\n2\n3\n"'
}

@test "a truncated stream keeps head and tail, whole characters only" {
	CX_LIMITS=$'  stdout_bytes: 101\n  on_output_cap: truncate' cx_config
	box -c 'i=0; while [ $i -lt 100 ]; do printf "\343\201\202"; i=$((i + 1)); done'
	field '.result.termination == "exited" and .result.stdoutTruncated
		and .result.stdoutBytes == 300 and .result.stdoutGapAt == 24
		and (.result.stdout | test("\ufffd") | not)
		and .result.stdoutBase64 == null'
	[ "$(jq -r .result.stdoutSha256 <<<"$output")" = \
		"sha256:$(for _ in {1..100}; do printf '\343\201\202'; done |
			sha256sum | cut -d' ' -f1)" ]
}

@test "one stream's cap leaves the other alone" {
	CX_LIMITS=$'  stderr_bytes: 1000\n  on_output_cap: truncate' cx_config
	box -c 'seq 1 10000 >&2; echo ok'
	field '.result.stdout == "ok\n" and (.result.stdoutTruncated | not)
		and .result.stderrTruncated and .result.termination == "exited"'
}

# A stream of megabytes is digested by a process of its own.
@test "a long stream is counted and digested whole" {
	local sum
	CX_LIMITS='  on_output_cap: truncate' cx_config
	sum() {
		seq 1 "$1" | sha256sum | cut -d' ' -f1
	}
	box -c 'seq 1 1200000; seq 1 900000 >&2 & seq 1 1200000; wait'
	field '.result.stdoutLines == 2400000 and .result.stderrLines == 900000
		and .result.stderrBytes == 6188895'
	[ "$(jq -r .result.stdoutSha256 <<<"$output")" = \
		"sha256:$({ seq 1 1200000; seq 1 1200000; } | sha256sum |
			cut -d' ' -f1)" ]
	[ "$(jq -r .result.stderrSha256 <<<"$output")" = "sha256:$(sum 900000)" ]
	field '.result.stdout[:4] == "1\n2\n" and
		(.result.stdout | endswith("1199999\n1200000\n"))'
	field '.result.stdoutGapAt == 262144 and
		(.result.stdout | length) == 1048576'
}

# Of what ends a run, no end takes what was said before.
@test "what was said before any kind of end is in the result" {
	local row how limits command
	while IFS='|' read -r how limits command; do
		CX_LIMITS=$(printf '  %s\n' 'grace_ms: 0' "${limits/, /
  }") cx_config
		box -c "echo out; echo err >&2; $command"
		field ".result.termination == \"$how\" and
			.result.stdout[:4] == \"out\\n\" and
			.result.stderr == \"err\\n\" and
			.result.stdoutBytes >= 4"
	done <<-'END'
		wall_clock|wall_ms: 400|sleep 60
		cpu_time|cpu_ms: 100|while :; do :; done
		output_cap|stdout_bytes: 4096|seq 1 2000
		exited|stdout_bytes: 4096, on_output_cap: truncate|seq 1 2000; exit 9
		signaled|wall_ms: 60000|kill -SEGV $$
		disk_quota_exceeded|workspace_kib: 512|head -c 512000 /dev/zero >a; head -c 512000 /dev/zero >b; sleep 20
	END
}

@test "what was said before init was killed is in the result" {
	local tool init file
	cx_need_root
	cx_l0
	cx_mint >carrier
	cx-run exec -f carrier -c "echo out; exec sleep 60.11$$" >out 2>err &
	tool=$!
	cx_wait 10 test -e out
	find_init() {
		file=$(running "^sleep 60.11$$" | head -1)/status
		init=$(sed -n 's/^PPid:[[:space:]]*//p' "$file" 2>/dev/null)
		[ -n "$init" ]
	}
	cx_wait 40 find_init
	kill -KILL "$init"
	wait "$tool" || true
	output=$(cat out)
	field '.result.termination == "lost" and .result.stdout == "out\n"'
}

@test "standard output can be opened by name" {
	box -c 'echo a >/dev/stdout; echo b >/dev/stderr; echo c >/proc/self/fd/1'
	field '.result.stdout == "a\nc\n" and .result.stderr == "b\n"'
}

@test "a signal cancels the run and ends the tool" {
	cx_l0
	cx_mint >carrier
	for signal in TERM INT HUP; do
		setsid cx-run exec -f carrier -c "sleep 37.44$$" >out 2>err &
		tool=$!
		# it runs; the launcher's own arguments name it before
		cx_wait 10 eval '[ -n "$(running "^sleep 37.44$$")" ]'
		kill -"$signal" "$tool"
		status=0
		wait "$tool" || status=$?
		[ "$status" -gt 128 ]
		gone "sleep 37.44$$"
		[ "$(jq -r .result.termination out)" = cancelled ]
	done
}

@test "a killed launcher takes everything along" {
	cx_l0
	cx_mint >carrier
	cx-run exec -f carrier -c 'sleep 31.177'"$$"'1 & setsid sleep 31.177'"$$"'2 & sleep 31.177'"$$"'3' \
		>out 2>err &
	tool=$!
	# each of them runs; the launcher's own arguments name them before
	cx_wait 10 eval '[ "$(running "^sleep 31.177$$" | wc -l)" = 3 ]'
	kill -KILL "$tool"
	wait "$tool" || true
	failed=0
	cx_wait 5 gone "31.177$$" || failed=1
	for left in $(running "31.177$$"); do
		kill -KILL "${left#/proc/}" 2>/dev/null || true
	done
	[ "$failed" = 0 ]
}
