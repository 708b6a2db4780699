#!/usr/bin/env bats
# boundary.bats - what a command sees of the world, attacked from inside.
#
# The commands are for the sandbox's shell:
# shellcheck disable=SC2016,SC2154

load ../lib/common

# The command's standard output is $output, its status $status.
inside() {
	cx_l0
	run --separate-stderr cx_raw "$1"
}

@test "the command is 10001:10001 and nobody else is there" {
	inside 'id -u; id -g; id -G; awk "{print \$1, \$3}" /proc/self/uid_map
		awk "{print \$1, \$3}" /proc/self/gid_map
		grep -E "^(Uid|Gid):" /proc/self/status'
	assert_success
	assert_line --index 0 10001
	assert_line --index 1 10001
	# rootless, groups of the caller's can't be given up; they have no name
	assert_line --index 2 --regexp '^10001( 65534)*$'
	assert_line --index 3 '10001 1'
	assert_line --index 4 '10001 1'
	assert_line --index 5 --regexp '^Uid:(.10001){4}$'
	assert_line --index 6 --regexp '^Gid:(.10001){4}$'
}

@test "no id but our own can be taken" {
	inside 'for id in 0 1 10000 10002 65534; do
			chown $id /workspace 2>/dev/null && echo "chown $id"
			setpriv --reuid $id true 2>/dev/null && echo "reuid $id"
		done; echo tried'
	assert_output tried
}

@test "no privilege is there to gain" {
	inside 'grep -E "^(Cap|NoNewPrivs)" /proc/self/status'
	assert_output "$(printf '%s\n' CapInh:$'\t'0000000000000000 \
		CapPrm:$'\t'0000000000000000 CapEff:$'\t'0000000000000000 \
		CapBnd:$'\t'0000000000000000 CapAmb:$'\t'0000000000000000 \
		NoNewPrivs:$'\t'1)"
}

@test "a setuid file gains nothing" {
	inside 'cp /bin/busybox .; chmod 6755 busybox; ./busybox id -u; ./busybox id -g
		grep -c "/workspace .*nosuid" /proc/self/mountinfo'
	assert_output "$(printf '%s\n' 10001 10001 1)"
}

@test "no further user namespace can be made" {
	inside 'cat /proc/sys/user/max_user_namespaces
		unshare -U true 2>/dev/null || echo refused
		unshare -Ur true 2>/dev/null || echo refused
		unshare -m true 2>/dev/null || echo refused'
	assert_output "$(printf '%s\n' 0 refused refused refused)"
}

@test "the mounts are the plan's and no others" {
	inside 'awk "{print \$5}" /proc/self/mountinfo | sort -u |
		grep -v "^/proc/" | grep -Ev "^/dev/(null|zero|full|random|urandom|tty)$"
		ls -A /..'
	assert_success
	assert_line --index 0 /
	assert_line --index 1 /dev
	assert_line --index 2 /dev/shm
	assert_line --index 3 /proc
	assert_line --index 4 /tmp
	assert_line --index 5 /workspace
	refute_line --partial home
	refute_line root
	refute_line boot
	inside 'awk "\$5 == \"/\"" /proc/self/mountinfo | wc -l'
	assert_output 1
}

@test "mountinfo shows no path of the machine's but the volume's" {
	inside 'grep -v " /workspace " /proc/self/mountinfo'
	refute_output --partial "$BATS_TEST_TMPDIR"
	refute_output --partial roots/
	refute_output --partial "$(cx_l0_state)"
}

@test "only workspace, tmp and shm can be written" {
	inside 'for folder in / /bin /dev /etc /proc /run /skills /usr; do
			touch $folder/x && echo "wrote $folder"
			mkdir $folder/y && echo "made in $folder"
		done 2>/dev/null
		(echo x >/etc/passwd) 2>/dev/null && echo "wrote passwd"
		rm -f /dev/null 2>/dev/null; [ -c /dev/null ] || echo "lost null"
		mknod /tmp/d c 1 3 2>/dev/null && echo "made a device"
		for folder in /workspace /tmp /dev/shm; do
			echo x >$folder/x && cat $folder/x
		done
		awk "{split(\$6, o, \",\"); if (o[1] == \"rw\") print \$5}" \
			/proc/self/mountinfo | sort'
	assert_output "$(printf '%s\n' x x x /dev/shm /tmp /workspace)"
}

@test "nothing in proc can be written" {
	inside 'for file in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname \
			/proc/sys/vm/drop_caches /proc/sysrq-trigger \
			/proc/sys/user/max_user_namespaces /proc/self/comm \
			/proc/self/oom_score_adj /proc/self/setgroups \
			/proc/self/uid_map /proc/1/oom_score_adj; do
			(echo 0 >$file) 2>/dev/null && echo "wrote $file"
		done
		awk "\$5 == \"/proc\" {split(\$6, o, \",\"); print o[1]}" \
			/proc/self/mountinfo'
	assert_output ro
}

@test "proc tells nothing of the machine" {
	inside 'cat /proc/cmdline /proc/keys /proc/kallsyms; ls -A /proc/fs \
		/proc/bus /proc/driver /proc/acpi /proc/irq 2>/dev/null |
		grep -v "^/proc\|^$"; cat /sys/class/dmi/id/product_name 2>/dev/null
		hostname; cat /etc/hostname'
	assert_output "$(printf '%s\n' sandbox sandbox)"
}

