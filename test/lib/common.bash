# common.bash - what every bats file loads first: load ../lib/common
#
# The functions are called from other files, with arguments:
# shellcheck shell=bash disable=SC2119,SC2120
#
# Each test gets a state folder (CX_STATE), a configuration (CX_CONFIG) and a
# HOME of its own, and the tools of CX_BIN (by default those of this tree)
# first in PATH. A file that has its own setup() calls cx_setup there.
#
# CX_MUST_WORK=1   what a test needs and doesn't find is a failure, not a skip
# CX_SANITIZED=1   the tools are built with sanitizers: what measures memory skips
# CX_INSTRUMENTED=1  the tools keep count of themselves (make asan, make cov):
#                  what measures their own confinement skips
# CX_TEST_L0       a folder that keeps the busybox L0 between suites

bats_require_minimum_version 1.5.0

CX_ROOT=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
CX_BIN=${CX_BIN:-$CX_ROOT/bin}
case ${B:-.build} in
/*) CX_TOOLS=$B/test ;;
*) CX_TOOLS=$CX_ROOT/${B:-.build}/test ;;
esac
export CX_ROOT CX_BIN CX_TOOLS
BATS_TEST_TIMEOUT=${BATS_TEST_TIMEOUT:-120}
export BATS_TEST_TIMEOUT

for cx_library in support assert file; do
	if [ -r "/usr/lib/bats/bats-$cx_library/load.bash" ]; then
		load "/usr/lib/bats/bats-$cx_library/load.bash"
	else
		echo "bats-$cx_library isn't installed (make packages says" \
			"what to install)" >&2
		exit 1
	fi
done
unset cx_library

setup() {
	cx_setup
}

teardown() {
	cx_teardown
}

# A clean world: nothing of the person's own state or settings gets in.
cx_setup() {
	unset CX_GATEWAY CX_L0_IMAGE CX_EXECUTION_PLANE_ROLLOUT CX_TEST_NOW \
		NO_COLOR XDG_CONFIG_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
	export PATH="$CX_BIN:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	export LC_ALL=C.UTF-8 TZ=UTC
	export CX_STATE="$BATS_TEST_TMPDIR/state"
	export CX_CONFIG="$BATS_TEST_TMPDIR/config.yaml"
	export HOME="$BATS_TEST_TMPDIR/home"
	mkdir -p "$HOME"
	cd "$BATS_TEST_TMPDIR" || return 1
	cx_config
}

# Sandboxes leave folders without write permission; bats has to remove them.
cx_teardown() {
	cd /
	if [ "$(id -u)" -ne 0 ] && [ -d "$BATS_TEST_TMPDIR" ]; then
		find "$BATS_TEST_TMPDIR" -type d ! -perm -u=rwx \
			-exec chmod u+rwx {} + 2>/dev/null || true
	fi
}

# Writes the test's configuration: the L0 of the suite as shared store, limits
# that this identity can't enforce as best effort, then the lines given, which
# may be any top-level keys but store and limits. Where they say nothing of
# egress, its tier is none: what is tried elsewhere wants no gateway.
#   cx_config [LINE...]
# Lines for limits go into CX_LIMITS, one "  key: value" a line.
cx_config() {
	{
		echo "store: {shared: $(cx_l0_state)}"
		echo "limits:"
		cx_can_limit || echo "  best_effort: [memory, cpu, pids]"
		echo "${CX_LIMITS:-  cpus: 1}"
		[[ $'\n'$(printf '%s\n' "$@") == *$'\negress:'* ]] ||
			echo "egress: {tier: none}"
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} >"$CX_CONFIG"
}

# root: the machine's root. user: an ordinary user. unshare: root only of its
# own user namespace.
cx_identity() {
	if [ "$(id -u)" -ne 0 ]; then
		echo user
	elif read -r _ outer count </proc/self/uid_map &&
		[ "$outer $count" = "0 4294967295" ]; then
		echo root
	else
		echo unshare
	fi
}

# Whether cgroups can be made here: as root, or in a delegated subtree.
cx_can_limit() {
	case ${CX_CAN_LIMIT:=$(cx_identity)} in
	root) return 0 ;;
	*) return 1 ;;
	esac
}

# What is needed and isn't here is a skip with a reason, or, where everything
# must work, a failure.
cx_lacks() {
	if [ "${CX_MUST_WORK:-0}" = 1 ]; then
		echo "CX_MUST_WORK: $*" >&2
		return 1
	fi
	skip "$*"
}

# The named programs.
cx_need() {
	local name
	for name; do
		command -v "$name" >/dev/null ||
			cx_lacks "needs $name, which isn't installed" || return 1
	done
}

# Programs of the tests' own, which the makefiles put into CX_TOOLS.
cx_need_built() {
	local name
	for name; do
		[ -x "$CX_TOOLS/$name" ] ||
			cx_lacks "needs $name, which isn't built" || return 1
	done
}

# strace; under it the leak sanitizer can't work, and would fail the program.
cx_strace() {
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 strace "$@"
}

# The tools' own confinement, which builds that keep count of themselves are
# let out of (sys/confine.h).
cx_need_confined() {
	[ -z "${CX_INSTRUMENTED:-}" ] ||
		skip "a build that keeps count of itself isn't confined whole"
}

# A test that has a meaning only for some identities: it doesn't count for
# the others, whatever CX_MUST_WORK says.
#   cx_only_as root user
cx_only_as() {
	local identity
	identity=$(cx_identity)
	case " $* " in
	*" $identity "*) ;;
	*) skip "not for this identity ($identity): only as $*" ;;
	esac
}

cx_need_root() {
	cx_only_as root
}

# Where the suite's busybox L0 is or will be.
cx_l0_state() {
	echo "${CX_TEST_L0:-$BATS_SUITE_TMPDIR/l0}"
}

# Makes the suite's busybox L0 once; every later test finds it there.
cx_l0() {
	local state
	state=$(cx_l0_state)
	[ -e "$state/.made" ] && return 0
	mkdir -p "$state"
	(
		flock 9
		[ ! -e "$state/.made" ] || exit 0
		CX_STATE=$state "$CX_BIN/cx-build" l0 \
			-f "$CX_ROOT/share/l0/busybox.yaml" \
			>"$state/.log" 2>&1 || {
			cat "$state/.log" >&2
			exit 1
		}
		chmod 755 "$state"
		touch "$state/.made"
	) 9>"$state/.lock"
}

# A carrier's document: cx_mint [FLAG...]
# That the first one made the first key is said only once, and not here.
cx_mint() {
	[ -e "$CX_STATE/keys/ring.json" ] ||
		"$CX_BIN/cx-seal" mint -n --org acme --user ada --surface chat \
			>/dev/null 2>&1 || true
	"$CX_BIN/cx-seal" mint -n --org acme --user ada --surface chat "$@"
}

# The whole result document of one command: cx_exec FLAG... [-- ARGV...]
# -e is the default of exec with a command behind --; no test here wants it.
cx_exec() {
	cx_l0 || return 1
	cx_mint | "$CX_BIN/cx-run" exec "$@"
}

# One command, its own streams and status: cx_raw COMMAND-TEXT
cx_raw() {
	cx_l0 || return 1
	cx_mint | "$CX_BIN/cx-run" exec --raw -c "$1"
}

# A member of a document on standard input: cx_get .result.stdout
cx_get() {
	jq -r "$1"
}

# Waits until a command succeeds, at most SECONDS: cx_wait 5 test -e file
cx_wait() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		if [ "$SECONDS" -ge "$end" ]; then
			echo "waited in vain for: $*" >&2
			return 1
		fi
		sleep 0.02
	done
}

# The command line of run, with its error class: the status is CODE, and the
# document's error.class is CLASS.  cx_refuses CODE CLASS COMMAND...
cx_refuses() {
	local code=$1 class=$2 got status=0
	shift 2
	got=$("$@" 2>"$BATS_TEST_TMPDIR/stderr") || status=$?
	got=$(printf '%s' "$got" | jq -r '.error.class // empty')
	if [ "$status" != "$code" ] || [ "$got" != "$class" ]; then
		echo "wanted $code $class, got $status $got from: $*" >&2
		cat "$BATS_TEST_TMPDIR/stderr" >&2
		return 1
	fi
}
