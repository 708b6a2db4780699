#!/usr/bin/env bats
# input.bats - documents in: what is read, what is refused and where.

load ../lib/common

# TEXT (for printf) is refused at the place that the message begins with.
refused() {
	# shellcheck disable=SC2059 # the escapes are meant
	printf -- "$1" >document
	run -65 --separate-stderr cx-seal mint -f document
	assert_output --partial '"class":"input_invalid"'
	# shellcheck disable=SC2154 # run sets it
	[[ $stderr == "cx-seal: input_invalid: document: $2"* ]] || {
		echo "wanted: $2"
		echo "got: $stderr"
		return 1
	}
	[ $# -lt 3 ] || [ "$(jq -r .error.pointer <<<"$output")" = "$3" ]
}

@test "odd JSON documents are refused with line and column" {
	refused '{"a":1}{"b":2}' 'line 1, column 8: more text'
	refused '{"a":1} x' 'line 1, column 9: more text'
	refused '' 'line 1, column 1: it is empty'
	refused '\n' 'line 1, column 1: it is empty'
	refused '\\n' 'line 1, column 1: the document must be an object'
	refused '{"a":00}' 'line 1, column 6: a number' /a
	refused '{"a":1,}' 'line 1, column 8: a key'
	refused '{"a":"\\ud800"}' 'line 1, column 7: a high surrogate' /a
	refused '{"a\\u0000b":1}' 'line 1, column 4: \u0000 (NUL)'
	refused '{"a":"x\\u0000y"}' 'line 1, column 8: \u0000 (NUL)' /a
	refused '{"a":"x\0y"}' 'line 1, column 8: a NUL byte' /a
	refused '{"a":NaN}' 'line 1, column 6: a value' /a
	refused '/*c*/{}' 'line 1, column 1: the document must be an object'
	refused '[]' 'line 1, column 1: the document must be an object'
	refused ' \n "s"' 'line 2, column 2: the document must be an object'
	refused '{"a":1e999}' 'line 1, column 6: a number beyond' /a
	refused '{"a":9223372036854775808}' 'line 1, column 6: a whole' /a
	refused '{"a":{"b":[1,{"c":2,"c":3}]}}' \
		'line 1, column 21: this key stands twice' /a/b/1/c
	refused '\xef\xbb\xbf{}' 'line 1, column 1: a byte-order mark'
	refused '{"a":"\xff"}' 'line 1, column 7: invalid UTF-8' /a
}

@test "odd YAML documents are refused with line and column" {
	refused 'run: &a {argv: *a}\n' 'line 1, column 6: anchors' /run
	refused 'run:\n  <<: {argv: [x]}\n' 'line 2, column 3: merge keys' /run
	refused 'run: !!map {}\n' 'line 1, column 6: tags are refused' /run
	refused 'run: {}\nrun: {}\n' 'line 2, column 1: this key stands' /run
	refused 'run: {}\n---\nrun: {}\n' 'line 2, column 1: a second document'
	refused 'run: {}\n...\n# end\nrun: {}\n' 'line 4, column 1: more text'
	refused '%%YAML 1.1\n---\nrun: {}\n' 'line 1, column 1: directives'
	refused '- run\n' 'line 1, column 1: the document must be an object'
	refused 'run: [\n' 'line 2, column 1: did not find'
}

@test "an oversized or deep document is refused in no time" {
	head -c 320000 /dev/zero | tr '\0' '[' >deep
	{
		printf 'x-a: '
		cat deep
	} >deep.yaml
	head -c 17000000 /dev/zero | tr '\0' ' ' >large
	start=$(date +%s%N)
	run -65 cx-seal mint -f deep
	assert_output --partial 'line 1, column 65: nested deeper than 64'
	run -65 cx-seal mint -f deep.yaml
	assert_output --partial 'nested deeper than 64'
	run -65 cx-seal mint -f large
	assert_output --partial '16777216 bytes'
	[ $((($(date +%s%N) - start) / 1000000)) -lt 1000 ]
}

@test "minus zero is zero, and what a tool doesn't own passes value-equal" {
	printf '%s' '{"x-a":-0,"x-b":[1.50,1e2,1e20,1E-7,"\u00e9\/"],
		"session":{"orgId":"acme","userId":"ada","surface":"chat"},
		"x-c":{"z":1,"a":2}}' >document
	run -0 --separate-stderr cx-seal mint -f document
	[ "$(jq -c 'del(.carrier, .carrierExpiresAt)' <<<"$output")" = \
		"$(jq -c '{apiVersion: "cx/v1"} + . | del(.session)
			| .["x-a"] = 0' document)" ]
	assert_output --partial '"x-a":0,"x-b":[1.5,100,1e+20,1e-7,"é/"]'
}

@test "a YAML stream gives a line for each document, faults included" {
	cat >stream <<-'END'
		# the first
		session: {orgId: acme, userId: ada, surface: chat}
		---
		- a list
		---
		# nothing
		--- {session: {orgId: acme, userId: bob, surface: task}}
		...
		---
	END
	run -1 --separate-stderr cx-seal mint --stream -f stream
	[ "${#lines[@]}" -eq 3 ]
	jq -e .carrier <<<"${lines[0]}"
	jq -e .carrier <<<"${lines[2]}"
	[ "$(jq -r .error.message <<<"${lines[1]}")" = \
		"stream, document 2: line 1, column 1: the document must be an object" ]
}
