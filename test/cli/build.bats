#!/usr/bin/env bats
# cx-build: base images and the store.

bats_require_minimum_version 1.5.0
load ../lib/common

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

@test "rm takes blobs, roots and names with it" {
	digest=$(busybox | cx_get .digest)
	run cx-build rm "$digest"
	assert_success
	assert_equal "$(cx_get .removed <<<"$output")" "$digest"
	assert_equal "$(find "$CX_STATE/oci/blobs" -type f | wc -l)" 0
	assert_equal "$(find "$CX_STATE/roots" -mindepth 1 ! -name .tmp |
		wc -l)" 0
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
