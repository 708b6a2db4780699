# binding.bats - what a command is bound to: the base, its layer, or nothing.
# The configuration and the run's row decide; a document's word doesn't.
#
# shellcheck disable=SC2016,SC2154

load ../lib/common
load ../lib/jobs

setup() {
	cx_setup
	cx_l0
}

# exec of a document, with a command: executes DOCUMENT
executes() {
	run --separate-stderr cx-run exec \
		<<<"$(jq -c '.run //= {command: "true"}' <<<"$1")"
}

# It is refused: refused CLASS STATUS DOCUMENT
refused() {
	local class=$1 code=$2
	executes "$3"
	assert_equal "$status" "$code"
	jq -e --arg c "$class" '.error.class == $c and
		.result.decision == "denied" and .result.reason == $c and
		.result.imageDigest == null' <<<"$output" || {
		echo "wanted $class: $output"
		return 1
	}
}

ran() {
	executes "$1"
	jq -e '.result.decision == "allowed" and .result.exitCode == 0' \
		<<<"$output" || {
		echo "wanted to run: $status $output $stderr"
		return 1
	}
}

# The plane is rolled out, with a key: on [LINE...]
on() {
	cx_config "rollout: 'on'" "$@"
	[ -e "$CX_STATE/keys/layers.key" ] ||
		cx-seal key list | jq -e '.keys[]? | select(.kid == "layers")' \
			>/dev/null 2>&1 || {
		cx-seal key new --purpose provenance --kid layers
		cx-seal key activate layers
	} >/dev/null
}

# A document of an agent's run that is open, with its command.
opened() {
	agent "$1" | cx-run open --agent "$2" |
		jq -c '.run = {command: "echo ran"}'
}

# The row of a run, changed behind the tool's back: row RUN SET
row() {
	cx_need sqlite3
	sqlite3 "$CX_STATE/cx.db" "UPDATE runs SET $2 WHERE run_id = '$1'"
}

with_environment() {
	jq -c '.environment = {os: ["pandoc"]}' <<<"$1"
}

with_layer() {
	jq -c --arg d "$(jq -r '.manifests[0].digest' \
		"$(cx_l0_state)/oci/index.json")" '.environment = {os: []} |
		.layer = {imageDigest: $d, partition: "instance"}' <<<"$1"
}

@test "without a declared environment the base runs in every state" {
	local document
	document=$(jq -c '.run = {command: "echo ran"}' <<<"$(cx_mint)")
	ran "$document"
	CX_EXECUTION_PLANE_ROLLOUT=on ran "$document"
	on
	ran "$document"
	[ ! -e "$CX_STATE/run/ready.json" ]
}

@test "a declared environment needs a plane that is ready" {
	local document word
	document=$(with_layer "$(cx_mint)")
	refused environment_unavailable 69 "$document"
	assert_regex "$stderr" 'CX_EXECUTION_PLANE_ROLLOUT=on'
	refused environment_unavailable 69 "$(with_environment "$(cx_mint)")"
	for word in 1 ON 'on ' true; do
		CX_EXECUTION_PLANE_ROLLOUT=$word refused \
			environment_unavailable 69 "$document"
	done
	# opted in, but without a key
	CX_EXECUTION_PLANE_ROLLOUT=on refused environment_unavailable 69 \
		"$document"
	assert_regex "$stderr" 'cx-run ready'
	[ ! -e "$CX_STATE/run/ready.json" ]
	# a key, but no base to make a round trip on
	on
	CX_L0_IMAGE=nothing-here refused environment_unavailable 69 "$document"
	# ready: the layer itself is judged now, and this store has none
	on
	refused environment_untrusted 77 "$document"
	jq -e '.fault == null' "$CX_STATE/run/ready.json"
	audit_rows | jq -se '[.[].event | select(.organizationId == "acme") |
		.metadata.reason] | sort == ["environment_unavailable",
		"environment_untrusted"]'
	cx-run workspace list | jq -e '.workspaces == []'
}

@test "a declared environment that doesn't parse is refused in every state" {
	local text
	for text in '[]' '5' 'null' '{"apt": []}' '{"os": "pandoc"}' \
		'{"os": [5]}' '{"os": [], "run": "x"}'; do
		refused environment_invalid 77 "$(jq -c --argjson e "$text" \
			'.environment = $e' <<<"$(cx_mint)")"
	done
	on
	refused environment_invalid 77 "$(jq -c '.environment = {apt: []}' \
		<<<"$(cx_mint)")"
}

