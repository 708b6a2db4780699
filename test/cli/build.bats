#!/usr/bin/env bats
# cx-build: base images and the store.

bats_require_minimum_version 1.5.0
load ../lib/common

# What is here is about a store of one's own: none is shared.
setup() {
	export CX_TEST_L0="$BATS_TEST_TMPDIR/none"
	cx_setup
}

busybox() {
	cx-build l0 -f "$CX_ROOT/share/l0/busybox.yaml" "$@"
}

@test "the busybox base is made, chosen and listed" {
	run --separate-stderr busybox
	assert_success
	assert_equal "$stderr" ""
	assert_equal "$(cx_get .built <<<"$output")" true
	assert_equal "$(cx_get .ref <<<"$output")" busybox
	digest=$(cx_get .digest <<<"$output")
	run cx-build list
	assert_success
	assert_equal "$(cx_get '.images | length' <<<"$output")" 1
	assert_equal "$(cx_get '.images[0].digest' <<<"$output")" "$digest"
	assert_equal "$(cx_get '.images[0].default' <<<"$output")" true
	assert_equal "$(cx_get '.images[0].whole' <<<"$output")" true
}

@test "a base that is there isn't made twice unless asked for" {
	first=$(busybox)
	second=$(busybox)
	third=$(busybox --refresh)
	assert_equal "$(cx_get .built <<<"$second")" false
	assert_equal "$(cx_get .built <<<"$third")" true
	for other in "$second" "$third"; do
		assert_equal "$(cx_get .digest <<<"$other")" \
			"$(cx_get .digest <<<"$first")"
	done
}

@test "skopeo reads the layout and finds every digest right" {
	cx_need skopeo
	digest=$(busybox | cx_get .digest)
	run skopeo inspect "oci:$CX_STATE/oci:busybox"
	assert_success
	assert_equal "$(cx_get .Digest <<<"$output")" "$digest"
	skopeo copy -q "oci:$CX_STATE/oci:busybox" "oci:$PWD/copy:busybox"
	assert_equal "$(skopeo inspect "oci:$PWD/copy:busybox" |
		cx_get .Digest)" "$digest"
}

@test "an unsafe image reference is refused" {
	for ref in -rf -- --help 'a b' 'x;y' '../../etc' 'a//b' '$(id)' "a'b"; do
		cx_refuses 77 unsafe_image_ref cx-build rm -- "$ref"
	done
}

@test "an image that isn't there can't be removed" {
	cx_refuses 69 image_missing cx-build rm nothing
	cx_refuses 69 image_missing cx-build rm \
		"sha256:$(printf 0 | sha256sum | cut -d' ' -f1)"
}

# Nothing of an image may have come in, or be left. The layer that all
# sandboxes share is the store's own, made with the first image.
assert_store_empty() {
	run find "$CX_STATE/roots" "$CX_STATE/oci/blobs" -mindepth 1 \
		-name '.made-[0-9]' -prune -o \
		! -name .tmp ! -name sha256 -print
	assert_output ""
}

# What is in it, byte for byte: the names, modes and contents of all it holds.
made_facts() {
	(
		cd "$CX_STATE/roots"/.made-[0-9] &&
			find . -printf '%p %M %U\n' | sort &&
			find . -type f | sort | xargs sha256sum
	)
}

made_is_whole() {
	local facts
	facts=$(made_facts) || return 1
	grep -q '^\./etc/passwd -rw-r--r-- ' <<<"$facts" &&
		grep -q '^\./run/cx drwxr-xr-x ' <<<"$facts" &&
		[ "$(wc -l <<<"$facts")" -eq 23 ]
}

# There as it was noted in the file made, or not there at all.
made_is_whole_or_absent() {
	! compgen -G "$CX_STATE/roots/.made-*" >/dev/null ||
		diff <(made_facts) "$BATS_TEST_TMPDIR/made"
}

