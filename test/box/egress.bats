# egress.bats - commands in the tiers that have a gateway: what they reach, what
# that costs, and what becomes of them without one. In the world of
# test/gateway: every address that is dialled is the origin's.

load ../lib/common

setup() {
	cx_setup
	cx_need ip nsenter unshare
	cx_need_built gateway/origin
	export TOOLS=$CX_TOOLS/gateway WORLD=$CX_ROOT/test/gateway/world
	cx_l0
	export GIVE='printf "CONNECT %s HTTP/1.1\r\n\r\ngive 1000\n" a.example:443 |
		nc 127.0.0.1 3128'
}

# Runs the shell text, with the tests' functions, beside an origin that listens
# at ports 80 and 443 of every address, and a resolver of a few names.
scene() {
	{
		declare -f cx_mint cx_exec cx_l0 cx_l0_state cx_wait cx_config \
			cx_can_limit cx_identity
		cat <<-'END'
		set -eu
		names='{"a.example": {"A": ["93.184.215.14"]},
			"b.example": {"A": ["93.184.215.15"]},
			"x.a.example": {"A": ["93.184.215.16"]},
			"inside.example": {"A": ["10.0.0.1"]}}'
		mkfifo names totals
		"$WORLD" --origin "$TOOLS/resolver" 198.51.100.53:53 <names >told &
		one=$!
		"$WORLD" --origin "$TOOLS/origin" 0.0.0.0:80 0.0.0.0:443 \
			<totals >counted &
		two=$!
		exec 7>names 8>totals
		trap 'kill $one $two' EXIT
		tr -d '\n' <<<"$names" >&7
		echo >&7
		echo totals >&8
		cx_wait 10 test -s told
		cx_wait 10 test -s counted
		END
		printf '%s\n' "$1"
	} >scene.sh
	timeout -k 5 100 "$WORLD" bash scene.sh
}

@test "a command's bytes are in its result and in its record" {
	scene 'cx_exec --tier default_internet -c "$GIVE" >result.json'
	run jq -r '.result | .decision, .egressMode, .egressTotalBytes,
		(.stdout | startswith("HTTP/1.1 200"))' result.json
	assert_output "allowed
default_internet
1010
true"
	run jq -r .event.metadata.egressTotalBytes <(cx-audit read --org acme)
	assert_output 1010
}

@test "an allowlist is what its organization and its carrier leave of it" {
	cx_config 'orgs: {acme: {egress: {hosts: [a.example, c.example]}}}'
	scene '
		tell() {
			cx_exec "$@" -c "$GIVE" | jq -r .result.stdout | head -1
		}
		tell --host a.example
		tell --host b.example
		tell --tier default_internet
		GIVE=${GIVE/a.example/b.example}
		tell --host b.example
		tell --tier default_internet
	' >told.txt
	run cut -d" " -f2 told.txt
	assert_output "200
403
200
403
403"
}

# What became of a request for each place: its status, or the refusal's class.
#   asked FLAG... -- PLACE...
asked() {
	local place flags=()
	while [ "$1" != -- ]; do
		flags+=("$1")
		shift
	done
	shift
	for place; do
		cx_exec "${flags[@]}" -c "${GIVE/a.example:443/$place}" |
			jq -r '.result.reason // (.result.stdout | split(" ")[1])'
	done
}

@test "an organization's ports and bytes narrow what is asked for" {
	cx_config 'orgs: {acme: {egress: {ports: [80], max_bytes: 700}}}'
	scene "$(declare -f asked)"'
		asked --tier default_internet -- a.example:443
		asked --tier allowlist --host a.example:443 -- a.example:443
		cx_mint | jq ".egress = {tier: \"allowlist\", ports: [443]}" |
			cx-run exec -c true 2>/dev/null | jq -r .result.reason
		cx_exec --tier default_internet \
			-c "${GIVE/:443/:80}" | jq -r .result.egressTotalBytes
	' >told.txt
	run cat told.txt
	assert_output "403
403
denied_port
700"
}

@test "where one list names a port and the other a narrower host, both hold" {
	cx_config 'orgs: {acme: {egress: {hosts: ["a.example:443"]}}}'
	scene "$(declare -f asked)"'
		asked --host x.a.example -- x.a.example:443 x.a.example:80 \
			a.example:443
		asked --host x.a.example:80 -- x.a.example:80 x.a.example:443
	' >told.txt
	run cat told.txt
	assert_output "200
403
403
403
403"
}

@test "a ceiling stops the command at its last byte" {
	scene '
		cx_mint | jq ".egress = {tier: \"default_internet\",
			maxBytes: 500}" | cx-run exec -c "$GIVE" >result.json || :
		jq -r ".result.egressTotalBytes" result.json'
	run jq -r .result.egressTotalBytes result.json
	assert_output 500
}

