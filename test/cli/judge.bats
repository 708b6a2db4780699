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
