#!/usr/bin/env bats
# primitives.bats - ready --probe tries each thing that a sandbox is made of,
# and names what really refuses it.
#
# shellcheck disable=SC2016,SC2086,SC2154

load ../lib/common
load ../lib/asking

# The primitives that this command's probe found, into the file found; what
# it said to standard error into said: probe [COMMAND...]
probe() {
	local status=0
	"$@" "$CX_BIN/cx-run" ready --probe >document 2>said || status=$?
	assert_equal "$status" 77
	jq -c '.primitives[]' document >found
	[ -s found ]
}

# One of them is refused: refuses NAME BLOCKER-REGEX [REMEDY-REGEX]
refuses() {
	jq -se --arg n "$1" --arg b "$2" --arg r "${3:-.}" 'map(select(
		.name == $n)) | length == 1 and .[0].ok == false and
		(.[0].blocker | test($b)) and (.[0].remedy | test($r))' \
		found >/dev/null || {
		echo "wanted $1 refused by $2, $3:"
		jq -c --arg n "$1" 'select(.name == $n)' found
		return 1
	}
	grep -q "^cx-run: $1, " said
}

works() {
	jq -se --arg n "$1" 'map(select(.name == $n)) |
		length == 1 and .[0].ok' found >/dev/null || {
		echo "wanted $1 to work:"
		jq -c --arg n "$1" 'select(.name == $n)' found
		return 1
	}
}

# Runs a script as root of a user and mount namespace of its own, in which
# the rest of the command line comes: nested SCRIPT COMMAND...
nested() {
	local script=$1
	shift
	unshare -Urm sh -ec "$script"'; exec "$@"' sh "$@"
}

@test "where commands run, all that they need works" {
	cx_l0
	cx_mint | cx-run exec -- true >ran
	jq -e '.result.exitCode == 0' ran
	probe
	jq -se 'length > 28 and all(.[]; .ok or .need == "optional")' found
	jq -se 'all(.[]; .ok == (.blocker == null and .remedy == null))' found
	"$CX_ROOT/test/lib/conforms" "$CX_ROOT/share/schema/cx-run-ready.json" \
		document
}

@test "the probe leaves nothing behind" {
	probe
	run find /sys/fs/cgroup -maxdepth 5 -name 'cx.trial-*'
	assert_output ''
	[ ! -e "$CX_STATE/keys" ]
	[ ! -e "$CX_STATE/run/ready.json" ]
	[ -z "$(find "$CX_STATE/volumes/ws" -mindepth 1)" ]
}

@test "what is required stops commands, and what is optional doesn't" {
	local row name call answer need
	cx_l0
	cx_mint >carrier
	while read -r name answer need call; do
		# an ordinary user's volumes are bound by their paths
		[ "$need" != @ ] || need=$([ "$(cx_identity)" = root ] &&
			echo required || echo optional)
		probe without --errno "$answer" $call --
		refuses "$name" "a seccomp filter around this process refuses" \
			seccomp
		run jq -r --arg n "$name" 'select(.name == $n).need' found
		assert_output "$need"
		run without --errno "$answer" $call -- "$CX_BIN/cx-run" exec \
			-f carrier --raw -c 'echo ran'
		if [ "$need" = optional ]; then
			assert_output ran
		elif grep -qx ran <<<"$output"; then
			echo "$name isn't required: $call"
			return 1
		fi
	done <<-'END'
		mount_namespace EPERM required mount
		uts_namespace ENOSYS required sethostname
		network_namespace EPERM required socket
		pivot_root ENOSYS required pivot_root
		move_mount ENOSYS @ move_mount
		cpu_affinity ENOSYS required sched_setaffinity
		capabilities ENOSYS required capset
		capabilities EPERM required prctl
		seccomp ENOSYS required seccomp
		fsopen ENOSYS optional fsopen
		open_tree ENOSYS optional open_tree move_mount
		mount_setattr ENOSYS optional mount_setattr
		landlock ENOSYS optional landlock_create_ruleset
		clone3 ENOSYS optional clone3
		close_range ENOSYS optional close_range
		openat2 ENOSYS optional openat2
		pidfd ENOSYS optional pidfd_open
		memfd ENOSYS optional memfd_create
	END
}

@test "a kernel without nf_tables is named, and what stands instead" {
	probe without --errno EOPNOTSUPP writev --
	refuses port_redirect 'no nf_tables .*a listener stands at each' \
		'modprobe -a nf_tables'
	works any_address_route
}

@test "a filter before the last user namespace is named" {
	if [ "$(cx_identity)" = root ]; then
		probe without --errno EPERM setns --
		refuses user_namespace 'seccomp filter .* refuses setns'
	else
		probe without --errno EPERM unshare --
		refuses last_user_namespace 'seccomp filter .* refuses unshare'
		works user_namespace
	fi
}

