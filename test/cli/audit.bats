# audit.bats - the log from outside: what gets in, what stays, what comes out.

load ../lib/common
load ../lib/events

denied='.decision = "denied" | .metadata.reason = "run_not_live" |
	.metadata.termination = null | .metadata.exitCode = null'

refused() {
	event "$@" >"$BATS_TEST_TMPDIR/event"
	cx_refuses 77 audit_field_refused \
		cx-audit append -f "$BATS_TEST_TMPDIR/event"
}

# Each change by itself is refused; one process takes them all.
refused_each() {
	local change count=0
	for change; do
		event "$change"
		count=$((count + 1))
	done >"$BATS_TEST_TMPDIR/events"
	run --separate-stderr cx-audit append --stream \
		-f "$BATS_TEST_TMPDIR/events"
	assert_equal "$status" 1
	run jq -r '.error.class // "taken"' <<<"$output"
	assert_equal "${#lines[@]}" "$count"
	for change in "${!lines[@]}"; do
		case ${lines[change]} in
		audit_field_refused | input_invalid) ;;
		*) fail "$(sed -n "$((change + 1))p" \
			"$BATS_TEST_TMPDIR/events"): ${lines[change]}" ;;
		esac
	done
}

segment() {
	echo "$CX_STATE"/audit/self/seg-*."$1"
}

@test "a record comes back as it was written, with number and time" {
	append '.runId = "r-1"'
	append
	run cx-audit read --org acme
	assert_success
	assert_equal "${#lines[@]}" 2
	run jq -ce '[.index, (.at | test("^2[0-9-]{9}T[0-9:.]{12}Z$")),
		(keys | length)]' <<<"${lines[0]}"
	assert_output '[0,true,3]'
	run bash -c 'cx-audit read --org acme --limit 1 | jq -cS .event'
	assert_output "$(event '.runId = "r-1"' | jq -cS .)"
}

@test "an event has exactly its members, and metadata exactly ten keys" {
	append '.runId = "r-1"'
	run bash -c 'cx-audit read --org acme | jq -c ".event | keys"'
	assert_output '["actorPrincipalId","actorPrincipalType","authSource","decision","metadata","operation","organizationId","resourceId","resourceType","runId"]'
	run bash -c 'cx-audit read --org acme | jq -c ".event.metadata | keys"'
	assert_output '["cwd","egressMode","egressTotalBytes","exitCode","imageDigest","reason","surface","termination","wallMs","workspaceKb"]'
	refused_each 'del(.'{organizationId,actorPrincipalId}')' \
		'del(.'{actorPrincipalType,authSource,resourceType}')' \
		'del(.'{resourceId,operation,decision,metadata}')' \
		'del(.metadata.'{surface,cwd,reason,exitCode,termination}')' \
		'del(.metadata.'{imageDigest,egressMode,egressTotalBytes}')' \
		'del(.metadata.'{wallMs,workspaceKb}')'
}

@test "the line in the log is canonical JSON" {
	append '.metadata.cwd = "/workspace/\"q\"\\ü/" + "\u20ac"'
	run jq -cS . "$(segment ndjson)"
	assert_output "$(cat "$(segment ndjson)")"
}

@test "a hostile record leaves nothing behind" {
	local path changes=()
	append
	for path in .command .stdout .host .prompt .apiVersion \
		.metadata.command .metadata.stdout .metadata.host \
		.metadata.token .metadata.egressDestinations \
		'.["__proto__"]' '.metadata[""]'; do
		changes+=("$path = \"canary-1\"" "$path = [\"canary-2\"]"
			"$path = {a: {b: \"canary-3\"}}")
	done
	for path in .actorPrincipalType .authSource .resourceType \
		.operation .decision .metadata.surface .metadata.reason \
		.metadata.termination .metadata.egressMode \
		.metadata.imageDigest .metadata.exitCode .metadata.wallMs \
		.metadata.egressTotalBytes .metadata.workspaceKb; do
		changes+=("$path = \"canary-4\"" "$path = {c: \"canary-5\"}")
	done
	refused_each "${changes[@]}"
	run grep -rl canary "$CX_STATE"
	assert_failure
	run cx-audit read --instance
	assert_equal "${#lines[@]}" 1
}