@test "rm takes blobs, roots and names with it" {
	digest=$(busybox | cx_get .digest)
	run cx-build rm "$digest"
	assert_success
	assert_equal "$(cx_get .removed <<<"$output")" "$digest"
	assert_store_empty
	made_is_whole
	assert_equal "$(cx-build list | cx_get '.images | length')" 0
}

root_of() {
	echo "$CX_STATE/roots/$(cx-build list | cx_get \
		".images[0].layers[0].diffId" | cut -d: -f2)"
}

@test "a layer that was replaced isn't opened" {
	busybox
	root=$(root_of)
	mv "$root" "$root.old"
	cp -a "$root.old" "$root"
	assert_equal "$(cx-build list | cx_get '.images[0].whole')" false
	# the next l0 heals it
	assert_equal "$(busybox | cx_get .built)" true
	assert_equal "$(cx-build list | cx_get '.images[0].whole')" true
}

# The archives of test/lib/tars and the layouts of test/lib/layouts.
archives() {
	python3 "$CX_ROOT/test/lib/tars" "$PWD/tars" "$@"
}

layouts() {
	python3 "$CX_ROOT/test/lib/layouts" "$PWD/layouts"
}

import() {
	cx-build l0 --import "$@"
}

@test "hostile archives are refused whole" {
	archives
	for archive in tars/bad/*; do
		cx_refuses 77 layer_corrupt import "$archive" ||
			fail "$archive"
	done
	assert_store_empty
	assert [ ! -e /tmp/planted ]
}

@test "an archive with a link that climbs out is refused" {
	archives
	cx_refuses 77 layer_corrupt import tars/bad/link-climbs.tar
	cx_refuses 77 layer_corrupt import tars/bad/link-climbs-later.tar
	cx_refuses 77 layer_corrupt import tars/bad/link-climbs-from-root.tar
}

@test "an archive with a device is refused" {
	archives
	cx_refuses 77 layer_corrupt import tars/bad/device.tar
	cx_refuses 77 layer_corrupt import tars/bad/device-in-dev.tar
}

@test "an archive's overlay attributes are refused" {
	archives
	for archive in tars/bad/xattr-*; do
		cx_refuses 77 layer_corrupt import "$archive"
	done
}

@test "an archive that swells beyond reason is refused" {
	archives bomb
	cx_refuses 77 layer_corrupt import tars/bomb/bomb.tar.gz
	assert_store_empty
}

@test "a root file system comes in as it is" {
	archives
	import tars/good/all.tar --name all
	root=$(root_of)
	assert_equal "$(cat "$root/etc/ä日.txt")" utf-8
	assert_equal "$(readlink "$root/bin")" usr/bin
	assert_equal "$(readlink "$root/etc/absolute")" /usr/bin/program
	assert [ "$root/usr/bin/same" -ef "$root/usr/bin/program" ]
	assert_file_exist "$root/implicit/parents/here"
	assert_dir_exist "$root/deep/er/and/deeper"
	assert_not_exist "$root/dev/null"
	assert_equal "$(stat -c %Y "$root/usr/bin/program")" 1700000000
	run import tars/good/latin.tar
	assert_success
}

@test "one content has one digest, however it is compressed" {
	archives
	plain=$(import tars/good/all.tar | cx_get .digest)
	gzip=$(import tars/good/all.tar.gz | cx_get .digest)
	piped=$(import /dev/stdin < <(cat tars/good/all.tar.gz) |
		cx_get .digest)
	assert_equal "$gzip" "$plain"
	assert_equal "$piped" "$plain"
	assert_equal "$(cx-build list | cx_get '.images[0].layers[0].diffId')" \
		"sha256:$(sha256sum <tars/good/all.tar | cut -d' ' -f1)"
}

@test "nothing unpacked is setuid or writable by others" {
	archives
	import tars/good/all.tar
	root=$(root_of)
	run find "$root" ! -type l -perm /7022
	assert_output ""
	run find "$root" ! -user "$(id -u)"
	assert_output ""
	[ "$(stat -f -c %T "$root")" = tmpfs ] ||
		assert_equal "$(python3 -c 'import os, sys
print(os.getxattr(sys.argv[1], "user.cx.own").decode())' \
			"$root/etc/owned")" 1000:1000:0600
}

@test "a layout comes in with its digest, folder or tar" {
	layouts
	run import layouts/two
	assert_success
	digest=$(cx_get .digest <<<"$output")
	assert_equal "$digest" "$(cx_get '.manifests[0].digest' \
		<layouts/two/index.json)"
	assert_equal "$(cx_get .ref <<<"$output")" two
	assert_equal "$(cx_get '.layers | length' <<<"$output")" 2
	run import layouts/two.tar.gz
	assert_equal "$(cx_get '.digest + " " + (.built | tostring)' \
		<<<"$output")" "$digest false"
}

@test "whiteouts hide what they say, for root's overlays and a user's" {
	layouts
	import layouts/two
	mapfile -t layer < <(sed -n 's/^layer sha256:\([^ ]*\) .*/\1/p' \
		"$CX_STATE"/roots/*.image)
	cd "$CX_STATE/roots"
	mkdir "$BATS_TEST_TMPDIR/merged"
	cat >"$BATS_TEST_TMPDIR/look" <<-'END'
		mount -t overlay -o "ro,lowerdir=$1:$2$3" none "$4" || exit 125
		cd "$4" && find . -type f | sort
	END
	expected="./both/lower
./both/upper
./etc/kept
./etc/new
./full/shown"
	run unshare -rm sh "$BATS_TEST_TMPDIR/look" "${layer[@]}" ,userxattr \
		"$BATS_TEST_TMPDIR/merged"
	[ "$status" -ne 125 ] || cx_lacks "needs overlays in user namespaces"
	assert_output "$expected"
	if [ "$(cx_identity)" = root ]; then
		run unshare -m sh "$BATS_TEST_TMPDIR/look" "${layer[@]}" "" \
			"$BATS_TEST_TMPDIR/merged"
		assert_output "$expected"
	fi
}

