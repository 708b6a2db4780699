"""seal.py - carriers, made and bent as a row's "do" says, against cx-seal.

The carrier's format and its keys are worked out here a second time, from the
format's description and not from the product, so a fault that minting and
opening share is seen. Words: op open | mint; World, Maker and Edit below are
the three parts of a row (the state, the carrier, the bending).
"""

import base64
import hashlib
import hmac
import json
import os
import shutil
import struct

import sandbox
import tools
from tools import NotOk, Skip, known_only

T0 = 1900000000
BASE_SESSION = {"orgId": "acme", "userId": "ada", "surface": "chat"}
SESSION_KEYS = ("orgId", "userId", "surface", "runId")

COMMON_KEYS = {"ring", "keyfile", "config", "now", "rss_kib_max", "before",
               "parallel", "inject", "stdout", "never_prints", "note"}
OPEN_KEYS = COMMON_KEYS | {"claims", "claims_mod3", "kid", "caveats", "edit",
                           "resign", "mac", "transport", "via"}
MINT_KEYS = COMMON_KEYS | {"stdin", "flags", "lines",
                           "expect_claims_subset"}
ROW_KEYS = {"id", "op", "field", "mutation", "expected", "severity", "why",
            "do", "manual", "area"}


# The format, by its description.

def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def unb64(text):
    return base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))


def canonical(value):
    """RFC 8785 for what claims and caveats hold: no large numbers, and names
    whose order is the same by bytes and by UTF-16."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"),
                      ensure_ascii=False).encode("utf-8", "surrogatepass")


def pae(parts):
    out = struct.pack("<Q", len(parts))
    for part in parts:
        out += struct.pack("<Q", len(part)) + part
    return out


def key_bytes(name):
    """The 32 bytes of the file <name>.key."""
    return hashlib.sha256(b"cx case key " + name.encode()).digest()


def session_key(secret):
    """k: HKDF-SHA-256 (RFC 5869) of a key file's bytes, empty salt."""
    extracted = hmac.new(bytes(32), secret, hashlib.sha256).digest()
    return hmac.new(extracted, b"cx session v1\x01", hashlib.sha256).digest()


def mac_once(alg, key, data):
    if alg == "hmac-sha256":
        return hmac.new(key, data, hashlib.sha256).digest()
    if alg == "hmac-sha512":
        return hmac.new(key, data, hashlib.sha512).digest()[:32]
    if alg == "sha256":
        return hashlib.sha256(data).digest()
    raise NotOk("mac.alg %r" % alg, "hmac-sha256, hmac-sha512 or sha256")


def chain(key, version, kid, claims, caveats, alg="hmac-sha256", over="pae"):
    """The MAC at the end of a carrier's chain."""
    spell = b64 if over == "text" else lambda data: data
    if over not in ("pae", "text", "claims"):
        raise NotOk("mac.over %r" % over, "pae, claims or text")
    head = claims if over == "claims" else pae([version, kid, spell(claims)])
    mac = mac_once(alg, key, head)
    for caveat in caveats:
        mac = mac_once(alg, mac, pae([spell(caveat)]))
    return mac


# Bending.

def value_of(edit):
    if "value_hex" in edit:
        return bytes.fromhex(edit["value_hex"])
    if "value" not in edit:
        raise NotOk("an edit without a value", "value or value_hex")
    return edit["value"].encode("utf-8", "surrogatepass")


def offset_of(data, at):
    if at == "middle":
        return len(data) // 2
    if isinstance(at, bool) or not isinstance(at, (int, dict)):
        raise NotOk("at %r" % (at,), "an offset, middle, first or last")
    if isinstance(at, int):
        found = at if at >= 0 else len(data) + at
    else:
        known_only(at, {"first", "last"}, "at")
        if "first" in at:
            found = data.find(at["first"].encode())
        else:
            found = data.rfind(at["last"].encode())
    if not 0 <= found <= len(data):
        raise NotOk("at %r outside of the part" % (at,), "a place in it")
    return found


def spare_bits(text):
    """The last character becomes another that decodes to the same bytes."""
    letters = (b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
               b"0123456789-_")
    if not text or len(text) % 4 in (0, 1):
        return text
    return text[:-1] + letters[letters.index(text[-1:]) ^ 1:][:1]


