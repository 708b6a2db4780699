#!/usr/bin/env bats
# clients.bats - the programs that people reach the network with, inside: those
# that are told of a proxy by the environment, the same without a word of it,
# and those that never ask for one. Each where it is admitted, and where it
# isn't.
#
# Over a base with all of them (clients.yaml); origin.py is what they talk to.
#
# shellcheck disable=SC2016,SC2034,SC2317

load ../lib/common
load ../lib/egress

setup() {
	# compilers and Java want more than the default
	CX_LIMITS='  memory_bytes: 2147483648
  cpus: 2
  wall_ms: 600000'
	cx_setup
	store=${CX_TEST_CLIENTS:-$CX_ROOT/.build/clients/state}
	[ -e "$store/roots/clients.ref" ] ||
		cx_lacks "needs the clients' base: make check-clients" ||
		return 1
	sed -i "s|^store: .*|store: {shared: $store}|" "$CX_CONFIG"
	export CX_L0_IMAGE=clients
	cx_mint >carrier
}

origin() {
	rm -rf servers.in served
	mkfifo servers.in
	there "$CX_ROOT/test/clients/origin.py" "$PWD/served" \
		<servers.in >servers.out 2>&1 &
	exec 7>servers.in
	wait_for grep -q ready servers.out
	cp served/ca.pem ca.pem
	names '{"www.example.org": {"A": ["93.184.216.34"],
		"AAAA": ["2606:2800::34"]},
		"other.example": {"A": ["93.184.216.35"]}}'
}

# TEXT inside, where www.example.org is admitted and where it isn't.
both() {
	local port hosts=(--host www.example.org) in=(--in ca.pem --in plain)
	[ ! -e program ] || in+=(--in program)
	for port in 22 5432; do
		hosts+=(--host "www.example.org:$port")
	done
	inside "$1" "${in[@]}" --tier allowlist "${hosts[@]}" \
		2>&1 | tr -d '\r' | sed 's/^/allowed: /' || true
	inside "$1" "${in[@]}" --tier allowlist --host other.example \
		2>&1 | sed 's/^/denied: /' || true
}

# What runs without a word of a proxy.
plain() {
	printf '#!/bin/bash\nexec env -i PATH="$PATH" HOME="$HOME" "$@"\n' >plain
	chmod 755 plain
}
cx_world_functions=(origin both plain)

# TEXT says WANTED where it is admitted; elsewhere it doesn't, and what it says
# matches WHY: client TEXT WANTED [WHY]
client() {
	run world 'plain; origin; both "$1"' "$1"
	assert_success
	assert_line "allowed: $2"
	refute_line "denied: $2"
	assert_line --regexp "^denied: .*${3:-.}"
}

@test "curl" {
	client 'curl -sS --cacert ca.pem https://www.example.org/page' \
		'hello from http' 403
	client 'curl -sS -i http://www.example.org/page | tr -d "\r"' \
		'hello from http' denied_by_allowlist
	client './plain curl -sS --cacert ca.pem https://www.example.org/page' \
		'hello from http' 'resolve host'
}

@test "wget" {
	client 'wget -nv -O - --ca-certificate=ca.pem \
		https://www.example.org/page' 'hello from http' denied_by_allowlist
	client './plain wget -nv -O - http://www.example.org/page' \
		'hello from http' 'resolve host'
}

@test "git" {
	client 'git -c http.sslCAInfo=$PWD/ca.pem clone -q \
		https://www.example.org/hello.git here; cat here/hello' \
		'hello from git' 403
	client './plain git clone -q http://www.example.org/hello.git here
		cat here/hello' 'hello from git' 'resolve host'
}

@test "pip" {
	client 'pip install -q --no-deps --cert ca.pem \
		--index-url https://www.example.org/simple/ cxhello
		python3 -m cxhello' 'hello from pip' denied_by_allowlist
}