@test "a layer that stands in an image twice is mounted once" {
	layouts
	import layouts/repeated
	assert_equal "$(grep -c ^layer "$CX_STATE"/roots/*.image)" 2
	assert_equal "$(cx-build list | cx_get '.images[0].layers | length')" 3
}

@test "a layout with an altered layer is refused" {
	layouts
	cx_refuses 77 layer_corrupt import layouts/altered
	cx_refuses 77 layer_corrupt import layouts/short
	cx_refuses 77 layer_corrupt import layouts/linked
	assert_store_empty
}

@test "a layer with another content than its image names is refused" {
	layouts
	cx_refuses 77 layer_corrupt import layouts/swapped
	assert_store_empty
}

@test "a layout with several images says how to choose" {
	layouts
	cx_refuses 65 input_invalid import layouts/several
	digest=$(cx_get '.manifests[1].digest' <layouts/several/index.json)
	run import layouts/several --digest "$digest" --name mine
	assert_success
	assert_equal "$(cx_get '.digest + " " + .ref' <<<"$output")" \
		"$digest mine"
	cx_refuses 65 input_invalid import layouts/foreign
	cx_refuses 65 input_invalid import layouts
	cx_refuses 66 io_error import nothing
}

@test "an npm tarball of another hash is refused" {
	mkdir -p npm/-
	tar czf npm/-/npm-1.0.0.tgz --transform s,^,package/, config.yaml
	python3 -u -m http.server --bind 127.0.0.1 0 >log 2>&1 3>&- &
	server=$!
	cx_wait 10 grep -q port log
	address=$(sed -n 's,.*\(http://[0-9.:]*\)/.*,\1,p' log)
	cat >recipe.yaml <<-END
		apiVersion: cx/v1
		kind: L0
		name: test
		from: debian
		suite: trixie
		epoch: 1
		npm:
		  version: 1.0.0
		  integrity: sha512-$(printf 'A%.0s' {1..86})==
	END
	cx_refuses 65 digest_mismatch cx-build l0 -f recipe.yaml \
		--registry "$address" --mirror http://127.0.0.1:1/debian ||
		failed=1
	kill "$server"
	[ -z "${failed:-}" ]
}

