# gateway-world.bats - the tools that the gateway is tried with, tried
# against each other: what the client counts is what the origin counts.

load ../lib/common

setup() {
	cx_setup
	cx_need ip nsenter unshare python3
	cx_need_built gateway/load
	export tools=$CX_TOOLS/gateway
}

# An origin at every address, ports 80 and 443, and "$@" beside it.
beside_origin() {
	cat >body <<-'END'
		mkfifo ask
		"$CX_ROOT/test/gateway/world" --origin "$tools/origin" \
			--log log 0.0.0.0:80 0.0.0.0:443 <ask >totals &
		exec 7>ask
		until [ -s totals ]; do sleep 0.01; done
		"$@" || exit
		echo totals >&7
		until [ "$(wc -l <totals)" -eq 2 ]; do sleep 0.01; done
		tail -1 totals
	END
	timeout 60 "$CX_ROOT/test/gateway/world" bash body "$@"
}

@test "the client's and the origin's counts of tunnels are the same" {
	run --separate-stderr beside_origin "$tools/load" \
		--to 93.184.215.14:443 --count 300 --parallel 40 \
		--bytes 200000 mix
	assert_success
	assert_equal "$(jq -s '[.[0].failed, .[0].wrong, .[1].wrong,
		.[0].up - .[1].in, .[0].down - .[1].out, .[1].open]' \
		-c <<<"$output")" "[0,0,0,0,0,0]"
	assert_equal "$(jq -s '.[0].done' <<<"$output")" 300
}

@test "the origin keeps each request as it saw it" {
	run --separate-stderr beside_origin "$tools/load" \
		--to 198.51.100.9:80 --count 3 --pings 5 --bytes 100000 get
	assert_success
	assert_equal "$(jq -s '[.[0].done, .[0].down, .[1].requests]' -c \
		<<<"$output")" "[3,1500000,15]"
	run jq -r 'select(.request) | .request' log
	assert_line "GET /bytes/100000 HTTP/1.1"$'\r'
}

@test "the world has no way out" {
	run timeout 20 "$CX_ROOT/test/gateway/world" sh -c '
		ip -o link | cut -d: -f2 | sort
		"$CX_ROOT/test/gateway/world" --origin ip -o link |
			cut -d: -f2 | sort'
	assert_success
	assert_equal "$(sed 's/@.*//; s/ //g' <<<"$output" | tr '\n' ' ')" \
		"g0 lo lo o0 "
}

@test "the resolver answers from its world, and counts" {
	cat >"$HOME/look" <<-'END'
		import socket, sys
		try:
		    found = socket.getaddrinfo(sys.argv[1], 80, type=1)
		    print(" ".join(sorted(at[4][0] for at in found)))
		except socket.gaierror:
		    print("none")
	END
	cat >body <<-'END'
		mkfifo ask
		"$CX_ROOT/test/gateway/world" --origin "$tools/resolver" \
			198.51.100.53:53 <ask >counts &
		exec 7>ask
		until [ -s counts ]; do sleep 0.01; done
		echo '{"a.example": {"A": ["93.184.215.14"],
			"AAAA": ["2606:2800:21f::14"]},
			"b.example": {"CNAME": "a.example"},
			"c.example": {"sequence": [["1.2.3.4"], ["10.0.0.1"]]}}' |
			tr -d '\n\t' >&7
		echo >&7
		until [ "$(wc -l <counts)" -eq 2 ]; do sleep 0.01; done
		for name in b c c d; do
			python3 "$HOME/look" $name.example
		done
		echo >&7
		until [ "$(wc -l <counts)" -eq 3 ]; do sleep 0.01; done
		tail -1 counts | jq -c '.lookups["c.example"]'
	END
	run timeout 60 "$CX_ROOT/test/gateway/world" bash body
	assert_success
	assert_output - <<-'END'
		2606:2800:21f::14 93.184.215.14
		1.2.3.4
		10.0.0.1
		none
		{"A":2,"AAAA":2}
	END
}
