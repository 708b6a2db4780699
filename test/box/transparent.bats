#!/usr/bin/env bats
# transparent.bats - programs that know nothing of proxies, in the tiers that
# ride a gateway: where they get, where they don't, and what it is judged by.
#
# shellcheck disable=SC2016,SC2034

load ../lib/common
load ../lib/egress

setup() {
	cx_setup
	cx_l0
	cx_mint >carrier
}

known() {
	echo '{
		"www.example.org": {"A": ["93.184.216.34"], "AAAA": ["2606:2800::34"]},
		"four.example.org": {"A": ["93.184.216.35"]},
		"six.example.org": {"AAAA": ["2606:2800::36"]},
		"db.example": {"A": ["93.184.216.40"], "AAAA": ["2606:2800::40"]},
		"inner.example": {"A": ["10.1.2.3"]}
	}'
}
cx_world_functions=(known)

@test "a plain socket reaches what is admitted, by name, over IPv4 and IPv6" {
	run world 'serve 443; names "$(known)"
		for name in www four six; do
			inside "echo echo | timeout 10 nc $name.example.org 443" \
				--tier default_internet
		done
		inside "echo echo | timeout 10 nc 93.184.216.99 443;
			echo echo | timeout 10 nc 2606:2800::99 443" \
			--tier default_internet
		cat origin.log'
	assert_success
	assert_line --partial '"to":"93.184.216.35:443"'
	assert_line --partial '"to":"[2606:2800::36]:443"'
	assert_line --partial '"to":"93.184.216.99:443"'
	assert_line --partial '"to":"[2606:2800::99]:443"'
}

@test "an entry that names a port opens that port, by whatever protocol" {
	run world 'serve 5432 22; names "$(known)"
		inside "echo give 5 | timeout 10 nc db.example 5432 | wc -c
			echo give 5 | timeout 10 nc db.example 22 2>/dev/null |
			wc -c" \
			--tier allowlist --host db.example:5432
		inside "echo give 5 | timeout 10 nc www.example.org 22 | wc -c" \
			--tier allowlist --host www.example.org:22'
	assert_success
	assert_output "5
0
5"
}