@test "faults of a recipe are named" {
	bad() {
		printf '%s\n' "$1" >recipe.yaml
		cx_refuses 65 declaration_invalid cx-build l0 -f recipe.yaml ||
			return 1
		cx-build l0 -f recipe.yaml 2>/dev/null |
			cx_get .error.pointer >pointer
		assert_equal "$(cat pointer)" "$2"
	}
	head='apiVersion: cx/v1
kind: L0
epoch: 1'
	bad "$head
name: x
from: debian" /suite
	bad "$head
name: x
from: busybox
packages: [jq]" /packages
	bad "$head
name: -x
from: busybox" /name
	bad "$head
name: x
from: debian
suite: trixie
packages: [jq, --foo]" /packages/1
	bad "$head
name: x
from: debian
suite: trixie
exclude: [usr]" /exclude/0
	bad "$head
name: x
from: debian
suite: trixie
npm: {version: 1.0.0, integrity: sha1-x}" /npm/integrity
}

@test "operands that exclude each other are a usage fault" {
	cx_refuses 64 usage cx-build l0 busybox --import x
	cx_refuses 64 usage cx-build l0 busybox --name x
	cx_refuses 64 usage cx-build l0 --import x --name default
	cx_refuses 64 usage cx-build l0 --import x --digest 12
	cx_refuses 66 io_error cx-build l0 nothing
}

@test "two processes that want one base make it once" {
	pids=()
	for _ in 1 2 3 4; do
		busybox >>built 3>&- &
		pids+=($!)
	done
	wait "${pids[@]}"
	assert_equal "$(jq -s 'map(select(.built)) | length' built)" 1
	assert_equal "$(jq -r .digest built | sort -u | wc -l)" 1
}

@test "a kill at any instant leaves no partial image" {
	busybox >/dev/null # warm
	made_is_whole
	made_facts >made
	for i in $(seq 1 24); do
		cx-build rm busybox >/dev/null 2>&1 || :
		rm -rf "$CX_STATE/roots"/.made-[0-9]
		busybox >/dev/null 2>&1 &
		pid=$!
		python3 -c "import time; time.sleep($i * 0.004)"
		kill -KILL "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
		assert_equal "$(cx-build list | cx_get '[.images[] |
			select(.whole | not)] | length')" 0
		made_is_whole_or_absent
		[ ! -e "$CX_STATE/oci/index.json" ] ||
			jq -e .manifests "$CX_STATE/oci/index.json" >/dev/null
	done
	run busybox
	assert_success
	made_is_whole
	assert_equal "$(ls -A "$CX_STATE/roots/.tmp")" ""
	run cx-build rm busybox
	assert_success
	assert_store_empty
}

# It copies what it can't read twice.
has_nameless_file() {
	readlink "/proc/$1/fd/"* | grep -q deleted
}

@test "an interrupt cleans up and ends by its signal" {
	archives
	mkfifo pipe
	exec 7<>pipe
	cx-build l0 --import pipe >out 2>err 3>&- 7>&- &
	pid=$!
	head -c 20000 tars/good/all.tar >&7
	cx_wait 10 has_nameless_file "$pid"
	kill -TERM "$pid"
	exec 7>&-
	status=0
	wait "$pid" || status=$?
	assert_equal "$status" 143
	assert_store_empty
	assert_equal "$(ls -A "$CX_STATE/roots/.tmp")" ""
}

# The lease is the stamp, held open.
has_lease() {
	readlink "/proc/$1/fd/"* | grep -q '\.image$'
}

@test "an image in use isn't removed" {
	digest=$(busybox | cx_get .digest)
	mkfifo begun
	cx_mint | cx-run exec --keep-carrier -c 'sleep 60' >result 2>err 3>&- &
	pid=$!
	cx_wait 20 has_lease "$pid"
	cx_refuses 75 store_busy cx-build rm "$digest" || failed=1
	kill -TERM "$pid"
	wait "$pid" || :
	[ -z "${failed:-}" ]
	run cx-build rm "$digest"
	assert_success
}

