#!/usr/bin/env bats
# judge.bats - cx-gateway decide and classify.

load ../lib/common

# decide POLICY REQUEST [DNS], members as JSON
decide() {
	jq -nc --argjson p "$1" --argjson r "$2" --argjson d "${3:-null}" \
		'{policy: $p, request: $r} + (if $d then {dns: $d} else {} end)' |
		cx-gateway decide
}

open='{"tier":"default_internet"}'

@test "a line each is judged, in order" {
	run cx-gateway decide <<-'EOF'
	{"policy":{"tier":"none"},"request":{"target":"a.example:443"}}
	{"policy":{"tier":"default_internet"},"request":{"target":"a.example:443"},"dns":{"a.example":{"A":["93.184.215.14"]}}}
	{"policy":{"tier":"allowlist","hosts":["b.example"]},"request":{"target":"a.example:443"}}
	EOF
	assert_success
	assert_equal "$(jq -r '[.decision, .status, .reason] | join(" ")' \
		<<<"$output")" 'deny 403 tier_none
allow 200 default_internet
deny 403 denied_by_allowlist'
}

@test "one bad case is one error, and the rest go on" {
	run cx-gateway decide <<-'EOF'
	{"policy":{"tier":"wide"},"request":{"target":"a.example:443"}}
	{"policy":{"tier":"none"},"request":{"target":"a.example:443"}}
	EOF
	assert_failure 1
	assert_equal "$(grep -c '"reason":"tier_none"' <<<"$output")" 1
	assert_output --partial '"class":"input_invalid"'
}

@test "an entry that anybody can register under is refused" {
	for entry in co.uk com '*.co.uk' .com; do
		run decide "{\"tier\":\"allowlist\",\"hosts\":[\"$entry\"]}" \
			'{"target":"a.co.uk:443"}'
		assert_failure
		assert_output --partial '"class":"input_invalid"'
		assert_output --partial '/policy/hosts/0'
	done
}

@test "without dns a name is to be looked up" {
	run decide "$open" '{"target":"a.example:443"}'
	assert_success
	assert_output --partial '"decision":"resolve"'
}

@test "an exception of the operator's holds for its host and port alone" {
	cat >config.yaml <<-'EOF'
	trusted_upstreams:
	- {id: near, host: near.example, ports: [443], addrs: [203.0.113.0/24]}
	EOF
	export CX_CONFIG=$PWD/config.yaml
	zone='{"near.example":{"A":["203.0.113.9"]},
		"far.example":{"A":["203.0.113.9"]}}'
	run decide "$open" '{"target":"near.example:443"}' "$zone"
	assert_output --partial '"reason":"trusted_upstream"'
	assert_output --partial '"exception":"near"'
	for target in near.example:80 far.example:443 203.0.113.9:443; do
		run decide "$open" "{\"target\":\"$target\"}" "$zone"
		assert_output --partial '"reason":"protected_address"'
	done
}

@test "an exception for loopback, or without ports, is no configuration" {
	for upstream in 'ports: [443], addrs: [127.0.0.0/8]' \
		'ports: [443], addrs: [0.0.0.0/0]' 'addrs: [10.0.0.0/8]' \
		'ports: [443], addrs: [169.254.169.254]'; do
		echo "trusted_upstreams: [{id: x, host: a.example, $upstream}]" \
			>config.yaml
		CX_CONFIG=$PWD/config.yaml run cx-gateway classify 1.1.1.1
		assert_failure 78
	done
}

@test "classify names the range of an address" {
	run cx-gateway classify 10.0.0.1 1.1.1.1 ::ffff:127.0.0.1
	assert_success
	assert_equal "$(jq -r '.range' <<<"$output")" 'private
global
embedded_ipv4'
	run cx-gateway classify 0177.0.0.1
	assert_failure 65
}

raw() { # POLICY LISTENER TEXT: what decide says of these bytes
	jq -nc --argjson p "$1" --arg l "$2" --arg r "$3" \
		--argjson d '{"a.example":{"A":["93.184.215.14"]}}' \
		'{policy: $p, request: {raw: $r, listener: $l}, dns: $d}' |
		cx-gateway decide
}

# says REASON, of the last verdict
says() {
	assert_equal "$(jq -r '[.decision, .status, .reason] | join(" ")' \
		<<<"$output")" "$1"
}

connect=$'CONNECT a.example:443 HTTP/1.1\r\n'
with_token=$connect$'Proxy-Authorization: Bearer right-token-00000\r\n\r\n'
job='{"tier":"default_internet","token":"right-token-00000"}'

@test "a request that belongs to no live job is refused" {
	run raw "$job" shared "$with_token"
	says 'allow 200 default_internet'
	run raw "$job" shared "$connect"$'\r\n'
	says 'deny 407 unattributed'
	run raw "$job" shared \
		"$connect"$'Proxy-Authorization: Bearer wrong-token-00000\r\n\r\n'
	says 'deny 407 unregistered_token'
	run raw "$job" other "$with_token"
	says 'deny 407 token_mismatch'
	for state in expired:expired_token revoked:job_revoked; do
		run raw "$(jq -c ".state = \"${state%:*}\"" <<<"$job")" job \
			"$with_token"
		says "deny 407 ${state#*:}"
	done
}