EDIT_KEYS = {"part", "how", "value", "value_hex", "times", "at", "bit",
             "find", "to"}
HOWS = {"set", "append", "prepend", "insert", "truncate", "flip_bit",
        "replace", "spare_bits", "fill"}


def bend(data, edit):
    """One edit on bytes; fill is the maker's."""
    how = edit["how"]
    if how in ("set", "append", "prepend", "insert"):
        value = value_of(edit) * edit.get("times", 1)
    if how == "set":
        return value
    if how == "append":
        return data + value
    if how == "prepend":
        return value + data
    if how == "insert":
        at = offset_of(data, edit["at"])
        return data[:at] + value + data[at:]
    if how == "truncate":
        return data[:offset_of(data, edit["at"])]
    if how == "flip_bit":
        at = offset_of(data, edit["at"])
        if at == len(data):
            raise NotOk("at %r behind the part" % edit["at"], "a byte of it")
        return (data[:at] + bytes([data[at] ^ 1 << edit.get("bit", 0)]) +
                data[at + 1:])
    if how == "replace":
        return data.replace(edit["find"].encode("utf-8"),
                            value_of(edit) * edit.get("times", 1))
    if how == "spare_bits":
        return spare_bits(data)
    raise NotOk("how %r" % how, "one of %s" % " ".join(sorted(HOWS)))


