# trust.bats - who may run what: everything in a document but the carrier's
# MAC is hostile.

load ../lib/common
load ../lib/jobs

# exec of a document is refused with a class: denied CLASS DOCUMENT [FLAG...]
denied() {
	local class=$1 document=$2
	shift 2
	run --separate-stderr cx-run exec "$@" <<<"$document"
	jq -e --arg c "$class" '.error.class == $c and
		.result.decision == "denied" and .result.reason == $c and
		([.result | to_entries[] | select(.value != null) | .key] ==
		["decision", "reason", "tainted"])' <<<"$output" || {
		echo "wanted $class: $status $output"
		return 1
	}
}

allowed() {
	local document=$1
	shift
	run --separate-stderr cx-run exec "$@" <<<"$document"
	jq -e '.result.decision == "allowed"' <<<"$output" || {
		echo "wanted allowed: $status $output $stderr"
		return 1
	}
}

setup() {
	cx_setup
	cx_l0
}

ran() {
	with "$1" '.run = {command: "echo ran"}'
}

@test "without a carrier that opens nothing runs" {
	local document
	document=$(ran "$(cx_mint)")
	denied no_session '{"run": {"command": "true"}}'
	assert_equal "$status" 77
	denied no_session '{"session": {"orgId": "acme", "userId": "ada",
		"surface": "chat"}, "run": {"command": "true"}}'
	denied carrier_bad_signature "$(with "$document" \
		'.carrier |= (.[:-5] + (if .[-5:-4] == "A" then "B" else "A" end)
			+ .[-4:])')"
	denied carrier_malformed "$(with "$document" '.carrier = 5')"
	CX_TEST_NOW=$(($(date +%s) + 90000)) denied carrier_expired "$document"
	denied carrier_wrong_audience "$(cx_mint --use read)" -c true
	CX_STATE=$BATS_TEST_TMPDIR/other denied key_missing "$document"
	[ ! -e "$CX_STATE/volumes" ]
}

@test "a session beside a carrier can't name another" {
	local document change
	document=$(ran "$(cx_mint)")
	for change in '.session = {orgId: "other", userId: "ada", surface: "chat"}' \
		'.session = {orgId: "acme", userId: "eve", surface: "chat"}' \
		'.session = {orgId: "acme", userId: "ada", surface: "task"}' \
		'.session = {runId: "r"}' '.session = {orgId: null}' \
		'.session = {orgId: ["acme"]}' '.session = {token: "x"}' \
		'.session = "acme"'; do
		denied input_invalid "$(with "$document" "$change")"
		assert_regex "$(cx_get .error.pointer <<<"$output")" '^/session'
		cx_refuses 65 input_invalid cx-seal open \
			<<<"$(with "$document" "$change")"
		cx_refuses 65 input_invalid cx-run open \
			<<<"$(with "$document" "$change")"
	done
	[ ! -e "$CX_STATE/volumes" ]
	# what happened is the carrier's, whoever was named beside it
	assert_equal "$(cx-audit read --instance |
		jq -r '.event.organizationId' | sort -u)" acme
	# who says the same twice is right, and so is one without
	allowed "$(with "$document" \
		'.session = {orgId: "acme", userId: "ada", surface: "chat"}')"
	allowed "$(with "$document" '.session = {userId: "ada"}')"
	allowed "$document"
}

@test "a refused carrier's payload doesn't reach the audit log" {
	local document
	document=$(cx-seal mint -n --org canary-org --user canary-user \
		--surface chat)
	denied carrier_bad_signature "$(with "$document" \
		'.carrier |= (.[:-5] + (if .[-5:-4] == "A" then "B" else "A" end)
			+ .[-4:]) | .run = {command: "canary-command"}')"
	run audit_rows
	assert_equal "${#lines[@]}" 1
	jq -e '.event | .organizationId == "cx:unidentified" and
		.actorPrincipalId == "cx:unidentified" and
		.decision == "denied" and
		.metadata.reason == "carrier_bad_signature" and
		.metadata.surface == null and .metadata.cwd == null' \
		<<<"${lines[0]}"
	run ! grep -rq canary "$CX_STATE/audit"
}

