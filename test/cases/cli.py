"""cli.py - the command line itself: input rules, pipes, completion.

Rows that hand a tool bytes on standard input (stdin_hex, stdin_variants) are
carried out as they stand, by the tools that stand; for one that isn't built
yet another that reads documents by the same rules takes its place. All other
rows are words, and coded in field_cli.py.
"""

import os
import re

import tools
from tools import NotOk, Skip, known_only

INPUT_KEYS = {"cmd", "stdin_hex", "stdin_variants", "note"}
EXPECT_KEYS = {"consistent", "refused_all_but"}

# How each tool reads a document that then comes back, without more than that.
READERS = {
    "cx-seal": ["mint", "--org", "acme", "--user", "ada", "--surface",
                "chat"],
    "cx-run": ["exec"],
    "cx-build": ["layer"],
    "cx-stage": ["list"],
    "cx-gateway": ["decide"],
    "cx-audit": ["append"],
}

# Verbs that read a document a line: none is no fault, and a bad one makes the
# status 1. Verbs whose document is closed, whatever the text.
STREAMS = {"cx-gateway"}
CLOSED = {"cx-audit", "cx-gateway"}


class Area:
    def __init__(self, toolbox):
        self.tools = toolbox

    def env(self, **more):
        return self.tools.environment(self.tools.folder("state"), **more)

    def built(self):
        """The tools that stand and read documents."""
        found = []
        for name, verb in READERS.items():
            if not os.access(self.tools.path(name), os.X_OK):
                continue
            helped = self.tools.run([self.tools.path(name)] + verb[:1] +
                                    ["--help"], self.env())
            if helped.status == 0:
                found.append(name)
        return found

    def read(self, name, data):
        """What a tool says to these bytes on standard input."""
        return self.tools.run([self.tools.path(name)] + READERS[name],
                              self.env(), data)

    def check(self, row):
        given = row.get("input", {})
        if not {"stdin_hex", "stdin_variants"} & set(given):
            tools.coded("cli", row, self)
            return
        known_only(given, INPUT_KEYS, "input")
        known_only(row.get("expect", {}), EXPECT_KEYS, "expect")
        if "stdin_hex" in given:
            self.same_everywhere(bytes.fromhex(given["stdin_hex"]))
        if "stdin_variants" in given:
            self.refuses_but(given["stdin_variants"],
                             row["expect"].get("refused_all_but", []))

    def same_everywhere(self, data):
        """All tools refuse it as input, in words that name its fault."""
        for name in self.built():
            done = self.read(name, data)
            refused(name, name, done)
            if data.startswith(b"\xef\xbb\xbf") and not re.search(
                    r"byte[- ]order mark|BOM", message(done)):
                raise NotOk("%s: %s" % (name, message(done)),
                            "a text that names the byte-order mark")

    def refuses_but(self, variants, admitted):
        for text in variants:
            for name in self.built():
                if name in CLOSED and text in admitted:
                    continue
                if name in STREAMS and not text.strip():
                    continue
                done = self.read(name, text.encode("utf-8"))
                if text in admitted:
                    self.admits(name, text, done)
                    continue
                refused(name, name + " " + repr(text), done)
                located(name + " " + repr(text), text, done)

    @staticmethod
    def admits(name, text, done):
        if done.error_class() == "input_invalid":
            raise NotOk("%s %r: %s" % (name, text, done), "admitted")
        document = done.document() or {}
        if "-0" in text and document.get("x-a") != 0:
            raise NotOk("%s %r: %s" % (name, text, done), "-0 read as 0")
        # a date or a carrier may hold these two characters anywhere else
        if "-0" in text and re.search(rb'"x-a":\s*-', done.stdout):
            raise NotOk("%s %r: %s" % (name, text, done), "0 written")


def message(done):
    document = done.document() or {}
    return (document.get("error") or {}).get("message", "")


def refused(name, what, done):
    status = 1 if name in STREAMS else 65
    if done.status != 65 and done.error_class() == "audit_field_refused":
        return  # cx-audit's own word for a member that is none
    if done.status != status or done.error_class() != "input_invalid":
        raise NotOk("%s: %s" % (what, done),
                    "input_invalid, status %d" % status)


def located(what, text, done):
    """The place of the fault: line and column, a pointer, or a text that says
    that the whole is empty or no object."""
    error = (done.document() or {}).get("error") or {}
    said = error.get("message", "")
    if re.search(r"line \d+,? column \d+", said) or error.get("pointer"):
        return
    if not text.strip() and "empty" in said:
        return
    if text.strip() and "object" in said:
        return
    raise NotOk("%s: %s" % (what, said), "the place of the fault")


__all__ = ["Area", "Skip"]
