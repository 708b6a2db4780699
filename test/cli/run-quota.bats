# run-quota.bats - the workspace's quota, measured from outside.

load ../lib/common
load ../lib/jobs

setup() {
	CX_LIMITS='  workspace_kib: 4096
  inodes: 300
  file_size_bytes: 16777216'
	cx_setup
	cx_l0
}

@test "a workspace over its quota ends the job" {
	local document
	document=$(new_job)
	run --separate-stderr cx-run exec --keep-carrier -c \
		'head -c 6000000 /dev/zero >f' <<<"$document"
	assert_equal "$status" 122
	jq -e '.result.termination == "disk_quota_exceeded" and
		.result.decision == "allowed" and .result.workspaceKb > 4096' \
		<<<"$output"
	run --separate-stderr cx-run exec -c true <<<"$document"
	assert_equal "$status" 125
	jq -e '.error.class == "job_ended" and
		.result.reason == "job_ended"' <<<"$output"
	audit_rows | jq -se '.[0].event.metadata.termination ==
		"disk_quota_exceeded" and .[0].event.decision == "allowed"'
	cx-run close <<<"$document" >/dev/null
	[ -z "$(ls "$CX_STATE"/volumes/ws/*)" ]
}

@test "a run over its quota takes no more commands" {
	agent r-1 | cx-run open >opened
	run --separate-stderr cx-run exec -c 'head -c 6000000 /dev/zero >f' \
		-f opened
	assert_equal "$status" 122
	run --separate-stderr cx-run exec -c true -f opened
	jq -e '.error.class == "job_ended"' <<<"$output"
	cx-run close -f opened >/dev/null
	[ -z "$(ls "$CX_STATE"/volumes/ws/*)" ]
}

@test "only an ending of its own becomes the quota's" {
	run --separate-stderr cx_exec -c 'head -c 5000000 /dev/zero >f; exit 7'
	jq -e '.result.termination == "disk_quota_exceeded"' <<<"$output"
	document=$(with "$(cx_mint)" '.run.timeoutMs = 400')
	CX_LIMITS='  workspace_kib: 4096
  grace_ms: 0' cx_config
	run --separate-stderr cx-run exec -c \
		'head -c 5000000 /dev/zero >f; kill -KILL $$' <<<"$document"
	jq -e '.result.termination | . == "signaled" or
		. == "disk_quota_exceeded"' <<<"$output"
}

@test "too many files are over the quota" {
	run --separate-stderr cx_exec -c \
		'i=0; while [ $i -lt 400 ]; do : >f$i; i=$((i+1)); done'
	assert_equal "$status" 122
}

@test "the quota holds while the command runs, deleted files among it" {
	run --separate-stderr timeout 60 cx-run exec -c \
		'i=0; while [ $i -lt 40 ]; do
			eval "exec 3>f; rm f"; head -c 1000000 /dev/zero >&3 &&
			(exec sleep 30 3>&3) & i=$((i+1)); sleep 0.02
		done; exec 3>&-; sleep 30; echo survived' <<<"$(cx_mint)"
	assert_equal "$status" 122
	jq -e '.result.termination == "disk_quota_exceeded" and
		.result.stdout == "" and .result.wallMs < 20000' <<<"$output"
}

@test "a command that writes on and on is stopped near its quota" {
	run --separate-stderr timeout 60 cx-run exec -c \
		'i=0; while :; do head -c 500000 /dev/zero >f$i || break
		i=$((i+1)); done; sleep 30' <<<"$(cx_mint)"
	assert_equal "$status" 122
	jq -e '.result.termination == "disk_quota_exceeded" and
		.result.workspaceKb < 40000' <<<"$output"
}

@test "holes and second names cost nothing" {
	run --separate-stderr cx_exec -c 'truncate -s 15M hole
		head -c 3000000 /dev/zero >f
		i=0; while [ $i -lt 20 ]; do ln f l$i; i=$((i+1)); done'
	assert_success
	jq -e '.result.workspaceKb < 3200 and .result.workspaceKb > 2900' \
		<<<"$output"
}

@test "one file can't grow over its limit" {
	CX_LIMITS='  file_size_bytes: 1000000' cx_config
	run --separate-stderr cx_exec -c \
		'head -c 3000000 /dev/zero >f; echo $?; stat -c %s f'
	jq -e '.result.stdout | test("^(1|153)\n1000000\n$")' <<<"$output"
}

@test "what earlier commands left counts, and what is removed doesn't" {
	local document
	document=$(new_job)
	on "$document" -c 'head -c 3000000 /dev/zero >a' >/dev/null
	run --separate-stderr cx-run exec --keep-carrier -c \
		'rm a; head -c 3000000 /dev/zero >b' <<<"$document"
	assert_success
	run --separate-stderr cx-run exec -c 'head -c 3000000 /dev/zero >c' \
		<<<"$document"
	assert_equal "$status" 122
}

@test "--in that is over the quota is refused whole, and the job goes on" {
	local document flags i row
	mkdir many full
	head -c 3000000 /dev/zero | tr '\0' x >three
	head -c 3000000 /dev/zero | tr '\0' y >full/three
	echo small >small
	for ((i = 0; i < 310; i++)); do
		: >many/$i
	done
	document=$(new_job)
	while IFS='|' read -r row flags; do
		eval "set -- $flags"
		run --separate-stderr cx-run exec "$@" -c 'touch ran' \
			<<<"$document"
		assert_equal "$flags $status" "$flags 125"
		jq -e --arg k "limits.$row" '.result.decision == "denied" and
			.error.class == "input_invalid" and
			(.error.message | contains($k))' <<<"$output"
		[ -z "$(ls -A "$(workspace_of "$document")")" ]
	done <<-'END'
		workspace_kib|--in small --in three --in full
		inodes|--in small --in many
	END
	on "$document" --in three -- true >/dev/null
	run --separate-stderr on "$document" --in full -- true
	jq -e '.error.class == "input_invalid"' <<<"$output"
	run --separate-stderr on "$document" --raw -- ls
	assert_output three
	# what is replaced makes room
	run --separate-stderr on "$document" --in full/three --raw \
		-c 'head -c 1 three'
	assert_output y
	run --separate-stderr cx_exec --in three --in full -- true
	jq -e '.error.class == "input_invalid"' <<<"$output"
}
