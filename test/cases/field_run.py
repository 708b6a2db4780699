"""field_run.py - rows of the area run whose input is words, by their id."""

import json
import os
import subprocess

import run
from tools import NotOk


def no_namespaces(area):
    """Where user namespaces are refused the command is refused with that
    class, and with the remedy; nothing runs, nothing is lowered."""
    world = run.World(area, {})
    try:
        argv, env, stdin = world.start({"sh": "echo ran"})
        deny = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\""
        done = subprocess.run(
            ["unshare", "-Ur", "sh", "-c", deny, "sh",
             area.tools.path(argv[0])] + argv[1:], env=env, input=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        document = json.loads(done.stdout)
        error, result = document.get("error", {}), document.get("result", {})
        if error.get("class") != "isolation_unavailable" or \
                done.returncode != 69 or result.get("decision") != "denied":
            raise NotOk("status %d, %s" % (done.returncode, document),
                        "isolation_unavailable, status 69")
        if "namespace" not in error.get("message", ""):
            raise NotOk(error, "a message that names the missing ability")
        done = subprocess.run(
            ["unshare", "-Ur", "sh", "-c", deny, "sh",
             area.tools.path(argv[0]), "ready", "--probe"], env=env,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        first = json.loads(done.stdout)["primitives"][0]
        if first["ok"] or "max_user_namespaces is 0" not in \
                first["blocker"] or "sysctl -w" not in first["remedy"]:
            raise NotOk(first, "the missing ability and its remedy")
    finally:
        world.put_away()


def link_in_the_way(area):
    """A link where --in is to write: a refusal with the path."""
    world = run.World(area, {})
    try:
        outside = os.path.join(area.tools.folder("outside"), "kept")
        with open(outside, "w", encoding="ascii") as out:
            out.write("kept\n")
        world.exec({"sh": "ln -s %s in.txt; ln -s /tmp folder" % outside})
        for name in ("in.txt", "folder/in.txt"):
            done = world.exec({"sh": "true", "files": {name: "new\n"}})
            if done.tool.status != 65 or \
                    done.error.get("class") != "unsafe_path" or \
                    name.split("/")[0] not in done.error.get("message", ""):
                raise NotOk("%s: %s" % (name, done.tool),
                            "unsafe_path with the path, status 65")
            if not done.refused():
                raise NotOk(done.result, "a command that didn't run")
        with open(outside, encoding="ascii") as found:
            if found.read() != "kept\n":
                raise NotOk("the file outside was written", "untouched")
    finally:
        world.put_away()


CASES = {
    "R82": no_namespaces,
    "R84": link_in_the_way,
}
