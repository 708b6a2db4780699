# hooks.bats - the operator's programs: off unless configured, asked in a
# clean place, and never trusted to answer or to end.
#
# shellcheck disable=SC2016,SC2154

load ../lib/common
load ../lib/jobs

setup() {
	cx_setup
	cx_l0
}

# A hook of that name, with a body on standard input: hook NAME
hook() {
	{
		echo '#!/bin/sh'
		echo "cd '$PWD'"
		cat
	} >"$1"
	chmod 755 "$1"
}

hooks() {
	local name list=
	for name; do
		list="$list$name: $PWD/$name, "
	done
	cx_config "hooks: {${list%, }}"
}

@test "no hook runs and nothing is kept unless the configuration names it" {
	hook command_policy <<<'touch asked'
	hook stdio <<<'touch asked'
	hook teardown <<<'touch asked'
	jq -c '.run = {command: "echo canary-output"} |
		.["x-hooks"] = {stdio: "/bin/true"}' <<<"$(cx_mint)" >document || [ $? = 3 ]
	cx-run exec <document | jq -e '.result.stdout == "canary-output\n"'
	cx_refuses 65 input_invalid cx-run exec -f <(jq -c \
		'.hooks = {stdio: "/bin/true"}' document)
	cx_refuses 65 input_invalid cx-run exec -f <(jq -c \
		'.run.hooks = {stdio: "/bin/true"}' document)
	[ ! -e asked ]
	run ! grep -rq canary-output "$CX_STATE"
}

@test "the command policy is asked for every form of command" {
	hook command_policy <<-'END'
		cat >>asked
	END
	hooks command_policy
	cx_mint | cx-run open >job
	for run in '{"command": "echo one", "cwd": "/workspace"}' \
		'{"argv": ["echo", "two\n"]}' \
		'{"commands": ["echo three", "echo four"]}'; do
		jq -c --argjson r "$run" '.run = $r' job | cx-run exec |
			jq -e '(.result // .results[1]).exitCode == 0'
	done
	run jq -c --arg j "$(jq -r .job.id job)" 'select(.orgId == "acme" and
		.userId == "ada" and .surface == "chat" and .jobId == $j and
		.cwd == "/workspace") | [.argv, .commands]' asked
	assert_output "$(printf '%s\n' '[null,["echo one"]]' \
		'[["echo","two\n"],null]' '[null,["echo three","echo four"]]')"
	run ! grep -q cxs1 asked
}

@test "a no of the command policy comes with its reason" {
	hook command_policy <<-'END'
		grep -q forbidden || exit 0
		echo "no forbidden words here"
		echo "a second line"
		exit 1
	END
	hooks command_policy
	cx_exec -c 'echo fine' | jq -e '.result.exitCode == 0'
	run --separate-stderr cx_exec -c 'echo forbidden'
	assert_equal "$status" 125
	jq -e '.error.class == "command_policy" and
		(.error.message | endswith(": no forbidden words here")) and
		.result.reason == "command_policy"' <<<"$output"
	assert_line --partial --regexp 'no forbidden words here$' <<<"$stderr" ||
		[[ $stderr == *'no forbidden words here' ]]
	# the record names the class and nothing of the words
	audit_rows | jq -se '.[-1].event.metadata.reason == "command_policy"'
	run ! grep -rq 'forbidden' "$CX_STATE/audit"
}

@test "a reason that is no text does no harm" {
	hook command_policy <<-'END'
		case $(cat) in
		*flood*) yes 0123456789 | head -c 50000000; exit 1 ;;
		*control*) printf '\033[31mred\033[0m\a\342\200\256\n'; exit 1 ;;
		*bytes*) printf '\377\376x\303\251\303\n'; exit 1 ;;
		*long*) printf '%0400d' 0 | sed 's/0/é/g'; exit 1 ;;
		*nothing*) exit 1 ;;
		*yes*) echo yes; exit 1 ;;
		*loud*) yes allowed | head -c 3000000; exit 0 ;;
		esac
	END
	hooks command_policy
	for word in flood control bytes long nothing yes; do
		run --separate-stderr cx_exec -c "echo $word"
		jq -e '.error.class == "command_policy" and
			(.error.message | utf8bytelength < 400) and
			(.error.message | test("[\u0000-\u001f\u007f-\u009f]") |
			not) and (.error.message | test("\u202e") | not)' \
			<<<"$output" || {
			echo "$word: $output"
			return 1
		}
	done
	cx_exec -c 'echo loud' | jq -e '.result.exitCode == 0'
}