@test "the carrier reaches neither the sandbox nor the log" {
	local document
	document=$(with "$(cx_mint)" '.run = {command: "env; cat
		/proc/self/cmdline /proc/1/cmdline; ls -l /proc/self/fd"}')
	mac=$(jq -r '.carrier | split(".")[-1]' <<<"$document")
	allowed "$document"
	run ! grep -qF "$mac" <<<"$output"
	run ! grep -rqF "$mac" "$CX_STATE/audit" "$CX_STATE/run"
	run --separate-stderr cx-run exec --keep-carrier <<<"$document"
	jq -e '.carrier' <<<"$output"
}

@test "unknown sections are refused, ours pass" {
	local document
	document=$(cx_mint)
	denied input_invalid "$(with "$document" '.environs = {}')" -c true
	denied input_invalid "$(with "$document" '.run = []')"
	denied input_invalid "$(with "$document" '.apiVersion = "cx/v2"')" \
		-c true
	denied input_invalid "$(with "$document" '.job = "j-x"')" -c true
}

@test "declared sections without their products are refused" {
	local document
	document=$(ran "$(cx_mint)")
	denied environment_unavailable "$(with "$document" \
		'.environment = {os: ["pandoc"]}')"
	assert_equal "$status" 69
	denied skills_unstaged "$(with "$document" \
		'.skills = [{slug: "pdf", path: "skills/pdf"}]')"
	assert_equal "$status" 77
	[ ! -e "$CX_STATE/volumes" ]
}

@test "products that the store can't vouch for are refused" {
	local document digest
	document=$(ran "$(cx_mint)")
	digest=$(jq -r '.manifests[0].digest' "$(cx_l0_state)/oci/index.json")
	denied environment_unavailable "$(jq -c --arg d "$digest" \
		'.environment = {os: []} | .layer = {imageDigest: $d,
		partition: "instance"}' <<<"$document")"
	denied environment_untrusted "$(jq -c --arg d "$digest" \
		'.layer = {imageDigest: $d, partition: "instance"}' \
		<<<"$document")"
	denied digest_mismatch "$(jq -c --arg d "$digest" \
		'.staged = {digest: $d, path: "/etc"}' <<<"$document")"
	denied digest_mismatch "$(jq -c '.skills = [] | .staged =
		{digest: "../../../etc"}' <<<"$document")"
}

@test "an agent session without its run is refused" {
	denied run_not_live "$(agent r-1)" -c true
	cx-run open <<<"$(agent r-1)" >opened
	allowed "$(cat opened)" -c true
	denied run_not_live "$(agent r-2)" -c true
}

@test "an ended run takes no more commands" {
	agent r-1 | cx-run open >opened
	allowed "$(cat opened)" -c true
	cx-run close <opened >closed
	denied run_not_live "$(cat opened)" -c true
	cx_refuses 77 run_not_live cx-run open -f opened
	cx-run close <opened >closed
}

@test "another user's carrier doesn't enter the run" {
	agent r-1 | cx-run open >opened
	denied run_owner_diverged "$(agent r-1 eve)" -c true
	cx_refuses 77 run_owner_diverged cx-run open -f <(agent r-1 eve)
	cx_refuses 77 run_owner_diverged cx-run close -f <(agent r-1 eve)
	denied run_owner_diverged "$(cx-seal mint -n --org other --user ada \
		--surface agent --run r-1)" -c true
	allowed "$(cat opened)" -c true
}

@test "open repeated by the owner changes nothing" {
	agent r-1 | cx-run open >opened
	agent r-1 | cx-run open >again
	allowed "$(cat opened)" -c 'echo kept > f'
	allowed "$(cat again)" -c 'cat f'
	jq -e '.result.stdout == "kept\n"' <<<"$output"
}