@test "tier none reaches nothing" {
	run decide '{"tier":"none"}' '{"target":"1.1.1.1:443"}'
	says 'deny 403 tier_none'
}

@test "a job over its ceiling reaches nothing more" {
	run decide '{"tier":"default_internet","spent":true}' \
		'{"target":"1.1.1.1:443"}'
	says 'deny 403 byte_quota_exceeded'
}

@test "a host that isn't listed is refused" {
	for target in b.example 1.1.1.1 '[2606:4700::1]' localhost; do
		run decide '{"tier":"allowlist","hosts":["a.example"]}' \
			"{\"target\":\"$target:443\"}"
		says 'deny 403 denied_by_allowlist'
	done
}

@test "a port that isn't listed is refused" {
	for port in 22 25 8443 65535; do
		run decide "$open" "{\"target\":\"1.1.1.1:$port\"}"
		says 'deny 403 denied_port'
	done
	run decide '{"tier":"default_internet","ports":[22]}' \
		'{"target":"1.1.1.1:443"}'
	says 'deny 403 denied_port'
	run decide '{"tier":"allowlist","hosts":["1.1.1.1:22"]}' \
		'{"target":"1.1.1.1:443"}'
	says 'deny 403 denied_port'
}

@test "no look-alike is on the list" {
	list='{"tier":"allowlist","hosts":["*.a.example", "b.example"]}'
	for host in xa.example evil-a.example xb.example a.example.c.example; do
		run decide "$list" "{\"target\":\"$host:443\"}"
		says 'deny 403 denied_by_allowlist'
	done
	for host in a.example x.a.example A.EXAMPLE. b.example x.y.b.example; do
		run decide "$list" "{\"target\":\"$host:443\"}"
		assert_output --partial '"decision":"resolve"'
	done
}

@test "a local name is refused before it is looked up" {
	for host in localhost router a.localhost printer.local a.internal \
		x.home.arpa a.test a.onion LOCALHOST.; do
		run decide "$open" "{\"target\":\"$host:443\"}" \
			"{\"${host,,}\":{\"A\":[\"93.184.215.14\"]}}"
		says 'deny 403 protected_name'
		assert_output --partial '"lookups":0'
	done
}

@test "another spelling of an address is refused" {
	for host in 0177.0.0.1 0x7f000001 2130706433 127.1 0 0x 1.2.3.4.5 \
		256.1.1.1 127.0.0.1. a.0x7f a.example.127; do
		run decide "$open" "{\"target\":\"$host:443\"}"
		says 'reject 400 ambiguous_ipv4'
	done
}

@test "a protected address is refused, as a literal and as an answer" {
	for addr in 127.0.0.1 10.1.2.3 169.254.169.254 100.64.0.1 0.0.0.0 \
		192.0.0.192 168.63.129.16 203.0.113.1 224.0.0.1 \
		::1 fe80::1 fd00::1 ::ffff:8.8.8.8 64:ff9b::808:808 \
		2002:808:808::1 2001::1 fec0::1 4000::1; do
		case $addr in
		*:*) target="[$addr]" family=AAAA ;;
		*) target=$addr family=A ;;
		esac
		run decide "$open" "{\"target\":\"$target:443\"}"
		says 'deny 403 protected_address'
		run decide "$open" '{"target":"a.example:443"}' \
			"{\"a.example\":{\"$family\":[\"$addr\"]}}"
		says 'deny 403 protected_address'
	done
}

@test "one protected answer refuses all" {
	many=$(printf '"93.184.215.%s",' {0..255})
	for answers in '"A":["93.184.215.14","10.0.0.1"]' \
		"\"A\":[${many%,}],\"AAAA\":[\"::1\"]" \
		'"A":["93.184.215.14"],"AAAA":["::1"]' \
		'"AAAA":["2606:4700::1","fe80::1"]'; do
		run decide "$open" '{"target":"a.example:443"}' \
			"{\"a.example\":{$answers}}"
		says 'deny 403 protected_address'
		assert_output --partial '"pinned":[]'
	done
}

@test "the gateway's own addresses are refused" {
	echo 'local_addrs: [93.184.215.14, "2606:4700::1"]' >config.yaml
	export CX_CONFIG=$PWD/config.yaml
	for target in 93.184.215.14 '[2606:4700::1]'; do
		run decide "$open" "{\"target\":\"$target:443\"}"
		says 'deny 403 local_address'
	done
	run decide "$open" '{"target":"a.example:443"}' \
		'{"a.example":{"A":["1.1.1.1","93.184.215.14"]}}'
	says 'deny 403 local_address'
}

@test "what was meant for the gateway doesn't reach an origin" {
	run raw "$job" shared $'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nProxy-Authorization: Bearer right-token-00000\r\nConnection: X-Secret\r\nX-Secret: 1\r\nUpgrade: h2c\r\nAccept: */*\r\n\r\n'
	says 'allow 200 default_internet'
	assert_equal "$(jq -c '.upstream.fields | sort' <<<"$output")" \
		'["accept","host","via"]'
}

@test "a request of two lengths is refused" {
	for more in 'Content-Length: 3' 'Content-Length: 4' \
		'Transfer-Encoding: chunked'; do
		run raw "$open" job $'POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\n'"$more"$'\r\n\r\nabc'
		says 'reject 400 ambiguous_framing'
	done
}
