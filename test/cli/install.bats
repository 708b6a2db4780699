# install.bats - make install and the package lists.
load ../lib/common

lay_out() {
	make -s -C "$CX_ROOT" "$1" BIN="$CX_BIN" PREFIX=/usr \
		DESTDIR="$BATS_TEST_TMPDIR/root" >/dev/null
}

@test "make install lays out tools, pages, completions and data" {
	lay_out install
	cd root/usr
	for tool in bin/cx-*; do
		run -0 "$tool" --version
		tool=${tool##*/}
		assert_file_exist "share/man/man1/$tool.1"
		assert_file_exist "share/bash-completion/completions/$tool"
		assert_file_exist "share/zsh/site-functions/_$tool"
	done
	assert_file_executable bin/cx
	assert_file_exist share/man/man7/cx.7
	assert_file_exist share/cx/l0/busybox.yaml
	assert_file_exist share/cx/schema/config.json
}

@test "an installed cx-build finds its recipes" {
	lay_out install
	run -0 root/usr/bin/cx-build l0 busybox
	[ "$(jq -r .ref <<<"$output")" = busybox ]
}

@test "make uninstall leaves nothing" {
	lay_out install
	lay_out uninstall
	[ -z "$(find root -type f)" ]
}

@test "an unknown package list is exit 64" {
	run -64 "$CX_ROOT/share/setup/install" no-such-list
}

@test "a missing package is named, not installed, for an ordinary user" {
	cp -a "$CX_ROOT/share/setup" setup
	echo no-such-package-here >setup/packages/odd
	chmod -R a+rX .
	if [ "$(cx_identity)" = root ]; then
		chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test"
		run -69 setpriv --reuid 65534 --clear-groups setup/install odd
	else
		cx_only_as root user
		run -69 setup/install odd
	fi
	assert_output --partial 'apt-get install --no-install-recommends no-such-package-here'
}
