# probe.bash - the probe (test/box/probe.c) in this folder, and what it is to
# find if anything is open: load ../lib/probe
#
# shellcheck shell=bash disable=SC2154

# The outside's part, until take_probe_away.
lay_probe() {
	cx_need_built probe || return 1
	cp "$CX_TOOLS/probe" probe
	cx_l0
	export CX_TEST_CANARY=canary
	coproc LAID { ./probe lay "cx-probe-$$" "$((0x63780000 + $$))"; }
	laid=$LAID_PID
	read -r -t 5 word <&"${LAID[0]}"
	[ "$word" = laid ]
	exec 7<"$CX_CONFIG" 1023<"$CX_CONFIG"
}

# The command for the sandbox, with further facts: probe_command [FACT=VALUE...]
probe_command() {
	echo "./probe canary=CX_TEST_CANARY host=$(hostname) paths=$CX_ROOT" \
		"abstract=cx-probe-$$ mqueue=cx-probe-$$" \
		"shmkey=$((0x63780000 + $$)) $*"
}

take_probe_away() {
	exec 7<&- 1023<&-
	eval "exec ${LAID[1]}>&-"
	wait "$laid" || true
}

# What the probe says of a sandbox that cx-run exec makes: probes FLAG...
probes() {
	CX_LIMITS='  memory_bytes: 268435456'
	cx_config
	cx_mint >carrier
	lay_probe || return 1
	run cx-run exec "$@" -f carrier --in probe --raw -c "$(probe_command \
		"$(! cx_can_limit || echo memory=268435456)")"
	take_probe_away
	refute_line --partial OPEN
	assert_line --regexp '^66 closed, 0 open$'
}
