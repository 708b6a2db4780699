# dry.bats - dry runs: what a command would change, committed or discarded.

load ../lib/common
load ../lib/jobs

setup() {
	cx_setup
	cx_l0
}

# exec in the workspace "notes": in_ws FLAG... [-- ARGV...]
in_ws() {
	cx_exec --workspace notes "$@"
}

# workspace diff of it: diff FLAG...
diff_ws() {
	cx-run workspace diff --org acme --workspace notes "$@"
}

# The folder that holds its data and what waits.
key_of() {
	local label
	label=$(grep -ls '"name":"notes"' "$CX_STATE"/volumes/ws/*/*/label)
	echo "${label%/label}"
}

# Everything that is below a folder, with its bytes, kind and mode.
picture() {
	(cd "$1" && find . -printf '%p %y %#m %s %l %n\n' | sed 's/ [0-9]* \(.*\) [0-9]*$/ \1/' |
		sort && find . -type f -exec sha256sum {} + | sort)
}

@test "a dry run tells what a command would change, and changes nothing" {
	in_ws -c 'mkdir d; echo 1 >d/f; echo 2 >gone; echo 3 >same; echo 4 >m
		ln -s same l; mkfifo p' >/dev/null
	before=$(picture "$(key_of)/data")
	run --separate-stderr in_ws --dry-run -c 'echo more >>d/f; rm gone
		echo new >d/n; ln -sf d l; chmod 600 m; touch -t 202001010000 same
		mkdir -p e; rm p; mkdir p; cat d/f'
	assert_success
	jq -e '.result.stdout == "1\nmore\n" and (.result.changes |
		.added == 2 and .modified == 4 and .deleted == 1 and .kept and
		.truncated == false and ([.entries[] | [.path, .change, .type]]
		== [["d/f", "modified", "file"], ["d/n", "added", "file"],
		["e", "added", "folder"], ["gone", "deleted", "file"],
		["l", "modified", "link"], ["m", "modified", "file"],
		["p", "modified", "folder"]]))' <<<"$output"
	jq -e --arg d "sha256:$(printf '1\nmore\n' | sha256sum | cut -c1-64)" \
		--arg w "sha256:$(echo 1 | sha256sum | cut -c1-64)" \
		--arg g "sha256:$(echo 2 | sha256sum | cut -c1-64)" \
		'.result.changes.entries | map({(.path): .}) | add |
		."d/f".sha256 == $d and ."d/f".size == 7 and
		."d/f".was.sha256 == $w and ."d/f".was.size == 2 and
		.gone.sha256 == $g and .l.target == "d" and
		.l.was.target == "same" and .m.mode == "0600" and
		.m.was.mode == "0644" and .m.sha256 == .m.was.sha256 and
		.p.was.type == "pipe"' <<<"$output"
	assert_equal "$(picture "$(key_of)/data")" "$before"
	run --separate-stderr in_ws --raw --dry-run -c 'echo >n; rm gone m'
	[[ $stderr == *"dry run: 1 added, 0 modified, 2 deleted; "* ]]
	run --separate-stderr in_ws --raw -c 'cat d/f; ls gone'
	assert_output $'1\ngone'
}

@test "changes are shown again, committed once, or discarded" {
	in_ws -c 'echo 1 >f; ln f g' >/dev/null
	cx_refuses 66 io_error diff_ws
	in_ws --dry-run -c 'echo 2 >>f; mkdir d' >/dev/null
	run --separate-stderr diff_ws
	jq -e '.state == "pending" and .stale == false and
		[.changes.entries[].path] == ["d", "f", "g"]' <<<"$output"
	run --separate-stderr cx-run workspace list
	jq -e '.workspaces[0].pending' <<<"$output"
	cx_refuses 64 usage diff_ws --commit --discard
	run --separate-stderr diff_ws --discard
	jq -e '.state == "discarded"' <<<"$output"
	cx_refuses 66 io_error diff_ws --commit
	in_ws --dry-run -c 'echo 2 >>f; mkdir d' >/dev/null
	in_ws --dry-run -c 'echo 3 >>f' >/dev/null
	run --separate-stderr diff_ws --commit
	jq -e '.state == "committed" and [.changes.entries[].path] ==
		["f", "g"]' <<<"$output"
	cx_refuses 66 io_error diff_ws --commit
	run --separate-stderr in_ws --raw -c 'cat f; cmp f g; ls'
	assert_output $'1\n3\nf\ng'
	assert_equal "$(ls -A "$(key_of)")" $'data\nlabel\nturn'
}

