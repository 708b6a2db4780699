"""expect.py - what a row of area run expects, by the names of its keys.

    stdout, stderr            the whole text
    ..._regex _contains _not_contains _lines _lines_sorted
    ..._bytes _bytes_in _bytes_max _bytes_min   of what was kept
    ..._truncated
    exit, exit_in, exit_not, signal, termination, reason
    <result member>, with _min _max _in; kib and kb are one word
    <key>_2                   of the second command of a sequence
    <key>_then                of then_argv
    file_...                  of the workspace afterwards

and the looks from outside that are named in LOOKS. A key that is none of
these is not ok.
"""

import base64
import json
import os
import re
import time

import sandbox
from tools import NotOk, Skip

RESERVED = re.compile(
    r"(LD_.*|GLIBC_TUNABLES|BASH_ENV|ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PS4|"
    r"CX_.*|PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|LANG|TZ|TERM|PAGER|"
    r"(?i:[a-z]+_proxy))")


def is_reserved(name):
    return bool(RESERVED.fullmatch(name))


def kept(done, stream):
    """The bytes of a stream that came back."""
    coded = done.result.get(stream + "Base64")
    if coded is not None:
        return base64.b64decode(coded)
    return (done.result.get(stream) or "").encode("utf-8")


def member(done, name):
    """A member of the result by its snake_case name."""
    name = re.sub(r"_kib$", "_kb", name)
    name = {"tasks_peak": "pids_peak", "exit": "exit_code"}.get(name, name)
    camel = re.sub(r"_([a-z])", lambda m: m.group(1).upper(), name)
    if camel not in done.result:
        return None
    return done.result[camel]


def same(what, got, wanted):
    if got != wanted:
        raise NotOk("%s %.300r" % (what, got), "%.300r" % (wanted,))


# Streams: (name, done, wanted) for each ending of a stream's key.

def stream_regex(name, done, wanted):
    text = kept(done, name).decode("utf-8", "replace")
    if re.search(wanted, text):
        return
    if re.search(wanted, "oom") and \
            done.result.get("termination") == "out_of_memory":
        return
    raise NotOk("%s %.300r (%s)" % (name, text,
                                    done.result.get("termination")), wanted)


def stream_contains(name, done, wanted):
    text = kept(done, name).decode("utf-8", "replace")
    for part in [wanted] if isinstance(wanted, str) else wanted:
        if part not in text:
            raise NotOk("%s %.300r" % (name, text), "%r in it" % part)


def stream_not_contains(name, done, wanted):
    ran(done)
    text = kept(done, name).decode("utf-8", "replace")
    for part in [wanted] if isinstance(wanted, str) else wanted:
        if part in text:
            raise NotOk("%s %.300r" % (name, text), "no %r in it" % part)


STREAM = {
    "": lambda n, d, w: same(n, kept(d, n).decode("utf-8", "replace"), w),
    "_regex": stream_regex,
    "_contains": stream_contains,
    "_not_contains": stream_not_contains,
    "_lines": lambda n, d, w: same(n, kept(d, n).decode().splitlines(), w),
    "_lines_sorted": lambda n, d, w: same(
        n, sorted(kept(d, n).decode().splitlines()), sorted(w)),
    "_bytes": lambda n, d, w: same(n + " bytes", len(kept(d, n)), w),
    "_bytes_in": lambda n, d, w: among(n + " bytes", len(kept(d, n)), w),
    "_bytes_max": lambda n, d, w: at_most(n + " bytes", len(kept(d, n)), w),
    "_bytes_min": lambda n, d, w: at_least(n + " bytes", len(kept(d, n)), w),
    "_sha256": lambda n, d, w: same(
        n, d.result.get(n + "Sha256", "").split(":")[-1], w.split(":")[-1]),
    "_base64": lambda n, d, w: same(n, kept(d, n), base64.b64decode(w)),
    "_hex": lambda n, d, w: same(n, kept(d, n).hex(), w.lower()),
    "_total_bytes": lambda n, d, w: same(n, d.result.get(n + "Bytes"), w),
    "_truncated": lambda n, d, w: same(n, d.result.get(n + "Truncated"), w),
}


def among(what, got, wanted):
    if got not in wanted:
        raise NotOk("%s %r" % (what, got), "one of %r" % (wanted,))


def at_most(what, got, wanted):
    if got is None or got > wanted:
        raise NotOk("%s %r" % (what, got), "%r at most" % (wanted,))


def at_least(what, got, wanted):
    if got is None or got < wanted:
        raise NotOk("%s %r" % (what, got), "%r at least" % (wanted,))


def differs(what, got, wanted):
    if got == wanted:
        raise NotOk("%s %r" % (what, got), "another")


MEMBER = {"": same, "_in": among, "_max": at_most, "_min": at_least,
          "_not": differs}