@test "another user's carrier doesn't enter the job" {
	local document id
	document=$(new_job)
	id=$(jq -r .job.id <<<"$document")
	allowed "$document" -c 'echo mine > f'
	for other in "$(cx-seal mint -n --org acme --user eve --surface chat)" \
		"$(cx-seal mint -n --org other --user ada --surface chat)"; do
		denied job_ended "$(jq -c --arg i "$id" '.job = {id: $i}' \
			<<<"$other")" -c 'cat f'
		cx_refuses 77 job_ended cx-run close -f <(jq -c --arg i "$id" \
			'.job = {id: $i}' <<<"$other")
	done
	allowed "$document" -c 'cat f'
}

@test "a closed job takes no more commands" {
	local document
	document=$(new_job)
	allowed "$document" -c true
	cx-run close <<<"$document" | jq -e '.job.state == "ended"'
	denied job_ended "$document" -c true
	cx-run close <<<"$document" >closed
	denied job_ended "$(with "$document" \
		'.job.id = "j-aaaaaaaaaaaaaaaaaaaaaaaaaa"')" -c true
}

@test "the liveness program decides, and silence is a no" {
	local body
	cat >hook <<-'END'
		#!/bin/sh
		cat >>"${0%hook}asked"
		grep -q '"runId":"r-1"' "${0%hook}asked"
	END
	chmod +x hook
	cx_config "hooks: {liveness: $PWD/hook}"
	allowed "$(agent r-1)" -c true
	assert_equal "$(cat asked)" \
		'{"orgId":"acme","userId":"ada","runId":"r-1","surface":"agent"}'
	for body in 'exit 1' 'kill -9 $$' 'sleep 60' '' ; do
		printf '#!/bin/sh\n%s\n' "${body:-exit 2}" >hook
		denied run_not_live "$(agent r-1)" -c true
	done
	rm hook
	denied run_not_live "$(agent r-1)" -c true
	allowed "$(cx_mint)" -c true
}

@test "the command policy decides, and silence is a no" {
	cat >hook <<-'END'
		#!/bin/sh
		! grep -q forbidden
	END
	chmod +x hook
	cx_config "hooks: {command_policy: $PWD/hook}"
	allowed "$(cx_mint)" -c 'echo fine'
	denied command_policy "$(cx_mint)" -c 'echo forbidden'
	denied command_policy "$(cx_mint)" -- echo forbidden
	rm hook
	denied command_policy "$(cx_mint)" -c 'echo fine'
}

@test "gateway tiers are refused without a gateway" {
	local document
	export CX_GATEWAY=none
	document=$(ran "$(cx_mint)")
	for tier in default_internet allowlist; do
		denied egress_gateway_required "$(with "$document" \
			".egress = {tier: \"$tier\"}")"
		assert_equal "$status" 69
		denied egress_gateway_required "$(cx_mint)" --tier "$tier" -c true
	done
	denied egress_gateway_required "$(cx_mint)" --host example.org -c true
	unset CX_GATEWAY
	cx_config 'egress: {tier: default_internet, gateway: none}'
	denied egress_gateway_required "$document"
	cx_config "egress: {tier: default_internet, gateway: $PWD/absent}"
	denied egress_gateway_required "$document"
	allowed "$(with "$document" '.egress = {tier: "none"}')"
	cx_config 'egress: {tier: default_internet}' \
		'orgs: {acme: {egress: {tier: none}}}'
	allowed "$document"
	denied input_invalid "$(with "$document" '.egress = {tier: "all"}')"
	denied input_invalid "$(with "$document" '.egress = {hosts: ["A B"]}')"
}

@test "who asks for nothing gets the default tier, narrowed" {
	local document mode='.result.egressMode'
	document=$(ran "$(cx_mint)")
	sed -i '/^egress:/d' "$CX_CONFIG"
	assert_equal "$(cx-run exec <<<"$document" | jq -r "$mode")" \
		default_internet
	assert_equal "$(cx-run exec -c true \
		<<<"$(cx_mint | cx-seal attenuate --egress none)" |
		jq -r "$mode")" none
	CX_GATEWAY=none denied egress_gateway_required "$document"
	echo 'egress: {gateway: none}' >>"$CX_CONFIG"
	denied egress_gateway_required "$document"
	sed -i '/^egress:/d' "$CX_CONFIG"
	echo 'orgs: {acme: {egress: {tier: none}}}' >>"$CX_CONFIG"
	assert_equal "$(cx-run exec <<<"$document" | jq -r "$mode")" none
}

