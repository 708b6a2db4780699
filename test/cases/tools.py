"""tools.py - what every area of the case driver needs.

Tools knows where the built tools are ($CX_BIN, else bin/ of this tree), keeps
a scratch folder, and runs a tool with an environment that it makes itself:
nothing of the caller's gets in but what is named.
"""

import errno
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


class NotOk(Exception):
    """The product's answer, and the right one."""

    def __init__(self, got, wanted):
        Exception.__init__(self, "got %s, wanted %s" % (got, wanted))


class Skip(Exception):
    """Why this machine can't tell."""


def known_only(mapping, known, what):
    """A word that the driver doesn't know is never ignored."""
    for key in mapping:
        if key not in known:
            raise NotOk("%s with %r" % (what, key),
                        "one of %s" % " ".join(sorted(known)))


def coded(area, row, world):
    """Carries out a row whose input is words, by its id in field_AREA.py."""
    try:
        cases = importlib.import_module("field_" + area).CASES
    except ModuleNotFoundError:
        cases = {}
    if row["id"] not in cases:
        raise Skip("its input is words, and no case is coded for its id")
    cases[row["id"]](world)


class Result:
    """What a tool did: status (128+n for a signal), both streams, seconds,
    its peak in KiB. over: it was killed for taking too long."""

    def __init__(self, status, stdout, stderr, seconds, rss_kib, over):
        self.status, self.stdout, self.stderr = status, stdout, stderr
        self.seconds, self.rss_kib, self.over = seconds, rss_kib, over

    def document(self):
        """The one JSON object of standard output, or None."""
        try:
            value = json.loads(self.stdout)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None

    def documents(self):
        """NDJSON: an object for each line."""
        return [json.loads(line) for line in self.stdout.splitlines()]

    def error_class(self):
        """error.class, or, where nothing was printed, the class that the
        complaint on standard error names; None for neither."""
        document = self.document()
        if document is not None:
            error = document.get("error")
            return error.get("class") if isinstance(error, dict) else None
        if self.stdout.strip():
            return None
        found = re.search(rb"^cx-[a-z]+: (?:denied: )?([a-z_]+):",
                          self.stderr, re.MULTILINE)
        return found.group(1).decode() if found else None

    def __str__(self):
        return "status %d, stdout %.200r, stderr %.300r%s" % (
            self.status, self.stdout.decode("utf-8", "replace"),
            self.stderr.decode("utf-8", "replace"),
            " (killed: it took too long)" if self.over else "")


# The contract's table of exit statuses, written here a second time: what isn't
# named is a refusal.
STATUS = {name: status for status, names in {
    64: "usage",
    65: "input_invalid declaration_invalid digest_mismatch unsafe_path "
        "slug_invalid slug_duplicate catalog_too_large skill_invalid "
        "provider_unknown tool_call_invalid",
    69: "egress_gateway_required isolation_unavailable quota_unenforceable "
        "image_missing placement_unavailable environment_unavailable "
        "network_not_isolated name_not_found dns_error dns_timeout dns_empty "
        "upstream_unreachable control_unreachable",
    70: "internal",
    71: "clock_unusable",
    74: "io_error store_full",
    75: "store_busy",
    78: "key_invalid key_permissions key_missing config_invalid",
}.items() for name in names.split()}
# Randomness or memory that fails is the system's fault, a file that isn't
# there or can't be made has its own status.
ALSO = {"internal": {71}, "io_error": {66, 73}}


def right_status(name):
    """The exit statuses that the contract has for a class."""
    return {STATUS.get(name, 77)} | ALSO.get(name, set())


