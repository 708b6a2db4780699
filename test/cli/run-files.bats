# run-files.bats - --in and --out: files in and out past a hostile workspace.

load ../lib/common
load ../lib/jobs

setup() {
	cx_setup
	cx_l0
}

@test "--in copies files and folders, --out brings files back" {
	mkdir -p tree/sub
	echo data >tree/sub/file
	ln -s sub/file tree/link
	printf '#!/bin/sh\necho ran "$@"\n' >script
	chmod +x script
	echo top >plain
	run --separate-stderr cx_exec --in tree --in ./script --in plain \
		--out result.txt --out /workspace/deep/other.bin -c \
		'./script x; cat tree/link plain; stat -c %a script plain
		mkdir deep; head -c 100000 /dev/zero >deep/other.bin
		echo made >result.txt; ls -l result.txt >&2'
	assert_success
	jq -e '.result.stdout == "ran x\ndata\ntop\n755\n644\n"' <<<"$output"
	assert_equal "$(cat result.txt)" made
	assert_equal "$(stat -c %s other.bin)" 100000
	jq -e --arg a "sha256:$(sha256sum <result.txt | cut -c1-64)" \
		--arg b "sha256:$(sha256sum <other.bin | cut -c1-64)" \
		'.result.files == [{path: "result.txt", size: 5, sha256: $a},
		{path: "/workspace/deep/other.bin", size: 100000, sha256: $b}]' \
		<<<"$output"
}

@test "files that were copied in can be changed and removed" {
	echo old >file
	mkdir folder
	echo old >folder/file
	run --separate-stderr cx_exec --in file --in folder -c \
		'id -u; echo new >file && echo new >folder/file &&
		touch folder/more && rm -r folder && ls -ln file | cut -c1-10'
	assert_success
}

@test "a link in the workspace stops --in" {
	local document
	echo kept >outside
	mkdir folder
	echo new >in.txt
	echo new >folder/in.txt
	document=$(new_job)
	on "$document" -c "ln -s $PWD/outside in.txt; ln -s $PWD folder" \
		>/dev/null
	for path in in.txt folder; do
		run --separate-stderr cx-run exec --in "$path" -c true \
			<<<"$document"
		assert_equal "$status" 125
		jq -e --arg p "$path" '.error.class == "unsafe_path" and
			(.error.message | contains($p)) and
			.result.decision == "denied"' <<<"$output"
	done
	assert_equal "$(cat outside)" kept
	on "$document" -c 'rm in.txt folder; mkfifo in.txt; mkdir folder
		ln -s /etc folder/in.txt' >/dev/null
	for path in in.txt folder; do
		run --separate-stderr timeout 10 cx-run exec --in "$path" \
			-c true <<<"$document"
		jq -e '.error.class == "unsafe_path"' <<<"$output"
	done
}

@test "--in replaces a file and refuses what is no file or folder" {
	local document
	echo one >file
	document=$(new_job)
	on "$document" --in file -c true >/dev/null
	echo two >file
	run --separate-stderr cx-run exec --in file --raw -c 'cat file' \
		<<<"$document"
	assert_output two
	mkfifo pipe
	mkdir with-pipe
	mkfifo with-pipe/p
	for path in pipe with-pipe; do
		run --separate-stderr timeout 10 cx-run exec --in "$path" \
			-c true <<<"$document"
		jq -e '.error.class == "unsafe_path"' <<<"$output"
	done
	run --separate-stderr cx-run exec --in gone -c true <<<"$document"
	jq -e '.error.class == "io_error"' <<<"$output"
}

@test "--out never follows a link out of the workspace" {
	local name
	echo secret >secret
	run --separate-stderr cx_exec --out a --out b --out c/passwd --out up \
		-c "ln -s $PWD/secret a; ln -s /etc/passwd b; ln -s /etc c
		ln -s ../../../../../../../../etc/passwd up"
	assert_equal "$status" 125
	jq -e '.error.class == "unsafe_path" and
		.result.decision == "allowed" and
		[.result.files[].error] == ["unsafe_path", "unsafe_path",
		"unsafe_path", "unsafe_path"]' <<<"$output"
	for name in a b passwd up; do
		[ ! -e "$name" ]
	done
	for name in ../secret /etc/passwd a/../b /workspace//a; do
		run --separate-stderr cx_exec --out "$name" -c true
		[ "$status" -eq 125 ]
	done
	for name in . '' .. a/; do
		run --separate-stderr cx_exec --out "$name" -c true
		[ "$status" -ne 0 ]
	done
}

