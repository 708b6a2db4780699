# egress.bash - a world (test/gateway/world) around a part of a test: an
# origin at every address, a resolver, and cx-run at the gateway's side.
#
# The functions are called from other files, and by the shell inside:
# shellcheck shell=bash disable=SC2034,SC2154,SC2317

# Functions of the file's own that scripts call as well.
cx_world_functions=()

# Runs SCRIPT by bash at the gateway's side, with the functions below.
#   world SCRIPT [ARGUMENT...]
world() {
	cx_need_built gateway/origin || return 1
	"$CX_ROOT/test/gateway/world" bash ${CX_TRACE:+-x} -euo pipefail -c \
		"$(declare -f tool wait_for serve names inside run_in there \
			"${cx_world_functions[@]}")
		$1" world "${@:2}"
}

tool() {
	echo "$CX_TOOLS/gateway/$1"
}

# Waits until a command succeeds; ten seconds.
wait_for() {
	local i
	for ((i = 0; i < 500; i++)); do
		! "$@" 2>/dev/null || return 0
		sleep 0.02
	done
	echo "waited in vain for: $*" >&2
	return 1
}

there() {
	"$CX_ROOT/test/gateway/world" --origin "$@"
}

# An origin at these ports of every address, until the script ends; what it
# saw stands in the file origin.log.
serve() {
	local port at=()
	for port; do
		at+=("[::]:$port") # and IPv4
	done
	[ -p origin.in ] || mkfifo origin.in
	there "$(tool origin)" --log origin.log "${at[@]}" \
		<origin.in >origin.out 2>&1 &
	exec 8>origin.in
	wait_for there bash -c "exec 3<>/dev/tcp/127.0.0.1/$1" 2>/dev/null
}

# A resolver that knows these names: names JSON
names() {
	[ -p resolver.in ] || mkfifo resolver.in
	there "$(tool resolver)" 198.51.100.53:53 \
		<resolver.in >resolver.out 2>&1 &
	exec 9>resolver.in
	echo "${1//[$'\n\t']/}" >&9
	wait_for grep -q lookups resolver.out
}

# A command text in a sandbox, its own streams and status: inside TEXT FLAG...
inside() {
	cx-run exec -f carrier --raw "${@:2}" -c "$1"
}

# The same, its result as a document in the file result.
run_in() {
	cx-run exec -f carrier "${@:2}" -c "$1" >result
}
