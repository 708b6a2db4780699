#!/usr/bin/env bats
# config.bats - the configuration, its schema, and both of them on samples.

load ../lib/common

@test "the configuration's schema accepts what the tools accept" {
	cd "$CX_ROOT"
	run -0 test/lib/conforms share/schema/config.json \
		test/data/config/ok/*.json
	assert_output ''
}

@test "the configuration's schema refuses what the tools refuse" {
	cd "$CX_ROOT"
	run -0 test/lib/conforms -v share/schema/config.json \
		test/data/config/bad/*.json
	assert_output ''
}

mint() {
	run "$1" cx-seal mint --org acme --user ada --surface chat -n
}

refused_at() {
	assert_output --partial 'config_invalid'
	assert_output --partial "$CX_CONFIG"
	assert_output --partial "$1"
	refute_output --partial 'cxs1.'
}

@test "an unknown key of the configuration stops a tool" {
	echo 'limits: {wall_s: 1}' >"$CX_CONFIG"
	mint -78
	refused_at /limits/wall_s
	assert_file_not_exist "$CX_STATE/keys/ring.json"
}

# No session could ever have it, so what is set for it would hold for nobody.
@test "an id that no session can have stops a tool" {
	local line
	for line in 'defaults: {org: "ac\u200bme"}' 'defaults: {user: "\ufeff"}' \
		'defaults: {user: " "}' 'defaults: {org: "a\u202eb"}' \
		"defaults: {user: $(printf '%0257d' 0 | tr 0 u)}" \
		'orgs: {"acme\u00ad": {execution: off}}'; do
		echo "$line" >"$CX_CONFIG"
		mint -78
		refused_at "/${line%%:*}"
	done
}

@test "a configuration that isn't YAML names line and column" {
	printf 'seal:\n  ttl: 60\n ttl: 90\n' >"$CX_CONFIG"
	mint -78
	refused_at 'line 3, column 2'
}

@test "a configuration that is named and isn't there stops a tool" {
	rm "$CX_CONFIG"
	mint -78
	refused_at "isn't there"
}

@test "an empty configuration is all defaults" {
	echo '# later' >"$CX_CONFIG"
	mint -0
	assert_output --partial 'cxs1.'
}