@test "npm" {
	client 'npm install --silent --registry http://www.example.org/ cxhello
		node -e "require(\"cxhello\")" 2>&1 | tail -1
		npm view --registry http://www.example.org/ cxhello version 2>&1' \
		'hello from npm' denied_by_allowlist
}

@test "apt" {
	client 'mkdir -p lists/partial cache/archives/partial
		echo "deb [trusted=yes] http://www.example.org/apt ./" >sources
		apt() {
			apt-get -q -o Dir::Etc::SourceList=$PWD/sources \
				-o Dir::Etc::SourceParts=- -o Dir::State=$PWD \
				-o Dir::Cache=$PWD/cache \
				-o Dir::State::status=/dev/null "$@" 2>&1
		}
		apt update; apt download cxhello
		dpkg-deb -f cxhello_1.0_all.deb Description' \
		'hello' denied_by_allowlist
}

@test "Python" {
	client 'python3 -c "
import ssl, urllib.request
c = ssl.create_default_context(cafile=\"ca.pem\")
print(urllib.request.urlopen(\"https://www.example.org/page\",
      context=c).read().decode(), end=\"\")"' 'hello from http' \
		denied_by_allowlist
	client './plain python3 -c "
import socket
s = socket.create_connection((\"www.example.org\", 80))
s.sendall(b\"GET /page HTTP/1.0\\r\\nHost: www.example.org\\r\\n\\r\\n\")
print(s.makefile().read(), end=\"\")"' 'hello from http' gaierror
}

@test "Node" {
	client 'NODE_EXTRA_CA_CERTS=$PWD/ca.pem node -e "
fetch(\"https://www.example.org/page\").then(r => r.text()).then(t =>
process.stdout.write(t)).catch(e => console.log(e.cause.code))"' \
		'hello from http'
	client './plain node -e "
fetch(\"http://www.example.org/page\").then(r => r.text()).then(t =>
process.stdout.write(t)).catch(e => console.log(e.cause.code))"' \
		'hello from http' 'ENOTFOUND|EAI_AGAIN'
}

@test "Java" {
	client 'cat >J.java <<-"X"
		import java.io.*; import java.net.*;
		public class J { public static void main(String[] a)
		throws Exception { System.out.println(new BufferedReader(
		new InputStreamReader(new URI("http://www.example.org/page")
		.toURL().openStream())).readLine()); } }
		X
		java J.java 2>&1' 'hello from http'
	client 'cat >J.java <<-"X"
		import java.io.*; import java.net.*;
		public class J { public static void main(String[] a)
		throws Exception { Socket s = new Socket("www.example.org", 80);
		s.getOutputStream().write(("GET /page HTTP/1.0\r\nHost: "
		+ "www.example.org\r\n\r\n").getBytes());
		System.out.println(new String(s.getInputStream()
		.readAllBytes())); } }
		X
		./plain java J.java 2>&1' 'hello from http' UnknownHost
}

@test "Go" {
	cat >program.go <<-"X"
		package main
		import ("fmt"; "io"; "net/http")
		func main() { r, e := http.Get("http://www.example.org/page")
		if e != nil { fmt.Println(e); return }
		b, _ := io.ReadAll(r.Body); fmt.Print(r.Status, "\n", string(b)) }
	X
	# the library is compiled with it, once
	BATS_TEST_TIMEOUT=600
	cx-run exec -f carrier --raw --tier none --in program.go --out program \
		-c 'GOCACHE=$PWD/go GO111MODULE=off go build program.go'
	client './program' 'hello from http' denied_by_allowlist
	client './plain ./program' 'hello from http' 'no such host'
}

@test "ssh" {
	client './plain ssh -v -o BatchMode=yes -o ConnectTimeout=9 \
		-o StrictHostKeyChecking=no u@www.example.org true 2>&1 |
		grep -o "remote software version [^ ,]*\|Could not resolve.*"' \
		'remote software version cxhello' 'Could not resolve'
}

@test "psql" {
	client './plain psql "host=www.example.org user=a dbname=b" -Atc \
		"select 1" 2>&1' 'hello from psql' 'translate host name'
}