@test "an agent that is off runs nothing, whatever its documents say" {
	local document
	document=$(opened r-1 helper)
	ran "$document"
	cx_config 'agents: {helper: {posture: off}, other: {posture: on}}'
	refused execution_disabled 77 "$document"
	refused environment_agent_disabled 77 "$(with_environment "$document")"
	refused environment_agent_disabled 77 "$(with_layer "$document")"
	# what a document says of agents and postures is nobody's word
	for words in '.["x-agent"] = "other" | .["x-posture"] = "on"' \
		'.call = {agentId: "other", posture: "on"}'; do
		refused execution_disabled 77 "$(jq -c "$words" \
			<<<"$document")"
	done
	for words in '.agent = "other"' '.posture = "on"' \
		'.session = {agentId: "other", posture: "on"}' \
		'.session = {orgId: "acme", userId: "ada", surface: "chat"}' \
		'.run.agent = "other"' '.run.posture = "on"'; do
		executes "$(jq -c "$words" <<<"$document")"
		jq -e '.result.decision == "denied"' <<<"$output"
	done
	# opening again can't change the agent either
	cx_refuses 77 run_owner_diverged cx-run open --agent other \
		-f <(agent r-1)
	cx_refuses 77 execution_disabled cx-run open --agent helper \
		-f <(agent r-2)
	refused execution_disabled 77 "$document"
	cx_config 'agents: {helper: {posture: inherit}}'
	ran "$document"
	# one without an agent is nobody's to switch off
	ran "$(agent r-3 | cx-run open)"
}

@test "package, configuration and agent stand over each other in this order" {
	local package configured own wanted document
	document=$(opened r-1 helper)
	for package in inherit on off; do
		for configured in inherit on off; do
			cx_config "agents: {helper: {posture: $configured}}"
			for own in inherit on off; do
				row r-1 "package_posture = '$package',
					posture = '$own'"
				wanted=$(printf '%s\n' "$package" \
					"$configured" "$own" inherit |
					grep -v inherit | head -n 1) || true
				if [ "$wanted" = off ]; then
					refused execution_disabled 77 \
						"$document"
				else
					ran "$document"
				fi
			done
		done
	done
}

@test "an unknown posture is refused" {
	local word document
	document=$(opened r-1 helper)
	for word in On 'off ' true none 'inherit and more'; do
		row r-1 "posture = '$word'"
		refused posture_unknown 77 "$document"
		row r-1 "posture = 'inherit', package_posture = '$word'"
		refused posture_unknown 77 "$document"
		row r-1 "package_posture = 'inherit'"
	done
	# what stands over it doesn't make it known
	cx_config 'agents: {helper: {posture: on}}'
	row r-1 "posture = 'maybe'"
	refused posture_unknown 77 "$document"
	cx_config 'agents: {helper: {posture: maybe}}'
	run cx-run exec -c true <<<"$document"
	assert_output --partial config_invalid
}

@test "a pinned run doesn't run on the base" {
	local document
	document=$(opened r-1 helper)
	row r-1 "spec_digest = 'sha256:$(printf '%064d' 1)'"
	refused environment_unavailable 69 "$document"
	refused environment_unavailable 69 "$(with_layer "$document")"
	on
	refused environment_unavailable 69 "$document"
	assert_regex "$stderr" 'layer'
	refused environment_untrusted 77 "$(with_layer "$document")"
	on 'agents: {helper: {posture: off}}'
	refused environment_agent_disabled 77 "$document"
}

@test "a liveness program says nothing of agents and postures" {
	local document
	printf '#!/bin/sh\nexit 0\n' >hook
	chmod +x hook
	document=$(opened r-1 helper)
	cx_config "hooks: {liveness: $PWD/hook}"
	ran "$document"
	ran "$(agent r-9)"
	cx_config "hooks: {liveness: $PWD/hook}" \
		'agents: {helper: {posture: off}}'
	refused execution_disabled 77 "$document"
	refused run_owner_diverged 77 "$(agent r-1 eve)"
}

@test "an organization that is off has no environments either" {
	on 'orgs: {acme: {execution: off}}'
	refused execution_disabled 77 "$(cx_mint)"
	refused environment_agent_disabled 77 "$(with_layer "$(cx_mint)")"
	on 'placement: disabled'
	refused environment_agent_disabled 77 "$(with_layer "$(cx_mint)")"
	on 'placement: remote'
	refused placement_unavailable 69 "$(with_layer "$(cx_mint)")"
}

@test "an agent's name has its grammar, and a run" {
	cx_refuses 64 usage cx-run open --agent '' -f <(agent r-1)
	cx_refuses 64 usage cx-run open --agent $'a\nb' -f <(agent r-1)
	cx_refuses 65 input_invalid cx-run open --agent helper -f <(cx_mint)
	agent r-1 | cx-run open --agent helper >opened
	agent r-1 | cx-run open --agent helper >again
	agent r-1 | cx-run open >again
	ran "$(cat again)"
}