class Tools:
    def __init__(self):
        self.bin = os.environ.get("CX_BIN", os.path.join(ROOT, "bin"))
        self.build = os.path.join(ROOT, os.environ.get("B", ".build"))
        self.scratch = tempfile.mkdtemp(prefix="cx-cases-")
        os.chmod(self.scratch, 0o755)
        self.plain = os.path.join(self.scratch, "plain.yaml")
        with open(self.plain, "w", encoding="utf-8") as out:
            out.write("{}\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove(self.scratch)

    @staticmethod
    def remove(path):
        """A folder, also where a sandbox left it without permissions."""
        for folder, names, _ in os.walk(path):
            for name in names:
                full = os.path.join(folder, name)
                if not os.path.islink(full):
                    os.chmod(full, 0o700)
        shutil.rmtree(path, ignore_errors=True)

    def folder(self, name):
        """A new folder below the scratch folder."""
        return tempfile.mkdtemp(prefix=name + "-", dir=self.scratch)

    def path(self, tool):
        return os.path.join(self.bin, tool)

    def environment(self, state, config=None, now=None, **more):
        env = {
            "PATH": self.bin + ":/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": self.scratch, "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "CX_STATE": state,
            "CX_CONFIG": config or self.plain,
        }
        if now is not None:
            env["CX_TEST_NOW"] = str(now)
        if "CX_SABOTAGE" in os.environ:  # the build that proves the tests
            env["CX_SABOTAGE"] = os.environ["CX_SABOTAGE"]
        env.update(more)
        return env

    def start(self, argv, env, stdin=b"", stdout=subprocess.PIPE, cwd=None):
        """Starts a tool; finish() waits for it. stdin is bytes, or a list of
        (bytes, times) that is streamed, which the tool may stop reading."""
        process = subprocess.Popen(
            argv, env=env, stdin=subprocess.PIPE, stdout=stdout,
            stderr=subprocess.PIPE, cwd=cwd or self.scratch)
        return Running(process, stdin)

    def run(self, argv, env, stdin=b"", limit=15, **more):
        return self.start(argv, env, stdin, **more).finish(limit)

    def inject(self, syscall, number, argv):
        """argv in which a system call fails with an errno's name."""
        helper = os.path.join(self.build, "test", "inject")
        made = subprocess.run(
            ["make", "-s", "-C", ROOT, "--no-print-directory",
             os.path.relpath(helper, ROOT)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if made.returncode != 0:
            raise Skip("test/lib/inject.c can't be built here: "
                       + made.stdout.decode("utf-8", "replace")[-200:])
        if not hasattr(errno, number):
            raise NotOk("errno %r" % number, "a name of errno.h")
        return [helper, syscall, str(getattr(errno, number))] + argv


class Running:
    """A tool that was started."""

    CHUNK = 1 << 16

    def __init__(self, process, stdin):
        self.process, self.began = process, time.monotonic()
        self.stream = {"stdout": b"", "stderr": b""}
        self.threads = [threading.Thread(target=self.feed, args=(stdin,))]
        for name in self.stream:
            pipe = getattr(process, name)
            if pipe:
                self.threads.append(threading.Thread(
                    target=self.drain, args=(name, pipe)))
        for thread in self.threads:
            thread.daemon = True
            thread.start()

    def feed(self, stdin):
        pipe = self.process.stdin
        try:
            for data, times in ([(stdin, 1)] if isinstance(stdin, bytes)
                                else stdin):
                left = len(data) * times
                block = data * max(1, self.CHUNK // max(1, len(data)))
                while left > 0:
                    part = block[:left]
                    pipe.write(part)
                    left -= len(part)
            pipe.close()
        except OSError:  # it doesn't want more
            pass

    def drain(self, name, pipe):
        data = pipe.read(64 << 20)
        self.stream[name] = data
        while pipe.read(1 << 20):
            pass

    def finish(self, limit):
        over, peak = False, 0
        end = self.began + limit
        pid = self.process.pid
        while True:
            done, status, usage = os.wait4(pid, os.WNOHANG)
            if done:
                peak = usage.ru_maxrss
                break
            if time.monotonic() > end and not over:
                over = True
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.002)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        for thread in self.threads:
            thread.join(5)
        code = self.process.returncode
        return Result(code if code >= 0 else 128 - code,
                      self.stream["stdout"], self.stream["stderr"],
                      time.monotonic() - self.began, peak, over)