@test "what isn't admitted is reset at once" {
	run world 'serve 443 22 80; names "$(known)"
		inside "
			for at in 93.184.216.34:443 2606:2800::34:443 \
				10.1.2.3:443 127.0.0.1:3129 198.18.3.3:443 \
				93.184.216.34:22 169.254.169.254:80; do
				t=\$(date +%s)
				n=\$(echo give 5 | timeout 10 nc \${at%:*} \
					\${at##*:} 2>/dev/null | wc -c)
				echo \"\$n \$((\$(date +%s) - t < 5))\"
			done" --tier allowlist --host www.example.org'
	assert_success
	assert_equal "${#lines[@]}" 7
	for line in "${lines[@]}"; do
		assert_equal "$line" "0 1"
	done
}

@test "a name that the policy refuses doesn't exist inside" {
	run world 'names "$(known)"
		inside "
			for name in www.example.org a.www.example.org db.example \
				xwww.example.org localhost.localdomain; do
				nslookup \$name >out 2>&1 && echo \"\$name: is\" ||
					echo \"\$name: isn'"'"'t\"
			done" --tier allowlist --host www.example.org'
	assert_success
	assert_output "www.example.org: is
a.www.example.org: is
db.example: isn't
xwww.example.org: isn't
localhost.localdomain: isn't"
}

@test "a name is judged again by what it leads to" {
	run world 'serve 443; names "$(known)"
		inside "echo give 5 | timeout 10 nc inner.example 443 2>/dev/null |
			wc -c" --tier default_internet
		grep -c 10.1.2.3 origin.log || true'
	assert_success
	assert_output "0
0"
}

@test "an address that stands for no name is judged as itself" {
	run world 'serve 443; names "$(known)"
		inside "nslookup www.example.org >/dev/null
			for at in 198.18.0.0 198.18.1.77 2001:2::177; do
				echo give 5 | timeout 10 nc \$at 443 2>/dev/null |
					wc -c
			done" --tier default_internet'
	assert_success
	assert_output "0
0
0"
}

@test "a hello for a host that isn't on the list goes nowhere" {
	cp "$CX_ROOT/test/data/hello/ok/curl" hello
	run world 'serve 443; names "$(known)"
		for host in db.example www.example.org; do
			inside "timeout 10 nc $host 443 <hello >/dev/null 2>&1 || :" \
				--in hello --tier allowlist --host $host
		done
		grown() {
			[ "$(grep -vc 127.0.0.1 origin.log)" = 2 ]
		}
		wait_for grown
		grep -v 127.0.0.1 origin.log | jq -r .in'
	assert_success
	assert_output "0
517"
}

@test "what is no TLS needs an entry that names the port" {
	cp "$CX_ROOT/test/data/hello/ok/nameless" hello
	run world 'serve 443; names "$(known)"
		for host in db.example db.example:443; do
			inside "echo give 5 | timeout 10 nc db.example 443 \
				2>/dev/null | wc -c
				timeout 10 nc db.example 443 <hello \
				>/dev/null 2>&1 || :" \
				--in hello --tier allowlist --host $host
		done
		grown() {
			[ "$(grep -vc 127.0.0.1 origin.log)" = 4 ]
		}
		wait_for grown
		grep -v 127.0.0.1 origin.log | jq -r .in'
	assert_success
	assert_output "0
5
0
0
7
297"
}

@test "port 80 is read as HTTP, each request by its Host" {
	run world 'serve 80; names "$(known)"
		ask() {
			printf "GET / HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n" "$@"
		}
		ask www.example.org four.example.org >two
		ask db.example >other
		echo give 5 >none
		inside "for f in two other none; do
				timeout 10 nc www.example.org 80 <\$f |
					grep -o \"HTTP/1.1 [0-9]*\"
			done" --in two --in other --in none \
			--tier allowlist --host www.example.org
		grep -v 127.0.0.1 origin.log | grep -cE "216.35|216.40" || true'
	assert_success
	assert_output "HTTP/1.1 200
HTTP/1.1 403
HTTP/1.1 403
HTTP/1.1 400
0"
}

@test "the program may bind any port of its own" {
	run world '
		inside "
			echo one | timeout 9 nc -l -p 443 >got.one &
			echo two | timeout 9 nc -l -p 80 >got.two &
			for port in 443 80; do
				i=0
				until echo x | timeout 5 nc 127.0.0.1 \$port \
					2>/dev/null; do
					i=\$((i + 1))
					[ \$i -lt 100 ] || break
					sleep 0.05
				done
			done
			wait
			cat got.one got.two" --tier default_internet'
	assert_success
	assert_output "one
two
x
x"
}

@test "without nf_tables a listener stands at each admitted port" {
	run world 'serve 443 80; names "$(known)"
		set -- --tier default_internet
		"$CX_TOOLS/without" \
			--errno EOPNOTSUPP writev -- "$(command -v cx-run)" exec \
			-f carrier --raw "$@" -c "
			echo give 5 | timeout 10 nc four.example.org 443 | wc -c
			echo give 5 | timeout 10 nc six.example.org 443 | wc -c
			echo give 5 | timeout 10 nc four.example.org 22 2>/dev/null |
				wc -c"'
	assert_success
	assert_output "5
5
0"
}

@test "what went by a plain socket is counted as by the proxy" {
	run world 'serve 443; names "$(known)"
		run_in "echo give 100000 | timeout 10 nc four.example.org 443 |
			wc -c" --tier default_internet
		jq -c "[.result.stdout, .result.egressMode]" result
		wait_for grep -q 216.35 origin.log
		grep 216.35 origin.log >ours
		jq -n "[inputs] | (.[0].result.egressTotalBytes) ==
			(.[1].in + .[1].out)" result ours'
	assert_success
	assert_line '["100000\n","default_internet"]'
	assert_line true
}

# As somebody else than root, and not as root of a namespace.
@test "an ordinary user's programs get there, too" {
	cx_only_as root
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR" "$BATS_SUITE_TMPDIR" \
		2>/dev/null || true
	# where the tree stands he may not be let in
	mkdir user tools
	cp "$CX_BIN"/cx-* "$CX_ROOT/share/l0/busybox.yaml" tools
	sed -i "/^store: /d" "$CX_CONFIG"
	run world 'serve 443; names "$(known)"
		chown 65534:65534 user carrier
		PATH=$PWD/tools:$PATH
		sed "/^limits:/a\  best_effort: [memory, cpu, pids]" \
			"$CX_CONFIG" >user/config.yaml
		export CX_STATE=$PWD/user/state
		export CX_CONFIG=$PWD/user/config.yaml
		export HOME=$PWD/user
		cd user
		setpriv --reuid 65534 --regid 65534 --clear-groups \
			bash -euc "cx-build l0 -f ../tools/busybox.yaml \
				>/dev/null 2>&1
			cx-seal mint -n --org a --user b \
				--surface chat 2>/dev/null |
			cx-run exec --raw --tier default_internet -c \
			\"echo give 5 | timeout 10 nc six.example.org 443 | wc -c
			echo give 5 | timeout 10 nc 10.9.8.7 443 2>/dev/null |
			wc -c\""'
	assert_success
	assert_output "5
0"
}
