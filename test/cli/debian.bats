#!/usr/bin/env bats
# The Debian base that the demo made: what is in it, and what isn't.

bats_require_minimum_version 1.5.0
load ../lib/common

setup() {
	cx_setup
	store=${CX_TEST_DEBIAN:-$CX_ROOT/.build/demo/state}
	[ -e "$store/roots/debian-13.ref" ] ||
		cx_lacks "needs the Debian base: make demo makes it" ||
		return 1
	echo "store: {shared: $store}" >>"$CX_CONFIG"
	sed -i "/^store: .*l0/d" "$CX_CONFIG"
	digest=$(cat "$store/roots/debian-13.ref")
	export CX_L0_IMAGE=debian-13
	root=$store/roots/$(sed -n 's/^layer sha256:\([^ ]*\) .*/\1/p' \
		"$store/roots/${digest#sha256:}.image")
}

inside() {
	cx_mint | cx-run exec --raw -c "$1"
}

@test "the base is small" {
	size=$(cx-build list | cx_get ".images[] |
		select(.digest == \"$digest\") | .bytes")
	assert [ "$size" -le 110000000 ]
	unpacked=$(find "$root" -type f -printf '%i %s\n' | sort -u |
		awk '{ sum += $2 } END { print sum }')
	assert [ "$unpacked" -le 340000000 ]
}

@test "every tool is there and runs" {
	run inside 'python3 -V; pip --version; node -v; npm -v; npx -v
		git --version; jq --version; rg --version; curl --version
		unzip -v; bash --version; xz --version; find --version
		grep --version; sed --version; head -1 /etc/os-release'
	assert_success
	assert_line --regexp '^Python 3\.13\.'
	assert_line --regexp '^pip 25\.'
	assert_line --regexp '^v20\.'
	assert_line --regexp '^11\.'
	assert_line --partial 'Debian GNU/Linux 13'
}

@test "Python and Node start with what they need" {
	run inside "python3 -c 'import ssl, sqlite3, json, asyncio, venv, lzma
print(6 * 7)'; node -p '6 * 7'; id -un; cat /etc/apt/sources.list"
	assert_success
	assert_output "42
42
cx
# Sources are given to each build from outside."
}

@test "Python's compiled files are held to their source by hash" {
	run python3 - "$root" <<-'END'
		import pathlib, sys
		count = 0
		for path in pathlib.Path(sys.argv[1]).rglob("*.pyc"):
		    with open(path, "rb") as file:
		        assert file.read(8)[4] & 1, path
		    count += 1
		assert count > 500, count
	END
	assert_success
}

@test "nothing of the machine that made it is in it" {
	# packages name Debian's own archive; the mirror is another host or not
	mirror=$(apt-get indextargets --format '$(REPO_URI)' \
		'Created-By: Packages' 2>/dev/null | head -1)
	host=${mirror#*://}
	run grep -rIl -F -e "${host%%/*}" "$root/etc" "$root/var/lib/apt" \
		"$root/var/log" "$root/var/cache" "$root/root"
	assert_output ""
	assert_equal "$(cat "$root/etc/hostname")" localhost
	assert_equal "$(cat "$root/etc/resolv.conf" "$root/etc/machine-id")" ""
	for folder in var/lib/apt/lists var/cache/apt var/log tmp run; do
		assert_equal "$(find "$root/$folder" -type f | wc -l)" 0
	done
}

@test "nothing of it is setuid or writable by others on disk" {
	run find "$root" ! -type l -perm /7022
	assert_output ""
}