@test "a command doesn't run on a layer that was replaced" {
	busybox
	root=$(root_of)
	mv "$root" "$root.old"
	cp -a "$root.old" "$root"
	run --separate-stderr bash -c '
		cx-seal mint -n --org acme --user ada --surface chat |
			cx-run exec -c true'
	assert_equal "$(cx_get .error.class <<<"$output")" layer_corrupt
}

@test "without a base a command is told how to make one" {
	echo "store: {shared: $PWD/nowhere}" >config.yaml
	run --separate-stderr bash -c '
		cx-seal mint -n --org acme --user ada --surface chat |
			cx-run exec -c true'
	assert_equal "$(cx_get .error.class <<<"$output")" image_missing
	assert_regex "$stderr" 'cx-build l0'
}

@test "umoci unpacks a gzip copy that skopeo makes" {
	cx_need skopeo umoci
	busybox >/dev/null
	skopeo copy -q --dest-compress-format gzip \
		"oci:$CX_STATE/oci:busybox" "oci:$PWD/copy:busybox"
	rootless=--rootless
	[ "$(cx_identity)" != root ] || rootless=
	run umoci unpack $rootless --image "$PWD/copy:busybox" bundle
	assert_success
	assert_equal "$(readlink bundle/rootfs/bin)" usr/bin
	assert_file_executable bundle/rootfs/usr/bin/busybox
	assert_equal "$(stat -c %a bundle/rootfs/tmp)" 1777
	assert_equal "$(jq -c '.process.user' bundle/config.json)" \
		'{"uid":10001,"gid":10001}'
}

@test "an interrupt that the caller ignores doesn't stop it" {
	archives
	mkfifo pipe
	exec 7<>pipe
	(
		trap '' TERM
		exec cx-build l0 --import pipe >out 2>err 3>&- 7>&-
	) &
	pid=$!
	cx_wait 10 has_nameless_file "$pid"
	kill -TERM "$pid"
	cat tars/good/all.tar >&7
	exec 7>&-
	wait "$pid"
	assert_equal "$(cx_get .ref <out)" imported
}

@test "an image that lost its manifest is listed and can be removed" {
	digest=$(busybox | cx_get .digest)
	rm "$CX_STATE/oci/blobs/sha256/${digest#sha256:}"
	run cx-build list
	assert_success
	assert_equal "$(cx_get '.images[0] | [.digest, .whole] | @tsv' \
		<<<"$output")" "$digest"$'\t'false
	run cx-build rm "$digest"
	assert_success
	assert_store_empty
}

@test "a root that only its owner may enter can be entered" {
	mkdir -m 700 tree
	mkdir tree/etc
	echo x >tree/etc/file
	tar cf tree.tar -C tree .
	import tree.tar
	assert_equal "$(stat -c %a "$(root_of)")" 755
}

@test "without mmdebstrap it says what to install" {
	sed '/^npm:/,/^exclude/{/^exclude/!d}' \
		"$CX_ROOT/share/l0/debian-13.yaml" >recipe.yaml
	cx_refuses 69 io_error env PATH="$CX_BIN" "$CX_BIN/cx-build" l0 \
		-f recipe.yaml ||
		cx_refuses 69 isolation_unavailable env PATH="$CX_BIN" \
			"$CX_BIN/cx-build" l0 -f recipe.yaml
	run env PATH="$CX_BIN" "$CX_BIN/cx-build" l0 -f recipe.yaml \
		--mirror http://127.0.0.1:1/debian
	assert_failure 69
	assert_output --regexp 'mmdebstrap|subordinate ids'
}

@test "what the registries script prints is a configuration" {
	"$CX_ROOT/share/setup/registries" >>"$CX_CONFIG" 2>/dev/null
	run cx-build list
	assert_success
}

