"""run.py - commands in the sandbox: the rows of area run.

A row is one command (sh, sh_gen, argv) or a sequence of them, each with the
limits of its own invocation, in one job: so what an earlier command left is
there for a later one, and for the looks from outside (files, export,
removal). What a row expects is read by the names of its keys, see expect.py.
Rows that need something prepared outside say so in words (host): a few
phrases are understood (a signal sent, a name listened on), the rest is coded
in field_run.py.

The commands need a base with Python and git: the image of $CX_TEST_DEBIAN or
of $CX_STATE, when there is one, else Debian's, made once by cx-build l0 below
the build folder.
"""

import base64
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

import expect
import sandbox
import tools
from tools import NotOk, Skip, known_only

COMMAND_KEYS = {
    "sh", "sh_gen", "argv", "argv_gen", "stdin", "stdin_gen", "stdin_base64",
    "env", "limits", "files", "cwd", "timeout_ms", "max_output_bytes",
    "then_argv", "then_sh"}
WORDS = {"describe_only", "describe", "sh_equivalent", "note", "session",
         "host"}
TEXTS = {"sh", "argv", "sh_gen", "argv_gen", "sequence"}
LIMIT = 180


def generated(form):
    """prefix, repeat * count, suffix; a plain text is itself."""
    if not isinstance(form, dict):
        return form
    known_only(form, {"prefix", "repeat", "count", "suffix"}, "a generator")
    return (form.get("prefix", "") +
            form.get("repeat", "") * int(form.get("count", 1)) +
            form.get("suffix", ""))


FILE_KEYS = {"text", "base64", "symlink", "mode", "prefix", "repeat", "count",
             "suffix"}


def put_file(path, form):
    """A text, or {text | base64 | symlink | a generator's, mode}."""
    if not isinstance(form, dict):
        form = {"text": form}
    known_only(form, FILE_KEYS, "a file")
    if "symlink" in form:
        os.symlink(form["symlink"], path)
        return
    if "base64" in form:
        data = base64.b64decode(form["base64"])
    elif "text" in form:
        data = form["text"].encode("utf-8")
    else:
        data = generated({key: value for key, value in form.items()
                          if key != "mode"}).encode("utf-8")
    with open(path, "wb") as out:
        out.write(data)
    os.chmod(path, int(str(form.get("mode", "644")), 8))


class Done:
    """One command that was asked for, and what came back."""

    def __init__(self, result, seen):
        self.tool = result
        self.document = result.document() or {}
        self.result = self.document.get("result") or {}
        self.error = self.document.get("error") or {}
        self.seconds = result.seconds
        self.seen = seen            # a sandbox.Watch

    def refused(self):
        return self.result.get("decision") != "allowed"


