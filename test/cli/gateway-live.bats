# gateway-live.bats - the running gateway, in the world of test/gateway: what
# it counts, where it stops, whom it serves, and what it lets nobody do.

load ../lib/common

setup() {
	cx_setup
	cx_need ip nsenter unshare python3 prlimit
	cx_need_built gateway/load
	"$CX_BIN/cx-gateway" --help | grep -q '^  serve' ||
		skip "cx-gateway doesn't serve yet"
	export BATS_TEST_TIMEOUT=300
}

# A part of test/gateway/PROGRAM, that has to find nothing.
finds_nothing() {
	run timeout -k 5 280 "$CX_ROOT/test/gateway/$1" "${@:2}"
	assert_output ""
	assert_success
}

@test "10,000 tunnels with resets and half-closes are counted to the byte" {
	finds_nothing proof counts
}

@test "64 tunnels at once meet a ceiling to the byte" {
	finds_nothing proof ceiling
}

@test "slow heads and clients that never read keep nobody out" {
	finds_nothing proof hostile
}

@test "without a free descriptor there is a clean answer, and no spin" {
	finds_nothing proof full
}

@test "a job that takes all the places it can leaves some to others" {
	finds_nothing proof places
}

@test "names that nobody answers for leave other jobs' to be found" {
	finds_nothing proof lookups
}

@test "early data over the ceiling ends the tunnel at its last byte" {
	finds_nothing proof early
}

@test "a rate holds all of a job's tunnels, and loses nothing" {
	finds_nothing proof rates
}

@test "one job's busy tunnels don't stop another's" {
	finds_nothing proof beside
}

@test "1,000 tunnels end when their job is revoked" {
	finds_nothing proof revoke
}

@test "nothing passes a gateway that is stopped or killed" {
	finds_nothing proof ends
}

@test "a reload loses no tunnel, and the end is in good order" {
	finds_nothing proof reload
}

@test "no request is hidden in the frame of another" {
	finds_nothing attack requests
}

@test "no answer is taken for another request's" {
	finds_nothing attack answers
}

@test "no verdict carries to the next request of a connection" {
	finds_nothing attack carry
}

@test "a connection becomes a WebSocket only where that was asked for" {
	finds_nothing attack upgrades
}

@test "no way past a ceiling: heads, pipelines, early bytes, chunks" {
	finds_nothing attack quota
}

@test "no token is guessed, and another job's is of no use" {
	finds_nothing attack tokens
}

@test "the control connection takes no nonsense, and no wrong secret" {
	finds_nothing attack control
}

@test "whatever a resolver says, no protected address is dialled" {
	finds_nothing attack names
}

@test "decide and the running gateway give the same verdicts" {
	run timeout -k 5 280 "$CX_ROOT/test/gateway/differ" --count 200
	assert_success
	assert_output --partial ": 0 differ"
}
