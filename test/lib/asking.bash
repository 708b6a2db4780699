# asking.bash - commands on kernels that lack something, and their answers.
#
#	load ../lib/common
#	load ../lib/asking
#
# shellcheck shell=bash disable=SC2154

# jq's filter holds of the document in $output: field FILTER
field() {
	jq -e "$1" <<<"$output" >/dev/null || {
		echo "not so: $1"
		jq -c '.error // .result' <<<"$output" | cut -c1-4000
		return 1
	}
}

# A command on a kernel without some calls: without [--errno NAME] CALL... --
# COMMAND...
without() {
	local program="${CX_WITHOUT:-$CX_ROOT/.build/test/without}"
	[ -x "$program" ] || cx_lacks "test/lib/without isn't built"
	timeout -k 1 20 "$program" "$@"
}