@test "nothing of a refused record is said again" {
	event '.metadata.command = "canary-1"' >event.json
	run --separate-stderr cx-audit append -f event.json
	assert_equal "$status" 77
	[[ "$output$stderr" != *canary-1* ]]
}

@test "an id outside its grammar is refused" {
	local bad member changes=()
	for bad in '""' '"a\nb"' '"a\u0000"' '"\u001b[2J"' '"\u202e"' \
		'"\u2028"' '"\u0085"' '"a\u200bb"' '"a\u00ad"' '("x" * 257)' 7 '["a"]'; do
		for member in organizationId actorPrincipalId runId; do
			changes+=(".$member = $bad")
		done
	done
	for bad in '""' '"J"' '"a/b"' '".."' '("j" * 65)'; do
		changes+=(".resourceId = $bad")
	done
	refused_each "${changes[@]}"
	run cx-audit read --instance
	assert_success
	assert_output ""
}

@test "a folder with a line break in it is refused" {
	refused_each \
		'.metadata.cwd = "/workspace/\n{\"decision\":\"allowed\"}"' \
		'.metadata.cwd = "/workspace/'{'\u2028','\r','\u001b[31m'}'"' \
		'.metadata.cwd = "workspace"' \
		'.metadata.cwd = "/" + ("a" * 4095)'
	append '.metadata.cwd = "/" + ("\"" * 4094)'
	run wc -l <"$(segment ndjson)"
	assert_output 1
}

@test "decision, reason and termination have to agree" {
	refused '.metadata.reason = "run_not_live"'
	refused '.metadata.termination = null'
	refused '.decision = "denied"'
	refused "$denied"' | .metadata.reason = null'
	refused "$denied"' | .metadata.termination = "exited"'
	refused '.organizationId = "cx:unidentified"'
	refused '.metadata.surface = null'
	append "$denied"
	append "$denied"' | .organizationId = "cx:unidentified" |
		.actorPrincipalId = "cx:unidentified" |
		.metadata.surface = null | .metadata.reason = "no_session"'
	run cx-audit read --instance
	assert_equal "${#lines[@]}" 2
}

@test "words that aren't of their list are refused" {
	refused_each '.metadata.termination = "crashed"' \
		'.metadata.surface = "api"' '.metadata.egressMode = "all"' \
		'.decision = "maybe"' '.metadata.imageDigest = "latest"' \
		"$denied"' | .metadata.reason = "because"' \
		'.metadata.exitCode = '{256,-1} \
		'.metadata.wallMs = '{1.5,9007199254740992}
}

@test "a repeated refusal is one row and a count" {
	local i
	for i in 1 2 3 4; do
		CX_TEST_NOW=1900000000 append "$denied" >out
	done
	assert_equal "$(jq -c '[.index, .suppressed]' out)" '[null,true]'
	CX_TEST_NOW=1900000059 append "$denied"
	CX_TEST_NOW=1900000030 append "$denied"' | .runId = "r-2"'
	run cx-audit read --org acme
	assert_equal "${#lines[@]}" 2
	CX_TEST_NOW=1900000060 append "$denied"
	run cx-audit read --org acme
	assert_equal "${#lines[@]}" 3
	run jq -c '[.index, .suppressed]' "$(segment meta)"
	assert_output "[0,null]
[1,null]
[2,4]"
}

@test "an allowed record is never suppressed" {
	local i
	for i in 1 2 3; do CX_TEST_NOW=1900000000 append; done
	run cx-audit read --org acme
	assert_equal "${#lines[@]}" 3
	assert_not_exist "$CX_STATE/cx.db"
}

@test "without the database a refusal is recorded all the same" {
	mkdir -m 700 "$CX_STATE"
	mkdir "$CX_STATE/cx.db"
	append "$denied"
	append "$denied"
	run cx-audit read --org acme
	assert_equal "${#lines[@]}" 2
}