class Maker:
    """A row's carrier, and what the tool reads."""

    def __init__(self, world, do):
        self.world, self.do = world, do
        self.edits = do.get("edit", [])
        for edit in self.edits:
            known_only(edit, EDIT_KEYS, "an edit")
            if edit.get("how") not in HOWS:
                raise NotOk("how %r" % edit.get("how"),
                            "one of %s" % " ".join(sorted(HOWS)))
        self.used = set()
        self.claims = self.overlaid(do.get("claims", {}))
        self.part = {
            "version": b"cxs1",
            "kid": do.get("kid", "k1").encode(),
            "claims": canonical(self.claims),
        }
        self.caveats = [canonical(c) for c in do.get("caveats", [])]
        for at, caveat in enumerate(self.caveats):
            self.part["caveat%d" % at] = caveat
        self.text = {}
        self.carrier = self.make()
        self.stdin = self.feed()
        if len(self.used) != len(self.edits):
            unknown = [e.get("part") for at, e in enumerate(self.edits)
                       if at not in self.used]
            raise NotOk("edits of %r" % unknown, "parts that are there")

    def overlaid(self, over):
        claims = dict(self.world.base)
        for name, value in over.items():
            if value is None:
                claims.pop(name, None)
            elif isinstance(value, str):
                claims[name] = (
                    value.replace("{instance}", self.world.instance)
                    .replace("{other}", self.world.other))
            else:
                claims[name] = value
        if "claims_mod3" in self.do:
            while len(canonical(claims)) % 3 != self.do["claims_mod3"]:
                claims["userId"] += "x"
        return claims

    def apply(self, names, store):
        """The edits of these parts, in the row's order."""
        for at, edit in enumerate(self.edits):
            name = edit.get("part")
            if name not in names or name not in store or at in self.used:
                continue
            before = store[name]
            store[name] = (self.fill(store, name, edit)
                           if edit["how"] == "fill" else bend(before, edit))
            if store[name] == before:
                raise NotOk("an edit of %s that changes nothing" % name,
                            "a change")
            self.used.add(at)

    def fill(self, store, name, edit):
        """Appends value until the whole carrier is "to" bytes long."""
        value, size = value_of(edit), edit["to"]
        if name == "carrier":
            data = store[name]
            while len(data) < size:
                data += value
            return data[:size]
        trial = dict(store)
        while len(self.assembled(trial)) < size:
            trial[name] += value
        if len(self.assembled(trial)) != size:
            raise NotOk("a carrier of %d bytes"
                        % len(self.assembled(trial)), "%d" % size)
        return trial[name]

    def assembled(self, store):
        """The carrier that parts (or texts, where they stand) would make."""
        text = dict(self.text)
        text.update({k: v for k, v in store.items()
                     if k.endswith("_text")})
        part = dict(self.part)
        part.update({k: v for k, v in store.items()
                     if not k.endswith("_text")})
        body = text.get("claims_text", b64(part["claims"]))
        for at in range(len(self.caveats)):
            body += b"~" + text.get("caveat%d_text" % at,
                                    b64(part["caveat%d" % at]))
        mac = text.get("mac_text", b64(part.get("mac", bytes(32))))
        return b".".join([part["version"], part["kid"], body, mac])

    def key(self, bending):
        if "key_hex" in bending:
            return bytes.fromhex(bending["key_hex"])
        return self.world.key(self.do, bending.get(
            "key", self.do.get("kid", "k1")))

    def mac(self, part):
        bending = self.do.get("mac", {})
        known_only(bending, {"key", "key_hex", "alg", "over", "of"}, "mac")
        claims = part["claims"]
        if "of" in bending:
            claims = canonical(self.overlaid(bending["of"]))
        return chain(self.key(bending), part["version"], part["kid"], claims,
                     [part["caveat%d" % at]
                      for at in range(len(self.caveats))],
                     bending.get("alg", "hmac-sha256"),
                     bending.get("over", "pae"))

    def make(self):
        caveats = ["caveat%d" % at for at in range(len(self.caveats))]
        before = dict(self.part)
        self.apply({"version", "kid", "claims"} | set(caveats), self.part)
        signed = self.part if self.do.get("resign", True) else before
        self.part["mac"] = self.mac(signed)
        self.apply({"mac"}, self.part)
        for name in ["claims", "mac"] + caveats:
            self.text[name + "_text"] = b64(self.part[name])
        self.apply(set(self.text), self.text)
        whole = {"carrier": self.assembled({})}
        self.apply({"carrier"}, whole)
        return whole["carrier"]

    def document(self):
        try:
            document = {"carrier": self.carrier.decode("utf-8")}
        except UnicodeDecodeError:
            raise NotOk("a carrier that no JSON document can hold",
                        "transport raw") from None
        if self.do.get("via") == "exec":
            document["run"] = {"argv": ["true"]}
        return json.dumps(document).encode()

    def feed(self):
        """Standard input: bytes, or (bytes, times) pairs."""
        raw = self.do.get("transport") == "raw"
        feed = [(self.carrier if raw else self.document(), 1)]
        for at, edit in enumerate(self.edits):
            if edit.get("part") != "stdin":
                continue
            self.used.add(at)
            times = edit.get("times", 1)
            if edit["how"] in ("set", "append", "prepend") and times > 1:
                piece = [(value_of(edit), times)]
                feed = {"set": piece, "append": feed + piece,
                        "prepend": piece + feed}[edit["how"]]
                continue
            joined = b"".join(data * n for data, n in feed)
            bent = (self.fill({"carrier": joined}, "carrier", edit)
                    if edit["how"] == "fill" else bend(joined, edit))
            if bent == joined:
                raise NotOk("an edit of stdin that changes nothing",
                            "a change")
            feed = [(bent, 1)]
        return feed

    def streamed(self):
        return sum(len(data) * times for data, times in self.stdin) > 1 << 24


# The state.

