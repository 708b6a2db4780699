"""gateway_trials.py - rows of the field, carried out in the world of
gateway_live.py; each takes its Agent."""

import base64
import json
import os
import re
import socket
import subprocess
import time

import live
from gateway_live import ROOT, Answer, connect, drain
from tools import NotOk, Skip, known_only

TOKEN = "row-6f1d0c2b8a9e4735"
PUBLIC = "93.184.216.34"


def fresh(agent, names=None, **more):
    """A gateway with one job, "row", and a resolver with these names."""
    gateway = agent.gateway(None)
    if "row" in gateway.jobs:
        gateway.control.ask("unregister", token=TOKEN)
    gateway.job("row", token=TOKEN, **more)
    agent.resolver.world(names or {})
    agent.origin.settle()
    agent.origin.totals(clear=True)
    agent.origin.seen()
    return gateway


def ask(port, text):
    with connect(port) as connection:
        connection.sendall(text.encode("latin-1"))
        return Answer(connection)


def rebinding(agent):
    """One look-up a request, and the checked address is the dialled one; a
    mixed answer is refused."""
    gateway = fresh(agent, {
        "flip.example": {"sequence": [[PUBLIC], ["127.0.0.1"]]},
        "both.example": {"A": [PUBLIC, "127.0.0.1"]}})
    port, got = gateway.jobs["row"][1], []
    trap = socket.socket()  # what a leak would reach
    trap.bind(("127.0.0.1", 80))
    trap.listen(8)
    trap.setblocking(False)
    for name in ("flip", "flip", "both"):
        answer = ask(port, "CONNECT %s.example:80 HTTP/1.1\r\n\r\n" % name)
        got.append((answer.status, answer.reason()))
    protected = (403, "protected_address")
    if got[0][0] != 200 or got[1:] != [protected, protected]:
        raise NotOk(got, "200, and protected_address twice")
    try:
        trap.accept()
        raise NotOk("a connection to loopback", "none")
    except BlockingIOError:
        pass
    finally:
        trap.close()
    agent.origin.settle()
    ends = [line["to"] for line in agent.origin.seen() if "to" in line]
    if ends != [PUBLIC + ":80"]:
        raise NotOk(ends, PUBLIC + ":80")


def half_closed(agent):
    """5 MB after the client's end and a second's wait; and the mirror."""
    gateway = fresh(agent)
    with agent.tunnel(gateway) as connection:
        connection.sendall(b"after 5000000 1000\nrequest")
        connection.shutdown(socket.SHUT_WR)
        got = drain(connection)
    if got != 5000000:
        raise NotOk("%d bytes" % got, 5000000)
    with agent.tunnel(gateway) as connection:
        connection.sendall(b"give 1000\n")
        if drain(connection) != 1000:
            raise NotOk("less", "1000 bytes, and the end")
        time.sleep(1)
        connection.sendall(b"x" * 5000000)
    agent.metered(gateway)
    taken = agent.origin.totals()["in"]
    if taken != len("after 5000000 1000\nrequest") + 10 + 5000000:
        raise NotOk("%d bytes from the client" % taken, "all")


def leaked_credential(agent):
    """Nothing that is for the proxy alone reaches the origin."""
    gateway = fresh(agent, {"origin.example": {"A": [PUBLIC]}})
    basic = base64.b64encode(("job:" + TOKEN).encode()).decode()
    answer = ask(gateway.jobs["row"][1], (
        "GET http://origin.example/x HTTP/1.1\r\nHost: origin.example\r\n"
        "Proxy-Authorization: Basic %s\r\nProxy-Connection: keep-alive\r\n"
        "Connection: X-Secret, Upgrade\r\nX-Secret: 1\r\nTE: trailers\r\n"
        "Upgrade: websocket\r\nX-Kept: yes\r\n\r\n") % basic)
    if answer.status != 200:
        raise NotOk(answer, 200)
    requests = [line["request"] for line in agent.origin.seen()
                if "request" in line]
    if len(requests) != 1 or "x-kept: yes" not in requests[0].lower():
        raise NotOk(requests, "one request")
    for name in ("proxy-authorization", "proxy-connection", "x-secret", "te",
                 "upgrade"):
        if re.search(r"(?im)^%s:" % name, requests[0]):
            raise NotOk(requests[0], "no " + name)
    for text in (TOKEN, basic):
        if text in requests[0] or text in answer.data.decode("latin-1"):
            raise NotOk("the token", "no token")
    refused = ask(gateway.jobs["row"][1], (
        "GET http://nowhere.example/ HTTP/1.1\r\nHost: nowhere.example\r\n"
        "Proxy-Authorization: Basic %s\r\n\r\n") % basic)
    if TOKEN in str(refused.data) or basic in str(refused.data):
        raise NotOk("the token in a page", "no token")


