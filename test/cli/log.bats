# log.bats - the log in hard times: long, killed, and on a full disk.

load ../lib/common
load ../lib/events

@test "a reader that stops early is no failure, however long the log" {
	local n status
	cx_config 'audit: {sync: none}'
	for n in 1 99 99900; do
		event >line
		yes "$(cat line)" | head -n "$n" |
			cx-audit append --stream >/dev/null
		for _ in 1 2 3 4 5; do
			cx-audit read --org acme 2>err | head -n 1 >one
			status=${PIPESTATUS[0]}
			assert_equal "$n: $status" "$n: 0"
			assert_equal "$(jq .index one)" 0
			assert_equal "$(cat err)" ""
		done
	done
	run bash -c 'cx-audit read --org acme | wc -l'
	assert_output 100000
}

@test "a full disk refuses the record, and the log goes on by itself" {
	local world=(unshare -m)
	[ "$(cx_identity)" != user ] || world=(unshare -Urm)
	"${world[@]}" true 2>/dev/null || cx_lacks "needs a mount namespace"
	export -f event append
	run "${world[@]}" bash -c '
		set -e
		mkdir -m 700 "$CX_STATE"
		mount -t tmpfs -o size=160k,mode=700 none "$CX_STATE"
		head -c 65536 /dev/zero >"$CX_STATE/ballast"
		n=0 status=0
		while [ "$n" -lt 500 ]; do
			append >out 2>err || { status=$?; break; }
			n=$((n + 1))
		done
		echo "status $status $(jq -r .error.class out)"
		append >/dev/null 2>&1 || true
		cx-audit read --org acme >rows
		[ "$(wc -l <rows)" = "$n" ]
		rm "$CX_STATE/ballast"
		append >/dev/null
		cx-audit read --org acme >rows 2>err
		[ "$(wc -l <rows)" = "$((n + 1))" ]
		cat err
		jq -s -c "[.[].index] == [range(0; length)]" rows
	'
	assert_success
	assert_line "status 74 store_full"
	assert_line "cx-audit: 2 records are missing that couldn't be written"
	assert_line true
}

@test "eight writers killed again and again lose and fuse nothing" {
	run "$CX_ROOT/test/kill/audit" --seconds 8
	echo "$output"
	assert_success
}

@test "a writer killed at any of its system calls leaves a whole log" {
	cx_need strace
	strace -o /dev/null true 2>/dev/null || cx_lacks "needs ptrace"
	run "$CX_ROOT/test/kill/audit" --calls
	echo "$output"
	assert_success
}

@test "thousands of hostile events leave only what has the form" {
	run "$CX_ROOT/test/hostile/events" --count 5000
	echo "$output"
	assert_success
}