MEMBERS = {
    "exit", "exit_code", "signal", "termination", "decision", "wall_ms",
    "cpu_ms", "memory_peak_kb", "oom_kills", "pids_peak", "tasks_peak",
    "pids_limit_hit", "file_limit_hit", "tmp_peak_kb", "tmp_peak_kib",
    "workspace_kb", "workspace_kib", "egress_mode", "egress_total_bytes",
    "stdout_gap_at", "stderr_gap_at", "tainted"}


def ran(done):
    if done.refused():
        raise NotOk("%s %s" % (done.error, done.tool), "a command that ran")


# Looks from outside: (world, done, wanted).

def truncated(_, done, wanted):
    got = bool(done.result.get("stdoutTruncated") or
               done.result.get("stderrTruncated"))
    same("truncated", got, wanted)


def wall_max(_, done, wanted):
    """By the result, and, with room for a busy machine, by our own clock."""
    at_most("wallMs", done.result.get("wallMs"), wanted)
    at_most("seconds", done.seconds, wanted / 1000 + 3)


def procs_left(world, done, wanted):
    same("processes left", len(done.seen.left()), wanted)


def path_in(world, name):
    top = world.workspace()
    if not top:
        raise NotOk("no workspace", "one with %s in it" % name)
    return os.path.join(top, name)


def file_stable(world, _, wanted):
    path = path_in(world, wanted)
    with open(path, "rb") as before:
        first = before.read()
    time.sleep(0.7)
    with open(path, "rb") as after:
        second = after.read()
    if first != second or (first and not first.endswith(b"\n")):
        raise NotOk("%r, later %r" % (first[-80:], second[-80:]),
                    "%s whole and unchanged" % wanted)


def file_absent_after(world, _, wanted):
    name, seconds = wanted
    time.sleep(seconds)
    if os.path.lexists(path_in(world, name)):
        raise NotOk(name + " is there", "no such file")


def file_absent(world, _, wanted):
    for name in [wanted] if isinstance(wanted, str) else wanted:
        if os.path.lexists(path_in(world, name)):
            raise NotOk(name + " is there", "no such file")


def file_exists(world, _, wanted):
    for name in [wanted] if isinstance(wanted, str) else wanted:
        if not os.path.lexists(path_in(world, name)):
            raise NotOk("no " + name, "such a file")


def file_is(world, _, wanted):
    for name, text in wanted.items():
        with open(path_in(world, name), encoding="utf-8") as found:
            same(name, found.read(), text)


def file_contains(world, _, wanted):
    for name, text in wanted.items():
        with open(path_in(world, name), encoding="utf-8") as found:
            if text not in found.read():
                raise NotOk(name, "%r in it" % text)


def new_files_hold(world, _, wanted):
    """Every file that the command, or a hook before it, made."""
    top = world.workspace()
    for folder, _names, files in os.walk(top or "/nonexistent"):
        for name in files:
            path = os.path.join(folder, name)
            if os.path.relpath(path, top) in world.given_files or \
                    not os.path.isfile(path) or os.path.islink(path):
                continue
            with open(path, encoding="utf-8", errors="replace") as found:
                text = found.read()
            if wanted not in text:
                raise NotOk("%s: %.200r" % (name, text), "%r in it" % wanted)


def refused_pointer(_, done, wanted):
    pointer = done.error.get("pointer", "")
    if not done.refused() or not (pointer == wanted or
                                  pointer.startswith(wanted + "/")):
        raise NotOk("%s %s" % (done.result.get("decision"), done.error),
                    "a refusal at " + wanted)


def reason(_, done, wanted):
    among("reason", wanted, [done.result.get("reason"),
                             done.error.get("class")])


def json_valid(world, done, wanted):
    def strict(word):
        raise ValueError(word)
    json.loads(done.tool.stdout, parse_constant=strict)
    again = world.exec({"sh": "echo again"})
    world.done.pop()
    same("a second command", kept(again, "stdout") == b"again\n", wanted)


def no_replacement(_, done, wanted):
    ran(done)
    text = (done.result.get("stdout") or "") + \
        (done.result.get("stderr") or "")
    same("no U+FFFD", "\ufffd" not in text, wanted)


def workspace_removed(world, _, wanted):
    before = world.workspace()
    closed = world.close()
    if not before or closed.status != 0 or \
            (world.workspace() is None) != wanted:
        raise NotOk("%s, closed: %s, still there: %s" %
                    (before, closed, world.workspace()), "a removed one")


def post_step(world, _, wanted):
    """Listing (which measures), export and removal, each."""
    begin = time.monotonic()
    for argv in (["workspace", "list"],):
        done = world.call(["cx-run"] + argv, world.env())
        if done.status != 0:
            raise NotOk(done, "a list")
        at_most("ms of list", (time.monotonic() - begin) * 1000, wanted)
    begin = time.monotonic()
    done, _members = sandbox.export(world)
    if done.status != 0:
        raise NotOk(done, "an export")
    at_most("ms of export", (time.monotonic() - begin) * 1000, wanted)
    begin = time.monotonic()
    done = world.close()
    if done.status != 0 or world.workspace():
        raise NotOk(done, "a removed workspace")
    at_most("ms of close", (time.monotonic() - begin) * 1000, wanted)