@test "one key is one record" {
	event >event.json
	cx-audit append --key j-1/1 -f event.json
	cx-audit append --key j-1/2 -f event.json
	run cx-audit append --key j-1/1 -f event.json
	assert_success
	assert_equal "$(jq -c '[.index, .duplicate]' <<<"$output")" '[0,true]'
	run cx-audit read --org acme
	assert_equal "${#lines[@]}" 2
	cx_refuses 64 usage cx-audit append --key 'a b' -f event.json
}

@test "a stream of events gets a line for each" {
	{ event; echo '{"a":1}'; echo 'nonsense'; event; } >events
	run --separate-stderr cx-audit append --stream --key k -f events
	assert_equal "$status" 1
	assert_equal "${#lines[@]}" 4
	run jq -c '[.index, .error.class]' <<<"$output"
	assert_output '[0,null]
[null,"audit_field_refused"]
[null,"input_invalid"]
[1,null]'
	run jq -r .idempotencyKey "$(segment meta)"
	assert_output 'k/1
k/3'
}

@test "reading without a scope is refused" {
	append
	cx_refuses 64 usage cx-audit read
	cx_refuses 64 usage cx-audit read --decision allowed
	cx_refuses 64 usage cx-audit read --org acme --instance
}

@test "one organization's reader sees no other's records" {
	append
	append '.organizationId = "other"'
	append '.organizationId = "acme2"'
	append "$denied"' | .organizationId = "cx:unidentified" |
		.actorPrincipalId = "cx:unidentified" |
		.metadata.surface = null | .metadata.reason = "no_session"'
	run bash -c 'cx-audit read --org acme | jq -r .event.organizationId'
	assert_output acme
	run bash -c 'cx-audit read --instance | jq -r .event.organizationId'
	assert_equal "${#lines[@]}" 4
}

# a document with a carrier: carrier ORG USER [FLAG...]
carrier() {
	cx-seal mint -n --org "$1" --user "$2" --surface chat "${@:3}" 2>&-
}

@test "a carrier reads its own organization's records and no other's" {
	append
	append '.organizationId = "other"'
	append '.organizationId = "acme2"'
	append '.actorPrincipalId = "bob" | .metadata.exitCode = 3'
	carrier acme ada --use read >acme
	run --separate-stderr cx-audit read --carrier <acme
	assert_success
	assert_equal "$(jq -r .event.organizationId <<<"$output" | uniq -c |
		tr -s ' ')" " 2 acme"
	# once more, from a file and narrowed; nothing was spent
	run --separate-stderr cx-audit read --carrier -f acme --user bob
	assert_equal "$(jq -c '[.event.organizationId, .event.metadata.exitCode]' \
		<<<"$output")" '["acme",3]'
	run --separate-stderr cx-audit read --carrier -f acme --user eve
	assert_success
	assert_output ''
	# one that runs one command reads as long as that isn't run
	carrier other eve --use read --once >once
	for _ in 1 2; do
		run --separate-stderr cx-audit read --carrier -f once
		assert_equal "$(jq -r .event.organizationId <<<"$output")" other
	done
	carrier nobody eve --use read | cx-audit read --carrier >none
	assert_equal "$(cat none)" ''
}