@test "an egress caveat refuses a wider tier" {
	local document
	document=$(cx_mint | cx-seal attenuate --egress none)
	denied caveat_refused "$document" --tier default_internet -c true
	denied caveat_refused "$document" --tier allowlist -c true
	allowed "$document" --tier none -c true
	cx_config 'egress: {tier: default_internet}'
	allowed "$document" -c true
}

@test "a hosts caveat refuses other hosts" {
	local document
	document=$(cx_mint | cx-seal attenuate --host example.org)
	denied caveat_refused "$document" --host example.com -c true
	denied caveat_refused "$(with "$document" \
		'.egress = {hosts: ["example.com"]}')" -c true
	CX_GATEWAY=none denied egress_gateway_required "$document" \
		--host example.org -c true
}

@test "an image caveat refuses another image" {
	local digest none
	digest=$(cx_exec -- true | jq -r .result.imageDigest)
	none=sha256:$(printf '%064d' 0)
	allowed "$(cx_mint | cx-seal attenuate --image "$digest")" -c true
	denied caveat_refused "$(cx_mint | cx-seal attenuate --image "$none")" \
		-c true
	denied caveat_refused "$(cx_mint | cx-seal attenuate \
		--surface agent)" -c true
}

@test "a carrier for one command runs one" {
	local document
	document=$(cx_mint --once)
	cx-run open <<<"$document" >opened
	denied input_invalid "$document"
	allowed "$document" -c true
	denied carrier_replayed "$document" -c true
}

@test "placement disabled refuses every command" {
	cx_config 'placement: disabled'
	denied execution_disabled "$(ran "$(cx_mint)")"
	assert_equal "$status" 77
	denied environment_agent_disabled "$(with "$(cx_mint)" \
		'.environment = {os: []}')" -c true
	cx_refuses 77 execution_disabled cx-run open -f <(cx_mint)
}

@test "placement remote refuses every command" {
	cx_config 'placement: remote'
	denied placement_unavailable "$(ran "$(cx_mint)")"
	assert_equal "$status" 69
}

@test "an organization that is off runs nothing" {
	cx_config 'orgs: {acme: {execution: off}}'
	denied execution_disabled "$(cx_mint)" -c true
	allowed "$(cx-seal mint -n --org other --user ada --surface chat)" \
		-c true
}

@test "a command runs on the base whatever the rollout says" {
	for rollout in on off 1; do
		CX_EXECUTION_PLANE_ROLLOUT=$rollout allowed "$(cx_mint)" -c true
	done
}

@test "an image name that could be an option or a path is refused" {
	local name
	for name in -x 'a b' '../../etc' 'a;b' "$(printf 'a\nb')"; do
		CX_L0_IMAGE=$name denied unsafe_image_ref "$(cx_mint)" -c true
	done
	CX_L0_IMAGE=nothing-here denied image_missing "$(cx_mint)" -c true
}

@test "each command has one row, whatever became of it" {
	local document
	document=$(with "$(new_job)" '.run = {commands: ["true", "false", "true"]}')
	run cx-run exec <<<"$document"
	denied no_session '{}'
	denied input_invalid "$(with "$document" '.run = {}')"
	audit_rows | jq -sc '[.[].event | [.decision, .metadata.reason,
		.metadata.termination, .metadata.exitCode]]' >rows
	assert_equal "$(cat rows)" "$(jq -nc '[["allowed", null, "exited", 0],
		["allowed", null, "exited", 1], ["denied", "not_run", null, null],
		["denied", "no_session", null, null],
		["denied", "input_invalid", null, null]]')"
	audit_rows | jq -se 'all(.[].event; (.metadata | length == 10) and
		.operation == "sandbox_execute")'
	audit_rows | jq -se --arg j "$(jq -r .job.id <<<"$document")" \
		'[.[:3][].event.resourceId == $j] | all'
}