@test "init can't be touched" {
	inside 'for file in mem environ maps; do
			head -c 1 /proc/1/$file >/dev/null 2>&1 && echo "read $file"
		done
		ls /proc/1/fd >/dev/null 2>&1 && echo "listed fd"
		kill -9 1 2>/dev/null; kill -STOP 1 2>/dev/null
		readlink /proc/1/root /proc/1/exe /proc/1/cwd 2>/dev/null
		echo $$'
	assert_output 2
}

@test "an inherited descriptor doesn't get in" {
	cx_l0
	cx_mint >carrier
	exec 7<"$CX_CONFIG" 200<"$CX_CONFIG" 1023<"$CX_CONFIG"
	run cx-run exec -f carrier --raw -c 'ls /proc/self/fd | sort -n | head -20'
	exec 7<&- 200<&- 1023<&-
	# the last is ls's own, of the folder that it lists
	assert_output "$(printf '%s\n' 0 1 2 3)"
}

@test "standard input is the sandbox's own null device" {
	inside 'readlink /proc/self/fd/0; read -r line; echo "rc=$?"'
	assert_output "$(printf '%s\n' /dev/null rc=1)"
}

@test "the caller's terminal is out of reach" {
	cx_need script
	cx_l0
	cx_mint >carrier
	cat >go <<-'EOS'
		cx-run exec -f carrier --raw -c 'ps -o pid,sid,tty 2>/dev/null |
			awk "\$1 == 2 {print \$2}"
			(: </dev/tty) 2>/dev/null && echo reached; echo tried'
	EOS
	run script -qefc 'sh go' /dev/null </dev/null
	assert_output --partial tried
	refute_output --partial reached
}

@test "signals that the caller ignores are at their default" {
	cx_l0
	cx_mint >carrier
	cat >go <<-'EOS'
		trap '' HUP PIPE USR1 CHLD TSTP
		cx-run exec -f carrier --raw -- grep -E "^Sig(Ign|Blk|Cgt)" /proc/self/status
	EOS
	run sh go
	assert_line SigBlk:$'\t'0000000000000000
	assert_line SigIgn:$'\t'0000000000000000
	assert_line SigCgt:$'\t'0000000000000000
}

@test "a privileged caller hands nothing down" {
	cx_need_root
	cx_need chrt setarch
	cx_l0
	cx_mint >carrier
	cat >go <<-'EOS'
		# not every root may
		(echo -900 >/proc/self/oom_score_adj) 2>/dev/null
		exec chrt -f 10 setarch -R cx-run exec -f carrier --raw -c '
			cat /proc/self/oom_score_adj /proc/self/personality
			cut -d" " -f41 /proc/self/stat'
	EOS
	run --separate-stderr sh go
	assert_output "$(printf '%s\n' 0 00000000 0)"
}

@test "the network is loopback and nothing else" {
	inside 'tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " "
		cat /proc/net/route | wc -l
		ping -c 1 -W 1 127.0.0.1 >/dev/null 2>&1; nc -z -w 1 127.0.0.1 9
		echo "rc=$?"
		for host in 1.1.1.1 8.8.8.8 169.254.169.254 192.168.0.1; do
			nc -z -w 1 $host 53 2>/dev/null && echo "reached $host"
		done
		echo tried'
	assert_line --index 0 lo
	assert_line --index 1 1
	assert_line tried
	refute_output --partial reached
}

@test "a listener of the machine's own can't be reached" {
	cx_need python3
	python3 - >port <<-'EOP' &
		import socket
		s = socket.create_server(("127.0.0.1", 0))
		print(s.getsockname()[1], flush=True)
		s.settimeout(20)
		try:
		    s.accept()
		    print("reached", flush=True)
		except TimeoutError:
		    pass
	EOP
	listener=$!
	cx_wait 5 test -s port
	inside "nc -z -w 1 127.0.0.1 $(cat port) && echo reached; echo tried"
	kill "$listener"
	assert_output tried
	run cat port
	refute_output --partial reached
}

@test "each command starts in a fresh sandbox" {
	cx_l0
	cx_mint >carrier
	job=$(cx-run open -f carrier | tee opened | jq -r .job.id)
	[ -n "$job" ]
	run cx-run exec -f opened --raw -c 'echo 1 >/tmp/a; echo 1 >/dev/shm/a
		echo 1 >kept; sleep 60 & echo $!'
	assert_success
	run cx-run exec -f opened --raw -c 'ls -A /tmp /dev/shm | grep -v ":$\|^$"
		cat kept; ls -d /proc/[0-9]* | wc -l'
	assert_line --index 0 1
	refute_line a
}

@test "a long command runs from a file that can't be written" {
	cx_l0
	cx_mint >carrier
	{
		printf ': '
		head -c 200000 /dev/zero | tr '\0' x
		printf '; echo "$0"; echo x >/run/cx/command; ls -l /proc/self/fd | wc -l'
	} >long
	jq --rawfile c long '.run = {command: $c}' carrier >document
	run --separate-stderr cx-run exec -f document --raw
	# the busybox base's bash is a script for sh
	assert_line --index 0 --regexp '^(ba)?sh$'
	refute_line x
}