@test "a path of --in or --out that can't be is refused before anything runs" {
	local document class flags
	mkdir -p a b
	echo 1 >a/f
	echo 2 >b/f
	document=$(new_job)
	while IFS='|' read -r class flags; do
		eval "set -- $flags"
		run --separate-stderr cx-run exec "$@" -c 'echo ran >>ran' \
			<<<"$document"
		assert_equal "$flags $status" "$flags 125"
		jq -e --arg c "$class" '.error.class == $c and
			.result.decision == "denied"' <<<"$output"
	done <<-'END'
		unsafe_path|--out ''
		unsafe_path|--out /etc/passwd
		unsafe_path|--out ../ran
		unsafe_path|--out a/../ran
		unsafe_path|--out ran/
		unsafe_path|--out fine --out /workspace/../ran
		usage|--out ran --out ran
		usage|--out ran --out /workspace/ran
		usage|--out x/ran --out y/ran
		usage|--in /
		usage|--in ..
		usage|--in a/f --in b/f
		usage|--in a --in b --in ./a/
	END
	jq -e '.error.message | contains("--in a ") and contains("--in ./a/")' \
		<<<"$output"
	run --separate-stderr on "$document" --raw -- ls
	assert_output ""
}

@test "--out takes regular files only, and none that is missing" {
	run --separate-stderr timeout 20 cx-run exec --out p --out s --out d \
		--out gone --out fine -c 'mkfifo p; mkdir d; echo 1 >fine
		nc -lU s & sleep 0.2' <<<"$(cx_mint)"
	assert_equal "$status" 125
	jq -e '[.result.files[].error // "ok"] == ["unsafe_path",
		"unsafe_path", "unsafe_path", "io_error", "ok"] or
		.result.files[1].error == "io_error"' <<<"$output"
	assert_equal "$(cat fine)" 1
}

@test "--out replaces a link here instead of writing through it" {
	echo kept >target
	ln -s target out.txt
	cx_exec --out out.txt -c 'echo new >out.txt' >/dev/null
	assert_equal "$(cat target)" kept
	assert_equal "$(cat out.txt)" new
	[ ! -L out.txt ]
}

@test "--out keeps holes and refuses what is too long" {
	run --separate-stderr cx_exec --out hole -c 'truncate -s 200M hole
		printf x | dd of=hole bs=1 seek=104857600 conv=notrunc'
	assert_success
	assert_equal "$(stat -c %s hole)" 209715200
	[ "$(stat -c %b hole)" -lt 1024 ]
	CX_LIMITS='  file_size_bytes: 1125899906842624' cx_config
	run --separate-stderr timeout 20 cx-run exec --out huge \
		-c 'truncate -s 8796093022208 huge' <<<"$(cx_mint)"
	jq -e '.error.class == "unsafe_path"' <<<"$output"
	[ ! -e huge ]
}

@test "files that the sandbox closed to itself come out" {
	run --separate-stderr cx_exec --out a/b/f -c 'mkdir -p a/b
		echo x >a/b/f; chmod 0 a/b/f; chmod 711 a/b a'
	assert_success
	assert_equal "$(cat f)" x
}

@test "a full disk outside is said, and the command's result stands" {
	cx_need_root
	cx_need unshare
	run --separate-stderr unshare -m sh -c 'mkdir small &&
		mount -t tmpfs -o size=64k none small && cd small &&
		cx-run exec -f /dev/fd/3 --out big -c "head -c 200000 /dev/zero >big"' \
		3<<<"$(cx_mint)"
	assert_equal "$status" 125
	jq -e '.result.decision == "allowed" and .result.exitCode == 0 and
		.error.class == "store_full"' <<<"$output"
}
