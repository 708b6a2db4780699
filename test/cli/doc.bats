# doc.bats - what the tools say about themselves.
load ../lib/common

tools() {
	find "$CX_BIN" -name 'cx-*' -type f -executable -printf '%f\n' | sort
}

# Every verb of a tool, a line each.
verbs() {
	"$CX_BIN/$1" --cx-bash | sed -n "/_verbs() {/,/^}/s/^\t\t'\([^']*\)'.*/\1/p"
}

@test "every tool and verb has help of at most 80 columns" {
	local tool verb output
	for tool in $(tools); do
		output=$("$tool" --help)
		[[ $output == "$tool - "* ]]
		while read -r verb; do
			# shellcheck disable=SC2086 # a verb may be two words
			output+=$'\n'$("$tool" $verb --help)
			[[ $output == *"usage: $tool $verb "* ]]
		done < <(verbs "$tool")
		[ -z "$(awk 'length > 80' <<<"$output")" ]
	done
}

@test "every tool tells its version" {
	local tool
	for tool in $(tools); do
		run -0 "$tool" --version
		assert_output --regexp "^$tool [0-9]+\.[0-9]+\.[0-9]+$"
	done
}

@test "help to a full disk is exit 74 and a message" {
	local tool status
	for tool in $(tools); do
		status=0
		"$tool" --help >/dev/full 2>message || status=$?
		[ "$status" -eq 74 ]
		grep -q "^$tool: io_error\|^$tool: store_full" message
	done
}

@test "a wrong option is exit 64 and one line that names it" {
	local tool
	for tool in $(tools); do
		run -64 --separate-stderr "$tool" "$(verbs "$tool" | grep -v ' ' | head -1)" --no-such-thing
		[ "${#stderr_lines[@]}" -eq 1 ]
		[[ $stderr == *no-such-thing* ]]
	done
}

@test "every schema is a JSON Schema" {
	cx_need python3
	local tool
	for tool in $(tools); do
		"$tool" --cx-schemas | cut -f2
	done >schemas
	[ "$(wc -l <schemas)" -ge 20 ]
	python3 -c 'import json, sys, jsonschema
for line in sys.stdin:
    jsonschema.Draft202012Validator.check_schema(json.loads(line))' <schemas
}

@test "bash completes verbs, options and values" {
	local tool
	for tool in $(tools); do
		"$tool" --cx-bash >"$tool.bash"
		bash -n "$tool.bash"
	done
	run -0 "$CX_ROOT/test/lib/complete" bash cx-seal.bash 'cx-seal mi'
	assert_line --index 0 'cx-seal mint |'
	run -0 "$CX_ROOT/test/lib/complete" bash cx-seal.bash 'cx-seal mint --surf'
	assert_line --index 0 'cx-seal mint --surface |'
	run -0 "$CX_ROOT/test/lib/complete" bash cx-seal.bash 'cx-seal mint --surface=ta'
	assert_line --index 0 'cx-seal mint --surface=task |'
	run -0 "$CX_ROOT/test/lib/complete" bash cx-seal.bash 'cx-seal mint -f con'
	assert_line --index 0 'cx-seal mint -f config.yaml |'
}

@test "zsh completes the tools under one word" {
	cx_need zsh
	cp "$CX_ROOT"/completions/zsh/* .
	complete=$CX_ROOT/test/lib/complete
	run -0 "$complete" zsh _cx 'cx bui'
	assert_line --index 0 'cx build |'
	run -0 "$complete" zsh _cx 'cx run --dry'
	assert_line --index 0 'cx run --dry-run |'
	run -0 "$complete" zsh _cx 'cx build l0 bus'
	assert_line --index 0 'cx build l0 busybox |'
	run -0 "$complete" zsh _cx 'cx seal mint --surface=ta'
	assert_line --index 0 'cx seal mint --surface=task |'
}

@test "zsh completes verbs, options and values" {
	cx_need zsh
	"$CX_BIN/cx-seal" --cx-zsh >_cx-seal
	run -0 "$CX_ROOT/test/lib/complete" zsh _cx-seal 'cx-seal mi'
	assert_line --index 0 'cx-seal mint |'
	run -0 "$CX_ROOT/test/lib/complete" zsh _cx-seal 'cx-seal mint --surface=ta'
	assert_line --index 0 'cx-seal mint --surface=task |'
	run -0 "$CX_ROOT/test/lib/complete" zsh _cx-seal 'cx-seal mint -f con'
	assert_line --index 0 'cx-seal mint -f config.yaml |'
}

@test "a wrong option is named by its own letter" {
	cx_refuses 125 usage cx-run exec -it -- bash
	run cat "$BATS_TEST_TMPDIR/stderr"
	assert_output --partial "no option -i; see cx-run exec --help"
	cx_refuses 125 usage cx-run exec -n -xy -- true
	run cat "$BATS_TEST_TMPDIR/stderr"
	assert_output --partial "no option -x;"
	cx_refuses 64 usage cx-run exec --exit-status=5
	run cat "$BATS_TEST_TMPDIR/stderr"
	assert_output --partial "takes no value"
}

@test "help of a group of verbs lists them" {
	run cx-seal key --help
	assert_success
	assert_output --partial "key activate"
	run cx-run workspace -h
	assert_success
	assert_output --partial "workspace export"
}

@test "a forgotten -- is what cx run complains of" {
	run cx run ls -la
	assert_failure 64
	assert_output --partial "cx run -- ls -la"
	run cx run
	assert_failure 64
	assert_output --partial "put -- before the command"
}
