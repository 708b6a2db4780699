#compdef cx
# The tools' own completions, under one word.

_cx() {
	local tool=cx-$words[2]

	if (( CURRENT == 2 )); then
		compadd -- audit build gateway run seal --help --version
		return
	fi
	if [[ $words[2] == run && $words[3] == -* ]]; then
		# an option at once is exec's
		words=(cx-run exec "${(@)words[3,-1]}")
	else
		words=($tool "${(@)words[3,-1]}")
		(( CURRENT -= 1 ))
	fi
	(( $+functions[_$tool] )) && _$tool
}

_cx "$@"