class World:
    """Of one row: a copy of the first state, with the row's keys. Each step
    may have others of its own, so arrange() comes before every call; what
    steps left behind (counts, revoked ids) stays."""

    def __init__(self, area, do):
        self.area = area
        self.tools = area.tools
        self.base, self.instance, self.other = (area.base, area.instance,
                                                area.other)
        self.state = self.tools.folder("state")
        os.rmdir(self.state)
        shutil.copytree(area.state, self.state, symlinks=True)
        self.keys = os.path.join(self.state, "keys")
        for name in os.listdir(self.keys):
            os.unlink(os.path.join(self.keys, name))
        self.config = os.path.join(self.tools.folder("config"), "config.yaml")
        self.arrange(do)

    def arrange(self, do):
        self.ring(do)
        self.keyfile(do)
        config = dict(do.get("config", {}))
        if do.get("via") == "exec":
            config.setdefault("store", {"shared": self.area.l0()})
            if not sandbox.limits_hold():
                config.setdefault("limits", {}).setdefault(
                    "best_effort", ["memory", "cpu", "pids"])
        with open(self.config, "w", encoding="utf-8") as out:
            json.dump(config, out)

    def close(self):
        self.tools.remove(self.state)

    ENTRY_KEYS = {"kid", "purpose", "alg", "state", "notBefore", "notAfter",
                  "file"}

    def entries(self, do):
        for entry in do.get("ring", [{"kid": "k1"},
                                     {"kid": "k2", "state": "verify-only"}]):
            known_only(entry, self.ENTRY_KEYS, "a ring entry")
            whole = {"kid": entry["kid"], "purpose": "session",
                     "alg": self.area.alg, "state": "active",
                     "notBefore": None, "notAfter": None,
                     "file": entry["kid"] + ".key"}
            whole.update(entry)
            for bound in ("notBefore", "notAfter"):
                if whole[bound] is not None:
                    whole[bound] += T0
            yield whole

    def ring(self, do):
        for name in os.listdir(self.keys):
            if name != "revoked":
                os.unlink(os.path.join(self.keys, name))
        entries = list(self.entries(do))
        with open(os.path.join(self.keys, "ring.json"), "w",
                  encoding="utf-8") as out:
            json.dump(entries, out)
        for entry in entries:
            self.write_key(entry["file"], self.secret(do, entry["file"]))

    def secret(self, do, file):
        """The bytes of a key file: keyfile.bytes_hex bears on the carrier's
        kid."""
        name = file[:-4] if file.endswith(".key") else file
        own = do.get("kid", "k1") + ".key"
        if file == own and "bytes_hex" in do.get("keyfile", {}):
            return bytes.fromhex(do["keyfile"]["bytes_hex"])
        return key_bytes(name)

    def key(self, do, kid):
        """k of a kid, in the ring or not."""
        file = kid + ".key"
        for entry in self.entries(do):
            if entry["kid"] == kid:
                file = entry["file"]
                break
        return session_key(self.secret(do, file))

    def write_key(self, file, data):
        path = os.path.join(self.keys, file)
        if os.path.dirname(file) or not file:
            return
        with open(path, "wb") as out:
            out.write(data)
        os.chmod(path, 0o600)

    def keyfile(self, do):
        keyfile = do.get("keyfile", {})
        known_only(keyfile, {"bytes_hex", "mode", "missing", "fifo",
                             "symlink", "owner"}, "keyfile")
        path = os.path.join(self.keys, do.get("kid", "k1") + ".key")
        if keyfile.get("missing"):
            os.unlink(path)
        if keyfile.get("fifo"):
            os.unlink(path)
            os.mkfifo(path, 0o600)
        if keyfile.get("symlink"):
            elsewhere = os.path.join(self.state, "elsewhere.key")
            os.rename(path, elsewhere)
            os.symlink(elsewhere, path)
        if "mode" in keyfile:
            os.chmod(path, int(keyfile["mode"], 8))
        if "owner" in keyfile:
            if os.geteuid() != 0:
                raise Skip("another owner needs root")
            os.chown(path, keyfile["owner"], -1)

    def environment(self, do):
        issued = T0
        claims = do.get("claims", {})
        if isinstance(claims.get("iat"), int):
            issued = claims["iat"]
        now = issued + do.get("now", self.area.default_now(do))
        return self.tools.environment(self.state, self.config, now)


