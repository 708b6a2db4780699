"""live.py - what runs in the world of test/gateway/world, from Python.

inside() starts the calling program again in that world, once; then Origin,
Resolver and Load are the programs of this folder, and Peer is another proxy
at work. Everything that was started is ended by World.close().
"""

import array
import json
import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BIN = os.path.abspath(os.environ.get("CX_BIN", os.path.join(ROOT, "bin")))
TOOLS = os.path.join(os.path.join(ROOT, os.environ.get("B", ".build")),
                     "test", "gateway")
WORLD = os.path.join(HERE, "world")


def inside(*more):
    """Goes on in the world; the environment says that we are there."""
    if "CX_ORIGIN_PID" not in os.environ:
        os.execv(WORLD, [WORLD, sys.executable] + sys.argv + list(more))
    for files in (65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
            break
        except (ValueError, OSError):
            pass  # as many as there may be


def cpu_seconds(pid):
    """All that a process has used, ended threads included."""
    return time.clock_gettime(~pid << 3 | 2)


def status_kib(pid, name):
    """VmRSS, VmHWM and the like."""
    with open("/proc/%d/status" % pid, encoding="ascii") as lines:
        for line in lines:
            if line.startswith(name + ":"):
                return int(line.split()[1])
    return 0


def until(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("waited in vain for " + what)
        time.sleep(0.005)


def listens(address, port):
    """Something accepts there."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as probe:
        probe.settimeout(1)
        return probe.connect_ex((address, port)) == 0


class World:
    """Where everything is started, and a folder."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="cx-live-")
        os.chmod(self.folder, 0o755)
        self.running = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, argv, there=False, cpu=None, **more):
        if there:
            argv = [WORLD, "--origin"] + argv
        if cpu is not None:
            argv = ["taskset", "-c", str(cpu)] + argv
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("stderr", subprocess.DEVNULL)
        process = subprocess.Popen(argv, cwd=self.folder, **more)
        self.running.append(process)
        return process

    def end(self, process, how=signal.SIGTERM, seconds=5):
        if process in self.running:
            self.running.remove(process)
        if process.poll() is None:
            process.send_signal(how)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def close(self):
        # a build that keeps count of itself writes it at its end
        how = signal.SIGTERM if os.environ.get("CX_INSTRUMENTED") \
            else signal.SIGKILL
        for process in list(self.running):
            self.end(process, how)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Told:
    """A program that answers each line with a line."""

    def __init__(self, world, argv, cpu=None):
        self.process = world.start(argv, there=True, cpu=cpu,
                                   stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=None)
        self.hear()

    def hear(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("%s ended" % self.process.args)
        return json.loads(line)

    def tell(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return self.hear()


class Origin(Told):
    """Answers at every address, at some ports."""

    PORTS = (80, 443, 22, 25, 853, 3128, 5432, 8080, 8443, 9000)

    def __init__(self, world, ports=PORTS, cpu=None, log=True):
        self.log = world.path("origin-%d.log" % len(world.running))
        Told.__init__(self, world, [os.path.join(TOOLS, "origin")] +
                      (["--log", self.log] if log else []) +
                      ["[::]:%d" % port for port in ports], cpu)
        self.read_to = 0

    def totals(self, clear=False):
        return self.tell("clear" if clear else "totals")

    def settle(self, seconds=20):
        """The totals, once no connection is open any more."""
        until(lambda: self.totals()["open"] == 0, seconds,
              "connections at the origin to end")
        return self.totals()

    def seen(self):
        """Lines of the log since the last call."""
        with open(self.log, encoding="ascii") as log:
            log.seek(self.read_to)
            text = log.read()
        whole = text[:text.rfind("\n") + 1]
        self.read_to += len(whole)
        return [json.loads(line) for line in whole.splitlines()]


class Resolver(Told):
    """198.51.100.53, which resolv.conf names."""

    def __init__(self, world, cpu=None):
        Told.__init__(self, world, [os.path.join(TOOLS, "resolver"),
                                    "198.51.100.53:53"], cpu)

    def world(self, names):
        return self.tell(json.dumps(names))["lookups"]

    def lookups(self):
        """By name, A and AAAA being one."""
        return {name: max(times.values())
                for name, times in self.tell("")["lookups"].items()}


def load_argv(mode, **options):
    argv = [os.path.join(TOOLS, "load")]
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None:
                argv += ["--" + name, str(one)]
    return argv + [mode]


def load(world, mode, cpu=None, limit=90, **options):
    """What load.c counted."""
    process = world.start(load_argv(mode, limit=limit, **options), cpu=cpu,
                          stdout=subprocess.PIPE, stderr=None)
    try:
        text = process.communicate(timeout=limit + 15)[0]
    finally:
        world.end(process)
    return json.loads(text)


class Holding:
    """Tunnels or heads that are held until close()."""

    def __init__(self, world, mode, cpu=None, **options):
        self.world = world
        self.process = world.start(load_argv(mode, **options), cpu=cpu,
                                   stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=None)
        self.ready = int(self.process.stdout.readline().split()[1])

    def close(self):
        self.process.stdin.close()
        text = self.process.stdout.read()
        self.world.end(self.process)
        return json.loads(text)


class Control:
    """A gateway's control connection: packets of a head (magic, size of the
    text), the secret and a text, with descriptors beside them."""
    MAGIC = 0x63786731

    def __init__(self, connection, secret):
        self.socket, self.secret = connection, secret
        self.socket.settimeout(20)

    def packet(self, text, secret=None):
        if isinstance(text, dict):
            text = json.dumps(text)
        text = text.encode() if isinstance(text, str) else text
        secret = self.secret if secret is None else secret
        return struct.pack("=II32s", self.MAGIC, len(text), secret) + text

    def send(self, packet, listeners=()):
        rights = array.array("i", [one.fileno() for one in listeners])
        self.socket.sendmsg([packet], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                                        rights)] if listeners else [])

    def answer(self):
        """None: the connection has ended."""
        packet = self.socket.recv(1 << 20)
        return json.loads(packet[40:]) if packet else None

    def ask(self, verb, listeners=(), **more):
        question = dict(more, do=verb)
        if listeners:
            question["listeners"] = [
                {"role": "proxy", "port": one.getsockname()[1]}
                for one in listeners]
        self.send(self.packet(question), listeners)
        return self.answer()

    def good(self, verb, *listeners, **more):
        answer = self.ask(verb, listeners, **more)
        if answer is None or answer.get("decision") != "allow":
            raise RuntimeError("%s: %s" % (verb, answer))
        return answer


def listener(backlog=4096):
    """A socket to be handed over, on an address of the gateway's side."""
    made = socket.socket()
    made.bind(("127.0.0.1", 0))
    made.listen(backlog)
    return made


class Gateway:
    """cx-gateway serve, private: its control connection is its standard
    input, and the first packet there the secret."""
    name, connects = "cx-gateway", True
    @classmethod
    def is_here(cls):
        return os.path.exists(os.path.join(BIN, "cx-gateway")) and b"serve" in \
            subprocess.run([os.path.join(BIN, "cx-gateway"), "--help"],
                           stdout=subprocess.PIPE, check=False).stdout

    def __init__(self, world, cpu=None, config=None, argv=(), register=True,
                 shared=False, stderr=None):
        self.world = world
        self.shared_port = None
        if shared:
            with listener() as free:  # a port that nobody has
                self.shared_port = free.getsockname()[1]
            argv = list(argv) + ["--listen", "127.0.0.1:%d" %
                                 self.shared_port]
        self.jobs = {}
        number = len(os.listdir(world.folder))
        self.config = path = world.path("config-%d.yaml" % number)
        with open(path, "w", encoding="utf-8") as out:
            json.dump(config or {}, out)
        env = {"PATH": BIN + ":/usr/bin:/bin", "LC_ALL": "C.UTF-8",
               "CX_CONFIG": path, "CX_STATE": world.path("state-%d" % number)}
        if "CX_SABOTAGE" in os.environ:
            env["CX_SABOTAGE"] = os.environ["CX_SABOTAGE"]
        ours, theirs = socket.socketpair(socket.AF_UNIX,
                                         socket.SOCK_SEQPACKET)
        secret = os.urandom(32)
        ours.send(secret)
        self.process = world.start(
            [os.path.join(BIN, "cx-gateway"), "serve",
             "--private"] + list(argv), cpu=cpu,
            env=env, stdin=theirs, stderr=stderr)
        theirs.close()
        self.control = Control(ours, secret)
        if register:
            self.job()
        self.control.good("usage")
        self.pid = self.process.pid

    def job(self, name="one", tier="default_internet", own=True, **more):
        """Registers a job, by default with a listener of its own."""
        token = more.pop("token", "%s-0123456789abcdef" % name)
        sockets = [listener()] if own else []
        self.control.good("register", *sockets, registration=dict(
            more, token=token, tier=tier, jobId=name, orgId="acme"))
        self.jobs[name] = (token, sockets[0].getsockname()[1] if own else 0)
        for made in sockets:
            made.close()

    def where(self, name="one"):
        """Of load.c."""
        token, port = self.jobs[name]
        return {"via": "127.0.0.1:%d" % port, "token": token}

    def options(self):
        return self.where()

    def other(self):
        """A second job's."""
        if "two" not in self.jobs:
            self.job("two")
        return self.where("two")

    def usage(self, name="one"):
        return self.control.good("usage", token=self.jobs[name][0])["usage"]

    def close(self):
        self.control.socket.close()
        return self.world.end(self.process)