class World:
    """A state folder of its own, one job in it, and what it ran."""

    def __init__(self, area, row):
        self.area, self.row = area, row
        self.tools = area.tools
        self.state = self.tools.folder("state")
        self.done = []
        self.given_files = set()
        self.closed = False
        self.shm = sandbox.host_shm()
        self.document = self.open()

    def env(self, limits=None, names=()):
        config = os.path.join(self.tools.folder("config"), "config.yaml")
        settings = dict(limits or {})
        if not self.area.limits_hold:
            settings.setdefault("best_effort", ["memory", "cpu", "pids"])
        if names:
            settings["env_names"] = sorted(names)
        with open(config, "w", encoding="utf-8") as out:
            json.dump({"store": {"shared": self.area.base},
                       "audit": {"sync": "none"}, "limits": settings}, out)
        return self.tools.environment(self.state, config=config)

    def call(self, argv, env, stdin=b"", **more):
        return self.tools.run([self.tools.path(argv[0])] + argv[1:], env,
                              stdin, limit=LIMIT, **more)

    def open(self):
        minted = self.call(["cx-seal", "mint", "-n", "--org", "acme",
                            "--user", "ada", "--surface", "chat"], self.env())
        opened = self.call(["cx-run", "open"], self.env(), minted.stdout)
        document = opened.document()
        if opened.status != 0 or not document:
            raise NotOk(opened, "an opened job")
        return document

    @property
    def job(self):
        return self.document["job"]["id"]

    def run_section(self, step):
        section = {}
        if "argv" in step or "argv_gen" in step:
            section["argv"] = [generated(word) for word in
                               step.get("argv", step.get("argv_gen"))]
        else:
            section["command"] = generated(step.get("sh", step.get("sh_gen")))
        for name, member in (("cwd", "cwd"), ("timeout_ms", "timeoutMs"),
                             ("max_output_bytes", "maxOutputBytes"),
                             ("stdin_base64", "stdinBase64"),
                             ("env", "env")):
            if name in step:
                section[member] = step[name]
        stdin = generated(step.get("stdin", step.get("stdin_gen")))
        if stdin is not None:
            section["stdin"] = stdin
        return section

    def flags(self, step):
        """The files of a step are copied in by --in."""
        folder, tops = self.tools.folder("in"), set()
        for name, text in (step.get("files") or {}).items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            put_file(path, text)
            tops.add(os.path.join(folder, name.split("/")[0]))
            self.given_files.add(name)
        return [word for top in sorted(tops) for word in ("--in", top)]

    def start(self, step):
        """The argv, environment and document of a step."""
        names = {name for name in (step.get("env") or {})
                 if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and
                 not expect.is_reserved(name)}
        document = dict(self.document, run=self.run_section(step))
        return (["cx-run", "exec"] + self.flags(step),
                self.env(step.get("limits"), names),
                json.dumps(document).encode())

    def exec(self, step, plan=None):
        argv, env, stdin = self.start(step)
        argv = [self.tools.path(argv[0])] + argv[1:]
        if plan:
            argv = plan.before + argv
            env.update(plan.env)
        running = self.tools.start(argv, env, stdin)
        seen = sandbox.Watch(running.process.pid, self.workspace_path())
        if plan and plan.signal:
            number, delay = plan.signal
            timer = threading.Timer(delay, running.process.send_signal,
                                    [number])
            timer.start()
        seen.start()
        result = running.finish(LIMIT)
        seen.stop()
        if result.over:
            raise NotOk(result, "an end within %d s" % LIMIT)
        self.done.append(Done(result, seen))
        return self.done[-1]

    def workspace_path(self):
        """A glob's worth of path: the job's data folder, once it is there."""
        return os.path.join(self.state, "volumes", "ws"), self.job

    def workspace(self):
        return sandbox.find_workspace(*self.workspace_path())

    def close(self):
        if not self.closed:
            self.closed = True
            return self.call(["cx-run", "close"], self.env(),
                             json.dumps(self.document).encode())
        return None

    def put_away(self):
        self.close()
        self.tools.remove(self.state)