@test "what isn't a carrier for reading reads nothing" {
	local jti
	append
	carrier acme ada >for-commands
	carrier acme ada --use read >for-reading
	cx_refuses 77 carrier_wrong_audience cx-audit read --carrier -f for-commands
	cx_refuses 77 no_session cx-audit read --carrier <<<'{}'
	cx_refuses 77 no_session cx-audit read --carrier \
		<<<'{"session":{"orgId":"acme","userId":"ada","surface":"chat"}}'
	jq -c '.carrier |= (.[:-5] + (if .[-5:-4] == "A" then "B" else "A" end)
		+ .[-4:])' for-reading >altered
	cx_refuses 77 carrier_bad_signature cx-audit read --carrier -f altered
	CX_TEST_NOW=$(($(date +%s) + 90000)) \
		cx_refuses 77 carrier_expired cx-audit read --carrier -f for-reading
	CX_STATE=$PWD/none cx_refuses 78 key_missing \
		cx-audit read --carrier -f for-reading
	jq -c '.session = {orgId: "other", userId: "ada", surface: "chat"}' \
		for-reading >mixed
	cx_refuses 65 input_invalid cx-audit read --carrier -f mixed
	cx_refuses 65 input_invalid cx-audit read --carrier \
		<<<"$(jq -c '.organization = "other"' for-reading)"
	cx-seal attenuate --expires +5 -f for-reading >short
	CX_TEST_NOW=$(($(date +%s) + 30)) \
		cx_refuses 77 carrier_expired cx-audit read --carrier -f short
	jti=$(jq -r .carrier for-reading | cut -d. -f3 | cut -d'~' -f1 |
		tr -- -_ +/ | { cat; echo '=='; } | base64 -di | jq -r .jti)
	cx-seal revoke "$jti"
	cx_refuses 77 carrier_revoked cx-audit read --carrier -f for-reading
	# not beside another word for whose
	cx_refuses 64 usage cx-audit read --carrier --org acme -f for-commands
	cx_refuses 64 usage cx-audit read --carrier --instance -f for-commands
	cx_refuses 64 usage cx-audit read --org acme -f for-commands
	cx_refuses 66 io_error cx-audit read --carrier -f missing
}

@test "reading passes a document with an error on" {
	local document='{"x-a":1,"error":{"class":"store_busy","message":"m"}}'
	run --separate-stderr cx-audit read --carrier <<<"$document"
	assert_equal "$status" 75
	assert_equal "$(jq -c 'del(.apiVersion)' <<<"$output")" "$document"
}

@test "a planted column is not shown" {
	append
	sed -i 's/"metadata":{/"command":"canary-1","metadata":{"stdout":"canary-2",/' \
		"$(segment ndjson)"
	run --separate-stderr cx-audit read --org acme
	assert_equal "$status" 1
	[[ "$output" == *organizationId* ]]
	[[ "$output" != *canary* ]]
	[[ "$stderr" == *audit_chain_broken* ]]
	assert_equal "$(jq -c '.event.metadata | length' <<<"$output")" 10
}

