#!/usr/bin/env bats
# probe.bats - one program tries the whole table of what mustn't be reachable
# (test/box/probe.c), over the busybox L0, as whoever runs this.

load ../lib/common
load ../lib/probe

@test "the probe finds nothing open" {
	probes
}