@test "a job's and a run's workspace have dry runs too" {
	new_job >job
	on "$(cat job)" -c 'echo 1 >f' >/dev/null
	on "$(cat job)" --dry-run -c 'echo 2 >f' >out
	jq -e '.result.changes.modified == 1 and .result.changes.kept' out
	run --separate-stderr cx-run exec --raw -f job -c 'cat f'
	assert_output 1
	cx-run workspace diff --org acme --job "$(jq -r .job.id job)" \
		--commit >/dev/null
	run --separate-stderr cx-run exec --raw -f job -c 'cat f'
	assert_output 2
	on "$(cat job)" --dry-run -c 'echo 3 >f' >/dev/null
	cx-run close -f job >/dev/null
	[ -z "$(ls -A "$CX_STATE"/volumes/ws/*)" ]
}

@test "one command's own dry run lists what it leaves, and keeps none of it" {
	mkdir in
	echo 1 >in/f
	run --separate-stderr cx_exec --dry-run --in in -c 'sort in/f >sorted'
	jq -e '.result.changes | .kept == false and [.entries[].path] ==
		["in", "in/f", "sorted"]' <<<"$output"
	[ -z "$(ls -A "$CX_STATE"/volumes/ws/*)" ]
	run --separate-stderr cx_exec -c true
	jq -e '.result | has("changes") | not' <<<"$output"
}

@test "a commit is refused when the workspace has changed since" {
	in_ws -c 'echo 1 >f; echo 1 >g; touch -t 202001010000 g' >/dev/null
	in_ws --dry-run -c 'echo 2 >f' >/dev/null
	# a change that hides itself as well as a command can
	in_ws -c 'echo 9 >g; touch -t 202001010000 g .' >/dev/null
	run --separate-stderr diff_ws
	jq -e '.stale' <<<"$output"
	cx_refuses 77 workspace_changed diff_ws --commit
	run --separate-stderr in_ws --raw -c 'cat f g'
	assert_output $'1\n9'
	diff_ws --discard >/dev/null
	in_ws --dry-run -c 'echo 2 >f' >/dev/null
	mkdir in
	echo 1 >in/x
	in_ws --in in -c true >/dev/null
	cx_refuses 77 workspace_changed diff_ws --commit
	in_ws --dry-run -c 'echo 2 >f' >/dev/null
	diff_ws --commit >/dev/null
	run --separate-stderr in_ws --raw -c 'cat f'
	assert_output 2
}

@test "a commit is refused when what its owner closed was moved" {
	in_ws -c 'mkdir a b; echo secret >a/x; chmod 0 a/x
		touch -t 202001010000 a b; chmod 0300 a b' >/dev/null
	in_ws --dry-run -c 'echo planned >new' >/dev/null
	in_ws -c 'mv a/x b/x; touch -t 202001010000 a b' >/dev/null
	cx_refuses 77 workspace_changed diff_ws --commit
	run --separate-stderr in_ws --raw -c 'chmod 0700 b; ls b'
	assert_output x
}

@test "a commit is refused when what its owner closed got an attribute" {
	cx_only_as root
	in_ws -c 'echo 1 >f; chmod 0200 f' >/dev/null
	in_ws --dry-run -c 'echo planned >new' >/dev/null
	python3 -c 'import os, sys
os.setxattr(sys.argv[1], b"user.seen", b"1")' "$(key_of)/data/f"
	cx_refuses 77 workspace_changed diff_ws --commit
}

@test "looking at a workspace doesn't make its changes stale" {
	in_ws -c 'mkdir -p a/b; echo 1 >a/b/f; chmod 0 a/b/f a/b a' >/dev/null
	in_ws --dry-run -c 'echo 2 >f' >/dev/null
	cx-run workspace list >/dev/null
	cx-run workspace export --org acme --workspace notes -o x.tar >/dev/null
	diff_ws >/dev/null
	run --separate-stderr diff_ws --commit
	assert_success
	run --separate-stderr in_ws --raw -c 'cat f; chmod -R u+rwX .
		cat a/b/f'
	assert_output $'2\n1'
}

