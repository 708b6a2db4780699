#!/usr/bin/env bats
# fallback.bats - kernels that lack calls, and machines that refuse them: the
# same sandbox by older means, or a refusal that says what to do.
#
# shellcheck disable=SC2016,SC2154

load ../lib/common
load ../lib/asking

# The whole sandbox stands, whichever calls are missing: CALLS...
stands_without() {
	cx_l0
	cx_mint >carrier
	echo seen >input
	run --separate-stderr without "$@" -- "$CX_BIN/cx-run" exec \
		-f carrier --in input --raw -c '
		id -u; cat input; echo out >made; cat made
		awk "{print \$5}" /proc/self/mountinfo | sort -u | grep -c "^/$"
		for folder in / /dev /proc /etc; do
			touch $folder/x 2>/dev/null && echo "wrote $folder"
		done
		ls /proc/self/fd | wc -l; ls -A /.. | grep -c boot
		cat /proc/sys/user/max_user_namespaces'
	assert_output "$(printf '%s\n' 10001 seen out 1 4 0 0)"
}

@test "without clone3" {
	stands_without clone3
}

@test "without close_range" {
	stands_without close_range
}

@test "without mount_setattr" {
	stands_without mount_setattr
}

@test "without fsopen" {
	stands_without fsopen
}

@test "without open_tree" {
	stands_without open_tree
}

@test "without move_mount" {
	stands_without move_mount open_tree
}

@test "without openat2" {
	stands_without openat2
}

@test "without openat2 no link leads the working folder elsewhere" {
	local cwd
	cx_l0
	cx_mint | cx-run open >job
	cx-run exec --keep-carrier -f job -c 'mkdir -p a/b; ln -s / root
		ln -s /etc a/etc' >/dev/null
	for cwd in root root/etc a/etc a/b; do
		jq -c --arg c "$cwd" '.run = {command: "pwd", cwd: $c}' job \
			>document
		run --separate-stderr without openat2 -- "$CX_BIN/cx-run" \
			exec --raw -f document
		[ "$cwd" = a/b ] || assert_equal "$cwd $status" "$cwd 125"
	done
	assert_output /workspace/a/b
}

@test "without Landlock" {
	stands_without landlock_create_ruleset
}

@test "without all that came after Linux 5.1" {
	stands_without clone3 close_range mount_setattr fsopen fsconfig fsmount \
		open_tree move_mount openat2 landlock_create_ruleset \
		landlock_add_rule landlock_restrict_self pidfd_open \
		pidfd_getfd faccessat2 epoll_pwait2 statx
}

# Refused with this class, and nothing ran: CLASS ERRNO CALLS...
refused_without() {
	local class=$1 answer=$2
	shift 2
	cx_l0
	cx_mint >carrier
	cx_refuses 125 "$class" without --errno "$answer" "$@" -- \
		"$CX_BIN/cx-run" exec -f carrier -c 'touch ran'
}

@test "where namespaces are refused, so is the command, with a remedy" {
	refused_without isolation_unavailable EPERM clone3 clone
	run cat "$BATS_TEST_TMPDIR/stderr"
	assert_output --partial 'step '
}

@test "where the last user namespace is refused, so is the command" {
	if [ "$(cx_identity)" = root ]; then
		refused_without isolation_unavailable EPERM setns
	else
		refused_without isolation_unavailable EPERM unshare
	fi
}

# Init may fail before or after the launcher's word reaches it, and what it
# said is heard either way.
@test "where mounting is refused, so is the command" {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		refused_without isolation_unavailable EPERM mount
	done
}

@test "where the filter can't be loaded, the command doesn't run" {
	refused_without isolation_unavailable ENOSYS seccomp prctl
}

# Every call that the set-up makes fails in turn, all its occurrences at once.
@test "whichever call fails, the sandbox is whole or the command doesn't run" {
	cx_l0
	cx_mint >carrier
	facts='id -u; grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status
		awk "{split(\$6, o, \",\"); print \$5, o[1]}" /proc/self/mountinfo |
			sort -u | grep -v "^/dev/[a-z]* ro\|^/proc/"
		cat /proc/sys/user/max_user_namespaces; cat /proc/sys/kernel/hostname
		ls /proc/self/fd
		tail -n +3 /proc/net/dev | cut -d: -f1; ulimit -n'
	whole=$(cx-run exec -f carrier --raw -c "$facts")
	[ -n "$whole" ]
	stood=0 refused=0
	for call in access capget capset chdir chroot clone clone3 close_range \
		dup2 execve faccessat2 fchdir fchown fcntl fsconfig fsmount \
		fsopen getcwd ioctl kill landlock_add_rule \
		landlock_create_ruleset landlock_restrict_self mkdir mkdirat \
		mknod mknodat mount mount_setattr move_mount open_tree openat2 \
		pipe2 pivot_root ppoll prctl prlimit64 readlink recvfrom \
		rt_sigaction rt_sigprocmask sched_getaffinity \
		sched_setaffinity seccomp sendto sethostname setns setresgid \
		setresuid setgroups setsid socket socketpair statfs symlink \
		umount2 uname unshare wait4; do
		status=0
		seen=$(without --errno EPERM "$call" -- "$CX_BIN/cx-run" \
			exec -f carrier --raw -c "$facts" 2>said) || status=$?
		if [ "$seen" = "$whole" ]; then
			stood=$((stood + 1))
		elif [ -z "$seen" ] && [ "$status" != 0 ]; then
			refused=$((refused + 1))
		elif [ "$call $status" = "wait4 125" ] &&
			[ "${whole#"$seen"}" != "$whole" ]; then
			# init can't wait, and ends: the command with it, which
			# may have begun to speak
			refused=$((refused + 1))
		else
			echo "without $call: status $status"
			echo "$seen"
			cat said
			return 1
		fi
	done
	echo "$stood stood, $refused refused"
	[ "$refused" -ge 15 ]
}
