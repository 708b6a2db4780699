"""gateway_live.py - rows of the gateway against one that runs.

Live is the driver's half: it starts this file as a program in the world of
test/gateway/world, once, and gives it rows. There a gateway serves the five
jobs of the cases, a resolver has the row's names, and every address is an
origin that tells what it saw.

A row of kind authority, request or sequence that decide has judged is sent
over a socket; status, decision and reason must be decide's, the origin must
have been dialled at a pinned address and have seen the head that decide
shows, and the resolver must have been asked as often. Rows of kind behaviour
and control, and rows of the field by their id, have no other verdict.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "gateway"))

import gateway_life  # noqa: E402
import live  # noqa: E402
from tools import NotOk, Skip  # noqa: E402

ALLOWED = ("default_internet", "allowlist", "trusted_upstream")


class Live:
    """In the driver: one agent for all rows."""

    def __init__(self, toolbox):
        self.tools, self.agent, self.why = toolbox, None, None

    def begin(self):
        if self.agent or self.why:
            return
        if not live.Gateway.is_here():
            self.why = "cx-gateway doesn't serve yet"
            return
        env = self.tools.environment(self.tools.folder("state"),
                                     CX_BIN=self.tools.bin,
                                     B=self.tools.build)
        made = subprocess.run(
            ["make", "-s", "-C", ROOT, "--no-print-directory",
             "gateway-tools"], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False)
        if made.returncode:
            self.why = "test/gateway can't be built: %s" % made.stdout[-200:]
            return
        self.agent = subprocess.Popen(
            [live.WORLD, sys.executable, os.path.abspath(__file__)], env=env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if not self.agent.stdout.readline():
            self.close()
            self.why = "two namespaces and a veth can't be made here"

    def ask(self, question):
        self.begin()
        if self.why:
            raise Skip(self.why)
        self.agent.stdin.write(json.dumps(question).encode() + b"\n")
        self.agent.stdin.flush()
        line = self.agent.stdout.readline()
        if not line:
            self.close()
            self.why = "the world has ended"
            raise NotOk("no answer from the world", "a verdict")
        answer = json.loads(line)
        if "got" in answer:
            raise NotOk("live: " + answer["got"], answer["wanted"])
        if "skip" in answer:
            raise Skip(answer["skip"])

    def again(self, row, got, area):
        """Where there is no world, decide's verdict is all there is."""
        del area
        try:
            self.ask({"row": row, "decided": got})
        except Skip:
            if os.environ.get("CX_MUST_WORK") == "1" and \
                    live.Gateway.is_here():
                raise NotOk(self.why, "the row over a socket as well")

    def check(self, row):
        self.ask({"row": row})

    def field(self, name):
        self.ask({"field": name})

    def commands(self, row):
        """Rows whose input is commands of a sandbox."""
        self.ask({"commands": row["input"], "expect": row["expect"]})

    def close(self):
        if self.agent:
            self.agent.stdin.close()
            self.agent.stdout.close()
            self.agent.wait(20)
            self.agent = None


# ---- in the world ---------------------------------------------------------

def octets(text):
    return b"".join(bytes([ord(c)]) if ord(c) < 256 else c.encode()
                    for c in text)


class Answer:
    """What came back, up to the end of the first answer's body."""

    def __init__(self, connection, seconds=15, before=b""):
        connection.settimeout(seconds)
        self.data, self.timed_out = before, False
        self.rest = b""  # what came behind it: the next answer's
        try:
            while b"\r\n\r\n" not in self.data:
                part = connection.recv(1 << 16)
                if not part:
                    break
                self.data += part
            self.read_body(connection)
        except socket.timeout:
            self.timed_out = True
        except OSError:
            pass
        head = self.data.split(b"\r\n\r\n")[0].decode("latin-1")
        found = re.match(r"HTTP/1\.[01] (\d{3}) ?([^\r\n]*)", head)
        self.status = int(found.group(1)) if found else 0
        self.phrase = found.group(2) if found else ""
        self.head = head

    def read_body(self, connection):
        head, _, body = self.data.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        while length and len(body) < int(length.group(1)):
            part = connection.recv(1 << 16)
            if not part:
                break
            body += part
            self.data += part
        end = int(length.group(1)) if length else len(body)
        self.rest = body[end:]

    def reason(self):
        """The class of cx-errors(7) that it names."""
        found = re.search(r"(?im)^x-cx-reason: ([a-z_]+)\r?$", self.head)
        return found.group(1) if found and \
            "(%s)" % found.group(1) in self.phrase else None

    def decision(self):
        if 200 <= self.status < 300:
            return "allow"
        if self.status in (403, 407, 408, 502, 504) and self.reason():
            return "deny"
        return "reject"

    def __str__(self):
        return "%d %s" % (self.status, self.phrase)