@test "a diff follows no link of either side" {
	mkdir outside
	echo secret >outside/f
	chmod -R a+rX . ..
	in_ws -c "ln -s $PWD/outside d; ln -s $PWD/outside/f f" >/dev/null
	in_ws --dry-run -c 'rm d f; mkdir d; echo secret >d/f; echo secret >f
		ln -s /etc e' >out
	jq -e '[.result.changes.entries[] | [.path, .change]] ==
		[["d", "modified"], ["d/f", "added"], ["e", "added"],
		["f", "modified"]]' out
	diff_ws --commit >/dev/null
	in_ws --dry-run -c "rm -r d f; ln -s $PWD/outside d
		ln -s $PWD/outside/f f" >out
	jq -e '[.result.changes.entries[] | [.path, .change, .type]] ==
		[["d", "modified", "link"], ["d/f", "deleted", "file"],
		["f", "modified", "link"]]' out
	diff_ws --commit >/dev/null
	cx_refuses 125 unsafe_path in_ws --out f -c true
	cx_refuses 125 unsafe_path in_ws --dry-run --out d/f -c true
	assert_equal "$(cat outside/f)" secret
	assert_equal "$(ls -A outside)" f
}

@test "odd names come without loss" {
	in_ws --dry-run -c 'touch "$(printf "new\nline")" "$(printf "b\377d")"
		ln -s "$(printf "\376")" l; mkfifo pipe' >out
	jq -e '[.result.changes.entries[] | .path] | index("new\nline") != null
		and index("pipe") != null' out
	assert_equal "$(jq -r '.result.changes.entries[] | .pathBase64 //
		empty' out | base64 -d | od -An -tx1)" " 62 ff 64"
	assert_equal "$(jq -r '.result.changes.entries[] | .targetBase64 //
		empty' out | base64 -d | od -An -tx1)" " fe"
	diff_ws --commit >/dev/null
	cx-run workspace export --org acme --workspace notes -o x.tar >out
	assert_equal "$(jq -r '.files[] | .pathBase64 // empty' out |
		base64 -d | od -An -tx1)" " 62 ff 64"
	run --separate-stderr in_ws --raw -c 'ls | wc -l; readlink l | od -An -tx1'
	assert_line --index 0 4
}

@test "a copy is to a command what the workspace is" {
	in_ws -c 'mkdir d; echo 1 >d/f; ln d/f again; ln -s d/f l; ln l l2
		chmod 2750 d; chmod 4711 again; touch -h -t 202001020304 l
		touch -t 202001020304.05 d/f; mkfifo d/p; ln d/p p
		truncate -s 50M hole; printf x >>hole; mkdir c; : >c/u; chmod 0 c/u c
		touch -t 201901020304 d' >/dev/null
	in_ws --raw --dry-run -c 'stat -c "%n %F %a %s %h %u %Y" \
		. * d/*; du -k hole; cat d/f' >copy
	in_ws --raw -c 'stat -c "%n %F %a %s %h %u %Y" . * d/*
		du -k hole; cat d/f' >own
	diff own copy
	in_ws --dry-run -c 'mv d e && echo 2 >>e/f && cat again' >out
	jq -e '.result.exitCode == 0 and .result.stdout == "1\n2\n"' out
	diff_ws --commit >/dev/null
	run --separate-stderr in_ws --raw -c 'cat again; stat -c %h again'
	assert_output $'1\n2\n2'
}

# attribute PATH NAME [VALUE]: sets it, or prints what it is
attribute() {
	python3 -c 'import os, sys
if len(sys.argv) > 3:
    os.setxattr(sys.argv[1], sys.argv[2], sys.argv[3].encode())
else:
    print(os.getxattr(sys.argv[1], sys.argv[2]).decode())' "$@"
}

