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
	cx_need_built without || return 1
	timeout -k 1 20 "$CX_TOOLS/without" "$@"
}
