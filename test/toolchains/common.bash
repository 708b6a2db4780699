# common.bash - commands over a base that isn't the suite's own, with the
# default limits.
#
# shellcheck shell=bash

load ../lib/common

# Compilers are slow where the machine is busy.
BATS_TEST_TIMEOUT=300

# The configuration is the default one but for the store, and, where this
# identity can't make groups, what they would hold: over STORE NAME
over() {
	cx_setup
	[ -r "$1/roots/$2.ref" ] ||
		cx_lacks "needs the base $2: make check-toolchains makes it" ||
		return 1
	{
		echo "store: {shared: $1}"
		echo "egress: {tier: none}"
		cx_can_limit || echo "limits: {best_effort: [memory, cpu]}"
	} >"$CX_CONFIG"
	export CX_L0_IMAGE=$2
}

# A command's text on standard input; its result in $result. It must have
# exited with 0, every limit of the configuration's held.
inside() {
	local text
	text=$(cat)
	result=$(cx_mint | cx-run exec "$@" -c "$text" | jq -c .result)
	jq -e '.termination == "exited" and .exitCode == 0' <<<"$result" \
		>/dev/null || {
		jq . <<<"$result"
		return 1
	}
	if cx_can_limit; then
		jq -e '.enforced | all' <<<"$result"
	fi
	output=$(jq -r .stdout <<<"$result")
	mapfile -t lines <<<"$output"
}
