#!/usr/bin/env bats
# options.bats - each option of each verb of each tool, given wrongly.

load ../lib/common

# The tables speak for themselves through the completion that is made of them.
tables() {
	local tool=$1
	eval "$("$CX_BIN/$tool" --cx-bash | sed '/^complete /d')"
	verbs=$("_${tool/-/_}_verbs")
}

# The fault $2 of "$@" is usage, exit $1, and named with a way on; one wrong
# command line is told in a few bytes whatever the tool.
wrong() {
	local want=$1 hint=$2 got status=0
	shift 2
	got=$("$@" </dev/null 2>stderr) || status=$?
	if [ "$status" -ne "$want" ] || [[ $(<stderr) != *": usage: "* ]] ||
		[[ $(<stderr) != *"$hint"* ]] ||
		[[ -n $got && $got != *'"class":"usage"'* ]]; then
		echo "$* : $status, wanted $want and '$hint'"
		cat stderr
		return 1
	fi
}

# A verb $2 of tool $1, whose options are $3.
walk() {
	local tool=$1 option kind short
	local -a verb
	read -ra verb <<<"$2"
	wrong 64 "--help" "$tool" "${verb[@]}" --no-such-option
	wrong 64 "no option -Z" "$tool" "${verb[@]}" -Z
	for option in $3; do
		kind=$("_${tool/-/_}_kind" "$2" "$option")
		short=${option%?}
		case " $3 " in
		*" $short "*) ;;
		*) wrong 64 "there is" "$tool" "${verb[@]}" "$short" ;;
		esac
		if [ -n "$kind" ]; then
			wrong 64 "$option: its value is missing" \
				"$tool" "${verb[@]}" "$option"
		else
			wrong 64 "takes no value" "$tool" "${verb[@]}" "$option=1"
		fi
		[[ $kind != words* ]] ||
			wrong 64 "it is one of" "$tool" "${verb[@]}" "$option" odd
	done
}

@test "each option of each verb has to be spelled out, and have its value" {
	local tool verb options
	for tool in "$CX_BIN"/cx-*; do
		tool=${tool##*/}
		tables "$tool"
		while IFS= read -r verb; do
			options=$("_${tool/-/_}_options" "$verb")
			walk "$tool" "$verb" "${options/--help/}"
		done <<<"$verbs"
	done
}

@test "a number out of its bounds is a wrong command line" {
	local tool verb line
	for tool in "$CX_BIN"/cx-*; do
		tool=${tool##*/}
		tables "$tool"
		while IFS= read -r verb; do
			# shellcheck disable=SC2086 # a verb may be two words
			"$tool" $verb --help | tr '\n' ' ' |
				grep -oE -- '--[a-z-]+ [A-Z]+ [^()]*\(from [0-9]+' |
				sed -nE 's/^.*(--[a-z-]+) [A-Z]+ .*\(from ([0-9]+)$/\1/p' >numbers
			while IFS= read -r line; do
				# shellcheck disable=SC2086
				wrong 64 "whole number" "$tool" $verb "$line" x
				# shellcheck disable=SC2086
				wrong 64 "whole number" "$tool" $verb "$line" -1
				# shellcheck disable=SC2086
				wrong 64 "whole number" "$tool" $verb "$line" \
					99999999999999999999
			done <numbers
		done <<<"$verbs"
	done
	wrong 64 "1 to 1000000" cx-seal attenuate --commands 0
	wrong 64 "seconds since 1970" cx-seal attenuate --expires soon
	wrong 64 "--ttl" cx-seal mint --ttl soon
}

@test "with the command's status as its own, a wrong command line is 125" {
	wrong 125 "no option --no-such" cx-run exec -e --no-such
	wrong 125 "no option --no-such" cx-run exec --no-such -e
	wrong 125 "no option --no-such" cx-run exec --no-such -- true
	wrong 125 "no option --no-such" cx-run exec -c true --no-such
	wrong 125 "value is missing" cx-run exec -c true --wait
	wrong 125 "there is --exit-status" cx-run exec -e --exit
	wrong 125 "exclude each other" cx-run exec -c true -- true
	wrong 125 "exclude each other" cx-run exec -e -n -f x
	wrong 64 "exclude each other" cx-run exec -n -f x
	# what a command's reader takes for the command's stays empty
	run -125 --separate-stderr cx-run exec --raw --no-such -- true
	assert_output ''
	[[ $stderr == *"no option --no-such"* ]]
}

@test "exec takes a command behind -- alone, and no option out of it" {
	wrong 125 "cx-run exec -- ls" cx-run exec ls
	wrong 125 "cx-run exec -- ls" cx-run exec -n ls -e
	wrong 125 "cx-run exec -- ls" cx-run exec ls -- -n
	wrong 64 "cx-run spec -- ls" cx-run spec -n ls --explain
	# a value that reads "--" isn't the end of the options
	wrong 125 "cx-run exec -- ls" cx-run exec -c -- ls
}

@test "a word too many is told what it may have been" {
	wrong 64 "did you mean --file in.json?" cx-run batch in.json
	wrong 64 "did you mean --workspace notes?" cx-run workspace rm notes
	wrong 64 "did you mean --workspace notes?" cx-run workspace export notes
	wrong 64 "it takes no operand" cx-run ready now
}

@test "a terminal is told of -n only where there is one" {
	cx_need script
	run script -qec 'cx-run spec' /dev/null
	assert_output --partial "use -f FILE or -n"
	for verb in 'cx-run open' 'cx-run close' 'cx-run batch' \
		'cx-audit append' 'cx-audit read --carrier' 'cx-seal open --raw'; do
		run script -qec "$verb" /dev/null
		assert_failure 64
		assert_output --partial "use -f FILE"
		refute_output --partial " -n"
	done
}
