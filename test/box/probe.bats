#!/usr/bin/env bats
# probe.bats - one program tries the whole table of what mustn't be reachable
# (test/box/probe.c), over the busybox L0, as whoever runs this.

load ../lib/common

@test "the probe finds nothing open" {
	cx_need_built probe
	cp "$CX_TOOLS/probe" probe
	cx_l0
	CX_LIMITS='  memory_bytes: 268435456'
	cx_config
	cx_mint >carrier
	# what the outside lays out to be found inside
	export CX_TEST_CANARY=canary
	coproc LAID { ./probe lay "cx-probe-$$" "$((0x63780000 + $$))"; }
	laid=$LAID_PID
	read -r -t 5 word <&"${LAID[0]}"
	[ "$word" = laid ]
	exec 7<"$CX_CONFIG" 1023<"$CX_CONFIG"
	run cx-run exec -f carrier --in probe --raw -c "./probe \
		canary=CX_TEST_CANARY host=$(hostname) paths=$CX_ROOT \
		$(cx_can_limit && echo memory=268435456) \
		abstract=cx-probe-$$ mqueue=cx-probe-$$ \
		shmkey=$((0x63780000 + $$))"
	exec 7<&- 1023<&-
	eval "exec ${LAID[1]}>&-"
	wait "$laid" || true
	refute_line --partial OPEN
	assert_line --regexp '^66 closed, 0 open$'
}
