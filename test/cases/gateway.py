"""gateway.py - what the gateway decides.

Every row of kind address, authority, allowlist_entry, config, request and
sequence goes through cx-gateway classify and decide. gateway_live.py, where it
stands, carries out the kinds that need a running gateway, and runs authority,
request and sequence rows a second time over a socket: a difference is a
failure.

The world of cases/README.md: five jobs, J1 to J5, each with a token, and a
resolver that knows what the row says.
"""

import base64
import importlib
import json
import os
import re

import tools
from tools import NotOk, Skip, known_only

TOKEN = "cxt-%s-6f1d0c2b8a9e4735"
JOBS = {
    "J1": {"tier": "default_internet", "token": TOKEN % "open"},
    "J2": {"tier": "allowlist", "token": TOKEN % "list"},
    "J3": {"tier": "none", "token": TOKEN % "none"},
    "J4": {"tier": "default_internet", "token": TOKEN % "full",
           "spent": True},
    "J5": {"tier": "default_internet", "token": TOKEN % "expd",
           "state": "expired"},
}
EXPECT = {"decision", "status", "reason", "range", "status_any", "pinned",
          "lookups", "upstream", "each", "client_bytes_received",
          "server_bytes_received", "max_overshoot_bytes", "max_dials"}
INPUT = {"addr", "config", "method", "target", "tier", "dns", "allowlist",
         "ports", "entry", "raw", "listener", "segments"}


def octets(text):
    """Code points are bytes, above 255 UTF-8."""
    return b"".join(bytes([ord(c)]) if ord(c) < 256 else c.encode()
                    for c in text)


class Area:
    def __init__(self, toolbox):
        self.tools = toolbox
        self.configs = {}
        try:
            self.live = importlib.import_module("gateway_live").Live(toolbox)
        except ModuleNotFoundError:
            self.live = None

    def close(self):
        if self.live:
            self.live.close()

    def need_live(self):
        if not self.live:
            raise Skip("needs a running gateway")
        return self.live

    def config(self, settings):
        """The path of a configuration with these settings."""
        text = json.dumps(settings or {}, sort_keys=True)
        if text not in self.configs:
            path = os.path.join(self.tools.folder("config"), "config.yaml")
            with open(path, "w", encoding="utf-8") as out:
                out.write(text + "\n")
            self.configs[text] = path
        return self.configs[text]

    def gateway(self, argv, settings, stdin=b""):
        env = self.tools.environment(self.tools.folder("state"),
                                     config=self.config(settings))
        return self.tools.run([self.tools.path("cx-gateway")] + argv, env,
                              stdin)

    def decide(self, cases, settings=None):
        """The verdicts of some cases."""
        lines = "".join(json.dumps(case) + "\n" for case in cases)
        done = self.gateway(["decide"], settings, lines.encode())
        verdicts = done.documents()
        if len(verdicts) != len(cases):
            raise NotOk(done, "%d verdicts" % len(cases))
        return verdicts

    # ---- kinds -----------------------------------------------------------

    def address(self, given):
        done = self.gateway(["classify", given["addr"]], given.get("config"))
        return done.document() or {"decision": "reject", "status": 400,
                                   "reason": done.error_class()}

    def allowlist_entry(self, given):
        verdict, = self.decide([{
            "policy": {"tier": "allowlist", "hosts": [given["entry"]]},
            "request": {"target": "a.example:443"}}], given.get("config"))
        if "error" not in verdict:
            return {"decision": "allow", "reason": "entry_ok", "status": 0}
        return {"decision": "reject", "reason": "bad_allowlist_entry",
                "status": 0}

    def config_kind(self, given):
        done = self.gateway(["classify", "192.0.2.1"], given["config"])
        if done.error_class() == "config_invalid" and done.status == 78:
            return {"decision": "reject", "reason": "bad_trusted_upstream",
                    "status": 0}
        return {"decision": "allow", "reason": "config_ok", "status": 0}

    def authority(self, given):
        line = "%s %s HTTP/1.1\r\nHost: host\r\n\r\n" % (
            given.get("method", "CONNECT"), given["target"])
        policy = {"tier": given.get("tier", "default_internet")}
        if "allowlist" in given:
            policy["hosts"] = given["allowlist"]
        if "ports" in given:
            policy["ports"] = given["ports"]
        verdict, = self.decide([{
            "policy": policy,
            "request": {"rawBase64": code(octets(line)), "listener": "job"},
            "dns": given.get("dns", {})}], given.get("config"))
        return verdict

    def request(self, given):
        return self.ask(given, octets(given["raw"]))

    def ask(self, given, data):
        """What the world with its five jobs answers: the job that the
        listener or the token names judges."""
        listener = given.get("listener", "shared")
        own = listener[4:] if listener.startswith("job:") else None
        cases = []
        for name, job in JOBS.items():
            policy = dict(job)
            if name == "J2" and "allowlist" in given:
                policy["hosts"] = given["allowlist"]
            if "ports" in given:
                policy["ports"] = given["ports"]
            where = "shared" if own is None else \
                "job" if name == own else "other"
            cases.append({
                "policy": policy, "dns": given.get("dns", {}),
                "request": {"rawBase64": code(data), "listener": where}})
        verdicts = dict(zip(JOBS, self.decide(cases, given.get("config"))))
        if own and verdicts[own]["reason"] != "unregistered_token":
            return verdicts[own]
        for verdict in verdicts.values():
            if verdict["reason"] != "unregistered_token" and (
                    own is None or verdict["reason"] == "token_mismatch"):
                return verdict
        return verdicts[own or "J1"]

    def sequence(self, given):
        """A verdict for each request, wherever it begins; a segment that
        only goes on in a tunnel is opaque, one behind a refusal that ends
        the connection closed."""
        each, counts = [], []
        tail = Tail()
        for segment in given["segments"]:
            before = len(each)
            tail.take(octets(segment))
            if tail.end:
                each.append(tail.end)
            while tail.data and not tail.end:
                verdict = self.ask(given, tail.data)
                if verdict["reason"] == "header_timeout" and \
                        segment is not given["segments"][-1]:
                    break
                each.append(verdict["decision"])
                tail.judged(verdict)
            counts.append(len(each) - before)
        return {"decision": each, "status": 0, "reason": "per_request",
                "each": each, "counts": counts}

    # ---- rows ------------------------------------------------------------

    def check(self, row):
        kind = row.get("kind")
        if "expect" in row and "match" not in row:
            self.check_field(row)
            return
        known_only(row["expect"], EXPECT, "expect")
        act = {"address": self.address, "authority": self.authority,
               "allowlist_entry": self.allowlist_entry,
               "config": self.config_kind, "request": self.request,
               "sequence": self.sequence}.get(kind)
        if act is None:
            self.need_live().check(row)
            return
        known_only(row["input"], INPUT, "input")
        got = act(row["input"])
        self.compare(row, got)
        if self.live and kind in ("authority", "request", "sequence"):
            self.live.again(row, got, self)

    @staticmethod
    def compare(row, got):
        expect = row["expect"]
        for key in row["match"]:
            if key == "status" and got.get("status") in \
                    expect.get("status_any", []):
                continue
            if key == "upstream":
                compare_upstream(got.get("upstream"), expect[key])
            elif key == "max_dials":
                if len(got["pinned"]) > expect[key]:
                    raise NotOk(got, expect)
            elif key == "decision" and isinstance(got[key], list):
                # a sequence's "each" says it all; this is one of them
                if expect[key] not in got[key]:
                    raise NotOk(got[key], expect[key])
            elif got.get(key) != expect[key]:
                raise NotOk({name: got.get(name) for name in row["match"]},
                            {name: expect[name] for name in row["match"]})

    # ---- rows of the field -----------------------------------------------

    def check_field(self, row):
        """Rows with a policy and requests in short, or with commands of a
        sandbox, are carried out as they stand; the others are words."""
        given, expect = row["input"], row["expect"]
        if "sh" in given:
            self.need_live().commands(row)
            return
        if set(given) != {"policy", "requests"} or \
                not set(expect) <= {"decision", "decisions"}:
            tools.coded("gateway", row, self)
            return
        cases = [case_of(given["policy"], text) for text in given["requests"]]
        got = [one["decision"].replace("reject", "deny")
               for one in self.decide(cases)]
        wanted = expect.get("decisions") or [expect["decision"]] * len(cases)
        if got != wanted:
            raise NotOk(got, wanted)