@test "attributes come along, and a change of one is told" {
	in_ws -c 'echo 1 >f; mkdir d; echo 1 >closed' >/dev/null
	attribute "$(key_of)/data/f" user.a one 2>/dev/null ||
		cx_lacks "no extended attributes here" || return 1
	attribute "$(key_of)/data/d" user.a one
	attribute "$(key_of)/data/closed" user.a one
	chmod 0 "$(key_of)/data/closed"
	in_ws --dry-run -c 'echo 2 >g' >out
	jq -e '.result.changes.entries | length == 1' out
	attribute "$(key_of)/pending/f" user.a two
	run --separate-stderr diff_ws
	jq -e '[.changes.entries[] | [.path, .attributes]] ==
		[["f", true], ["g", null]]' <<<"$output"
	diff_ws --commit >/dev/null
	assert_equal "$(attribute "$(key_of)/data/f" user.a)" two
	assert_equal "$(attribute "$(key_of)/data/d" user.a)" one
	chmod 600 "$(key_of)/data/closed"
	assert_equal "$(attribute "$(key_of)/data/closed" user.a)" one
}

@test "a dry run over the quota is ended, and not kept" {
	CX_LIMITS='  workspace_kib: 300' cx_config
	new_job >job
	on "$(cat job)" -c 'head -c 100000 /dev/zero >f' >/dev/null
	on "$(cat job)" --dry-run -c 'head -c 250000 /dev/zero >g' >out || true
	jq -e '.result.termination == "disk_quota_exceeded" and
		.result.changes.kept == false and .result.changes.added == 1' out
	cx_refuses 66 io_error cx-run workspace diff --org acme \
		--job "$(jq -r .job.id job)"
	run --separate-stderr cx-run exec --raw -f job -c 'ls'
	assert_output f
	[ ! -e "$(workspace_of "$(cat job)")/../rehearsal" ]
}

@test "a dry run behind a wall has one too, and is committed there" {
	cx_only_as root
	cx_need mke2fs
	[ -e /dev/loop-control ] || cx_lacks "no loop devices here" || return 1
	CX_LIMITS='  workspace_wall: image
  workspace_kib: 4000' cx_config
	run --separate-stderr in_ws -c 'echo 1 >f; ln f g'
	if jq -e '.error.class == "quota_unenforceable"' <<<"$output"; then
		cx_lacks "no wall of this sort here" || return 1
	fi
	in_ws --dry-run -c 'echo 2 >>f; mkdir d' >out
	jq -e '.result.changes | .kept and [.entries[].path] ==
		["d", "f", "g"]' out
	run --separate-stderr in_ws --raw -c 'cat f'
	assert_output 1
	diff_ws --discard >/dev/null
	in_ws --dry-run -c 'echo 2 >>f; mkdir d' >/dev/null
	diff_ws --commit >/dev/null
	run --separate-stderr in_ws --raw -c 'cat g; ls'
	assert_output $'1\n2\nd\nf\ng'
	cx_refuses 66 io_error diff_ws
	in_ws --dry-run -c 'head -c 9000000 /dev/zero >z 2>/dev/null
		stat -c %s z' >out || true
	jq -e '.result.stdout | tonumber < 4200000' out
}

@test "a dry run waits for a job's command, and it for a dry run" {
	new_job >job
	cx-run exec --keep-carrier -f job -c 'echo >begun
		until [ -e go ]; do sleep 0.02; done; echo 1 >f' >/dev/null &
	tool=$!
	cx_wait 10 test -e "$(workspace_of "$(cat job)")/begun"
	run --separate-stderr cx-run exec -f job --dry-run --no-wait -c true
	jq -e '.error.class == "store_busy"' <<<"$output"
	run --separate-stderr cx-run exec -f job --no-wait --raw -c 'echo shared'
	assert_output shared
	cx_refuses 75 store_busy cx-run workspace diff --org acme \
		--job "$(jq -r .job.id job)" --no-wait
	cx-run exec -f job --dry-run -c 'cat f' >out &
	second=$!
	touch "$(workspace_of "$(cat job)")/go"
	wait "$tool" "$second"
	jq -e '.result.stdout == "1\n"' out
}

@test "huge change sets are counted whole and listed in part" {
	CX_LIMITS='  workspace_kib: 200000' cx_config
	in_ws --dry-run -c 'mkdir d && cd d && seq 1 10500 | xargs touch' >out
	jq -e '.result.changes | .added == 10501 and .truncated and
		(.entries | length == 10000)' out
	in_ws --dry-run -c 'i=0; t=$(printf "%0250d" 0); mkdir $t; echo x >$t/f
		while [ $i -lt 299 ]; do mkdir n && mv $t n/ && mv n $t || exit
		i=$((i+1)); done' >out
	jq -e '.result.changes | .added == 301 and .truncated and
		.kept and ([.entries[].path | length] | add < 4194304)' out
	diff_ws --commit >/dev/null
	in_ws --dry-run -c true >out
	jq -e '.result.changes | .added + .modified + .deleted == 0' out
	in_ws --dry-run -c 'for i in 1 2 3 4 5; do truncate -s 190M s$i; done' \
		>out
	jq -e '[.result.changes.entries[].sha256] | length == 5 and
		all(. != null)' out
}

