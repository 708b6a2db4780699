#!/usr/bin/env bats
# escape.bats - one program tries every way out of a sandbox's network
# (test/box/escape.c) in a world without an uplink: with the gateway up,
# stopped and killed, and without one.
#
# shellcheck disable=SC2016,SC2034

load ../lib/common
load ../lib/egress

ATTEMPTS=36

setup() {
	cx_setup
	cx_l0
	cx_mint >carrier
	cx_need_built escape
	cp "$CX_TOOLS/escape" escape
}

# What the outside lays out, at both sides of the world.
lay() {
	mkfifo lay.in
	./escape lay 7777 cx-escape-$$ "$PWD/sock" <lay.in >laid &
	exec 7>lay.in
	wait_for grep -q laid laid
	# it can be reached by who isn't inside
	[ "$(timeout 5 bash -c 'cat </dev/tcp/198.51.100.1/7777')" = cx-outside ]
	serve 80 443 7777
	names '{"listed.example": {"A": ["93.184.216.34"]},
		"unlisted.example": {"A": ["93.184.216.35"]}}'
	: >origin.log
	facts="ipv4=198.51.100.1 ipv6=2001:db8:51::1 port=7777
		abstract=cx-escape-$$ path=$PWD/sock
		name=unlisted.example listed=listed.example"
}

start() {
	cx-gateway serve --socket "$PWD/control" >gateway.out 2>&1 &
	gateway=$!
	wait_for test -S control
	export CX_GATEWAY=$PWD/control
}

# The attempts, while ACTION befalls the gateway: try STATE ACTION...
try() {
	inside "./escape gateway=$1 ${facts//[[:space:]]/ }" --in escape \
		--tier allowlist --host listed.example >said 2>&1 &
	local pid=$!
	wait_for grep -q 'begun\|open' said
	"${@:2}"
	wait "$pid" || true
	cat said
	count
}

# What was reached: once, to see that it can be.
count() {
	echo "reached $(grep -c reached laid)"
	echo "origin $(grep -c '"to"' origin.log || true)"
}

cx_world_functions=(lay start try count)

finds_nothing_open() {
	assert_success
	refute_line --partial OPEN
	assert_line "$ATTEMPTS closed, 0 open"
	assert_line "reached 1"
	assert_line "origin 0"
}

@test "no way out is open while the gateway is up" {
	run world '
		lay; start
		try up true
		kill $gateway'
	finds_nothing_open
}

@test "no way out is open while the gateway is stopped" {
	run world '
		lay; start
		try stopped kill -STOP $gateway
		kill -KILL $gateway'
	finds_nothing_open
}

@test "no way out is open once the gateway is killed" {
	run world '
		lay; start
		try killed kill -KILL $gateway'
	finds_nothing_open
}

@test "no way out is open in tier none" {
	run world '
		lay
		inside "./escape gateway=none ${facts//[[:space:]]/ }" \
			--in escape --tier none
		count'
	finds_nothing_open
}

# A kernel that says that it made a network, and didn't.
@test "a network that isn't the sandbox's own is found out" {
	cx_only_as root
	cx_need strace
	run world '
		strace -f -o /dev/null -e trace=unshare \
			-e inject=unshare:retval=0 "$(command -v cx-run)" \
			exec -f carrier --tier none -c "echo ran" || true'
	assert_output --partial '"network_not_isolated"'
	refute_output --partial ran
}
