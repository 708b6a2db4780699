#!/usr/bin/env bats
# oci.bats - the sandbox through an OCI runtime: the same promises, the same
# result, and a runtime that doesn't do as it is told.
#
# The commands are for the sandbox's shell:
# shellcheck disable=SC2016

load ../lib/common
load ../lib/probe

setup() {
	cx_setup
	cx_only_as root
	cx_need runc jq
	cx_l0
	cx_mint >carrier
}

# One command through runc; its result is in $output.
box() {
	output=$(cx-run exec --runtime runc -f carrier "$@" 2>said |
		jq -c '.result + {error: .error}') || true
	cat said
}

field() {
	jq -e "$1" <<<"$output" >/dev/null || {
		echo "not so: $1"
		echo "$output"
		return 1
	}
}

# A runtime of its own mind: runc, with the configuration changed by jq.
crooked() {
	cat >crooked <<-EOF
		#!/bin/bash
		for word; do
			[ "\$last" != --bundle ] || bundle=\$word
			last=\$word
		done
		if [ -n "\${bundle:-}" ]; then
			jq '$1' "\$bundle/config.json" >"\$bundle/new" &&
				cat "\$bundle/new" >"\$bundle/config.json"
		fi
		exec runc "\$@"
	EOF
	chmod +x crooked
}

# Nothing of the commands of this test's jobs stands anywhere.
nothing_left() {
	local pid
	[ -z "$(find /sys/fs/cgroup -name "cx.$1*" 2>/dev/null)" ] || return 1
	for pid in $(pgrep -f "$1"); do
		[ "$pid" = "$$" ] || return 1
	done
}

@test "the probe finds nothing open through runc" {
	probes --runtime runc
}

@test "a runtime that leaves the host's network is refused" {
	crooked 'del(.linux.namespaces[] | select(.type == "network"))'
	cx_refuses 125 network_not_isolated cx-run exec \
		--runtime "$PWD/crooked" -f carrier -c 'touch ran; echo ran'
	run cat stderr
	assert_output --partial 'step network'
}

@test "a runtime that leaves a mask out is refused" {
	crooked '.linux.maskedPaths -= ["/proc/keys"]'
	cx_refuses 125 isolation_unavailable cx-run exec \
		--runtime "$PWD/crooked" -f carrier -c 'echo ran'
	run cat stderr
	assert_output --partial 'step mask'
}

@test "a runtime that leaves a right, an id or the filter as it was is refused" {
	local change
	for change in \
		'.process.capabilities[] = ["CAP_NET_RAW"]' \
		'.process.noNewPrivileges = false' \
		'.process.user.uid = 0' \
		'.process.user.gid = 0' \
		'.root.readonly = false | del(.linux.seccomp)' \
		'.linux.namespaces -= [{"type": "pid"}]'; do
		crooked "$change"
		run cx-run exec --runtime "$PWD/crooked" -f carrier \
			-c 'echo ran'
		[ "$status" -eq 125 ] || { echo "$change"; return 1; }
		refute_output --partial '"stdout":"ran'
	done
}

@test "a command ends through runc as it does natively" {
	box -c 'echo out; echo err >&2; exit 3'
	field '.termination == "exited" and .exitCode == 3'
	field '.stdout == "out\n" and .stderr == "err\n"'
	field '.enforced | all'
	field '.jobId and .profileDigest and .stdoutSha256'
	box -c 'kill -SEGV $$'
	field '.termination == "signaled" and .signal == 11'
	box -- no-such-program
	field '.termination == "exited" and .exitCode == 127'
	box -- /etc/passwd
	field '.exitCode == 126'
	box -c '(sleep 600 &) ; echo last'
	field '.termination == "exited" and .stdout == "last\n"'
	field '.wallMs < 5000'
}

@test "limits hold through runc, and the result tells of them" {
	CX_LIMITS='  {wall_ms: 1500, memory_bytes: 67108864, pids: 20,
    stdout_bytes: 1000, grace_ms: 100}'
	cx_config
	box -c 'echo partly; sleep 600'
	field '.termination == "wall_clock" and .stdout == "partly\n"'
	box -c 'exec dd if=/dev/zero of=/dev/null bs=400M count=1'
	field '.termination == "out_of_memory" and .oomKills >= 1'
	field '.memoryPeakKb <= 65536 and .memoryPeakKb > 50000'
	box -c 'yes'
	field '.termination == "output_cap" and (.stdout | length) == 1000'
	box -c 'i=0; while [ $i -lt 40 ]; do sleep 1 & i=$((i+1)); done; wait'
	field '.pidsLimitHit'
	box -c 'nproc; ulimit -n'
	field '.stdout == "1\n1024\n"'
}

@test "input, long commands and folders go in through runc" {
	seq 1 100000 >numbers
	box --stdin numbers -c 'tail -n 1'
	field '.stdout == "100000\n"'
	box -c 'read -r x || echo nothing'
	field '.stdout == "nothing\n"'
	jq -c '.run = {command: ("true " + "x" * 200000 + "\necho $0 $#"),
		cwd: "/workspace"}' carrier >long
	output=$(cx-run exec --runtime runc -f long | jq -c .result)
	field '.stdout | test("sh 0\n$")'
	jq -c '.run = {command: "true", cwd: "/workspace/none"}' carrier >none
	cx_refuses 77 worker_error cx-run exec --runtime runc -f none
	box -- printf $'\377'
	field '.error.class == "input_invalid"'
}

