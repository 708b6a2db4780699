# ready.bats - readiness is a completed round trip through a real sandbox, and
# nothing else opens the plane.
#
# shellcheck disable=SC2016,SC2154

load ../lib/common
load ../lib/jobs

setup() {
	cx_setup
	cx_l0
	rolled_out
}

rolled_out() {
	cx_config "rollout: 'on'" "$@"
}

# A provenance key that is active.
provenance() {
	cx-seal key new --purpose provenance --kid layers >/dev/null
	cx-seal key activate layers >/dev/null
}

# A base of this test's own, to be tampered with.
own_base() {
	cx-build l0 -f "$CX_ROOT/share/l0/busybox.yaml" >/dev/null
	base=$(find "$CX_STATE/roots" -maxdepth 1 -name '????????????????*' \
		-type d)/usr/bin
	[ -e "$base/bash" ]
}

# The base's shell, replaced by a script: shell LINE...
shell() {
	rm -f "$base/bash"
	printf '%s\n' '#!/usr/bin/busybox sh' "$@" >"$base/bash"
	chmod 755 "$base/bash"
}

honest='/usr/bin/busybox sh "$@"'

# What ready says, and how: STATE STATUS [CLASS...] FLAG...
says() {
	local state=$1 code=$2 classes=$3
	shift 3
	run --separate-stderr cx-run ready "$@"
	assert_equal "$status" "$code"
	jq -e --arg s "$state" --arg c "$classes" '.state == $s and
		([.reasons[].class] | join(" ")) == $c' <<<"$output" || {
		echo "wanted $state $classes: $output"
		return 1
	}
}

# Rows of the log that a probe left.
probes() {
	audit_rows | jq -c 'select(.event.organizationId == "cx:probe")'
}

@test "what isn't rolled out is disabled, and nothing is made" {
	cx_config
	provenance
	says disabled 77 execution_disabled
	assert_regex "$stderr" '^cx-run: disabled: execution_disabled: .*CX_EXECUTION_PLANE_ROLLOUT=on$'
	jq -e '[.checkedAt, .jobId, .imageDigest, .provenanceKey] ==
		[null, null, null, null]' <<<"$output"
	[ ! -e "$CX_STATE/run/ready.json" ]
	[ ! -e "$CX_STATE/audit" ]
	rolled_out 'placement: disabled'
	says disabled 77 execution_disabled
}

@test "only exactly on is rolled out" {
	local word
	provenance
	for word in 1 true ON On 'on ' ' on' yes '' off; do
		cx_config "rollout: '${word:-no}'"
		says disabled 77 execution_disabled
		rolled_out
		CX_EXECUTION_PLANE_ROLLOUT=$word says disabled 77 \
			execution_disabled
	done
	cx_config "rollout: 'off'"
	CX_EXECUTION_PLANE_ROLLOUT=on says ready 0 ''
	cx_config 'rollout: true'
	cx_refuses 78 config_invalid cx-run ready
}

@test "a round trip makes it ready, and is recorded as nobody's" {
	provenance
	says ready 0 ''
	jq -e '.memoized == false and .provenanceKey == "layers" and
		(.imageDigest | startswith("sha256:")) and
		(.checkedAt | endswith("Z"))' <<<"$output"
	refute_regex "$stderr" cx-run:
	run probes
	assert_equal "${#lines[@]}" 1
	jq -e '.event | .actorPrincipalId == "cx:probe" and
		.decision == "allowed" and .metadata.surface == "task" and
		.metadata.termination == "exited" and .metadata.exitCode == 0 and
		.metadata.egressMode == "none"' <<<"${lines[0]}"
	[ -z "$(cx-audit read --org acme)" ]
	cx-run workspace list | jq -e '.workspaces == []'
	[ -z "$(ls "$CX_STATE/run/started")" ]
}

@test "without a provenance key it is unavailable" {
	says unavailable 69 key_missing
	assert_regex "$stderr" 'cx-seal key new --purpose provenance'
	cx-seal key new --purpose provenance --kid layers
	says unavailable 69 key_missing
	cx-seal key activate layers
	says ready 0 ''
	: >"$CX_STATE/keys/$(jq -r '.[] | select(.kid == "layers").file' \
		"$CX_STATE/keys/ring.json")"
	says unavailable 69 key_invalid
}

@test "without a base it is unavailable" {
	provenance
	rolled_out "l0: sha256:$(printf '%064d' 0)"
	says unavailable 69 image_missing
	assert_regex "$stderr" 'cx-build l0'
	CX_L0_IMAGE='../../etc' says unavailable 69 unsafe_image_ref
	rolled_out 'placement: remote'
	says unavailable 69 placement_unavailable
}

@test "a base that answers from memory isn't believed" {
	local old
	own_base
	provenance
	says ready 0 ''
	old=$(printf x | sha256sum)
	shell "echo '$old'" 'echo 10001; echo 10001; echo /workspace'
	says unavailable 69 worker_error --fresh
	shell "$honest" 'echo more'
	says unavailable 69 worker_error --fresh
	shell 'exit 0'
	says unavailable 69 worker_error --fresh
	shell "$honest | /usr/bin/busybox sed s/10001/0/"
	says unavailable 69 worker_error --fresh
	shell "$honest"
	says ready 0 '' --fresh
}