@test "a hook stands in a clean place" {
	hook command_policy <<-'END'
		tr '\0' '\n' </proc/$$/environ >environment
		ls -l /proc/$$/fd >descriptors
		readlink /proc/$$/fd/0 >input
		grep '^SigIgn' /proc/$$/status >signals
		cat >/dev/null
	END
	sed -i "s|^cd .*|readlink /proc/\$\$/cwd >'$PWD/folder'\n&|" \
		command_policy
	hooks command_policy
	cx_mint >carrier
	trap '' HUP USR1
	CX_SECRET=canary cx-run exec -f carrier -c true 7</dev/null \
		9>>leaked | jq -e '.result.exitCode == 0'
	trap - HUP USR1
	assert_equal "$(cat environment)" \
		'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
	# the shell has its script open, from 10 on
	run ! grep -qE 'leaked|/dev/null| [3-9] -> ' descriptors
	assert_equal "$(cat folder)" /
	assert_regex "$(cat input)" 'memfd'
	run grep -v '0000000000000000$' signals
	assert_output ''
}

@test "a hook that hangs is a no after five seconds, and is killed" {
	local began
	hook command_policy <<-'END'
		sleep 300 &
		echo $! >child
		echo $$ >self
		trap '' TERM HUP INT
		sleep 300
	END
	hooks command_policy
	began=$SECONDS
	cx_refuses 125 command_policy cx_exec -c true
	[ $((SECONDS - began)) -le 8 ]
	run ! kill -0 "$(cat self)"
	cx_wait 5 sh -c "! kill -0 $(cat child) 2>/dev/null"
}

@test "what a hook leaves running doesn't hold the command up" {
	local began=$SECONDS
	hook command_policy <<-'END'
		sleep 300 &
		echo $! >child
	END
	hooks command_policy
	cx_exec -c true | jq -e '.result.exitCode == 0'
	[ $((SECONDS - began)) -lt 5 ]
	cx_wait 5 sh -c "! kill -0 $(cat child) 2>/dev/null"
}

@test "a command policy that can't be run is a no" {
	local kind
	for kind in missing folder unexecutable broken; do
		rm -rf command_policy
		case $kind in
		folder) mkdir command_policy ;;
		unexecutable) echo '#!/bin/sh' >command_policy ;;
		broken)
			echo 'no interpreter line' >command_policy
			chmod 755 command_policy
			;;
		esac
		hooks command_policy
		cx_refuses 125 command_policy cx_exec -c 'touch ran'
	done
}

@test "the output hook gets the result, and changes nothing of it" {
	local how
	for how in 'exit 0' 'exit 1' 'kill -9 $$' 'yes | head -c 1000000'; do
		hook stdio <<-END
			cat >>told
			$how
		END
		hooks stdio
		rm -f told
		cx_exec -c 'echo canary-output; echo words >&2; exit 3' >document || [ $? = 3 ]
		jq -e '.result.stdout == "canary-output\n" and
			.result.exitCode == 3 and .error == null' document
		jq -e '.orgId == "acme" and .userId == "ada" and
			(.command | test("^j-[a-z2-7]{26}/1$")) and
			.result.stdout == "canary-output\n" and
			.result.stderr == "words\n" and
			.result.exitCode == 3' told
	done
	run ! grep -q cxs1 told
	# what was refused has no output
	rm told
	cx_refuses 77 no_session cx-run exec -f <(echo '{"run":{"command":"x"}}')
	[ ! -e told ]
	run ! grep -rq canary-output "$CX_STATE"
}

@test "the teardown hook is told once of what is over" {
	hook teardown <<-'END'
		cat >>told
		exit 1
	END
	hooks teardown
	cx_exec -c true | jq -r .result.jobId >id
	assert_equal "$(cat told)" \
		"{\"orgId\":\"acme\",\"userId\":\"ada\",\"jobId\":\"$(cat id)\"}"
	rm told
	cx_mint | cx-run open >job
	on "$(cat job)" -c true | jq -e '.result.exitCode == 0'
	[ ! -e told ]
	cx-run close <job >closed
	jq -e --arg j "$(jq -r .job.id job)" '.jobId == $j' told
	rm told
	agent r-1 | cx-run open >opened
	on "$(cat opened)" -c true | jq -e '.result.exitCode == 0'
	[ ! -e told ]
	cx-run close <opened >closed
	assert_equal "$(cat told)" \
		'{"orgId":"acme","userId":"ada","runId":"r-1"}'
}

@test "a hook that somebody else could change is a no" {
	mkdir folder
	hook folder/command_policy <<<'touch asked'
	ln -s folder/command_policy command_policy
	hooks command_policy
	run -0 cx_exec -c true
	rm asked
	# itself, also behind a link; a folder on its way
	for place in folder/command_policy folder .; do
		chmod o+w "$place"
		cx_refuses 125 command_policy cx_exec -c 'touch ran'
		grep -q 'chmod go-w' "$BATS_TEST_TMPDIR/stderr"
		chmod o-w "$place"
		chmod g+w "$place"
		cx_refuses 125 command_policy cx_exec -c 'touch ran'
		chmod g-w "$place"
	done
	if [ "$(cx_identity)" = root ]; then
		chown 65533 folder/command_policy
		cx_refuses 125 command_policy cx_exec -c 'touch ran'
	fi
	assert_not_exist asked
}