def connect(port, seconds=15):
    return socket.create_connection(("127.0.0.1", port), seconds)


class Agent:
    """Everything that rows need, in the world."""

    def __init__(self, jobs):
        self.jobs = jobs
        self.world = live.World()
        self.origin = live.Origin(self.world)
        self.resolver = live.Resolver(self.world)
        self.gateways = {}

    def close(self):
        self.world.close()

    def gateway(self, config):
        text = json.dumps(config or {}, sort_keys=True)
        if text not in self.gateways:
            self.gateways[text] = live.Gateway(
                self.world, config=config, register=False, shared=True)
        return self.gateways[text]

    def register(self, gateway, name, job, given):
        more = {}
        if job["tier"] == "allowlist":
            more["allowlist"] = given.get("allowlist", [])
        if "ports" in given:
            more["ports"] = given["ports"]
        if job.get("spent"):
            more["maxBytes"] = 0
        if job.get("state") == "expired":
            more["expiresAt"] = 1
        if name in gateway.jobs:
            gateway.control.good("unregister", token=gateway.jobs[name][0])
        gateway.job(name, tier=job["tier"], token=job["token"], **more)

    def port(self, gateway, given):
        where = given.get("listener", "shared")
        return gateway.jobs[where[4:]][1] if where.startswith("job:") else \
            gateway.shared_port

    def prepare(self, given):
        gateway = self.gateway(given.get("config"))
        for name, job in self.jobs.items():
            self.register(gateway, name, job, given)
        self.resolver.world(given.get("dns", {}))
        self.origin.seen()
        return gateway

    # ---- rows that decide has judged --------------------------------------

    def authority(self, row, decided):
        given = row["input"]
        gateway = self.gateway(given.get("config"))
        self.register(gateway, "row", {
            "tier": given.get("tier", "default_internet"),
            "token": "row-6f1d0c2b8a9e4735"}, given)
        self.resolver.world(given.get("dns", {}))
        self.origin.seen()
        line = "%s %s HTTP/1.1\r\n\r\n" % (given.get("method", "CONNECT"),
                                           given["target"])
        with connect(gateway.jobs["row"][1]) as connection:
            connection.sendall(octets(line))
            answer = Answer(connection)
            self.compare(answer, decided)
        self.dialled(decided)

    def request(self, row, decided):
        given = row["input"]
        gateway = self.prepare(given)
        with connect(self.port(gateway, given)) as connection:
            self.push(connection, octets(given["raw"]))
            answer = Answer(connection)
            self.compare(answer, decided, "status" in row["match"])
        self.dialled(decided)

    @staticmethod
    def push(connection, data):
        try:
            connection.sendall(data)
        except OSError:
            pass  # it was refused before all was sent; the answer tells

    @staticmethod
    def compare(answer, decided, whole=True):
        """A body that is malformed behind a good head has been passed on in
        part: then there is no status, and a reset (not whole)."""
        got = {"decision": answer.decision()}
        if whole:
            got["status"] = answer.status
        wanted = {name: decided[name] for name in got}
        if decided["decision"] == "deny":
            got["reason"], wanted["reason"] = answer.reason(), \
                decided["reason"]
        if got != wanted:
            raise NotOk("%s (%s)" % (got, answer), wanted)
        if decided["status"] == 407 and \
                "proxy-authenticate:" not in answer.head.lower():
            raise NotOk(answer.head, "Proxy-Authenticate")

    def dialled(self, decided):
        """Nothing was dialled but what was pinned, and that as it was to
        be; names were asked for as often as decide says."""
        lookups = self.resolver.lookups()
        asked = max(lookups.values(), default=0)
        if decided["reason"] in ("dns_timeout", "dns_error") or \
                len(decided["pinned"]) == 8:
            asked = min(asked, 1)  # again after silence, or over TCP
        if asked != decided["lookups"]:
            raise NotOk("lookups %s" % lookups, decided["lookups"])
        self.origin.settle()
        for line in self.origin.seen():
            if "to" in line:
                where = line["to"].rsplit(":", 1)[0].strip("[]")
                if where not in decided["pinned"]:
                    raise NotOk("dialled %s" % line["to"], decided["pinned"])
            elif decided["upstream"] is None:
                raise NotOk("a request %r" % line, "none at the origin")
            else:
                self.compare_upstream(line["request"], decided["upstream"])

    @staticmethod
    def compare_upstream(request, wanted):
        line, *fields = request.split("\r\n\r\n")[0].split("\r\n")
        names = [field.split(":")[0].lower() for field in fields]
        host = [field.split(":", 1)[1].strip() for field in fields
                if field.lower().startswith("host:")]
        if line != wanted["line"] or host != [wanted["host"]] or \
                sorted(names) != sorted(wanted["fields"]):
            raise NotOk(request, wanted)

    def sequence(self, row, decided):
        given = row["input"]
        gateway = self.prepare(given)
        each, opaque = [], b""
        with connect(self.port(gateway, given)) as connection:
            tunnel, rest = False, b""
            for segment, count in zip(given["segments"],
                                      decided["counts"]):
                data = octets(segment)
                if each and each[-1] in ("reject", "closed"):
                    each.append("closed")
                    continue
                self.push(connection, data)
                if tunnel:
                    each.append("opaque")
                    opaque += data
                    continue
                for _ in range(count):
                    answer = Answer(connection, before=rest)
                    rest = answer.rest
                    each.append(answer.decision())
                tunnel = count and each[-1] == "allow" and \
                    data[:8] == b"CONNECT "
                if tunnel:
                    opaque += data.partition(b"\r\n\r\n")[2]
        if each != decided["each"]:
            raise NotOk(each, decided["each"])
        self.origin.settle()
        ends = [line for line in self.origin.seen() if "to" in line]
        if opaque and [line["in"] for line in ends] != [len(opaque)]:
            raise NotOk("%s at the origin" % ends, "%d bytes" % len(opaque))

    # ---- the life of tunnels ------------------------------------------------

    def tunnel(self, gateway, name="row", target="93.184.215.14:443"):
        connection = connect(gateway.jobs[name][1])
        connection.sendall(("CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (
            target, target)).encode())
        answer = Answer(connection)
        if answer.status != 200:
            connection.close()
            raise NotOk("CONNECT: %s" % answer, 200)
        return connection

    def metered(self, gateway):
        """The job's bytes are the origin's."""
        totals = self.origin.settle()
        live.until(lambda: gateway.usage("row")["openTunnels"] == 0, 10,
                   "the gateway's tunnels to end")
        used = gateway.usage("row")
        if (used["upBytes"], used["downBytes"]) != (totals["in"],
                                                    totals["out"]):
            raise NotOk(used, totals)
        return used

    # ---- rows ---------------------------------------------------------------

    def carry_out(self, question):
        if "commands" in question:
            import gateway_trials
            gateway_trials.commands(self, question["commands"],
                                    question["expect"])
            return
        if "field" in question:
            import gateway_trials
            gateway_trials.CASES[question["field"]](self)
            return
        row = question["row"]
        kind = row["kind"]
        if kind == "behaviour":
            gateway_life.Life(self, row).carry_out()
        elif kind == "control":
            gateway_life.control(self, row)
        else:
            getattr(self, kind)(row, question["decided"])


def drain(connection):
    """All bytes until the end, how many."""
    total = 0
    connection.settimeout(20)
    while True:
        part = connection.recv(1 << 18)
        if not part:
            return total
        total += len(part)


def main():
    import gateway
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    agent = Agent(gateway.JOBS)
    print(flush=True)
    try:
        for line in sys.stdin:
            try:
                agent.carry_out(json.loads(line))
                answer = {}
            except NotOk as fault:
                got, _, wanted = str(fault)[4:].rpartition(", wanted ")
                answer = {"got": got, "wanted": wanted}
            except Skip as why:
                answer = {"skip": str(why)}
            except (OSError, RuntimeError, ValueError, LookupError) as fault:
                where = sys.exc_info()[2]
                while where.tb_next:
                    where = where.tb_next
                answer = {"got": "%s: %s (line %d)" % (
                    type(fault).__name__, fault, where.tb_lineno),
                    "wanted": "a verdict"}
            print(json.dumps(answer), flush=True)
    finally:
        agent.close()


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