# Bytes of each result, of results that stand in files.
passed() {
	jq -r '.result.egressTotalBytes' "$@"
}

@test "a job's commands share its ceiling" {
	cx_config 'egress: {tier: default_internet, max_bytes: 1000000}'
	GIVE=${GIVE/give 1000/give 600000}
	scene '
		get() {
			cx-run exec -c "$GIVE >/dev/null" <"$1" >"$2" || :
		}
		cx_mint | cx-run open >job.json
		for n in 1 2 3; do
			get job.json "$n.json"
		done
		jq -c ".egress = {maxBytes: 1000000000}" job.json >asks.json
		get asks.json asks
		cx-run exec --dry-run -c "$GIVE >/dev/null" <job.json >dry || :
		cx_mint | cx-run open >job.json
		for n in 4 5 6 7; do
			get job.json "$n.json" &
			all="${all:-} $!"
		done
		wait $all'
	run passed 1.json 2.json 3.json asks dry
	# the line that is asked with counts, too
	assert_output "$(printf '%s\n' 600012 399988 0 0 0)"
	# at once they have what one took ahead and gave back
	run jq -s 'map(.result.egressTotalBytes) | add | . <= 1000000 and
		. >= 600012' 4.json 5.json 6.json 7.json
	assert_output true
}

@test "a killed command's bytes stay on its job's account" {
	cx_config 'egress: {tier: default_internet, max_bytes: 3000000}'
	GIVE=${GIVE/give 1000/give 2000000}
	scene '
		cx_mint | cx-run open >job.json
		cx-run exec -c "$GIVE >/dev/null; touch got; sleep 60" \
			<job.json >killed.json &
		got() {
			compgen -G "$CX_STATE/volumes/ws/*/*/data/got"
		}
		cx_wait 20 got
		kill -KILL $!
		for n in 1 2; do
			cx-run exec -c "$GIVE >/dev/null" <job.json >"$n.json" || :
		done'
	run jq -s 'map(.result.egressTotalBytes) | add | . <= 1000000' \
		1.json 2.json
	assert_output true
	# nothing of the next job
	run passed 2.json
	assert_output 0
}

@test "nothing runs that the gateway doesn't know" {
	scene '
		CX_STATE=$PWD/other cx-gateway serve --socket "$PWD/g.sock" >where &
		gateway=$!
		cx_wait 10 test -S g.sock
		export CX_GATEWAY=$PWD/g.sock
		cx_mint >carrier.json
		cx-seal key new --purpose gateway >key.json
		cx-seal key activate "$(jq -r .kid key.json)" >/dev/null
		cx-run exec --tier default_internet --workspace kept \
			-c "touch ran" <carrier.json >result.json || :
		kill $gateway
		wait $gateway || :'
	run jq -r '.result.reason, .result.termination' result.json
	assert_output "egress_registration_failed
null"
	unset CX_GATEWAY
	run -0 sh -c 'cx-run workspace export --org acme --workspace kept |
		tar -t | grep -c ran || :'
	assert_output 0
}

# A gateway in this test's own folder, at g.sock, until the test ends.
serve() {
	cx-gateway serve --socket "$PWD/g.sock" >where 3>&- &
	GATEWAY=$!
	export CX_GATEWAY=$PWD/g.sock
	cx_wait 10 test -s where
}

teardown() {
	[ -z "${GATEWAY:-}" ] || { kill "$GATEWAY" && wait "$GATEWAY"; } || :
	cx_teardown
}

TOKEN=0123456789abcdef0123456789abcdef

register() {
	cx-gateway register <<<"$1" 2>stderr | jq -r '.reason // .error.class'
}

@test "a gateway obeys nobody without its secret" {
	serve
	CX_STATE=$PWD/other cx-seal key new --purpose gateway >key.json
	CX_STATE=$PWD/other cx-seal key activate "$(jq -r .kid key.json)" \
		>/dev/null
	for verb in usage reload "unregister --job x" "revoke --job x"; do
		# shellcheck disable=SC2086 # a verb and its option
		CX_STATE=$PWD/other cx_refuses 77 control_unauthorized \
			cx-gateway $verb
	done
	export CX_STATE=$PWD/other
	run register '{"token": "'"$TOKEN"'", "tier": "default_internet"}'
	assert_output control_unauthorized
	run stat -c %a g.sock
	assert_output 600
}

@test "a gateway obeys no other user, though he has its secret" {
	cx_need_root
	serve
	cx-gateway usage # there is a secret from now on
	cp -R "$CX_STATE" theirs
	chown -R 4242:4242 theirs
	# the file's own mode would do it, so that is out of the way
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR"
	chmod 755 "$(dirname "$BATS_TEST_TMPDIR")"
	chmod 666 g.sock
	for verb in usage reload; do
		CX_STATE=$PWD/theirs cx_refuses 77 control_unauthorized \
			setpriv --reuid 4242 --regid 4242 --clear-groups \
			cx-gateway $verb
	done
	chown -R 0:0 theirs
	CX_STATE=$PWD/theirs cx-gateway usage # the secret was the right one
}