class Area:
    def __init__(self, toolbox):
        self.tools = toolbox
        self.base = None
        self.limits_hold = sandbox.limits_hold()

    def start(self):
        """The base image, and a command on it."""
        why = None
        for self.base in self.bases():
            world = World(self, {})
            try:
                done = world.exec({"sh": "python3 -V && git --version"})
            finally:
                world.put_away()
            if done.result.get("exitCode") == 0:
                return
            why = "%s %s" % (done.result, done.error)
        raise NotOk(why, "a base image with Python and git")

    def bases(self):
        """Stores that may hold such an image, the last one made here."""
        kept = os.path.join(self.tools.build, "demo", "state")
        for own in (os.environ.get("CX_STATE"),
                    os.environ.get("CX_TEST_DEBIAN"), kept):
            if own and os.path.exists(os.path.join(own, "oci", "index.json")):
                yield own
        yield self.make_base()

    def make_base(self):
        made = os.path.join(self.tools.build, "cases-l0")
        if not os.path.exists(os.path.join(made, "oci", "index.json")):
            env = dict(os.environ, CX_STATE=made, CX_CONFIG=self.tools.plain)
            done = subprocess.run(
                [self.tools.path("cx-build"), "l0"], env=env, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if done.returncode != 0:
                shutil.rmtree(made, ignore_errors=True)
                raise Skip("no base image, and cx-build l0 makes none: " +
                           done.stderr.decode("utf-8", "replace")[-300:])
            os.chmod(made, 0o755)
        return made

    def check(self, row):
        given, wanted = row.get("input", {}), row.get("expect", {})
        plan = host_plan(given.get("host"))
        if not TEXTS & set(given) or plan is None:
            tools.coded("run", row, self)
            return
        known_only(given, COMMAND_KEYS | WORDS | {"sequence"}, "input")
        expect.check_names(wanted)
        world = World(self, row)
        try:
            with plan as action:
                self.carry_out(world, given, action)
            self.see_busy(world, given, wanted)
            expect.see_powers(world, given, wanted)
            expect.check(world, wanted)
        finally:
            world.put_away()

    @staticmethod
    def see_busy(world, given, wanted):
        """A command that is to use up its CPU time can't where others take
        the processors away."""
        limit = (given.get("limits") or {}).get("cpu_ms")
        used = world.done[0].result.get("cpuMs") or 0
        if wanted.get("termination") == "cpu_time" and limit and \
                used < limit and os.getloadavg()[0] > (os.cpu_count() or 1):
            raise Skip("this machine is too busy: the command got %d ms of "
                       "CPU time" % used)

    def carry_out(self, world, given, plan):
        steps = given.get("sequence") or [given]
        for step in steps:
            known_only(step, COMMAND_KEYS | WORDS, "a step")
            done = world.exec(step, plan)
            done = self.again_without(world, step, done)
            for name, kind in (("then_argv", "argv"), ("then_sh", "sh")):
                if name in step:
                    world.exec({kind: step[name],
                                "limits": step.get("limits")})

    @staticmethod
    def again_without(world, step, done):
        """What a row doesn't expect to be refused and yet is, variable by
        variable, is taken out: the rest has to behave."""
        wanted = world.row.get("expect", {})
        if {"refused_pointer", "reason"} & set(wanted):
            return done
        while done.error.get("pointer", "").startswith("/run/env/"):
            name = done.error["pointer"][len("/run/env/"):]
            name = name.replace("~1", "/").replace("~0", "~")
            step = dict(step, env={key: value for key, value in
                                   step["env"].items() if key != name})
            world.done.pop()
            done = world.exec(step)
        return done


class Plan:
    """What the words of host ask for, as far as they are understood."""

    def __init__(self, sent=None, listen=None, before=(), env=None):
        self.signal, self.listen, self.socket = sent, listen, None
        self.before, self.env = list(before), env or {}

    def __enter__(self):
        if self.listen:
            self.socket = socket.socket(self.listen[0])
            self.socket.bind(self.listen[1])
            self.socket.listen(1)
        return self

    def __exit__(self, *_):
        if self.socket:
            self.socket.close()


def shell(words):
    """The tool, started by a shell that does something before."""
    return ["sh", "-c", words + '; exec "$@"', "sh"]


# (what the words look like, the Plan that they ask for)
PHRASES = [
    (r"send (SIG[A-Z]+)\b.* to cx-run after ([0-9.]+) s", lambda found: Plan(
        sent=(getattr(signal, found.group(1)), float(found.group(2))))),
    (r"kill -(9|KILL) (?:of )?cx-run.* after ([0-9.]+) s", lambda found: Plan(
        sent=(signal.SIGKILL, float(found.group(2))))),
    (r"listen on the abstract name (\S+)", lambda found: Plan(
        listen=(socket.AF_UNIX, "\0" + found.group(1)))),
    (r"listen on (?:TCP )?(?:127\.0\.0\.1 )?port (\d+)", lambda found: Plan(
        listen=(socket.AF_INET, ("127.0.0.1", int(found.group(1)))))),
    (r"(?:start|run) cx-run with SIG([A-Z]+) ignored", lambda found: Plan(
        before=shell("trap '' " + found.group(1)))),
    (r"(?:start|run) cx-run with umask (\d+)", lambda found: Plan(
        before=shell("umask " + found.group(1)))),
    (r"(?:start|run) cx-run with descriptor (\d) open", lambda found: Plan(
        before=shell("exec %s</etc/passwd" % found.group(1)))),
    (r"(?:start|run) cx-run with ([A-Z_]+)=(\S+) in its environment",
     lambda found: Plan(env={found.group(1): found.group(2)})),
]


def host_plan(words):
    """A Plan; None when the words are for a coded case."""
    if words is None:
        return Plan()
    for pattern, make in PHRASES:
        found = re.match(pattern, words)
        if found:
            return make(found)
    return None


__all__ = ["Area", "World", "time"]
