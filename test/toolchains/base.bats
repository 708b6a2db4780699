#!/usr/bin/env bats
# base.bats - Python, Node and git over the default base, with default settings.
#
# The commands are for the sandbox's shell:
# shellcheck disable=SC2016,SC2154

load common

setup() {
	over "${CX_TEST_DEBIAN:-$CX_ROOT/.build/demo/state}" debian-13
}

@test "Python runs processes, threads, shared memory and a data base" {
	inside <<-'EOS'
		cat >program.py <<'EOP'
		import asyncio, multiprocessing, os, sqlite3, subprocess, threading
		from multiprocessing import shared_memory

		def square(n):
		    return n * n

		if __name__ == "__main__":
		    with multiprocessing.Pool(2) as pool:
		        print(pool.map(square, range(4)))
		    queue = multiprocessing.Queue()
		    process = multiprocessing.Process(target=queue.put, args=(7,))
		    process.start()
		    print(queue.get())
		    process.join()
		    thread = threading.Thread(target=print, args=("thread",))
		    thread.start()
		    thread.join()
		    block = shared_memory.SharedMemory(create=True, size=1 << 20)
		    block.buf[0] = 42
		    again = shared_memory.SharedMemory(name=block.name)
		    print(again.buf[0])
		    again.close()
		    block.close()
		    block.unlink()
		    db = sqlite3.connect("file.db")
		    db.execute("pragma journal_mode=wal")
		    db.execute("create table t (a)")
		    db.execute("insert into t values (1)")
		    db.commit()
		    print(db.execute("select count(*) from t").fetchone()[0])
		    print(asyncio.run(asyncio.sleep(0, "slept")))
		    print(subprocess.run(["id", "-u"], capture_output=True,
		                         text=True).stdout.strip())
		    print(len(os.sched_getaffinity(0)))
		EOP
		python3 program.py
	EOS
	assert_equal "${lines[*]}" "[0, 1, 4, 9] 7 thread 42 1 slept 10001 1"
}