def credentials(agent):
    """407 with a challenge; two credentials are malformed."""
    fresh(agent, {"name.example": {"A": [PUBLIC]}})
    gateway = agent.gateway(None)

    def field(scheme, text):
        return "Proxy-Authorization: %s %s\r\n" % (scheme, text)

    def basic(text):
        return field("Basic", base64.b64encode(text.encode()).decode())
    cases = (("", 407, "unattributed"),
             (basic("job:nobody-has-this-token"), 407, "unregistered_token"),
             (field("Bearer", "nobody-has-this-token"), 407,
              "unregistered_token"),
             (basic("job:" + TOKEN) * 2, 400, None),
             (basic("job:" + TOKEN + " "), 407, "unregistered_token"))
    for fields, status, reason in cases:
        answer = ask(gateway.shared_port,
                     "CONNECT name.example:443 HTTP/1.1\r\n"
                     "Host: name.example:443\r\n" + fields + "\r\n")
        if answer.status != status or (reason and answer.reason() != reason):
            raise NotOk("%s for %r" % (answer, fields), (status, reason))
        if status == 407 and not re.search(
                r"(?im)^proxy-authenticate: *basic", answer.head):
            raise NotOk(answer.head, "Proxy-Authenticate: Basic")


# ---- rows that run clients in a sandbox ---------------------------------------

class Inside:
    """cx-run at the gateway's side, with a carrier."""

    def __init__(self, agent):
        self.path = agent.world.path("inside")
        os.makedirs(self.path, exist_ok=True)
        config = os.path.join(self.path, "config.yaml")
        with open(config, "w", encoding="utf-8") as out:
            out.write("store: {shared: %s}\n" % base())
            if os.geteuid() != 0 or not whole_machine():
                out.write("limits: {best_effort: [memory, cpu, pids]}\n")
        self.env = dict(os.environ, HOME=self.path, CX_CONFIG=config,
                        CX_STATE=os.path.join(self.path, "state"))
        self.carrier = self.tool(["cx-seal", "mint", "-n", "--org", "acme",
                                  "--user", "ada", "--surface", "chat"])

    def tool(self, argv, given=b""):
        return subprocess.run(
            [os.path.join(live.BIN, argv[0])] + argv[1:], input=given,
            env=self.env, cwd=self.path, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, check=False).stdout

    def run(self, text, hosts):
        flags = [word for host in hosts for word in ("--host", host)]
        return json.loads(self.tool(
            ["cx-run", "exec", "--tier", "allowlist", *flags, "-c", text],
            self.carrier))["result"]


def whole_machine():
    with open("/proc/self/uid_map", encoding="ascii") as mapped:
        return mapped.read().split() == ["0", "0", "4294967295"]


def base():
    """A store whose base image has the clients."""
    for path in (os.environ.get("CX_TEST_DEBIAN"),
                 os.path.join(ROOT, ".build", "demo", "state")):
        if path and os.path.exists(os.path.join(path, "oci", "index.json")):
            return path
    raise Skip("no base image of Debian's: make demo makes one")


def commands(agent, given, expect):
    """Each command gets out, within its time, to the host that it names;
    what is called denied.* isn't on the list, and is refused as quickly."""
    known_only(given, {"sh", "also_sh"}, "input")
    known_only(expect, {"wall_ms_max"}, "expect")
    texts = [re.sub(r"(?i)\.test\b", ".example", text)
             for text in [given["sh"]] + given.get("also_sh", [])]
    names = set(re.findall(r"[a-z0-9.-]+\.example\b", " ".join(texts)))
    listed = [name for name in names if not name.startswith("denied")]
    agent.resolver.world({name: {"A": [PUBLIC]} for name in names})
    inside = Inside(agent)
    agent.origin.seen()
    for text in texts:
        for trial in range(3):  # the machine may have other work
            result = inside.run(text, listed)
            if result["decision"] != "allowed":
                raise NotOk(result["reason"], "a command that ran")
            agent.origin.settle()
            came = [line for line in agent.origin.seen() if "request" in line]
            if result["wallMs"] <= expect["wall_ms_max"]:
                break
            if trial == 2:
                raise NotOk("%d ms for %s" % (result["wallMs"], text),
                            expect["wall_ms_max"])
        wanted = any(name in text for name in listed)
        if bool(came) != wanted:
            raise NotOk("%d requests by %s: %s" % (
                len(came), text, result["stderr"][-300:]),
                "some" if wanted else "none")


CASES = {"G10": rebinding, "G15": half_closed, "G16": leaked_credential,
         "G17": credentials}