@test "a planted record that is none is set aside" {
	append
	echo '{"decision":"allowed"}' >>"$(segment ndjson)"
	sed 's/"index":0/"index":1/' "$(segment meta)" >line
	cat line >>"$(segment meta)"
	append
	run cx-audit read --org acme
	assert_success
	assert_equal "${#lines[@]}" 2
	assert_equal "$(jq .index <<<"${lines[1]}")" 1
	run cat "$CX_STATE"/audit/self/quarantine/*.ndjson
	assert_output '{"decision":"allowed"}'
}

@test "torn bytes are set aside, and the log goes on" {
	append
	printf '{"actorPrinc' >>"$(segment ndjson)"
	printf '{"at":"20' >>"$(segment meta)"
	run cx-audit read --org acme
	assert_success
	assert_equal "${#lines[@]}" 1
	append
	run --separate-stderr cx-audit read --org acme
	assert_success
	assert_equal "${#lines[@]}" 2
	run cat "$CX_STATE"/audit/self/quarantine/*.ndjson
	assert_output '{"actorPrinc'
}

@test "reading goes on behind damage, and the status tells" {
	local i
	for i in 1 2 3 4 5; do append; done
	sed -i '3s/^.\{40\}/x/' "$(segment ndjson)"
	run --separate-stderr cx-audit read --org acme
	assert_equal "$status" 1
	assert_equal "${#lines[@]}" 4
	[[ "$stderr" == *"audit_chain_broken: record 2"* ]]
	append
	run --separate-stderr cx-audit read --org acme
	assert_equal "${#lines[@]}" 5
}

@test "a store that isn't there gives an empty list" {
	run --separate-stderr cx-audit read --instance
	assert_success
	assert_output ""
	assert_equal "$stderr" ""
	assert_not_exist "$CX_STATE"
	mkdir -m 700 "$CX_STATE"
	run --separate-stderr cx-audit read --org acme
	assert_success
	assert_output ""
	assert_not_exist "$CX_STATE/audit"
}

@test "filters choose by person, run, job, time and outcome" {
	count() {
		run --separate-stderr cx-audit read --org acme "${@:2}"
		assert_success
		assert_equal "$* ${#lines[@]}" "$* $1"
	}
	CX_TEST_NOW=1900000000 append '.runId = "r-1"'
	CX_TEST_NOW=1900003600 append '.actorPrincipalId = "bob"' \
		'.metadata.termination = "wall_clock"'
	CX_TEST_NOW=1900007200 append "$denied" '.resourceId = "j-2"' \
		'.metadata.surface = "task"'
	count 3
	count 1 --run r-1
	count 1 --user bob
	count 1 --job j-2
	count 2 --decision allowed
	count 1 --reason run_not_live
	count 1 --termination wall_clock
	count 1 --surface task
	count 2 --since 2030-03-17T18:46:40Z
	count 1 --until 2030-03-17T18:46:40Z
	count 1 --since 2030-03-17T18:40Z --until 2030-03-17T19:00Z
	count 3 --since 2030-03-17 --until 2030-03-18
	count 0 --since 2030-03-18
	count 2 --last 2
	count 1 --limit 1
	assert_equal "$(cx-audit read --org acme --last 1 | jq .index)" 2
	export CX_TEST_NOW=1900007201
	count 1 --since 10s
	count 2 --since 61m
	count 3 --since 1d
	cx_refuses 64 usage cx-audit read --org acme --since yesterday
	cx_refuses 64 usage cx-audit read --org acme --since 2030-13-01
	cx_refuses 64 usage cx-audit read --org acme --reason because
}

@test "a full standard output is an error" {
	append
	run --separate-stderr bash -c 'cx-audit read --org acme >/dev/full'
	assert_equal "$status" 74
	[[ "$stderr" == *io_error* || "$stderr" == *store_full* ]]
	run bash -c 'cx-audit read --org acme >&-'
	assert_equal "$status" 74
}

@test "status says how the log is" {
	run bash -c 'cx-audit status | jq -c "[.origin, .records, .lastAt]"'
	assert_output '[null,0,null]'
	assert_not_exist "$CX_STATE"
	CX_TEST_NOW=1900000000 append
	CX_TEST_NOW=1900086400 append
	printf '{"torn' >>"$CX_STATE/audit/self/seg-0000000000000001.ndjson"
	CX_TEST_NOW=1900086401 append
	run bash -c 'cx-audit status | jq -c "[.records, .lastAt, .segments,
		.quarantineFiles, .quarantineBytes, .missing]"'
	assert_output '[3,"2030-03-18T17:46:41.000Z",2,1,6,0]'
	assert_equal "$(cx-audit status | jq -r .origin)" \
		"$(readlink "$CX_STATE/audit/self")"
}

@test "a new day begins a new segment" {
	CX_TEST_NOW=1900000000 append
	CX_TEST_NOW=1900086400 append
	run bash -c 'ls "$CX_STATE"/audit/self/*.ndjson | sed "s/.*\///"'
	assert_output 'seg-0000000000000000.ndjson
seg-0000000000000001.ndjson'
	run bash -c 'cx-audit read --org acme | jq -c .index'
	assert_output '0
1'
}

@test "a file size limit of the caller's kills nobody" {
	[ -z "${CX_INSTRUMENTED:-}" ] || skip "its counters are beyond it, too"
	append
	run bash -c 'ulimit -f 0; cx-audit append -f <(jq -c .event <(cx-audit read --org acme))'
	assert_equal "$status" 74
	append
	run --separate-stderr cx-audit read --org acme
	assert_success
	assert_equal "${#lines[@]}" 2
}