@test "a virtual environment and a wheel are made and used" {
	inside <<-'EOS'
		python3 -m venv --without-pip venv && venv/bin/python -c 'print(1)'
		cat >wheel.py <<'EOP'
		import zipfile
		info = "Metadata-Version: 2.1\nName: cxhello\nVersion: 1.0\n"
		name = "cxhello-1.0-py3-none-any.whl"
		with zipfile.ZipFile(name, "w") as wheel:
		    wheel.writestr("cxhello.py", "print('from a wheel')\n")
		    folder = "cxhello-1.0.dist-info/"
		    wheel.writestr(folder + "METADATA", info)
		    wheel.writestr(folder + "WHEEL", "Wheel-Version: 1.0\n"
		        "Generator: cx\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
		    wheel.writestr(folder + "RECORD", "cxhello.py,,\n")
		EOP
		python3 wheel.py
		pip install -q --no-index ./cxhello-1.0-py3-none-any.whl
		python3 -c 'import cxhello'
	EOS
	assert_equal "${lines[*]}" "1 from a wheel"
}

@test "Node runs threads, processes, watchers and servers" {
	inside <<-'EOS'
		cat >program.mjs <<'EOP'
		import { Worker } from "node:worker_threads";
		import { execFileSync } from "node:child_process";
		import { createServer, request } from "node:http";
		import { watch, writeFileSync } from "node:fs";
		import os from "node:os";
		const worker = new Worker(
		  "require('worker_threads').parentPort.postMessage(6 * 7)",
		  { eval: true });
		console.log(await new Promise((f) => worker.on("message", f)));
		console.log(execFileSync("id", ["-u"]).toString().trim());
		const seen = new Promise((f) => {
		  const watcher = watch(".", () => { watcher.close(); f("seen"); });
		});
		writeFileSync("file", "text");
		console.log(await seen);
		const server = createServer((_, to) => to.end("served"));
		await new Promise((f) => server.listen(0, "127.0.0.1", f));
		console.log(await new Promise((f) => request(
		  { port: server.address().port, host: "127.0.0.1" },
		  (from) => from.on("data", (data) => f(data.toString()))).end()));
		server.close();
		console.log(os.availableParallelism(), os.cpus().length > 0);
		EOP
		node program.mjs
	EOS
	assert_equal "${lines[*]}" "42 10001 seen served 1 true"
}

@test "npm packs a package and installs it" {
	inside <<-'EOS'
		mkdir lib && cd lib && npm init -y >/dev/null
		echo 'console.log("from a package")' >index.js
		npm pack --silent && cd .. && mkdir app && cd app
		npm init -y >/dev/null
		npm install --silent --offline --no-audit ../lib/lib-1.0.0.tgz
		node -e 'require("lib")'
		npm install --silent --offline -g ../lib/lib-1.0.0.tgz
		npm ls -g --parseable | grep -c modules/lib$
	EOS
	assert_equal "${lines[*]}" "lib-1.0.0.tgz from a package 1"
}

@test "git commits, clones, merges, packs and keeps trees" {
	inside <<-'EOS'
		set -e
		git config --global user.name Ada
		git config --global user.email ada@example.org
		git config --global init.defaultBranch main
		git init -q one && cd one
		seq 100 >file && git add file && git commit -qm first
		git checkout -qb side && echo side >>file && git commit -qam side
		git checkout -q main && echo 0 >zero && git add zero
		git commit -qm zero && git merge -q -m merged side
		git gc -q --prune=now && git fsck --no-progress
		git clone -q . ../two && git -C ../two log --oneline | wc -l
		git worktree add -q ../three side && ls ../three
		git bundle create -q ../all.bundle --all && git stash list
	EOS
	assert_equal "${lines[*]}" "4 file"
}

@test "files move between folders, and links are made" {
	inside <<-'EOS'
		set -e
		mkdir -p a/b c && echo text >a/b/file
		mv a/b/file c/ && mv a/b c/ && mv c/b /tmp/ && mv /tmp/b a/
		ln c/file a/hard && ln -s ../c/file a/soft && cat a/soft
		stat -c %h c/file
		python3 -c 'import os; os.rename("c/file", "a/b/file")'
		cp -a a d && find d | sort | tr '\n' ' '
	EOS
	assert_equal "${lines[*]}" "text 2 d d/b d/b/file d/hard d/soft "
}

@test "git, sqlite, pip and npm lock and wait within one sandbox" {
	inside <<-'EOS'
		git init -q repository && cd repository && echo 1 >file
		touch .git/index.lock
		git add file 2>&1 | grep -c 'index.lock.: File exists'
		rm .git/index.lock && git add file && cd ..
		cat >locks.py <<'EOP'
		import fcntl, os, sqlite3, subprocess, sys, time
		held = sqlite3.connect("file.db", isolation_level=None)
		held.execute("create table t (a)")
		held.execute("begin exclusive")
		other = """import sqlite3, sys
		db = sqlite3.connect("file.db", timeout=float(sys.argv[1]))
		try:
		    db.execute("insert into t values (1)")
		    db.commit()
		    print("written", flush=True)
		except sqlite3.OperationalError as e:
		    print(e, flush=True)"""
		def run(wait):
		    return subprocess.Popen([sys.executable, "-c", other, wait])
		run("0.1").wait()
		waiting = run("20")
		time.sleep(0.3)
		held.execute("commit")
		waiting.wait()
		file = open("lock", "w")
		for lock in fcntl.flock, fcntl.lockf:
		    lock(file, fcntl.LOCK_EX)
		    if os.fork() == 0:
		        try:
		            lock(open("lock", "w"), fcntl.LOCK_EX | fcntl.LOCK_NB)
		            print("both have it", flush=True)
		        except BlockingIOError:
		            print("held", flush=True)
		        os._exit(0)
		    os.wait()
		    lock(file, fcntl.LOCK_UN)
		EOP
		python3 locks.py
		for n in 1 2 3; do
			python3 - "$n" <<'EOP'
		import sys, zipfile
		n = sys.argv[1]
		with zipfile.ZipFile(f"cx{n}-1.0-py3-none-any.whl", "w") as wheel:
		    wheel.writestr(f"cx{n}.py", "")
		    at = f"cx{n}-1.0.dist-info/"
		    wheel.writestr(at + "METADATA",
		        f"Metadata-Version: 2.1\nName: cx{n}\nVersion: 1.0\n")
		    wheel.writestr(at + "WHEEL", "Wheel-Version: 1.0\n"
		        "Generator: cx\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
		    wheel.writestr(at + "RECORD", f"cx{n}.py,,\n")
		EOP
			pip install -q --no-index ./cx$n-*.whl &
		done
		wait
		python3 -c 'import cx1, cx2, cx3; print("pip")'
		mkdir lib && cd lib && npm init -y >/dev/null && npm pack --silent
		cd .. && for n in 1 2 3; do
			mkdir app$n && (cd app$n && npm init -y >/dev/null &&
				npm install --silent --offline --no-audit \
					../lib/lib-1.0.0.tgz) &
		done
		wait
		ls -d app*/node_modules/lib | wc -l
	EOS
	assert_equal "${lines[*]}" \
		"1 database is locked written held held pip lib-1.0.0.tgz 3"
}