@test "where no process can be made, the filter is named" {
	probe without --errno EPERM clone3 clone --
	refuses user_namespace 'seccomp filter .* refuses clone'
	refuses tmpfs 'seccomp filter .* refuses clone'
}

@test "a sysctl that forbids a kind of namespace is named" {
	local kind trial
	while read -r kind trial; do
		probe nested "echo 0 >/proc/sys/user/max_${kind}_namespaces"
		refuses "$trial" \
			"the sysctl user.max_${kind}_namespaces is 0" \
			"sysctl -w user.max_${kind}_namespaces=15000"
	done <<-'END'
		user user_namespace
		mnt mount_namespace
		pid pid_namespace
		ipc ipc_namespace
		uts uts_namespace
		net network_namespace
		cgroup cgroup_namespace
	END
}

@test "a limit around the namespace is named as one" {
	local deny='echo 0 >/proc/sys/user/max_user_namespaces'
	probe nested 'echo 1 >/proc/sys/user/max_user_namespaces' \
		unshare -Ur
	refuses user_namespace 'this user namespace, or of one around it'
	run nested "$deny" unshare -Ur true
	assert_failure
}

@test "a masked /proc is named with what masks it" {
	probe nested 'mount --bind /dev/null /proc/cmdline' unshare -Ur
	refuses proc '^/proc is masked: something is mounted over /proc/cmdline$' \
		'unmask=ALL'
	works tmpfs
	works user_namespace
}

@test "control groups that can't be written are named" {
	probe nested 'awk "\$3 ~ /^cgroup/ { print \$2 }" /proc/mounts |
		while read -r at; do mount -o remount,bind,ro "$at"; done'
	for limit in memory_limit swap_limit cpu_limit; do
		refuses "$limit" 'mounted read-only' 'limits.best_effort: \['
	done
	refuses memory_limit read-only 'best_effort: \[memory\]$'
	refuses swap_limit read-only 'best_effort: \[memory\]$'
	refuses cpu_limit read-only 'best_effort: \[cpu\]$'
}

@test "control groups that aren't there are named" {
	probe nested 'mount -t tmpfs none /sys/fs/cgroup'
	refuses memory_limit 'no control groups are mounted' 'mount -t cgroup2'
}

@test "who has no control group delegated is told so" {
	cx_only_as user unshare
	probe
	jq -se 'any(.[]; .name == "memory_limit" and .ok)' found &&
		skip "a control group is delegated to this user"
	refuses memory_limit 'no control group is delegated to this user' \
		"^as root, once after each start: cx-run delegate [0-9]+; or"
	# the kernel counts processes for them all the same
	works pids_limit
	jq -se 'any(.[]; .name == "memory_limit" and .need == "optional")' found
	: >"$CX_CONFIG"
	probe
	jq -se 'any(.[]; .name == "memory_limit" and .need == "required")' found
}

@test "a distribution's sysctl is named before anything that follows from it" {
	local name value
	for name in unprivileged_userns_clone=0 \
		apparmor_restrict_unprivileged_userns=1; do
		value=${name#*=}
		name=${name%=*}
		probe nested "mount -t tmpfs none /proc/sys/kernel
			echo $value >/proc/sys/kernel/$name" \
			"$CX_TOOLS/without" \
			--errno EPERM unshare --
		refuses last_user_namespace "the sysctl kernel.$name is $value" \
			"sysctl -w kernel.$name=$((1 - value))"
	done
}

# In this folder of a mount namespace of its own, an ordinary user asks.
from_chroot() {
	probe unshare -m sh -ec '
		mount --make-rprivate /
		mount -t tmpfs none tree
		mkdir -p "$1"
		[ "$1" = tree/below ] || mount --bind / "$1"
		for part in bin lib lib64 usr proc dev etc; do
			[ -e "/$part" ] || continue
			[ -e "$1/$part" ] || mkdir "$1/$part"
			mount --rbind "/$part" "$1/$part"
		done
		[ -e "$1/tmp" ] || mkdir "$1/tmp"
		mount -t tmpfs -o mode=777 none "$1/tmp"
		mkdir "$1/tmp/bin"
		mount --bind "$CX_BIN" "$1/tmp/bin"
		exec chroot "$1" setpriv --reuid 54321 --regid 54321 \
			--clear-groups env CX_STATE=/tmp/state CX_CONFIG= \
			HOME=/tmp /tmp/bin/cx-run ready --probe' sh "$1"
	refuses user_namespace 'this process stands in a chroot' "$2"
}

@test "a chroot is named" {
	cx_need_root
	cx_need setpriv
	mkdir tree
	from_chroot tree/below pivot_root
	from_chroot tree/whole pivot_root
}