def code(data):
    return base64.b64encode(data).decode()


class Tail:
    """What of a connection's bytes hasn't been judged yet."""

    def __init__(self):
        self.data, self.skip, self.end = b"", 0, None

    def take(self, data):
        skip = min(self.skip, len(data))
        self.skip -= skip
        self.data += data[skip:]

    def judged(self, verdict):
        if verdict["decision"] == "reject":
            self.end = "closed"
        elif verdict["decision"] == "allow" and not verdict["upstream"]:
            self.end = "opaque"
        size = verdict.get("size", len(self.data))
        self.skip = max(0, size - len(self.data))
        self.data = self.data[size:]


def compare_upstream(got, wanted):
    known_only(wanted, {"line", "host", "absent", "present"}, "upstream")
    if got is None:
        raise NotOk("no upstream", wanted)
    for key in ("line", "host"):
        if key in wanted and got[key] != wanted[key]:
            raise NotOk(got, wanted)
    for name in wanted.get("present", []):
        if name.lower() not in got["fields"]:
            raise NotOk(got, wanted)
    for name in wanted.get("absent", []):
        if name.lower() in got["fields"]:
            raise NotOk(got, wanted)


def case_of(policy, text):
    """"METHOD TARGET [with FIELD: VALUE]" under {mode, hosts}; names under
    .test stand for hosts of the resolver."""
    found = re.fullmatch(r"(\S+) (\S+)(?: with (\S+: .*))?",
                         re.sub(r"(?i)\.test\b", ".example", text))
    if not found:
        raise NotOk("the request %r" % text, "METHOD TARGET [with FIELD]")
    known_only(policy, {"mode", "hosts"}, "policy")
    method, target, field = found.groups()
    head = "%s %s HTTP/1.1\r\n%s\r\n" % (
        method, target, (field or "Host: host") + "\r\n")
    hosts = [re.sub(r"(?i)\.test\b", ".example", host)
             for host in policy.get("hosts", [])]
    name = re.sub(r"^[a-z]+://|[:/].*$", "", target.lower())
    return {
        "policy": {"tier": "allowlist" if policy["mode"] == "allowlist"
                   else "default_internet", "hosts": hosts},
        "request": {"rawBase64": code(octets(head)), "listener": "job"},
        "dns": {name: {"A": ["93.184.215.14"]}}}
