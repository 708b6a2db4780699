"""field_cli.py - rows of the area cli whose input is words, by their id."""

import json
import os
import subprocess

from tools import ROOT, NotOk, Skip

EVENT = {
    "organizationId": "acme", "actorPrincipalId": "ada",
    "actorPrincipalType": "model", "authSource": "agent",
    "resourceType": "execution_sandbox", "resourceId": "j-1",
    "operation": "sandbox_execute", "decision": "allowed",
    "metadata": {
        "surface": "chat", "cwd": "/workspace", "reason": None,
        "exitCode": 0, "termination": "exited", "imageDigest": None,
        "egressMode": "none", "egressTotalBytes": 0, "wallMs": 5,
        "workspaceKb": 0}}


def quick(world):
    """A state and a configuration that doesn't wait for the disk."""
    state = world.tools.folder("state")
    config = os.path.join(world.tools.folder("config"), "config.yaml")
    with open(config, "w", encoding="ascii") as out:
        out.write("audit: {sync: none}\n")
    return world.tools.environment(state, config=config)


def append(world, env, events):
    data = b"".join(json.dumps(event).encode() + b"\n" for event in events)
    return world.tools.run([world.tools.path("cx-audit"), "append",
                            "--stream"], env, data, limit=60)


def early_reader(world):
    """The reader of the pipe stops after a line: 0, by rule, in silence."""
    env = quick(world)
    for more in (1, 99, 99900):
        done = append(world, env, [EVENT] * more)
        if done.status != 0:
            raise NotOk(done, "records")
        seen = set()
        for _ in range(10):
            got = subprocess.run(
                ["bash", "-c", "set -o pipefail; cx-audit read --instance |"
                 " head -1; echo ${PIPESTATUS[@]}"], env=env, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            line, status = got.stdout.decode().splitlines()
            if json.loads(line)["index"] != 0:
                raise NotOk(line, "the first record")
            seen.add((status, got.stderr))
        if seen != {("0 0", b"")}:
            raise NotOk(seen, "0 0 each time, and no message")


def whole_numbers(world):
    """Numbers that jq would bend can't occur, and the page says so."""
    env = quick(world)
    largest = json.loads(json.dumps(EVENT))
    for name in ("egressTotalBytes", "wallMs", "workspaceKb"):
        largest["metadata"][name] = 2 ** 53 - 1
    done = append(world, env, [largest])
    if done.status != 0:
        raise NotOk(done, "2^53 - 1 is taken")
    for number in (2 ** 53, 2 ** 63 - 1, 2 ** 63, 1e300):
        for name in ("egressTotalBytes", "wallMs", "workspaceKb"):
            event = json.loads(json.dumps(EVENT))
            event["metadata"][name] = number
            done = append(world, env, [event])
            if done.status != 1:
                raise NotOk("%s %r: %s" % (name, number, done), "refused")
    read = ["cx-audit read --instance", "cx-audit read --instance | jq -c ."]
    plain, through = [subprocess.run(
        ["bash", "-c", line], env=env, check=True,
        stdout=subprocess.PIPE).stdout for line in read]
    if plain != through:
        raise NotOk(through, plain)
    with open(os.path.join(ROOT, "man", "cx-audit.1"),
              encoding="utf-8") as page:
        if "2^53" not in page.read():
            raise NotOk("no word in cx-audit(1)", "the bound")


def complete(world, folder, shell, script, line):
    """The line after one TAB, and for bash COMP_WORDBREAKS after it."""
    done = subprocess.run(
        [os.path.join(ROOT, "test", "lib", "complete"), shell, script, line],
        cwd=folder, env=world.env(), check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise NotOk("%s: %r" % (shell, done.stdout), "a completed line")
    return done.stdout.decode().splitlines()


def completion(world):
    """Values with a colon or behind an equals sign are offered and inserted
    whole, and COMP_WORDBREAKS is as it was."""
    folder = world.tools.folder("complete")
    for name in ("org:acme", "2026-11-30", "sha256:ab12"):
        with open(os.path.join(folder, name), "w", encoding="ascii"):
            pass
    wanted = [("append --file org:", "append --file org:acme "),
              ("append --file=2026-", "append --file=2026-11-30 "),
              ("append -f sha256:", "append -f sha256:ab12 "),
              ("read --decision=all", "read --decision=allowed ")]
    before = complete(world, folder, "bash", "/dev/null", "true x")[1:]
    tried = 0
    for shell, script in (("bash", "completions/bash/cx-audit"),
                          ("zsh", "completions/zsh/_cx-audit")):
        if subprocess.run(["which", shell], check=False,
                          stdout=subprocess.DEVNULL).returncode:
            continue
        for typed, right in wanted:
            lines = complete(world, folder, shell,
                             os.path.join(ROOT, script), "cx-audit " + typed)
            line = lines[0].rstrip("|").replace("\\", "")
            if line.rstrip() != "cx-audit " + right.rstrip():
                raise NotOk("%s: %r" % (shell, lines), right)
            if shell == "bash" and lines[1:] != before:
                raise NotOk("COMP_WORDBREAKS %s" % lines[1:], before)
            tried += 1
    if not tried:
        raise Skip("neither bash nor zsh is here")


def several_values(world):
    """One way to give several values: the option again. A job's list is
    given to cx-run; the gateway takes it in a registration alone."""
    tool = ["cx-run", "exec", "--tier", "allowlist", "--host"]
    for value in ("a.example;b.example", "a.example,b.example",
                  "a.example b.example"):
        done = world.tools.run(
            [world.tools.path(tool[0])] + tool[1:] + [value],
            world.env(), b"{}")
        if done.status != 64 or done.error_class() != "usage":
            raise NotOk("%r: %s" % (value, done), "usage, status 64")
        character = value[len("a.example")]
        text = ((done.document() or {}).get("error") or {}).get("message", "")
        if "'%s'" % character not in text and \
                '"%s"' % character not in text:
            raise NotOk("%r: %s" % (value, text), "the offending character")


CASES = {
    "C01": early_reader,
    "C07": whole_numbers,
    "C10": completion,
    "C12": several_values,
}