@test "a probe that doesn't exit with 0 isn't a round trip" {
	own_base
	provenance
	shell "$honest" 'exit 0'
	says ready 0 '' --fresh
	shell "$honest" 'exit 3'
	says unavailable 69 worker_error --fresh
	shell "$honest" 'kill -9 $$'
	says unavailable 69 worker_error --fresh
}

@test "a probe that doesn't end is ended" {
	own_base
	provenance
	CX_LIMITS='  wall_ms: 300' rolled_out
	shell 'sleep 100'
	says unavailable 69 worker_error
	assert_regex "$stderr" wall_clock
}

@test "an answer is kept for 30 seconds and no longer" {
	local now
	now=$(date +%s)
	provenance
	CX_TEST_NOW=$now says ready 0 ''
	CX_TEST_NOW=$((now + 29)) says ready 0 ''
	jq -e '.memoized' <<<"$output"
	assert_equal "$(probes | wc -l)" 1
	CX_TEST_NOW=$((now + 30)) says ready 0 ''
	jq -e '.memoized | not' <<<"$output"
	assert_equal "$(probes | wc -l)" 2
	# a clock that was set back makes none younger
	CX_TEST_NOW=$((now + 10)) says ready 0 ''
	jq -e '.memoized | not' <<<"$output"
	says ready 0 '' --fresh
	jq -e '.memoized | not' <<<"$output"
}

@test "a failure is remembered as a failure" {
	own_base
	provenance
	shell 'exit 1'
	says unavailable 69 worker_error
	shell "$honest"
	says unavailable 69 worker_error
	jq -e '.memoized' <<<"$output"
	assert_regex "$stderr" -- '--fresh'
	says ready 0 '' --fresh
}

@test "what was found under other conditions isn't believed" {
	provenance
	says ready 0 ''
	rolled_out 'orgs: {acme: {execution: off}}'
	says ready 0 ''
	jq -e '.memoized | not' <<<"$output"
	says ready 0 ''
	jq -e '.memoized' <<<"$output"
	# another base: the one that is made now
	own_base
	CX_L0_IMAGE=busybox says ready 0 ''
	rolled_out "l0: sha256:$(printf '%064d' 0)"
	says unavailable 69 image_missing
	rolled_out
	# another machine's start
	says ready 0 ''
	jq -c --arg d "sha256:$(printf '%064d' 0)" '.bound = $d' \
		"$CX_STATE/run/ready.json" >planted
	cp planted "$CX_STATE/run/ready.json"
	says ready 0 ''
	jq -e '.memoized | not' <<<"$output"
}

@test "a broken or planted memo is none" {
	local text
	provenance
	says ready 0 ''
	for text in '' '{' '[]' '{"at": 1}' '{"bound": 5, "at": "x"}'; do
		printf '%s' "$text" >"$CX_STATE/run/ready.json"
		says ready 0 ''
		jq -e '.memoized | not' <<<"$output"
	done
	ln -sf /dev/zero "$CX_STATE/run/ready.json"
	timeout 20 cx-run ready | jq -e '.state == "ready"'
}

@test "a memo that somebody else could have written is none" {
	local memo=$CX_STATE/run/ready.json
	provenance
	says ready 0 ''
	says ready 0 ''
	jq -e '.memoized' <<<"$output"
	chmod 666 "$memo"
	says ready 0 ''
	jq -e '.memoized | not' <<<"$output"
	if [ "$(cx_identity)" = root ]; then
		chown 65534 "$memo"
		says ready 0 ''
		jq -e '.memoized | not' <<<"$output"
	fi
}

@test "of many that ask at once one makes the round trip" {
	local i pids=()
	provenance
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		cx-run ready >"said$i" 2>/dev/null &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i"
	done
	cat said* | jq -se 'length == 12 and all(.[]; .state == "ready") and
		([.[] | select(.memoized | not)] | length) == 1'
	assert_equal "$(probes | wc -l)" 1
}

@test "a killed round trip keeps nobody waiting" {
	local pid
	own_base
	provenance
	shell 'echo >/workspace/began; sleep 100'
	cx-run ready >said 2>&1 &
	pid=$!
	cx_wait 10 sh -c "ls $CX_STATE/volumes/ws/*/*/data/began"
	kill -9 "$pid"
	wait "$pid" || true
	shell "$honest"
	timeout 10 cx-run ready | jq -e '.state == "ready"'
}

@test "the operator's hooks aren't asked about the probe" {
	cat >hook <<-'END'
		#!/bin/sh
		cat >>"${0%hook}asked"
		exit 1
	END
	chmod +x hook
	rolled_out "hooks: {liveness: $PWD/hook, command_policy: $PWD/hook,
		stdio: $PWD/hook, teardown: $PWD/hook}"
	provenance
	says ready 0 ''
	[ ! -e asked ]
}

@test "no tenant's document enters as the probe" {
	cx_refuses 65 input_invalid cx-seal mint -n --org cx:probe --user x \
		--surface task
	cx_refuses 65 input_invalid cx-seal mint -n --org acme --user x \
		--surface task --use probe
	provenance
	says ready 0 ''
	run ! grep -rq cxs1 "$CX_STATE/run" "$CX_STATE/audit"
}

@test "ready conforms to its schema" {
	provenance
	says ready 0 ''
	echo "$output" >ready
	cx_config
	says disabled 77 execution_disabled
	echo "$output" >disabled
	"$CX_ROOT/test/lib/conforms" "$CX_ROOT/share/schema/cx-run-ready.json" \
		ready disabled
	run bash -c 'cx-run ready >/dev/full'
	assert_equal "$status" 74
}
