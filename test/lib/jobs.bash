# jobs.bash - sessions, jobs and runs for the bats files of cx-run.
#
#	load ../lib/common
#	load ../lib/jobs
#
# shellcheck shell=bash

# A document with a carrier and an opened job: new_job FLAG-OF-MINT...
new_job() {
	cx_l0 || return 1
	cx_mint "$@" | cx-run open
}

# A document with an agent's carrier for a run, not opened: agent RUN [USER]
agent() {
	cx-seal mint -n --org acme --user "${2:-ada}" --surface agent --run "$1"
}

# exec on a document: on DOCUMENT FLAG... [-- ARGV...]
on() {
	local document=$1
	shift
	cx-run exec --keep-carrier "$@" <<<"$document"
}

# The data folder of a document's job.
workspace_of() {
	echo "$CX_STATE"/volumes/ws/*/"$(jq -r .job.id <<<"$1")"/data
}

# Whole audit rows of this state, one canonical line each.
audit_rows() {
	cx-audit read --instance
}

# A document with members set by a jq program: with DOCUMENT PROGRAM
with() {
	jq -c "$2" <<<"$1"
}
