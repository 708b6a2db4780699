# follow.bats - events while a command runs (exec --follow).
#
# The commands are for the sandbox's shell, and jq's filters for jq:
# shellcheck disable=SC2016

load ../lib/common
load ../lib/jobs

# The bytes of stream $1 as the events in file $2 tell them.
bytes_of() {
	jq -r --arg s "$1" 'select(.event == $s) |
		if .text then (.text | @base64) else .base64 end' "$2" |
		while read -r part; do
			base64 -d <<<"$part"
		done
}

# Each offset is where the last event of its stream ended.
without_gaps() {
	jq -es 'map(select(.offset)) | group_by(.event) | map(reduce .[] as $e
		({at: 0, ok: true}; .ok = (.ok and .at == $e.offset) |
		.at += if $e.text then ($e.text | utf8bytelength) else
			($e.base64 | gsub("="; "") | length * 3 / 4 | floor) end))
		| all(.ok)' "$1"
}

@test "events tell start and output, and the document comes last" {
	cx_exec --follow -c 'echo one; sleep 0.1; echo two >&2; sleep 0.1
		echo three; exit 4' >events 2>err || status=$?
	assert_equal "$status" 4
	jq -c 'if .event then [.event, .index, .offset, .text] else
		[.apiVersion, .result.exitCode, .result.stdout] end' events >seen
	diff seen - <<-'END'
		["started",0,null,null]
		["stdout",0,0,"one\n"]
		["stderr",0,0,"two\n"]
		["stdout",0,4,"three\n"]
		["cx/v1",4,"one\nthree\n"]
	END
	assert_equal "$(sed -n 1p events | jq -r .jobId)" \
		"$(tail -1 events | jq -r .result.jobId)"
	split -l 1 events line-
	"$CX_ROOT/test/lib/conforms" "$CX_ROOT/share/schema/cx-run-exec.json" \
		line-*
}

@test "an event comes while the command runs" {
	cx_l0
	cx_mint >carrier
	mkfifo pipe
	cx-run exec -f carrier --follow -c 'echo first; sleep 30' >pipe 2>err &
	tool=$!
	exec 7<pipe
	read -r -t 10 line <&7
	assert_equal "$(jq -r .event <<<"$line")" started
	read -r -t 10 line <&7
	assert_equal "$(jq -r .text <<<"$line")" first
	kill -TERM "$tool"
	status=0
	wait "$tool" || status=$?
	assert_equal "$status" 143
	assert_equal "$(tail -1 <&7 | jq -r .result.termination)" cancelled
}

@test "no event splits a character, and what is no text is base64" {
	cx_exec --follow -c 'printf "a\343"; sleep 0.1; printf "\201"; sleep 0.1
		printf "\202b\360\237"; sleep 0.1; printf "\230\200"
		for part in "\377" "c\0" "\343" "x" "\360\237"; do
			printf "$part" >&2; sleep 0.05
		done' >events
	assert_equal "$(jq -j 'select(.event == "stdout").text' events)" \
		'aあb😀'
	jq -es 'map(select(.event == "stdout") | has("base64")) | any | not' events
	jq -es 'map(.text // "" | contains("\ufffd")) | any | not' events
	assert_equal "$(bytes_of stderr events | od -An -tx1 |
		tr -d " \n")" ff6300e378f09f
	without_gaps events
}

@test "the events together are the streams" {
	CX_LIMITS=$'  on_output_cap: truncate\n  stdout_bytes: 1000' cx_config
	cx_exec --follow -c 'seq 1 200000; head -c 300000 /bin/sh >&2' \
		>events
	without_gaps events
	for stream in stdout stderr; do
		assert_equal "sha256:$(bytes_of "$stream" events | sha256sum |
			cut -d' ' -f1)" \
			"$(tail -1 events | jq -r ".result.${stream}Sha256")"
	done
	jq -es 'map(select(.text or .base64) | (.text // .base64) | length) |
		max <= 100000' events
}

@test "events stop at the cap that ends the command" {
	CX_LIMITS='  stdout_bytes: 1000' cx_config
	cx_exec --follow -c 'seq 1 200000' >events || true
	assert_equal "$(bytes_of stdout events | wc -c)" 1000
	jq -es '.[-1].result.termination == "output_cap"' events
}

@test "each command of a list has its own events" {
	cx_l0
	cx_mint | jq -c '.run = {commands: ["echo a", "echo b; exit 2", "echo c"]}' |
		cx-run exec --follow >events 2>err
	jq -c 'if .event then [.index, .event, .text] else
		[.results[].decision] end' events >seen
	diff seen - <<-'END'
		[0,"started",null]
		[0,"stdout","a\n"]
		[1,"started",null]
		[1,"stdout","b\n"]
		["allowed","allowed","denied"]
	END
}

@test "a stream of documents has each one's events before it" {
	cx_l0
	for word in x y; do
		cx_mint | jq -c --arg w "$word" '.run = {argv: ["echo", $w]}'
	done | cx-run exec --stream --follow >events
	jq -r '.event // .result.stdout' events >seen
	diff seen - <<-'END'
		started
		stdout
		x

		started
		stdout
		y

	END
}

@test "what is refused has no events" {
	cx_l0
	run --separate-stderr cx-run exec --follow -n -c true
	jq -es 'length == 1 and .[0].error.class == "no_session"' <<<"$output"
	# --raw and -c: the status is the command's, so a wrong line is 125
	run --separate-stderr cx_exec --follow --raw -c true
	assert_equal "$status" 125
}

@test "a reader of events that goes away ends the command, on record" {
	cx_l0
	cx_mint >carrier
	run --separate-stderr timeout 20 bash -c \
		'cx-run exec --follow -f carrier -c "while :; do echo x; done" |
		head -n 2 >/dev/null; exit "${PIPESTATUS[0]}"'
	assert_equal "$status" 141
	assert_equal "$stderr" ""
	assert_equal "$(audit_rows | jq -r .event.metadata.termination)" \
		cancelled
	[ -z "$(ls "$CX_STATE/run/started")" ]
}

@test "a reader of events that stops keeps no command from its deadline" {
	CX_LIMITS=$'  wall_ms: 1200\n  grace_ms: 0\n  on_output_cap: truncate' \
		cx_config
	cx_l0
	cx_mint >carrier
	mkfifo pipe
	exec 7<>pipe
	timeout 30 cx-run exec --follow -f carrier -c 'yes | head -c 90000000
		sleep 60' >pipe 2>err 7<&- &
	tool=$!
	cx_wait 10 bash -c 'cx-audit read --instance | grep -q wall_clock'
	exec 8<pipe
	exec 7>&-
	cat <&8 >events
	status=0
	wait "$tool" || status=$?
	assert_equal "$status" 124
	# the command waited for its reader: nothing was dropped, or all said
	without_gaps events
	jq -es '.[-1].result | .termination == "wall_clock" and
		.stdoutBytes < 9000000' events
	assert_equal "$(audit_rows | wc -l)" 1
	jq -es '.[0].event.metadata.wallMs < 5000' <<<"$(audit_rows)"
}

@test "events that can't be written are said" {
	cx_l0
	cx_mint >carrier
	run --separate-stderr bash -c \
		'cx-run exec --follow -f carrier -c "echo hi; sleep 20" >/dev/full'
	assert_equal "$status" 74
	[[ $stderr == *"io_error"*"No space left on device"* ]]
	assert_equal "$(audit_rows | wc -l)" 1
}
