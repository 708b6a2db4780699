# enclosure.bats - what the gateway can still do once it serves.

load ../lib/common

setup() {
	cx_setup
}

# Serves at "$BATS_TEST_TMPDIR/control" until the test ends.
serve() {
	"$CX_BIN/cx-gateway" serve --socket "$BATS_TEST_TMPDIR/control" \
		--listen 127.0.0.1:0 >where 2>said 3>&- &
	server=$!
	until [ -s where ]; do
		kill -0 "$server"
		sleep 0.01
	done
}

teardown() {
	[ -z "${server:-}" ] || kill "$server" 2>/dev/null || :
}

@test "the gateway shuts itself in before it serves" {
	cx_need_confined
	run --separate-stderr "$CX_BIN/cx-gateway" serve --selfcheck
	assert_success
	assert_equal "$(jq -c '[.capabilitiesDropped, .noNewPrivs,
		.undumpable, .seccomp, (.refused | del(.readFile) | all)]' \
		<<<"$output")" "[true,true,true,true,true]"
	serve
	assert_equal "$(sed -n 's/^Seccomp:\t//p; s/^NoNewPrivs:\t//p
		s/^Cap\(Prm\|Eff\|Amb\):\t0*//p' \
		"/proc/$server/status" | tr -d '\n')" 12
}

@test "shut in, it reads no file of others" {
	cx_need_confined
	[ "$("$CX_BIN/cx-gateway" serve --selfcheck |
		jq .landlock)" -ge 2 ] || cx_lacks "needs Landlock"
	run --separate-stderr "$CX_BIN/cx-gateway" serve --selfcheck
	assert_equal "$(jq .refused.readFile <<<"$output")" true
}

@test "shut in, it still reads its configuration again" {
	export CX_CONFIG=$PWD/config.yaml
	echo 'egress: {ports: [80]}' >config.yaml
	serve
	echo 'egress: {ports: [443]}' >new.yaml
	mv new.yaml config.yaml
	run --separate-stderr "$CX_BIN/cx-gateway" reload \
		--socket "$BATS_TEST_TMPDIR/control"
	assert_success
	echo 'egress: [80]' >config.yaml
	run --separate-stderr "$CX_BIN/cx-gateway" reload \
		--socket "$BATS_TEST_TMPDIR/control"
	assert_failure
	kill -0 "$server"
}

@test "at its end it takes the control socket away" {
	serve
	[ -S "$BATS_TEST_TMPDIR/control" ]
	kill -TERM "$server"
	wait "$server" || [ $? -eq 143 ]
	server=''
	[ ! -e "$BATS_TEST_TMPDIR/control" ]
}