@test "a registration is taken whole, and again only as it was" {
	local one='{"token": "'"$TOKEN"'", "tier": "allowlist",
		"allowlist": ["index.example.net"]}'
	serve
	for refused in '{"tier": "none"}' '{"token": "", "tier": "none"}' \
		'{"token": "'"$TOKEN"'", "tier": "any"}' \
		"${one/index.example.net/*}" "${one/index.example.net/co.uk}" \
		"${one/allowlist\"/allowList\"}"; do
		run register "$refused"
		assert_output egress_registration_failed
	done
	run cx-gateway usage
	assert_output --partial '"jobs":[]'
	run register "$one"
	assert_output registered
	run register "$one"
	assert_output registered
	run register "${one/\"tier\"/\"ports\": [22], \"tier\"}"
	assert_output egress_registration_failed
	run jq -c '.usage.state' <(cx-gateway unregister <<<"$one")
	assert_output '"live"'
	cx_refuses 77 unregistered_token cx-gateway unregister --job none
}

@test "a revoked job reaches nothing any more" {
	scene '
		cx-gateway serve --socket "$PWD/g.sock" \
			--listen 127.0.0.1:3128 >where &
		gateway=$!
		cx_wait 10 test -s where
		export CX_GATEWAY=$PWD/g.sock
		cx-gateway register >/dev/null <<-END
			{"token": "0123456789abcdef0123456789abcdef",
			"jobId": "j", "orgId": "acme", "tier": "default_internet"}
		END
		ask() {
			curl -s -o /dev/null -w "%{http_code} " \
				-x http://j:0123456789abcdef0123456789abcdef@127.0.0.1:3128 \
				http://a.example/
		}
		ask
		cx-gateway revoke --job j | jq -r .usage.state
		ask
		kill $gateway
		wait $gateway || :' >told.txt
	run cat told.txt
	assert_output "200 revoked
407 "
}

@test "a running gateway serves the commands of many" {
	scene '
		cx-gateway serve --socket "$PWD/g.sock" >where &
		gateway=$!
		cx_wait 10 test -S g.sock
		export CX_GATEWAY=$PWD/g.sock
		for i in 1 2 3; do
			cx_exec --tier default_internet -c "$GIVE" |
				jq -r .result.egressTotalBytes
		done
		cx-gateway usage | jq -r ".total.jobs, .total.totalBytes,
			(.jobs | length)"
		kill $gateway
		wait $gateway || :' >told.txt
	run cat told.txt
	assert_output "1010
1010
1010
3
3030
0"
}

@test "a private gateway is gone with its cx-run, however that ends" {
	scene '
		cx_mint | cx-run exec --tier default_internet \
			-c "$GIVE >/dev/null; sleep 60" >/dev/null &
		run=$!
		cx_wait 10 pgrep -P $run -x cx-gateway
		gateway=$(pgrep -P $run -x cx-gateway)
		kill -STOP $gateway
		kill -9 $run
		cx_wait 10 sh -c "! kill -0 $gateway 2>/dev/null"'
}

@test "with runs a command beside a gateway and tells what passed" {
	scene '
		printf in | cx-gateway with --usage usage.json -- bash -c "
			cat
			cx-seal mint -n --org acme --user ada --surface task |
				cx-run exec --tier default_internet -c \"\$GIVE\" \
				>/dev/null
			exit 7" && status=0 || status=$?
		echo " $status"' >told.txt
	run cat told.txt
	assert_output "in 7"
	run jq -c . usage.json
	assert_output '{"jobs":1,"upBytes":10,"downBytes":1000,"totalBytes":1010,"tunnels":1,"denied":0}'
	run ls "$CX_STATE/run"
	refute_output --partial with-
}

@test "every client finds the gateway in its environment" {
	scene 'cx_exec --tier default_internet -c env >with.json
		cx_exec --tier none -c env >without.json'
	run jq -r .result.stdout with.json
	for name in http_proxy https_proxy all_proxy; do
		assert_line "$name=http://127.0.0.1:3128"
		assert_line "${name^^}=http://127.0.0.1:3128"
	done
	for name in no_proxy NO_PROXY; do
		assert_line "$name=localhost,127.0.0.1,::1"
	done
	assert_line NODE_USE_ENV_PROXY=1
	assert_line --partial -Dhttps.proxyPort=3128
	run jq -r .result.stdout without.json
	refute_output --partial 3128
	run jq -s 'map(.result.profileDigest) | unique | length' with.json \
		without.json
	assert_output 2
}
