#!/usr/bin/env bats
# fault.bats - each call of the set-up fails in turn, by a test build of the
# tool (test/lib/fault.c): the command never runs, the refusal names the step,
# nothing is left.
#
# shellcheck disable=SC2016,SC2154

load ../lib/common
load ../lib/jobs

# One set-up through the test build, its document in $output, its status in
# $status, as orphans saw it: attempt N DOCUMENT
attempt() {
	output=$(CX_FAULT=$1 "$CX_TOOLS/orphans" -o ended \
		/usr/bin/timeout 20 "$CX_TOOLS/fault/cx-run" exec --keep-carrier -f "$2" 2>said \
		</dev/null) || {
		echo "call $1: something is left"
		return 1
	}
	status=$(tail -n 1 ended)
	status=${status%% *}
}

# Failing calls after which the sandbox is whole: what is looked for only to
# find a better way, and what is told to nobody. MAKER CALL, a line each.
may_stand() {
	case $1 in
	# which hierarchies there are, whether the kernel counts processes,
	# where the layers stand, whether we are privileged; a way that isn't
	# found isn't gone
	'launcher open' | 'launcher fstatfs' | 'launcher fstat' | \
		'launcher openat' | 'launcher faccessat' | \
		'launcher readlink' | 'launcher uname' | \
		'launcher capget') ;;
	# a pause, and swap that the machine hasn't got
	'launcher read' | 'launcher write' | 'aside openat' | \
		'aside write' | 'aside uname') ;;
	# the network is made in sequence
	'inside clone') ;;
	# the group's maker says how it went in memory that both share
	'launcher waitpid') ;;
	# the class is set where it can't be asked for; /proc is mounted anew
	# where the machine's can't be looked at
	'inside sched_getscheduler' | 'inside statfs') ;;
	# the porter's end is waited for then, not what it says before
	'inside syscall(202)' | 'porter syscall(202)') ;;
	# any CPU will do where ours isn't known, and init may run on another
	'inside getcpu' | 'launcher getcpu' | 'launcher sched_getaffinity' | \
		'launcher sched_setaffinity' | 'aside getcpu' | \
		'aside sched_setaffinity' | 'inside sched_setaffinity' | \
		'sweeper sched_setaffinity' | 'porter sched_setaffinity') ;;
	# nobody is there to be heard; who stands for a moment ends in a moment
	'inside recv' | 'helper prctl(1)') ;;
	*) return 1 ;;
	esac
}

# Judges what became of call N of MAKER CALL: judge "N MAKER CALL"
judge() {
	local class code
	if [[ $output == *'"decision":"allowed"'* ]]; then
		jq -e --argjson whole "$whole" \
			'.result | {stdout, enforced} == $whole' >/dev/null \
			<<<"$output" || {
			echo "not whole after $1"
			return 1
		}
		may_stand "${1#* }" || {
			echo "ran in spite of $1"
			return 1
		}
		stood=$((stood + 1))
		return 0
	fi
	class=${output##*'"error":{"class":"'}
	class=${class%%\"*}
	case $class in
	isolation_unavailable | network_not_isolated | quota_unenforceable)
		code=69 ;;
	worker_error) code=77 ;;
	*) code=none ;;
	esac
	if [ "$status" != "$code" ] ||
		[[ $output != *'"decision":"denied","reason":"'"$class"'"'* ||
		! $output =~ '"message":"'(step [a-z-]+|no cgroup holds) ]]; then
		echo "$1: status $status"
		echo "$output"
		return 1
	fi
	refused=$((refused + 1))
	echo "${BASH_REMATCH[1]}" >>steps
}

# Of a call that is made many times in a row the first and the last two: steps
# that are one such call each may follow each other.
points() {
	awk 'function end() { if (n > 2) print before; if (n > 1) print line }
	{ key = $2 " " $3 }
	key != last { end(); print; n = 0 }
	{ last = key; before = line; line = $0; n++ }
	END { end() }' "$1"
}

state_of() {
	(cd "$CX_STATE" && find . -path ./audit -prune -o -print |
		grep -v '/cx\.db' | sort)
}

@test "whichever call of the set-up fails, the command never runs" {
	local document data id point fault facts
	cx_need_built fault/cx-run orphans canary
	cx_l0
	# processes are counted without a group, too
	sed -i 's/, pids]/]/' "$CX_CONFIG"
	cp "$CX_TOOLS/canary" canary
	document=$(new_job)
	id=$(jq -r .job.id <<<"$document")
	on "$document" --in canary -- true
	data=$(workspace_of "$document")
	facts='id -u; grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status
		awk "{split(\$6, o, \",\"); print \$5, o[1]}" \
			/proc/self/mountinfo
		cat /proc/sys/user/max_user_namespaces; hostname; pwd
		ls /proc/self/fd; cut -d: -f1 /proc/net/dev; ulimit -n; nproc'
	jq -c --arg c "$facts" '.run = {command: $c}' <<<"$document" >whole
	with "$document" '.run = {argv: ["./canary", "call", "s", "ran"]}' \
		>called
	(cd "$data" && exec ./canary listen s) >heard 3>&- &
	listener=$!
	cx_wait 5 grep -q listening heard

	# the file and the socket tell
	attempt 0 called
	assert_equal "$status" 0
	[ -e "$data/ran" ]
	cx_wait 5 grep -q called heard
	rm -f "$data/ran"
	CX_FAULT_LIST=$PWD/list attempt 0 whole
	whole=$(jq -c '.result | {stdout, enforced}' <<<"$output")
	jq -e '.stdout | length > 500' <<<"$whole"
	points list >points
	grep -v '^#' /proc/self/mountinfo >mounts
	state_of >before

	stood=0 refused=0
	while read -r point; do
		fault=${point%% *}
		: >heard
		attempt "$fault" called || { kill "$listener"; return 1; }
		if [ -e "$data/ran" ] || [ -s heard ]; then
			rm -f "$data/ran"
			# it ran: then the whole sandbox stood around it
			attempt "$fault" whole
			[[ $output == *'"decision":"allowed"'* ]] || {
				echo "not always $point: $output" | cut -c1-600
				cat said
				return 1
			}
		fi
		judge "$point" || { kill "$listener"; return 1; }
	done <points
	kill "$listener"

	diff mounts <(grep -v '^#' /proc/self/mountinfo)
	diff before <(state_of)
	run find /sys/fs/cgroup -name "cx.$id*"
	assert_output ''
	run find "$(cx_l0_state)/roots" -name '.made*.tmp'
	assert_output ''
	# every step of the plan is among those that were named
	comm -23 <(cx-run spec -n --explain -- true |
		awk '{ print "step", $2 }' | sort -u) <(sort -u steps) >missed
	diff /dev/null missed
	echo "$(wc -l <list) calls, $refused refused, $stood stood" >&3
	[ "$refused" -ge 60 ]
}