class Area:
    def __init__(self, tools_):
        self.tools = tools_
        self.made_l0 = None

    @staticmethod
    def default_now(do):
        return 0 if "op_mint" in do else 10

    def l0(self):
        """The suite's busybox L0, for rows whose command may run."""
        return os.environ.get("CX_TEST_L0") or os.path.join(
            self.tools.build, "test", "l0")

    # Controls.

    def mint(self, state):
        """The claims and the ring entry of a first carrier."""
        result = self.tools.run(
            [self.tools.path("cx-seal"), "mint"],
            self.tools.environment(state, now=T0),
            json.dumps({"session": BASE_SESSION}).encode())
        document = result.document() or {}
        if result.status != 0 or "carrier" not in document:
            raise NotOk("mint: %s" % result, "a carrier")
        claims = document["carrier"].split(".")[2].split("~")[0]
        return json.loads(unb64(claims.encode()))

    def start(self):
        self.state = self.tools.folder("first")
        self.base = self.mint(self.state)
        other = self.mint(self.tools.folder("second"))
        self.instance = self.base["aud"].split("/")[0]
        self.other = other["aud"].split("/")[0]
        with open(os.path.join(self.state, "keys", "ring.json"),
                  encoding="utf-8") as ring:
            self.alg = json.load(ring)[0]["alg"]
        if self.base["exp"] != T0 + 900 or self.base["iat"] != T0:
            raise NotOk("iat %(iat)s, exp %(exp)s" % self.base,
                        "%d, %d" % (T0, T0 + 900))
        self.check({"id": "control", "op": "open", "expected": "accepted",
                    "do": {}})
        self.check({"id": "control", "op": "open", "expected": "accepted",
                    "do": {"transport": "raw"}})
        self.check({"id": "control", "op": "mint", "expected": "accepted",
                    "do": {"stdin": {"session": BASE_SESSION}}})

    # Rows.

    def check(self, row):
        if "do" not in row:
            if row.get("manual"):
                raise Skip(row["manual"])
            return tools.coded("seal", row, self)
        known_only(row, ROW_KEYS, "a row")
        if row.get("op") not in ("open", "mint"):
            raise NotOk("op %r" % row.get("op"), "open or mint")
        do = dict(row["do"])
        known_only(do, OPEN_KEYS if row["op"] == "open" else MINT_KEYS,
                   "do")
        if row["op"] == "mint":
            do["op_mint"] = True
        world = World(self, do)
        try:
            for step in do.pop("before", []):
                self.step(world, row, do, step)
            self.act(world, row, do)
        finally:
            world.close()
        return None

    def step(self, world, row, do, step):
        if step.get("revoke"):
            known_only(step, {"revoke", "now"}, "a step")
            jti = Maker(world, dict(do, edit=[])).claims["jti"]
            env = world.environment(dict(do, **step))
            result = self.tools.run(
                [self.tools.path("cx-seal"), "revoke", jti], env)
            if result.status != 0:
                raise NotOk("revoke: %s" % result, "status 0")
            return
        known_only(step, (OPEN_KEYS if row["op"] == "open" else MINT_KEYS)
                   - {"before"} | {"expected"}, "a step")
        own = {k: v for k, v in do.items() if k != "parallel"}
        own.update({k: v for k, v in step.items() if k != "expected"})
        self.act(world, dict(row, expected=step.get("expected", "accepted")),
                 own)

    def act(self, world, row, do):
        world.arrange(do)
        if "op_mint" in do:
            argv, stdin, streamed = self.mint_call(do)
            claims = None
        else:
            maker = Maker(world, do)
            argv, stdin = self.open_call(do), maker.stdin
            claims, streamed = maker.claims, maker.streamed()
        if "inject" in do:
            known_only(do["inject"], {"syscall", "errno"}, "inject")
            argv = self.tools.inject(do["inject"]["syscall"],
                                     do["inject"]["errno"], argv)
        count = do.get("parallel", {}).get("n", 1)
        known_only(do.get("parallel", {}), {"n", "accepted"}, "parallel")
        results = self.together(world, do, argv, stdin, streamed, count)
        for result in results:
            self.general(do, result)
        if "parallel" in do:
            self.judge_many(row, do, results, claims)
        elif "lines" in do:
            self.judge_lines(do, results[0])
        else:
            self.judge(row, do, results[0], claims)

    def together(self, world, do, argv, stdin, streamed, count):
        env = world.environment(do)
        target, opened = {}, None
        if "stdout" in do:
            opened = open(do["stdout"], "wb")
            target = {"stdout": opened}
        started = [self.tools.start(argv, env, stdin, **target)
                   for _ in range(count)]
        results = [one.finish(60 if streamed else 15) for one in started]
        if opened:
            opened.close()
        return results

    def open_call(self, do):
        if do.get("via", "open") not in ("open", "exec"):
            raise NotOk("via %r" % do["via"], "exec")
        if do.get("transport", "document") not in ("document", "raw"):
            raise NotOk("transport %r" % do["transport"], "raw")
        if do.get("via") == "exec":
            return [self.tools.path("cx-run"), "exec"]
        raw = ["--raw"] if do.get("transport") == "raw" else []
        return [self.tools.path("cx-seal"), "open"] + raw

    def mint_call(self, do):
        stdin = do.get("stdin", {})
        data = (stdin if isinstance(stdin, str)
                else json.dumps(stdin)).encode("utf-8", "surrogatepass")
        argv = [self.tools.path("cx-seal"), "mint"] + do.get("flags", [])
        return argv, [(data, 1)], len(data) > 1 << 24

    # Outcomes.

    @staticmethod
    def decoded(result):
        """What a stream shows, and what its carriers hold."""
        shown = result.stdout + result.stderr
        for word in shown.replace(b'"', b" ").split():
            if word.startswith(b"cxs1."):
                for part in word.replace(b"~", b".").split(b"."):
                    try:
                        shown += b"\n" + unb64(part)
                    except ValueError:
                        pass
        return shown

    def general(self, do, result):
        if result.over:
            raise NotOk(str(result), "an answer in time")
        if "rss_kib_max" in do and result.rss_kib > do["rss_kib_max"]:
            raise NotOk("a peak of %d KiB" % result.rss_kib,
                        "at most %d" % do["rss_kib_max"])
        shown = self.decoded(result)
        for text in do.get("never_prints", []):
            if text.encode() in shown:
                raise NotOk("%r printed" % text, "it nowhere")

    def judge(self, row, do, result, claims):
        fault = self.fault(row["expected"], do, result, claims)
        if fault:
            raise NotOk(fault, row["expected"])

    def judge_many(self, row, do, results, claims):
        accepted = 0
        for result in results:
            if self.fault("accepted", do, result, claims) is None:
                accepted += 1
                continue
            fault = self.fault(row["expected"], do, result, claims)
            if fault:
                raise NotOk(fault, row["expected"])
        if accepted != do["parallel"]["accepted"]:
            raise NotOk("%d accepted" % accepted,
                        "%d" % do["parallel"]["accepted"])

    def fault(self, expected, do, result, claims):
        """Why result isn't as expected; None when it is."""
        document = result.document()
        if expected == "accepted":
            if result.status != 0 or document is None:
                return str(result)
            return self.wrong_product(do, document, claims)
        found = result.error_class()
        if found != expected:
            return "%s (%s)" % (found, result)
        if result.status not in tools.right_status(expected):
            return "exit status %d" % result.status
        if document and ("session" in document if claims is not None
                         else "carrier" in document):
            return "a product beside the refusal: %s" % result
        return None

    @staticmethod
    def wrong_product(do, document, claims):
        if do.get("via") == "exec":
            result = document.get("result")
            return (None if isinstance(result, dict) and
                    result.get("decision") == "allowed"
                    else "no result: %s" % json.dumps(document))
        if claims is not None:
            wanted = {k: claims[k] for k in SESSION_KEYS if k in claims}
            return (None if document.get("session") == wanted
                    else "session %s" % document.get("session"))
        carrier = document.get("carrier")
        if not isinstance(carrier, str) or not carrier.startswith("cxs1."):
            return "no carrier: %s" % json.dumps(document)
        minted = json.loads(unb64(
            carrier.split(".")[2].split("~")[0].encode()))
        subset = do.get("expect_claims_subset", [None])[0] or {}
        for name, value in subset.items():
            if minted.get(name) != value:
                return "claim %s is %r" % (name, minted.get(name))
        return None

    def judge_lines(self, do, result):
        documents = result.documents()
        if len(documents) != len(do["lines"]):
            raise NotOk("%d lines" % len(documents),
                        "%d" % len(do["lines"]))
        subsets = do.get("expect_claims_subset") or [None] * len(documents)
        for document, wanted, subset in zip(documents, do["lines"], subsets):
            found = document.get("error", {}).get("class", "accepted")
            if found != wanted:
                raise NotOk(found, wanted)
            if found != "accepted":
                continue
            fault = self.wrong_product(
                {"expect_claims_subset": [subset]}, document, None)
            if fault:
                raise NotOk(fault, json.dumps(subset))
        failed = any(line != "accepted" for line in do["lines"])
        if result.status != (1 if failed else 0):
            raise NotOk("exit status %d" % result.status,
                        "1" if failed else "0")
