#!/usr/bin/env bats
# kill.bats - kill -9 of cx-run at any instant leaves nothing within 50 ms: no
# process, no mount, no group, no namespace, no file but the state's own.
#
# A namespace lives by a process in it, by a mount or by somebody's descriptor:
# where no process and no mount is left, none is. test/lib/orphans.c kills at a
# random instant and counts what outlives it.
#
# CX_KILLS instants are tried, 200 by default: while it starts and hasn't made
# anything, while the sandbox is made, while a command runs, and while all of
# it is taken away.
#
# shellcheck disable=SC2016,SC2154

load ../lib/common

KILLS=${CX_KILLS:-200}

setup() {
	cx_setup
	orphans=$CX_TOOLS/orphans
	cx_need_built orphans
	cx_l0
	cx_mint >carrier
}

# Microseconds that a whole run of these flags takes here and now.
whole_us() {
	local start
	start=$(date +%s%N)
	for _ in 1 2 3 4 5; do
		"$CX_BIN/cx-run" exec "$@" >/dev/null
	done
	echo $((($(date +%s%N) - start) / 5000))
}

# Kills a run, COUNT times, each within the first PER CENT of a whole run's
# time: kills COUNT WHOLE_US PERCENT FLAG...
kills() {
	local count=$1 until_us=$(($2 * $3 / 100))
	shift 3
	for ((i = 0; i < count; i++)); do
		"$orphans" -k "0:$until_us" -o kills "$CX_BIN/cx-run" exec "$@" \
			>/dev/null 2>>said || {
			tail -n 1 kills
			cat said
			return 1
		}
	done
}

# All that stands in the state and in the store beside it, but for the log, the
# folder that is there for the next workspace, if one is, and what is locked for
# each uid, and stays.
files() {
	(cd "$1" && find . -path ./audit -prune -o \
		-path ./volumes/spare/\* -prune -o \
		-path ./run/uids/\* -prune -o -print |
		grep -v '/cx\.db' | sort)
}

# Nothing but the processes, which are looked for each time.
nothing_else() {
	diff mounts <(grep -v '^#' /proc/self/mountinfo)
	assert_equal "$(ls -A temporary)" ''
	diff state-files <(files "$CX_STATE")
	diff store-files <(files "$(cx_l0_state)")
	run grep -c nsfs /proc/self/mountinfo
	assert_output 0
}

@test "killed at any instant, cx-run leaves nothing" {
	local us
	cx-run exec -f carrier -c true >/dev/null
	grep -v '^#' /proc/self/mountinfo >mounts
	mkdir temporary
	export TMPDIR=$PWD/temporary
	files "$CX_STATE" >state-files
	files "$(cx_l0_state)" >store-files
	us=$(whole_us -f carrier -c true)
	echo seen >input
	# the whole life of a short command, its end and after it included
	kills $((KILLS / 2)) "$us" 120 -f carrier -c true
	# commands with children of their own, killed while they run
	kills $((KILLS / 4)) "$us" 300 -f carrier \
		-c 'sleep 41.3307 & setsid sleep 41.3308 & sleep 41.3309'
	# while files go in, and output comes
	kills $((KILLS / 8)) "$us" 200 -f carrier --in input \
		-c 'cat input; exec yes'
	# several commands one after the other
	jq -c '.run = {commands: ["true", "true", "true", "true"]}' carrier \
		>several
	kills $((KILLS - KILLS / 2 - KILLS / 4 - KILLS / 8)) "$us" 250 \
		-f several
	# most were hit, and some too late: the instants lie over all of it
	sort -k2n kills | awk '{ looks[NR] = $2 }
		$1 == 137 { hit++ }
		$1 == 0 { late++ }
		END {
			print NR " kills, " hit " hit, looks: median " \
				looks[int((NR + 1) / 2)] ", most " looks[NR]
			exit hit < NR / 3 || late == 0
		}' >&3
	# a later start writes the rows of commands that had begun
	run cx-run exec -f carrier --raw -c 'echo fine'
	assert_output fine
	nothing_else
	# groups are named by jobs, and each job that began has its row
	cx-audit read --instance | jq -r .event.resourceId | sort -u >ids
	assert [ "$(wc -l <ids)" -gt $((KILLS / 10)) ]
	run bash -c 'find /sys/fs/cgroup -name "cx.j-*" 2>&1 | grep -F -f ids'
	assert_output ''
}
