"""gateway_life.py - the life of tunnels, and the control channel: what a row's
words say is done, in the world of gateway_live.py.

A row of kind behaviour has a client and a server in words joined by _ , such as
send_1MiB, half_close_after_request, give_up_before_reply; each word that stands
in one of the lists below has its meaning, whatever order they come in, and
little words say nothing. A row with a word that stands in none isn't carried
out, and fails.
"""

import re
import socket
import struct
import subprocess
import threading
import time

import live
from tools import NotOk, known_only

TOKEN = "row-6f1d0c2b8a9e4735"
TARGET = "93.184.215.14"
NOWHERE = "93.184.215.99"
SIZE = 100000
INPUT = {"client", "server", "ceiling", "ceiling_up", "ceiling_down",
         "tunnels", "each"}
EXPECT = {"decision", "status", "reason", "status_any",
          "client_bytes_received", "server_bytes_received",
          "max_overshoot_bytes"}
LITTLE = set("after before then and with the a an on at in of at once first "
             "request reply response answer connect connection immediately "
             "data bytes body while is be it its to from open tunnel same "
             "segment packet one per second".split())
CLIENT = {
    "shut": "half close closes fin shutdown eof ends",
    "send": "send sends upload uploads write writes push",
    "take": "receive receives recv download downloads get gets fetch",
    "head": "head header headers slowloris byte",
    "reset": "rst reset resets abort aborts",
    "early": "early pipelined eager immediate",
    "deaf": "never reads read stalls stalled stall deaf not no",
    "idle": "idle quiet silent nothing waits",
}
SERVER = {
    "after": "reply replies fin answers",
    "reset": "rst reset resets abort aborts",
    "give": "send sends give gives sends download writes flood",
    "close": "close closes ends eof half shutdown",
    "deaf": "never reads read stalls stalled stall deaf not",
    "echo": "echo echoes",
    "sink": "sink silent idle quiet accepts takes no",
    "refused": "refused refuses closed port",
    "nowhere": "unreachable blackhole drops down",
}


def size_of(text):
    """The bytes that a text names; None when it names none."""
    found = re.search(r"(?i)(\d+)_?([kmg]?)i?b?(?:ytes?)?(?:_|$)", text)
    return int(found.group(1)) << {"": 0, "k": 10, "m": 20, "g": 30}[
        found.group(2).lower()] if found else None


def meaning(text, words):
    """What a text's words mean, as a set."""
    found = set()
    for word in filter(None, re.split(r"[_\s-]+", text.lower())):
        mine = {name for name, list_ in words.items()
                if word in list_.split()}
        if not mine and word not in LITTLE and \
                not re.fullmatch(r"\d+[kmg]?i?(b|bytes?)?|ms|s", word):
            raise NotOk("the word %r of %r" % (word, text), "one that is known")
        found |= mine
    return found


