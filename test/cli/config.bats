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
