# bash completion for cx: the tools' own, under one word.
# shellcheck shell=bash

# Another tool's completion sees the line as if that had been typed.
_cx_as() {
	local tool=$1 lead=$2 rest=$3
	local COMP_LINE="$lead$rest" COMP_POINT

	COMP_POINT=${#COMP_LINE}
	declare -F "_${tool//-/_}" >/dev/null ||
		source "${BASH_SOURCE[0]%/*}/$tool" 2>/dev/null || return
	"_${tool//-/_}" "$tool" "$4" "$5"
}

_cx() {
	local line=${COMP_LINE:0:COMP_POINT} rest
	local -a words

	read -ra words <<<"$line"
	[[ $line == *[[:blank:]] ]] && words+=('')
	COMPREPLY=()
	if [[ ${#words[@]} -le 2 ]]; then
		mapfile -t COMPREPLY < <(compgen -W \
			'audit build gateway run seal --help --version' -- "$2")
		return
	fi
	rest=${line#*"${words[0]}"*"${words[1]}"}
	case "${words[1]} ${words[2]}" in
	# an option at once is exec's
	'run -'*) _cx_as cx-run 'cx-run exec' "$rest" "$2" "$3" ;;
	*) _cx_as "cx-${words[1]}" "cx-${words[1]}" "$rest" "$2" "$3" ;;
	esac
}

complete -F _cx cx