def no_host_content(world, _, wanted):
    done, members = sandbox.export(world)
    if done.status != 0 or not members:
        raise NotOk(done, "an export with something in it")
    host = [line for line in open("/etc/passwd", "rb").read().split(b"\n")
            if line]
    bad = [member.name for member, data in members
           if data and any(line in data for line in host)]
    bad += [member.name for member, _data in members
            if member.name.startswith(("/", "../"))]
    same("members with the host's content", bad, [])
    del wanted


def peak_max(_, done, wanted):
    ran(done)
    at_most("KiB at the peak", done.seen.peak_kib, wanted)


def shm_unchanged(world, _, wanted):
    same("/dev/shm unchanged", sandbox.host_shm() == world.shm, wanted)


def no_host_identity(_, done, wanted):
    ran(done)
    text = kept(done, "stdout").decode("utf-8", "replace")
    shown = [word for word in sandbox.host_identity() if word in text]
    shown += [line for line in text.splitlines()
              if line.strip() == sandbox.host_name()]
    same("no identity of the host", not shown, wanted)


def tool_exit(_, done, wanted):
    same("the tool's status", done.tool.status, wanted)


def leftovers(world, done, wanted):
    """A launcher that was killed leaves the mark by which a later one knows
    of it: that one comes first."""
    if done.tool.status == 128 + 9:
        world.exec({"sh": "true"})
        world.done.pop()
    same("leftovers", len(sandbox.leftovers(world)), wanted)


LOOKS = {
    "truncated": truncated,
    "wall_ms_max": wall_max,
    "procs_left": procs_left,
    "file_stable": file_stable,
    "file_absent_after_s": file_absent_after,
    "file_absent": file_absent,
    "file_exists": file_exists,
    "file_is": file_is,
    "file_contains": file_contains,
    "if_present_must_contain": new_files_hold,
    "refused_pointer": refused_pointer,
    "reason": reason,
    "json_valid": json_valid,
    "no_replacement_char": no_replacement,
    "workspace_removed": workspace_removed,
    "post_step_ms_max": post_step,
    "no_host_content_in_export": no_host_content,
    "workspace_peak_kib_max": peak_max,
    "host_shm_unchanged": shm_unchanged,
    "no_host_identity": no_host_identity,
    "tool_exit": tool_exit,
    "leftovers": leftovers,
}

# What changes the workspace comes after what looks at it.
LAST = ["post_step_ms_max", "workspace_removed", "leftovers"]


def split(key):
    """(key without its command's mark, how to choose the command)."""
    marked = re.fullmatch(r"(.+)_(then|\d+)", key)
    if marked and meaning(marked.group(1)):
        return marked.group(1), marked.group(2)
    return key, None


def meaning(key):
    """A function (world, done, wanted), or None."""
    if key in LOOKS:
        return LOOKS[key]
    for name in ("stdout", "stderr"):
        if key.startswith(name) and key[len(name):] in STREAM:
            act = STREAM[key[len(name):]]
            return lambda world, done, wanted: act(name, done, wanted)
    for ending in sorted(MEMBER, key=len, reverse=True):
        if ending and not key.endswith(ending):
            continue
        name = key[:len(key) - len(ending)] if ending else key
        if name in MEMBERS:
            act = MEMBER[ending]
            return lambda world, done, wanted: act(name, member(done, name),
                                                   wanted)
    return None


def check_names(wanted):
    """A key that isn't known is not ok, whatever the product does."""
    for key in wanted:
        if not meaning(split(key)[0]):
            raise NotOk("expect with %r" % key, "a key that is known")


def chosen(world, mark):
    """The command that a key speaks of: the first, unless it says so."""
    if mark == "then":
        return world.done[-1]
    if mark is not None:
        return world.done[int(mark) - 1]
    return world.done[0]


LIMITS = {"memory_bytes": "memory", "pids": "pids", "cpus": "cpu"}
COUNTED = {"tasks_peak", "pids_peak", "memory_peak_kb", "oom_kills",
           "pids_limit_hit"}


def see_powers(world, given, wanted):
    """What this user can't hold a command to, or can't be told, is no fault
    of the product's, which says so."""
    if world.area.limits_hold:
        return
    limits = (given.get("limits") or {})
    held = world.done[0].result.get("enforced") or {}
    missing = [name for name, word in LIMITS.items()
               if name in limits and held.get(word) is False]
    if missing:
        raise Skip("this user can't limit %s" % ", ".join(missing))
    for key in wanted:
        name = re.sub(r"_(min|max|in)$", "", key)
        if name in COUNTED and member(world.done[0], name) is None:
            raise Skip("this user isn't told %s" % name)


def check(world, wanted):
    keys = sorted(wanted, key=lambda key: LAST.index(key)
                  if key in LAST else -1)
    for key in keys:
        name, mark = split(key)
        meaning(name)(world, chosen(world, mark), wanted[key])


__all__ = ["check", "check_names", "is_reserved", "kept", "Skip"]