@test "a runtime is chosen by the configuration, and --runtime goes over it" {
	cx_config 'runtime: no-such-runtime'
	cx_refuses 125 isolation_unavailable cx-run exec -f carrier -c true
	run cat stderr
	assert_output --partial "isn't installed"
	run cx-run exec -f carrier --runtime native --raw -c 'echo native'
	assert_output native
	cx_config 'runtime: runc'
	run cx-run exec -f carrier --raw -c \
		'tr "\0" " " </proc/1/comm; echo; pwd'
	assert_output --partial first
	assert_line /workspace
}

@test "without root a runtime is refused by name" {
	cx_refuses 125 isolation_unavailable unshare -Ur \
		cx-run exec --runtime runc -f carrier -c 'echo ran'
	run cat stderr
	assert_output --partial 'needs root'
}

@test "a killed launcher leaves nothing of a container behind" {
	local at id
	for at in 0.01 0.03 0.06 0.1 0.15 0.2 0.3 0.5; do
		cx-run open -f carrier >job
		id=$(jq -r .job.id job)
		cx-run exec --runtime runc -f job -c 'sleep 600' \
			>ended 2>&1 3>&- &
		sleep "$at"
		kill -KILL $! || { cat ended; return 1; }
		wait $! || true
		cx_wait 20 nothing_left "$id" || {
			pgrep -af "$id"
			find /sys/fs/cgroup -name "cx.$id*"
			return 1
		}
	done
	run grep -c /sys/bus /proc/self/mountinfo
	assert_output 0
}

# Of its groups those that only the runtime made have no lock of ours.
@test "another command's sweeper leaves a container alone" {
	cx-run exec --runtime runc -f carrier --raw -c 'sleep 5; echo whole' \
		>output 2>&1 3>&- &
	# a group is looked at once it is older than two seconds
	sleep 3.2
	for _ in 1 2 3; do cx-run exec -f carrier -c true >/dev/null; done
	wait $!
	run cat output
	assert_output whole
}

@test "a cancelled command ends, and its container with it" {
	cx-run open -f carrier >job
	id=$(jq -r .job.id job)
	cx-run exec --runtime runc -f job -c 'echo begun; sleep 600' \
		>result 2>/dev/null 3>&- &
	cx_wait 20 pgrep -f 'sleep 600' >/dev/null
	kill -TERM $!
	wait $! || true
	run jq -r .result.termination result
	assert_output cancelled
	nothing_left "$id"
}

@test "what crun refuses is refused by name, and /dev/null keeps its owner" {
	cx_need crun
	grep -q ' cgroup2 ' /proc/self/mountinfo &&
		grep -q ' cgroup ' /proc/self/mountinfo ||
		skip "crun refuses only a mix of both kinds of control groups"
	cx_refuses 125 isolation_unavailable cx-run exec --runtime crun \
		-f carrier -c true
	run cat stderr
	assert_output --partial 'mixes both kinds'
	run stat -c '%u:%g %t:%T' /dev/null
	assert_output '0:0 1:3'
}

@test "spec --format oci conforms to the runtime-spec, and runs" {
	cx_need python3
	cx-run spec -n --format oci -c 'id -u; echo $HOME; pwd' >config.json
	"$CX_ROOT/test/lib/ociconforms" config.json
	cx-run spec -n --format oci -- printf '%s\n' a 'b c' >argv.json
	"$CX_ROOT/test/lib/ociconforms" argv.json
	run jq -c .process.args argv.json
	assert_output '["printf","%s\\n","a","b c"]'
	run jq -r '.mounts[] | select(.type == "bind") | .source' config.json
	assert_output workspace
	# by plain runc, over the same image and a folder for a workspace
	mkdir -p bundle/rootfs bundle/workspace
	cp -a "$(cx_l0_state)"/roots/*/. bundle/rootfs/
	mkdir -p bundle/rootfs/{proc,dev,tmp,workspace}
	cp config.json bundle/
	chmod 755 "$BATS_TEST_TMPDIR" bundle bundle/*
	allow_walk
	cd bundle
	run runc run "cx-sketch-$$"
	assert_success
	assert_line 10001
	assert_line /workspace
}

# The container's root is somebody else: it has to get to the bundle.
allow_walk() {
	local at=$PWD
	while [ "$at" != / ]; do
		chmod a+x "$at"
		at=${at%/*}
		at=${at:-/}
		[ "$at" != /tmp ] || break
	done
}

@test "spec --explain tells an OCI runtime's steps in their order" {
	run cx-run spec -n --explain --runtime runc -c true
	assert_success
	assert_line --regexp '^outside  runtime '
	assert_line --regexp '^outside  finish '
	refute_line --regexp '^outside  clone '
}
