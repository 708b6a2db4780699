#!/usr/bin/env bats
# seal.bats - cx-seal from outside: what holds it up, and what attacks it.
#
# row makes carriers with test/cases/seal.py, which works the format out a
# second time; the rest uses the tools alone.

load ../lib/common

# row OP EXPECTED DO: one case of SEAL's form against the tools.
row() {
	printf '{"id":"row","op":"%s","expected":"%s","do":%s}\n' \
		"$1" "$2" "$3" >row.ndjson
	"$CX_ROOT/test/cases/run" seal row.ndjson
}

opens() { row open accepted "$1"; }
refuses() { row open "$1" "$2"; }

mint() {
	cx-seal mint -n --org acme --user ada --surface chat "$@"
}

# A member of a carrier's claims: claims CARRIER .jti
claims() {
	local part=${1#cxs1.*.}
	part=${part%%[.~]*}
	while [ $((${#part} % 4)) -ne 0 ]; do part+="="; done
	printf '%s' "$part" | tr -- -_ +/ | base64 -d | jq -r "$2"
}

# S1: sessions

@test "an unidentifiable caller gets no carrier" {
	local session
	for session in '{"orgId":"","userId":"ada","surface":"chat"}' \
		'{"orgId":"acme","userId":"","surface":"chat"}' \
		'{"orgId":"acme","surface":"chat"}' \
		'{"orgId":" \t","userId":"ada","surface":"chat"}' \
		'{"orgId":null,"userId":"ada","surface":"chat"}'; do
		cx_refuses 77 unidentifiable_caller \
			cx-seal mint <<<"{\"session\":$session}"
	done
	run -77 --separate-stderr cx-seal mint \
		<<<'{"session":{"orgId":"","userId":"ada","surface":"chat"}}'
	assert_equal "$(cx_get '.error.pointer, has("carrier")' <<<"$output")" \
		"/session/orgId
false"
	assert_regex "$stderr" "no_session"
}

@test "a session's ids hold no control character" {
	local bad
	for bad in '\u0007' '\n' '\u007f' '\u0085' '\u202e' '\u2066' '\u2028'; do
		cx_refuses 65 input_invalid cx-seal mint \
			<<<"{\"session\":{\"orgId\":\"a${bad}b\",\"userId\":\"ada\",\"surface\":\"chat\"}}"
		cx_refuses 65 input_invalid cx-seal mint \
			<<<"{\"session\":{\"orgId\":\"acme\",\"userId\":\"a${bad}\",\"surface\":\"chat\"}}"
	done
}

@test "a session's ids hold nothing that can't be seen" {
	local bad session
	for bad in '\u00ad' '\u200b' '\u200c' '\u200d' '\u200f' '\u061c' \
		'\u202d' '\u2029' '\u2060' '\u2064' '\u2066' '\u2069' \
		'\u206a' '\ufeff' '\ufe0f' '\ufff9' '\u034f' '\u180e' \
		'\u115f' '\u3164' '\uffa0' '\u2800' '\u00a0' '\u3000' \
		'\udb40\udc01' '\udb40\udc41' '\udb40\udd00'; do
		for session in "\"orgId\":\"ac${bad}me\",\"userId\":\"ada\",\"surface\":\"chat\"" \
			"\"orgId\":\"acme\",\"userId\":\"ada${bad}\",\"surface\":\"chat\"" \
			"\"orgId\":\"acme\",\"userId\":\"ada\",\"surface\":\"agent\",\"runId\":\"${bad}r\""; do
			cx_refuses 65 input_invalid cx-seal mint \
				<<<"{\"session\":{$session}}"
		done
	done
	# what is seen isn't refused for its script
	run -0 --separate-stderr cx-seal mint \
		<<<'{"session":{"orgId":"Å ČŠ 株式会社 🦊","userId":"عَلِيّ","surface":"chat"}}'
	# nor does a key help: the same on opening
	for bad in '\u200b' '\u00ad' '\ufeff' '\udb40\udc41'; do
		refuses carrier_bad_claims "{\"claims\":{\"orgId\":\"ac${bad}me\"}}"
		refuses carrier_bad_claims "{\"claims\":{\"userId\":\"ada${bad}\"}}"
		refuses carrier_bad_claims \
			"{\"claims\":{\"surface\":\"agent\",\"runId\":\"r${bad}\"}}"
	done
}

@test "an id of which nothing can be seen identifies nobody" {
	local bad
	for bad in '\u200b' '\u00a0 \t' '\ufeff\u2060' '\udb40\udc41'; do
		cx_refuses 77 unidentifiable_caller cx-seal mint \
			<<<"{\"session\":{\"orgId\":\"$bad\",\"userId\":\"ada\",\"surface\":\"chat\"}}"
		cx_refuses 77 unidentifiable_caller cx-seal mint \
			<<<"{\"session\":{\"orgId\":\"acme\",\"userId\":\"$bad\",\"surface\":\"chat\"}}"
	done
}

@test "ids that aren't UTF-8 don't become one another" {
	cx_refuses 65 input_invalid mint --run $'r\xff'
	cx_refuses 65 input_invalid cx-seal mint -n --org $'a\xfe' --user ada \
		--surface chat
}

@test "a member outside the session's four is refused and never printed" {
	local doc='{"session":{"orgId":"acme","userId":"ada","surface":"chat","apiKey":"cxCanary-7741"}}'
	cx_refuses 65 input_invalid cx-seal mint <<<"$doc"
	run --separate-stderr cx-seal mint <<<"$doc"
	refute_regex "$output$stderr" 'cxCanary-7741'
}

@test "mint takes the session out, keeps the rest in order, writes apiVersion" {
	run -0 --separate-stderr cx-seal mint \
		<<<'{"x-b":1.5,"run":{"argv":["true"]},"session":{"orgId":"acme","userId":"ada","surface":"chat"},"x-a":{"z":null,"a":[1e2]}}'
	assert_equal "$(cx_get 'keys_unsorted | join(" ")' <<<"$output")" \
		"apiVersion x-b run x-a carrier carrierExpiresAt"
	assert_equal "$(jq -c '[.["x-b"], .run, .["x-a"]]' <<<"$output")" \
		'[1.5,{"argv":["true"]},{"z":null,"a":[100]}]'
}

@test "a section that no document has is refused by its pointer" {
	run -65 --separate-stderr cx-seal mint \
		<<<'{"environments":{},"session":{"orgId":"acme","userId":"ada","surface":"chat"}}'
	assert_equal "$(cx_get .error.pointer <<<"$output")" /environments
}

@test "mint reads YAML, open gives the session back" {
	cx-seal mint >minted <<-'YAML'
		session: {orgId: acme, userId: "ada \u00e5", surface: agent, runId: r-1}
	YAML
	run -0 cx-seal open <minted
	assert_output '{"apiVersion":"cx/v1","session":{"orgId":"acme","userId":"ada å","surface":"agent","runId":"r-1"}}'
}

# S2: carriers

@test "an altered carrier is refused" {
	refuses carrier_bad_signature \
		'{"edit":[{"part":"claims","how":"replace","find":"ada","value":"eve"}],"resign":false}'
	refuses carrier_bad_signature \
		'{"edit":[{"part":"mac","how":"flip_bit","at":0}],"resign":false}'
	refuses carrier_bad_signature \
		'{"edit":[{"part":"mac","how":"flip_bit","at":-1,"bit":7}],"resign":false}'
}

@test "a second spelling of a carrier is refused" {
	local n
	for n in 1 2; do
		refuses carrier_malformed \
			"{\"claims_mod3\":$n,\"edit\":[{\"part\":\"claims_text\",\"how\":\"spare_bits\"}],\"resign\":false}"
	done
	refuses carrier_malformed \
		'{"edit":[{"part":"mac_text","how":"spare_bits"}],"resign":false}'
}

@test "a claim outside the whitelist is refused" {
	refuses carrier_bad_claims \
		'{"edit":[{"part":"claims","how":"replace","find":"\"ada\"}","value":"\"ada\",\"zone\":\"x\"}"}],"resign":true}'
	refuses carrier_bad_claims '{"claims":{"roles":["admin"]}}'
}

@test "a carrier of too long a life is refused" {
	refuses carrier_bad_claims '{"claims":{"exp":1900086401}}'
	refuses carrier_bad_claims '{"config":{"seal":{"max_ttl":899}}}'
	opens '{"claims":{"exp":1900086400}}'
}

@test "an expired carrier is refused" {
	refuses carrier_expired '{"now":900,"before":[{"now":899}]}'
	refuses carrier_expired \
		'{"now":930,"before":[{"now":929}],"config":{"seal":{"skew":30}}}'
}

@test "a carrier from the future is refused" {
	refuses carrier_not_yet_valid '{"now":-1}'
	refuses carrier_not_yet_valid \
		'{"now":-31,"before":[{"now":-30}],"config":{"seal":{"skew":30}}}'
}

@test "a key file that others may read is refused" {
	local mode
	for mode in 0640 0604 0660 0644; do
		refuses key_permissions "{\"keyfile\":{\"mode\":\"$mode\"}}"
	done
	refuses key_permissions '{"keyfile":{"symlink":true}}'
}

@test "a key of zeros is refused" {
	refuses key_invalid "{\"keyfile\":{\"bytes_hex\":\"$(printf '%064d' 0)\"}}"
	refuses key_invalid '{"keyfile":{"bytes_hex":"00"}}'
}

@test "a ring that others may write is refused" {
	mint >minted
	cx-seal open <minted
	chmod 620 "$CX_STATE/keys/ring.json"
	cx_refuses 78 key_permissions cx-seal open <minted
	cx_refuses 78 key_permissions mint
	chmod 602 "$CX_STATE/keys/ring.json"
	cx_refuses 78 key_permissions cx-seal open <minted
}

@test "no position of a carrier takes another character" {
	local carrier
	mint >minted
	carrier=$(cx_get .carrier <minted)
	"$CX_ROOT/test/cases/mutations" "$carrier" >mutants
	run -1 bash -c 'cx-seal open --stream <mutants 2>/dev/null >answers'
	[ "$(wc -l <mutants)" -gt $((66 * ${#carrier})) ]
	assert_equal "$(wc -l <answers)" "$(wc -l <mutants)"
	run grep -c '"session"' answers
	assert_output 0
	assert_equal "$(jq -r .error.class answers | sort -u | tr '\n' ' ')" \
		"carrier_bad_signature carrier_malformed carrier_unknown_key carrier_wrong_version "
	carrier=$(cx-seal attenuate --commands 5 --egress none <minted |
		cx_get .carrier)
	"$CX_ROOT/test/cases/mutations" "$carrier" >mutants
	run -1 bash -c 'cx-seal open --stream <mutants 2>/dev/null >answers'
	assert_equal "$(wc -l <answers)" "$(wc -l <mutants)"
	run grep -c '"session"' answers
	assert_output 0
}

@test "the case driver passes over no word that it doesn't know" {
	local words count=0
	while read -r words; do
		run row open carrier_malformed "$words"
		assert_failure
		assert_line --regexp '^not ok row: got .*, wanted '
		count=$((count + 1))
	done <<-'WORDS'
		{"colour":"red"}
		{"edit":[{"part":"tail","how":"append","value":"x"}],"resign":false}
		{"edit":[{"part":"caveat0","how":"append","value":"x"}],"resign":false}
		{"edit":[{"part":"carrier","how":"rot13"}],"resign":false}
		{"edit":[{"part":"carrier","how":"append","value":""}],"resign":false}
		{"edit":[{"part":"carrier","how":"append","value":"x","when":"now"}],"resign":false}
		{"mac":{"alg":"md5"}}
		{"mac":{"salt":"x"}}
		{"via":"post"}
		{"transport":"pigeon"}
		{"keyfile":{"colour":"red"}}
		{"ring":[{"kid":"k1","colour":"red"}]}
		{"before":[{"colour":"red"}]}
		{"parallel":{"n":2,"accepted":2,"refused":0}}
	WORDS
	assert_equal "$count" 14
	run row seal accepted '{}'
	assert_failure
}

@test "what opening refused is no session to the next tool" {
	run -77 --separate-stderr cx-seal open \
		<<<'{"session":{"orgId":"evil","userId":"eve","surface":"chat"}}'
	assert_equal "$(jq -c '[.error.class, has("session")]' <<<"$output")" \
		'["no_session",false]'
}

@test "a document that came with an error goes on unchanged" {
	local doc='{"apiVersion":"cx/v1","error":{"class":"caveat_refused","message":"m"},"session":{"orgId":"acme","userId":"ada","surface":"chat"}}'
	run -77 --separate-stderr cx-seal mint <<<"$doc"
	assert_output "$doc"
	run -77 --separate-stderr cx-seal open <<<"$doc"
	assert_output "$doc"
}

# S4: surfaces

@test "an agent session without a run is refused" {
	cx_refuses 65 input_invalid cx-seal mint -n --org acme --user ada \
		--surface agent
	refuses carrier_bad_claims '{"claims":{"surface":"agent"}}'
}

@test "a chat session with a run is refused" {
	cx_refuses 65 input_invalid mint --run r-1
	cx_refuses 65 input_invalid cx-seal mint -n --org acme --user ada \
		--surface task --run r-1
	refuses carrier_bad_claims '{"claims":{"runId":"r-1"}}'
}

@test "a single-step or structured-output task gets no_session" {
	cx_refuses 77 no_session cx-seal mint -n --org acme --user ada \
		--surface task --single-step
	cx_refuses 77 no_session cx-seal mint -n --org acme --user ada \
		--surface task --structured-output
	run --separate-stderr mint --single-step
	assert_equal "$(cx_get 'has("carrier")' <<<"$output")" false
	assert [ ! -e "$CX_STATE/keys/ring.json" ]
}

# S6: keys

@test "mint makes the first key, says so, and nobody else may read it" {
	run -0 --separate-stderr mint
	assert_regex "$stderr" '^cx-seal: made the first session key, k[a-z2-7]{10}, in '
	run -0 --separate-stderr mint
	assert_equal "$stderr" ""
	run -0 stat -c '%a %s' "$CX_STATE"/keys/*.key
	assert_output "600 32"
	assert_equal "$(stat -c %a "$CX_STATE/keys")" 700
}

@test "open makes no key and no folder" {
	mint >minted
	export CX_STATE="$PWD/elsewhere"
	cx_refuses 78 key_missing cx-seal open <minted
	assert [ ! -e "$CX_STATE" ]
	mkdir -m 700 "$CX_STATE"
	cx_refuses 78 key_missing cx-seal open <minted
	assert [ ! -e "$CX_STATE/keys" ]
}

@test "first keys that race leave one ring of one key" {
	local i pids=()
	for i in 1 2 3 4 5 6 7 8; do
		mint >"m$i" 2>"e$i" &
		pids+=($!)
	done
	wait "${pids[@]}"
	assert_equal "$(cat e? | grep -c 'made the first')" 1
	assert_equal "$(cx-seal key list | cx_get '.keys | length')" 1
	for i in 1 2 3 4 5 6 7 8; do cx-seal open <"m$i"; done
}

@test "a retired key opens nothing" {
	local kid
	mint >minted
	kid=$(cx-seal key list | cx_get '.keys[0].kid')
	cx-seal key retire "$kid"
	cx_refuses 77 carrier_unknown_key cx-seal open <minted
	cx_refuses 78 key_missing mint
	refuses carrier_unknown_key '{"ring":[{"kid":"k1","purpose":"audit","alg":"ed25519"}]}'
	refuses carrier_unknown_key '{"ring":[{"kid":"k1","notAfter":10}]}'
}

@test "a new key opens at once, seals when it is active, and the old one goes on opening" {
	local old new
	mint >minted-old
	old=$(cx-seal key list | cx_get '.keys[0].kid')
	new=$(cx-seal key new | cx_get 'select(.state == "verify-only").kid')
	mint | cx_get .carrier >carrier
	run cat carrier
	assert_output --partial "cxs1.$old."
	cx-seal key activate "$new"
	mint | cx_get .carrier >carrier
	run cat carrier
	assert_output --partial "cxs1.$new."
	cx-seal open --raw <carrier
	cx-seal open <minted-old
	assert_equal "$(cx-seal key list | jq -c '[.keys[] | .state]')" \
		'["verify-only","active"]'
}

@test "a key that can't be read isn't made active" {
	local new
	mint >minted
	new=$(cx-seal key new | cx_get .kid)
	rm "$CX_STATE/keys/$new.key"
	cx_refuses 78 key_missing cx-seal key activate "$new"
	mint >/dev/null
}

@test "a kid is never used again, and retired is for good" {
	cx-seal key new --kid mine
	cx_refuses 65 input_invalid cx-seal key new --kid mine
	cx_refuses 65 input_invalid cx-seal key new --kid ../mine
	cx_refuses 65 input_invalid cx-seal key activate yours
	run -0 --separate-stderr cx-seal key retire mine
	assert_regex "$stderr" 'no session key is active now'
	cx_refuses 65 input_invalid cx-seal key activate mine
	cx_refuses 65 input_invalid cx-seal key new --kid mine
}

@test "a writer of the ring that is killed leaves it whole, and nothing behind" {
	local i kid
	mint >minted
	for i in $(seq 30); do
		cx-seal key new --kid "n$i" >/dev/null 2>&1 &
		sleep "0.00$((RANDOM % 6))"
		kill -9 $! 2>/dev/null || :
		wait $! 2>/dev/null || :
		cx-seal key list >ring
	done
	for kid in $(cx_get '.keys[].kid' <ring); do
		assert_equal "$(stat -c '%a %s' "$CX_STATE/keys/$kid.key")" "600 32"
	done
	cx-seal open <minted
	cx-seal key new
	run find "$CX_STATE/keys" -name '.*.tmp'
	assert_output ""
}

@test "a provenance key is retired only when no layer needs it, or by force" {
	local kid
	kid=$(cx-seal key new --purpose provenance | cx_get .kid)
	mint --once | cx-seal open >/dev/null # makes cx.db
	python3 - "$CX_STATE/cx.db" "$kid" <<-'PYTHON'
		import sqlite3, sys
		with sqlite3.connect(sys.argv[1]) as db:
		    db.execute("INSERT INTO layers (recipe_key, partition, image_digest,"
		               " l0_digest, spec, kid, size_bytes, made_at, used_at)"
		               " VALUES ('r', 'instance', 'd', 'l', '{}', ?, 1, 1, 1)",
		               (sys.argv[2],))
	PYTHON
	cx_refuses 77 provenance_invalid cx-seal key retire "$kid"
	assert_equal "$(cx-seal key list | cx_get '.keys[0].state')" verify-only
	cx-seal key retire --force "$kid"
	assert_equal "$(cx-seal key list | cx_get '.keys[0].state')" retired
}

@test "no key is in an argument, in the environment, in a core or open" {
	local pid key
	mint >minted
	key=$(od -An -v -tx1 "$CX_STATE"/keys/*.key | tr -d ' \n')
	mkfifo pipe
	# the first carrier makes it read the key, then it waits for more
	cx-seal open --stream <pipe >answers &
	pid=$!
	exec 7>pipe
	# as much as the tool reads before it answers
	cat minted >&7
	cx_wait 5 grep -q '"session"' answers
	run cat "/proc/$pid/cmdline" "/proc/$pid/environ"
	run bash -c "cat /proc/$pid/cmdline /proc/$pid/environ | od -An -v -tx1 | tr -d ' \n'"
	refute_output --partial "$key"
	if [ "$(id -u)" -ne 0 ]; then
		run cat "/proc/$pid/mem"
		assert_failure
	fi
	assert_equal "$(awk '/Max core file size/ { print $5, $6 }' "/proc/$pid/limits")" "0 0"
	run bash -c "readlink /proc/$pid/fd/* | grep -c '\\.key'"
	assert_output 0
	kill -ABRT "$pid"
	wait "$pid" || :
	exec 7>&-
	run bash -c 'ls core* 2>/dev/null'
	assert_output ""
}

# S6: caveats

@test "an unknown caveat refuses the carrier" {
	refuses caveat_refused '{"caveats":[{"colour":"red"}]}'
	refuses caveat_refused '{"caveats":[{"egress":"none"},{"egress":"all"}]}'
}

@test "a carrier narrowed to an earlier end is refused after it" {
	refuses carrier_expired \
		'{"caveats":[{"expires":1900000020}],"now":20,"before":[{"now":19}]}'
	CX_TEST_NOW=1900000000 mint >minted
	CX_TEST_NOW=1900000000 cx-seal attenuate --expires +5 <minted >narrow
	assert_equal "$(cx_get .carrierExpiresAt <narrow)" "2030-03-17T17:46:45Z"
	CX_TEST_NOW=1900000004 cx-seal open <narrow
	CX_TEST_NOW=1900000005 cx_refuses 77 carrier_expired cx-seal open <narrow
	CX_TEST_NOW=1900000005 cx-seal open <minted
}

@test "a carrier narrowed to another surface is refused" {
	refuses caveat_refused '{"caveats":[{"surface":"task"}]}'
	mint | cx-seal attenuate --surface chat | cx-seal open
}

@test "what a document asks for must lie within its carrier's caveats" {
	local digest other
	digest=sha256:$(printf '%064d' 1)
	other=sha256:$(printf '%064d' 2)
	mint | cx-seal attenuate --egress allowlist --host '*.example.org' \
		--image "$digest" --skills "$digest" --commands 9 >narrow
	# with SECTIONS: open of the narrowed carrier with these sections
	with() { jq -c ". + $1" narrow | cx-seal open; }
	with '{}'
	with '{"egress":{"tier":"allowlist","hosts":["a.example.org","example.org:443"]}}'
	with "{\"layer\":{\"imageDigest\":\"$digest\"},\"staged\":{\"digest\":\"$digest\"}}"
	cx_refuses 77 caveat_refused with '{"egress":{"tier":"default_internet"}}'
	cx_refuses 77 caveat_refused with '{"egress":{"hosts":["badexample.org"]}}'
	cx_refuses 77 caveat_refused with '{"egress":{"hosts":["example.org:8443"]}}'
	cx_refuses 77 caveat_refused with "{\"layer\":{\"imageDigest\":\"$other\"}}"
	cx_refuses 77 caveat_refused with "{\"staged\":{\"digest\":\"$other\"}}"
}

@test "a carrier is only ever narrowed" {
	mint | cx-seal attenuate --egress none --commands 2 --host a.example \
		--expires +60 >narrow
	cx_refuses 65 input_invalid cx-seal attenuate --egress allowlist <narrow
	cx_refuses 65 input_invalid cx-seal attenuate --commands 3 <narrow
	cx_refuses 65 input_invalid cx-seal attenuate --host b.example <narrow
	cx_refuses 65 input_invalid cx-seal attenuate --expires +61 <narrow
	cx_refuses 64 usage cx-seal attenuate <narrow
	cx-seal attenuate --commands 1 --expires +30 <narrow | cx-seal open
}

@test "narrowing needs no state and no key" {
	mint >minted
	CX_STATE=/nonexistent/cx cx-seal attenuate --commands 1 <minted >narrow
	cx-seal open <narrow
	cx_refuses 77 carrier_replayed cx-seal open <narrow
	cx-seal open <minted
}

@test "--pin binds a carrier to the document's layer and skills" {
	local digest carrier
	digest=sha256:$(printf '%064d' 7)
	jq -nc --arg d "$digest" '{session: {orgId: "acme", userId: "ada",
		surface: "task"}, environment: {pip: ["x"]},
		layer: {imageDigest: $d}, skills: [], staged: {digest: $d}}' >doc
	cx-seal mint --pin <doc >minted
	jq -c '.layer.imageDigest |= sub("7$"; "8")' minted >moved
	cx_refuses 77 caveat_refused cx-seal open <moved
	cx-seal open <minted
	jq -c 'del(.layer)' doc >bare
	cx_refuses 69 environment_unavailable cx-seal mint --pin <bare
	jq -c 'del(.staged)' doc >bare
	cx_refuses 77 skills_unstaged cx-seal mint --pin <bare
	jq -c '.layer.imageDigest = "latest"' doc >bare
	cx_refuses 65 input_invalid cx-seal mint --pin <bare
}

# S6: one-time carriers and revocation

@test "a one-time carrier opens once" {
	mint --once >minted
	cx-seal open <minted
	cx_refuses 77 carrier_replayed cx-seal open <minted
}

@test "a refused document spends nothing" {
	mint --once | cx-seal attenuate --egress none >minted
	jq -c '.egress = {tier: "allowlist"}' minted >asking
	cx_refuses 77 caveat_refused cx-seal open <asking
	cx-seal open <minted
}

@test "of 64 racing opens of a one-time carrier one succeeds" {
	local i pids=()
	mint --once >minted
	for i in $(seq 64); do
		cx-seal open <minted >"answer$i" 2>/dev/null &
		pids+=($!)
	done
	wait "${pids[@]}" || :
	assert_equal "$(cat answer* | grep -c '"session"')" 1
	assert_equal "$(cat answer* | grep -c carrier_replayed)" 63
}

@test "kill -9 among racing opens never gives a one-time carrier twice" {
	local round i pids
	for round in $(seq 12); do
		mint --once >minted
		pids=()
		for i in $(seq 8); do
			cx-seal open <minted >"answer$i" 2>/dev/null &
			pids+=($!)
			[ $((i % 2)) -eq 0 ] || {
				sleep "0.00$((RANDOM % 5))"
				kill -9 "${pids[-1]}" 2>/dev/null || :
			}
		done
		wait "${pids[@]}" || :
		cx-seal open <minted >answer-last 2>/dev/null || :
		[ "$(cat answer* | grep -c '"session"')" -le 1 ]
		rm answer*
	done
	mint --once | cx-seal open
}

@test "a revoked carrier is refused" {
	local carrier jti
	mint >minted
	mint >other
	carrier=$(cx_get .carrier <minted)
	jti=$(claims "$carrier" .jti)
	run -0 cx-seal revoke "$jti"
	assert_output "{\"revoked\":[\"$jti\"]}"
	cx_refuses 77 carrier_revoked cx-seal open <minted
	cx-seal attenuate --commands 1 <minted >narrow
	cx_refuses 77 carrier_revoked cx-seal open <narrow
	cx-seal open <other
	cx-seal revoke <other
	cx_refuses 77 carrier_revoked cx-seal open <other
	assert_equal "$(stat -c %a "$CX_STATE/keys/revoked" "$CX_STATE/cx.db")" \
		"600
600"
	cx_refuses 65 input_invalid cx-seal revoke 'no jti'
}

@test "revoking while a stream opens shows at the next carrier" {
	local pid
	mint >minted
	mkfifo pipe
	cx-seal open --stream <pipe >answers 2>/dev/null &
	pid=$!
	exec 7>pipe
	cat minted >&7
	cx_wait 5 grep -q '"session"' answers
	cx-seal revoke <minted
	cat minted >&7
	exec 7>&-
	wait "$pid" || :
	assert_equal "$(jq -c '.error.class' answers | tr '\n' ' ')" \
		'null "carrier_revoked" '
}

# S7: instances and uses

@test "a reserved organization is refused" {
	cx_refuses 65 input_invalid cx-seal mint -n --org cx:probe --user ada \
		--surface chat
	cx_refuses 65 input_invalid cx-seal mint -n --org cx: --user ada \
		--surface chat
}

@test "a probe carrier can't be minted" {
	cx_refuses 65 input_invalid mint --use probe
	cx_refuses 65 input_invalid cx-seal mint -n --org cx:probe --user probe \
		--surface task --use probe
}

@test "a carrier of another instance or use is refused" {
	refuses carrier_wrong_audience '{"claims":{"aud":"{other}/execute"}}'
	refuses carrier_wrong_audience '{"claims":{"aud":"{instance}/read"}}'
	refuses carrier_wrong_audience '{"claims":{"aud":"{instance}/execute/"}}'
	mint --use read >minted
	cx-seal open --use read <minted
	cx_refuses 77 carrier_wrong_audience cx-seal open <minted
	mint >minted
	cx_refuses 77 carrier_wrong_audience cx-seal open --use read <minted
}

# Streams and streams' ends

@test "one bad line of a stream is one error line, and the rest go on" {
	run -1 --separate-stderr cx-seal mint --stream <<-'NDJSON'
		{"session":{"orgId":"a","userId":"b","surface":"chat"}}
		{"session":{"orgId":"a","userId":"b","surface":"radio"}}
		{"session"
		{"session":{"orgId":"a","userId":"c","surface":"task"}}
	NDJSON
	assert_equal "$(jq -c '.error.class // (.carrier | type)' <<<"$output" |
		tr '\n' ' ')" '"string" "input_invalid" "input_invalid" "string" '
}

@test "a stream's memory stays flat" {
	[ -z "${CX_SANITIZED:-}" ] || skip "sanitizers take memory of their own"
	mint >minted
	yes "$(cat minted)" | head -n 40000 >many
	run -0 python3 - "$CX_BIN/cx-seal" <<-'PYTHON'
		import os, subprocess, sys
		with open("many", "rb") as many, open(os.devnull, "wb") as null:
		    tool = subprocess.Popen([sys.argv[1], "open", "--stream"],
		                            stdin=many, stdout=null)
		peak, lines = 0, None
		while True:
		    try:
		        with open("/proc/%d/status" % tool.pid) as status:
		            for line in status:
		                if line.startswith("VmHWM:"):
		                    peak = max(peak, int(line.split()[1]))
		    except OSError:
		        pass
		    if tool.poll() is not None:
		        break
		print(peak, tool.returncode)
		sys.exit(0 if 0 < peak < 8192 and tool.returncode == 0 else 1)
	PYTHON
}

@test "a full or closed standard output is told, and the status is 74" {
	mint >/dev/null
	run -74 --separate-stderr bash -c 'cx-seal mint -n --org a --user b --surface chat >/dev/full'
	assert_regex "$stderr" '^cx-seal: io_error: '
	run -74 --separate-stderr bash -c 'cx-seal mint -n --org a --user b --surface chat >&-'
	assert_regex "$stderr" '^cx-seal: io_error: '
}

@test "--schema describes what mint and open read and write" {
	mint >minted
	cx-seal open <minted >opened
	cx-seal key list >ring
	cx-seal key new >key
	python3 - "$CX_BIN/cx-seal" <<-'PYTHON'
		import json, subprocess, sys
		import jsonschema
		def schema(verb, which):
		    text = subprocess.check_output([sys.argv[1]] + verb + ["--schema"])
		    whole = json.loads(text)
		    return {"$defs": whole["$defs"], **whole["$defs"][which]}
		for verb, which, file in (
		        (["mint"], "reads", "opened"), (["mint"], "writes", "minted"),
		        (["open"], "reads", "minted"), (["open"], "writes", "opened"),
		        (["key", "list"], "writes", "ring"),
		        (["key", "new"], "writes", "key")):
		    with open(file) as text:
		        jsonschema.validate(json.load(text), schema(verb, which))
		for bad in ({"session": {"orgId": "a", "userId": "b"}},
		            {"session": {"orgId": "a", "userId": "b", "surface": "tv"}},
		            {"session": {"orgId": "a", "userId": "b", "surface": "chat",
		                         "token": "t"}}):
		    try:
		        jsonschema.validate(bad, schema(["mint"], "reads"))
		    except jsonschema.ValidationError:
		        continue
		    sys.exit("takes %s" % bad)
	PYTHON
}
