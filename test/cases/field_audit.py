"""field_audit.py - rows of the area audit, by their id."""

import base64
import glob
import json
import os
import subprocess
import urllib.parse

import field_cli
from tools import NotOk, Skip

EVENT = field_cli.EVENT


class Log:
    """A state of its own with a log in it."""

    def __init__(self, world):
        self.world, self.env = world, field_cli.quick(world)

    def tool(self, *argv, data=b""):
        return self.world.tools.run(
            [self.world.tools.path("cx-audit")] + list(argv), self.env, data)

    def append(self, event=None):
        done = self.tool("append", data=json.dumps(event or EVENT).encode())
        return done

    def append_many(self, count):
        done = field_cli.append(self.world, self.env, [EVENT] * count)
        if done.status != 0:
            raise NotOk(done, "%d records" % count)

    def file(self, suffix):
        return sorted(glob.glob(os.path.join(
            self.env["CX_STATE"], "audit", "self", "seg-*." + suffix)))[-1]

    def rows(self, *argv):
        done = self.tool("read", "--instance", *argv)
        return done, [json.loads(line) for line in done.stdout.splitlines()]


def torn_then_more(world):
    """Half a line, something behind it, 100 records: all are read."""
    log = Log(world)
    log.append_many(10)
    with open(log.file("ndjson"), "ab") as out:
        out.write(b'{"actorPrincipalId":"ad')
    log.append_many(100)
    done, rows = log.rows()
    if done.status != 0 or len(rows) != 110:
        raise NotOk("%d records, %s" % (len(rows), done), "110")
    # another program joins two lines: that record is lost, and no other
    with open(log.file("ndjson"), "r+b") as out:
        data = out.read()
        at = data.index(b"\n", len(data) // 2)
        out.seek(0)
        out.write(data[:at] + b" " + data[at + 1:])
    done, rows = log.rows()
    if done.status != 1 or b"audit_chain_broken" not in done.stderr or \
            len(rows) < 107:
        raise NotOk("%d records, %s" % (len(rows), done),
                    "the rest, and a status that tells")
    done, rows = log.rows("--limit", "5")
    if len(rows) != 5:
        raise NotOk(len(rows), 5)


FULL = r"""
set -e
mkdir -p "$CX_STATE"
chmod 700 "$CX_STATE"
mount -t tmpfs -o size=64k,mode=700 none "$CX_STATE"
head -c 20480 /dev/zero >"$CX_STATE/ballast"
n=0 status=0
while [ "$n" -lt 400 ]; do
    cx-audit append <"$EVENT" >/dev/null 2>&1 || { status=$?; break; }
    n=$((n + 1))
done
rm "$CX_STATE/ballast"
cx-audit append <"$EVENT" >/dev/null
cx-audit read --instance >"$EVENT.rows" 2>"$EVENT.said"
echo "$n $status $(wc -l <"$EVENT.rows") $(cat "$EVENT.said")"
"""


def full_disk(world):
    """The refusal is reported, the log stays whole, the gap is counted."""
    log = Log(world)
    event = os.path.join(world.tools.folder("full"), "event")
    with open(event, "w", encoding="ascii") as out:
        json.dump(EVENT, out)
    unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-Urm"]
    if subprocess.run(unshare + ["true"], check=False,
                      stderr=subprocess.DEVNULL).returncode:
        raise Skip("no mount namespace can be made here")
    done = world.tools.run(unshare + ["bash", "-c", FULL],
                           dict(log.env, EVENT=event), limit=60)
    words = done.stdout.decode().split(None, 3)
    if done.status != 0 or words[1] != "74" or \
            int(words[2]) != int(words[0]) + 1 or \
            "1 records are missing" not in words[3]:
        raise NotOk(done, "a refusal, then a log with a gap of 1")


def line_break(world):
    """One record is one line; what would break it is refused."""
    log = Log(world)
    bad = ["x\n{\"decision\":\"allowed\"}", "x\u2028y", "x\ry", "x\x1b[2Jy"]
    for text in bad:
        for place in ("surface", "cwd", "runId"):
            event = json.loads(json.dumps(EVENT))
            where = event if place == "runId" else event["metadata"]
            where[place] = "/" + text if place == "cwd" else text
            done = log.append(event)
            if done.error_class() != "audit_field_refused":
                raise NotOk("%s %r: %s" % (place, text, done), "refused")
        done = world.tools.run(
            [world.tools.path("cx-seal"), "mint", "-n", "--org", "acme",
             "--user", "ada", "--surface", "agent", "--run", text], log.env)
        if done.status != 65:
            raise NotOk("mint --run %r: %s" % (text, done), "refused")
    log.append()
    done, rows = log.rows()
    if len(rows) != 1:
        raise NotOk(len(rows), 1)


def forms(text):
    """A text, and what it looks like encoded, at each alignment."""
    yield text.encode()
    yield urllib.parse.quote("".join(
        "%%%02x" % ord(c) for c in text)).encode()
    yield "".join("%%%02X" % ord(c) for c in text).encode()
    yield text.encode().hex().encode()
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + text.encode())
        yield whole[shift + 1:-3]
        yield whole[shift + 1:-3].replace(b"+", b"-").replace(b"/", b"_")


def canaries(world):
    """Command, hosts, credentials and output of a run stand nowhere."""
    if not os.access(world.tools.path("cx-run"), os.X_OK):
        raise Skip("cx-run isn't built yet")
    log = Log(world)
    command = ("curl -H 'Authorization: Bearer canary-5521' "
               "http://u:canary-5522@allowed.example/?k=canary-5523; "
               "echo canary-5524; canary-5525 >&2; exit 3")
    minted = world.tools.run(
        [world.tools.path("cx-seal"), "mint", "-n", "--org", "acme",
         "--user", "ada", "--surface", "chat"], log.env)
    shared = os.environ.get("CX_TEST_L0")
    if not shared or not os.path.exists(shared):
        raise Skip("CX_TEST_L0 names no base image")
    with open(log.env["CX_CONFIG"], "a", encoding="ascii") as out:
        out.write("store: {shared: %s}\n" % shared)
        if os.geteuid() != 0:
            out.write("limits: {best_effort: [memory, cpu, pids]}\n")
    document = minted.document()
    for change in ({"run": {"command": command}},
                   {"run": {"command": command, "env": {"T": "canary-5521"}}},
                   {"run": {"argv": ["sh", "-c", command]},
                    "egress": {"tier": "allowlist",
                               "hosts": ["canary-5522.example"]}},
                   {"run": {"command": command}, "carrier": "canary-5526"}):
        world.tools.run([world.tools.path("cx-run"), "exec"], log.env,
                        json.dumps(dict(document, **change)).encode(),
                        limit=60)
    done, rows = log.rows()
    if len(rows) < 3:
        raise NotOk("%d records" % len(rows), "one for each command")
    seen = done.stdout
    for folder, _, names in os.walk(log.env["CX_STATE"]):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as data:
                    seen += name.encode() + b"\n" + data.read()
    for number in range(5521, 5527):
        for form in forms("canary-%d" % number):
            if form in seen:
                raise NotOk("%r in the state folder" % form, "nowhere")


def later(verb):
    def case(_):
        raise Skip("cx-audit %s isn't built yet" % verb)
    return case


CASES = {
    "A02": torn_then_more,
    "A04": full_disk,
    "A06": line_break,
    "A08": later("verify"),
    "A10": later("proof"),
    "A11": canaries,
    "A13": later("report"),
}