@test "a killed dry run leaves its workspace as it was, and nothing else" {
	in_ws -c 'mkdir d; head -c 3000000 /dev/urandom >d/f
		seq 1 2000 | sed "s/^/d\//" | xargs touch' >/dev/null
	before=$(picture "$(key_of)/data")
	cx_mint >doc
	for ms in 1 3 6 10 15 20 30 50 80 120 200; do
		cx-run exec -f doc --workspace notes --dry-run \
			-c 'rm -r d/1*; until [ -e never ]; do sleep 0.1; done' \
			>/dev/null 2>&1 &
		tool=$!
		sleep "0.$(printf '%03d' "$ms")"
		kill -KILL "$tool"
		wait "$tool" || true
		cx_wait 10 gone rehearsal
		[ ! -e "$(key_of)/pending.base" ]
	done
	assert_equal "$(picture "$(key_of)/data")" "$before"
	run --separate-stderr in_ws --no-wait --raw -c 'ls d | wc -l'
	assert_output 2001
}

gone() {
	[ ! -e "$(key_of)/$1" ] && [ ! -e "$(key_of)/$1.base" ]
}

# A digest of the names below a folder.
names() {
	(cd "$1" && find . | sort | sha256sum)
}

@test "a killed commit is still pending or whole" {
	local ms kept=0 whole=0
	in_ws -c 'seq 1 1500 | xargs touch' >/dev/null
	for ms in 2 5 10 20 30 32 34 36 38 40 42 45 50 60 80 120; do
		in_ws --dry-run -c "rm -f t*; seq 1 1500 | sed s/^/t$ms-/ |
			xargs touch" >/dev/null
		old=$(names "$(key_of)/data")
		new=$(names "$(key_of)/pending")
		cx-run workspace diff --org acme --workspace notes --commit \
			>/dev/null 2>&1 &
		tool=$!
		sleep "0.$(printf '%03d' "$ms")"
		kill -KILL "$tool" 2>/dev/null || true
		wait "$tool" || true
		now=$(names "$(key_of)/data")
		run --separate-stderr diff_ws
		if [ "$now" = "$old" ]; then
			jq -e '.state == "pending" and (.stale | not)' \
				<<<"$output" >/dev/null
			kept=$((kept + 1))
		else
			assert_equal "$now" "$new"
			assert_equal "$status" 66
			whole=$((whole + 1))
		fi
		gone rehearsal
	done
	echo "$kept pending, $whole whole"
}

# A commit under strace, killed as it enters the call CALL for the time N:
# 137, or 0 when it came to its end before.
commit_until() {
	cx_strace -f -o /dev/null -e "trace=$1" \
		-e "inject=$1:signal=KILL:when=$2" \
		cx-run workspace diff --org acme --workspace notes --commit \
		>/dev/null 2>&1
}

@test "a commit killed at any of its calls is still pending or whole" {
	local call n status
	cx_need strace
	in_ws -c 'mkdir d; echo old >d/f' >/dev/null
	for call in renameat2 unlinkat; do
		for n in {1..16}; do
			in_ws -c 'mkdir -p d; echo old >d/f; rm -f d/g' >/dev/null
			in_ws --dry-run -c 'echo new >d/g; rm d/f' >/dev/null
			status=0
			commit_until "$call" "$n" || status=$?
			case $(ls "$(key_of)/data/d") in
			f)
				[ "$status" -ne 0 ]
				diff_ws --commit >/dev/null
				assert_equal "$(ls "$(key_of)/data/d")" g
				;;
			g) cx_refuses 66 io_error diff_ws ;;
			*) false ;;
			esac
			[ "$status" -ne 0 ] || break
		done
		[ "$n" -lt 16 ]
	done
	in_ws -c true >/dev/null
	assert_equal "$(ls -A "$(key_of)")" $'data\nlabel\nturn'
}