# Runs a command again and again, killed at its first, second, ... call of
# those named, until it gets through; looks after each at what is to be seen.
# With steps=N only at each Nth call.
#   killed_at_each CALLS LOOK COMMAND...
killed_at_each() {
	local calls=$1 look=$2 n status
	shift 2
	for n in $(seq 1 400); do
		status=0
		cx_strace -f -qq -o /dev/null -e "trace=$calls" \
			-e "inject=$calls:signal=SIGKILL:when=$((n * ${steps:-1}))" \
			"$@" \
			>out 2>&1 || status=$?
		"$look" || fail "killed at $n"
		[ "$status" -ne 0 ] || break
	done
	assert [ "$n" -gt 3 ]
	assert [ "$status" -eq 0 ]
}

# Every image that is listed can be opened, and the default is one of them.
only_whole_images() {
	cx-build list | jq -e 'all(.images[]; .whole) and
		([.images[] | select(.default)] | length) ==
		([.images[]] | length | if . > 0 then 1 else 0 end)' >/dev/null
}

# What killed_at_each looks at: the command's work is undone or done again, so
# that the next round has something to do.
busybox_is_gone() {
	made_is_whole_or_absent || return 1
	rm -rf "$CX_STATE/roots"/.made-[0-9]
	cx-build rm busybox >/dev/null 2>&1 || :
	only_whole_images
}

busybox_is_back() {
	only_whole_images &&
		cx-build list | jq -e 'any(.images[]; .ref == "all")' \
			>/dev/null &&
		busybox >/dev/null
}

@test "a kill at each step of publishing leaves no partial image" {
	cx_need strace
	archives
	import tars/good/latin.tar --name other >/dev/null
	made_facts >made
	rm -rf "$CX_STATE/roots"/.made-[0-9]
	killed_at_each renameat,renameat2,fsync,fdatasync,syncfs \
		busybox_is_gone \
		cx-build l0 -f "$CX_ROOT/share/l0/busybox.yaml"
	run busybox
	assert_success
	made_is_whole
	assert_equal "$(ls -A "$CX_STATE/roots/.tmp")" ""
}

@test "a kill at each step of replacing a layer leaves a whole image" {
	cx_need strace
	archives
	import tars/good/all.tar --name all >/dev/null
	killed_at_each renameat,renameat2,fsync,fdatasync,syncfs,unlinkat \
		only_whole_images \
		cx-build l0 --import tars/good/all.tar --name all --refresh
}

@test "a kill at each step of removing leaves whole images only" {
	cx_need strace
	archives
	import tars/good/all.tar --name all >/dev/null
	busybox >/dev/null
	killed_at_each renameat,fsync busybox_is_back cx-build rm busybox
	# there is an unlink for each of its files
	steps=25 killed_at_each unlinkat busybox_is_back cx-build rm busybox
	cx-build rm busybox
	cx-build rm all
	assert_store_empty
}

@test "others can read a store of root's, whatever the umask" {
	cx_need_root
	(umask 077 && busybox)
	run find "$CX_STATE" -maxdepth 0 ! -perm -005
	assert_output ""
	run find "$CX_STATE/oci" "$CX_STATE/roots" -name .tmp -prune -o \
		! -name .lock ! -type l ! -perm -004 -print
	assert_output ""
}

@test "an ordinary user's command runs on root's store" {
	cx_need_root
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR" \
		"${BATS_TEST_TMPDIR%/*}"
	busybox
	run --separate-stderr "$CX_ROOT/test/lib/as" user bash -c '
		mkdir -p "$HOME"
		export CX_CONFIG=$HOME/config.yaml CX_STATE=$HOME/state
		printf "%s\n" "store: {shared: $0}" \
			"limits: {best_effort: [memory, cpu, pids]}" \
			>"$CX_CONFIG"
		"$CX_BIN/cx-build" list | jq -c ".images[] |
			[.ref, .shared, .default]"
		"$CX_BIN/cx-seal" mint -n --org acme --user ada \
			--surface chat |
			"$CX_BIN/cx-run" exec --raw -c "echo \$((6 * 7))"
		"$CX_BIN/cx-build" rm busybox | jq -r .error.class
	' "$CX_STATE"
	assert_output '["busybox",true,true]
42
image_missing'
}