class Life:
    """One row."""

    def __init__(self, agent, row):
        self.agent, self.row, self.given = agent, row, row["input"]
        known_only(self.given, INPUT, "input")
        known_only(row["expect"], EXPECT, "expect")
        self.client = self.given.get("each") or self.given.get("client", "")
        self.server = self.given.get("server", "")
        self.does = meaning(self.client, CLIENT)
        self.answers = meaning(self.server, SERVER)
        self.sizes = size_of(self.client), size_of(self.server)
        self.ceilings = {name: self.given[key] for key, name in (
            ("ceiling", "maxBytes"), ("ceiling_up", "maxUpBytes"),
            ("ceiling_down", "maxDownBytes")) if key in self.given}
        self.got, self.lock = [], threading.Lock()

    def carry_out(self):
        self.gateway = gateway = self.agent.gateway(None)
        if "row" in gateway.jobs:
            gateway.control.good("unregister", token=TOKEN)
        more = dict(self.ceilings)
        if "refused" in self.answers:
            more["ports"] = [81]
        gateway.job("row", token=TOKEN, **more)
        self.agent.origin.settle()
        self.agent.origin.totals(clear=True)
        if "head" in self.does or self.row["expect"]["reason"] == \
                "header_timeout":
            self.slow_head()
        elif self.answers & {"refused", "nowhere"}:
            self.not_there()
        else:
            self.tunnels()

    # ---- before there is a tunnel ------------------------------------------

    def connect(self):
        return socket.create_connection(
            ("127.0.0.1", self.gateway.jobs["row"][1]), 15)

    def denied(self, text, status):
        from gateway_live import Answer
        with self.connect() as connection:
            connection.sendall(text)
            answer = Answer(connection)
        wanted = self.row["expect"]["reason"]
        if (answer.status, answer.reason()) != (status, wanted):
            raise NotOk(answer, "%d %s" % (status, wanted))

    def not_there(self):
        port = 81 if "refused" in self.answers else 443
        route = ["ip", "route", "add", "unreachable", NOWHERE]
        subprocess.run(route, check=True)
        try:
            self.denied(b"CONNECT %s:%d HTTP/1.1\r\n\r\n" % (
                (TARGET if port == 81 else NOWHERE).encode(), port), 502)
        finally:
            subprocess.run(route[:2] + ["del"] + route[3:], check=True)

    def slow_head(self):
        """A byte now and then, or after some none."""
        from gateway_live import Answer
        text = b"CONNECT a.example:443 HTTP/1.1\r\nX: " + b"x" * 500
        end = time.monotonic() + 60
        with self.connect() as connection:
            connection.setblocking(False)
            for byte in text:
                try:
                    connection.send(bytes([byte]))
                except OSError:
                    break
                try:
                    if connection.recv(1, socket.MSG_PEEK):
                        break
                except BlockingIOError:
                    pass
                if time.monotonic() > end:
                    break
                time.sleep(0.25)
            answer = Answer(connection, 5)
        if (answer.status, answer.reason()) != (408, "header_timeout"):
            raise NotOk(answer, "408 header_timeout")

    # ---- tunnels -------------------------------------------------------------

    def line(self):
        """What the origin is to do, its first line."""
        up, down = self.sizes
        if "reset" in self.answers:
            return b"take %d\n" % (down or 12)
        if "deaf" in self.answers:
            return b"deaf\n"
        if "echo" in self.answers:
            return b"echo\n"
        if "after" in self.answers and "close" not in self.answers:
            return b"after %d 50\n" % (down or SIZE)
        if self.answers & {"give", "close"} or "take" in self.does or \
                ("deaf" in self.does and not self.server):
            return b"give %d\n" % (down or up or SIZE)
        return b"sink\n"

    def sent(self, line):
        """What the client sends behind the line."""
        if "send" in self.does:
            return self.sizes[0] or SIZE
        if line.startswith(b"take"):
            return int(line.split()[1])
        return 0 if line.startswith((b"give", b"after")) else 7

    def one(self, line, size):
        """One tunnel; what the client received, or how it was refused."""
        received = 0
        try:
            with self.connect() as connection:
                received = self.talk(connection, line + b"x" * size)
        except OSError:
            pass  # it was closed; whether that was right, the counts tell
        except NotOk as fault:
            received = fault
        with self.lock:
            self.got.append(received)

    def talk(self, connection, data):
        from gateway_live import Answer
        head = b"CONNECT %s:443 HTTP/1.1\r\n\r\n" % TARGET.encode()
        early = data[:1000] if "early" in self.does else b""
        connection.sendall(head + early)
        ends = "reset" not in self.does
        if early and ends and len(early) == len(data):
            connection.shutdown(socket.SHUT_WR)
        answer = Answer(connection)
        if answer.status != 200:
            if self.ceilings and answer.status == 403:
                return 0  # the others have spent it all
            raise NotOk("CONNECT: %s" % answer, 200)
        sender = threading.Thread(target=self.send, args=(
            connection, data[len(early):], ends))
        sender.start()
        if self.does & {"idle", "deaf"} or "deaf" in self.answers:
            time.sleep(1.5)
        if "reset" in self.does:
            sender.join(20)
            time.sleep(0.2)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                  struct.pack("ii", 1, 0))
        if "reset" in self.does or "deaf" in self.answers:
            return 0
        got = len(answer.rest) + self.drain(connection)
        sender.join(20)
        return got

    @staticmethod
    def send(connection, data, ends):
        try:
            if data:
                connection.sendall(data)
            if ends:
                connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    @staticmethod
    def drain(connection):
        got = 0
        connection.settimeout(20)
        try:
            while True:
                part = connection.recv(1 << 18)
                if not part:
                    return got
                got += len(part)
        except ConnectionResetError:
            return got

    def tunnels(self):
        line = self.line()
        size = self.sent(line)
        count = self.given.get("tunnels", 1)
        threads = [threading.Thread(target=self.one, args=(line, size))
                   for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        for got in self.got:
            if isinstance(got, NotOk):
                raise got
        if len(self.got) != count:
            raise NotOk("%d tunnels" % len(self.got), count)
        totals = self.agent.origin.settle()
        live.until(lambda: self.gateway.usage("row")["openTunnels"] == 0, 10,
                   "the gateway's tunnels to end")
        used = self.gateway.usage("row")
        if self.ceilings:
            self.held(used, totals)
            return
        if self.row["expect"]["decision"] != "allow":
            raise NotOk("a tunnel", self.row["expect"])
        if used["upBytes"] != totals["in"] or (
                "reset" not in self.does and
                used["downBytes"] != totals["out"]):
            raise NotOk(used, totals)
        self.whole(line, size, totals)

    def whole(self, line, size, totals):
        """All that was sent arrived, where nobody cut it off."""
        expect = self.row["expect"]
        for name, got, all_ in (
                ("client_bytes_received", sum(self.got), totals["out"]),
                ("server_bytes_received", totals["in"],
                 len(self.got) * (len(line) + size))):
            wanted = expect.get(name, None if "reset" in
                                self.does | self.answers else "all")
            wanted = all_ if wanted == "all" else wanted
            if "deaf" in self.answers or (name.startswith("client") and (
                    line.startswith(b"sink") or "reset" in self.does)):
                continue
            if wanted is not None and got != wanted:
                raise NotOk("%s %d" % (name, got), wanted)

    def held(self, used, totals):
        """No more passed than the ceilings say, and ours to the byte."""
        over = self.row["expect"].get("max_overshoot_bytes", 0)
        passed = {"maxBytes": totals["in"] + sum(self.got),
                  "maxUpBytes": totals["in"],
                  "maxDownBytes": sum(self.got)}
        counted = {"maxBytes": used["totalBytes"],
                   "maxUpBytes": used["upBytes"],
                   "maxDownBytes": used["downBytes"]}
        for name, ceiling in self.ceilings.items():
            if passed[name] > ceiling + over or counted[name] > ceiling:
                raise NotOk("%d bytes" % passed[name], ceiling)
        if self.row["expect"]["decision"] == "allow":
            return
        if not any(counted[name] == ceiling
                   for name, ceiling in self.ceilings.items()):
            raise NotOk(counted, "a ceiling that was reached")
        self.denied(b"CONNECT a.example:443 HTTP/1.1\r\n\r\n", 403)


# ---- the control channel -----------------------------------------------------

def secret_of(word, right):
    """32 bytes that a word stands for."""
    if word in ("ok", "right", "correct", "good", "valid"):
        return right
    if not word or "empty" in word or "zero" in word:
        return bytes(32)
    if "prefix" in word or "truncated" in word or "short" in word:
        return right[:16] + bytes(16)
    if "suffix" in word:
        return bytes(16) + right[16:]
    return right[:31] + bytes([right[31] ^ 1])


def control(agent, row):
    """A question of the control channel, or several in turn; the last answer
    counts."""
    given = row["input"]
    known_only(given, {"secret", "body", "do", "verb", "op", "repeat", "times",
                       "then"}, "input")
    known_only(row["expect"], EXPECT, "expect")
    gateway = agent.gateway(None)
    for name in list(gateway.jobs):
        gateway.control.ask("unregister", token=gateway.jobs.pop(name)[0])
    channel, world = gateway.control, agent.jobs["J1"]
    channel.good("register", registration={"token": world["token"],
                                           "tier": world["tier"]})
    gateway.jobs["J1"] = (world["token"], 0)
    verb = given.get("do") or given.get("verb") or given.get("op") or "register"
    body = dict(given.get("body", {"token": "0123456789abcdef",
                                   "tier": "none"}))
    question = dict(body, do=verb) if verb != "register" else {
        "do": verb, "registration": body}
    times = 2 if given.get("repeat") is True else \
        int(given.get("repeat") or given.get("times") or 1)
    for _ in range(times):
        channel.send(channel.packet(question, secret_of(given["secret"],
                                                        channel.secret)))
        answer = channel.answer()
    for key in row["match"]:
        if answer.get(key) != row["expect"][key]:
            raise NotOk(answer, {name: row["expect"][name]
                                 for name in row["match"]})
