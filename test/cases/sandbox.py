"""sandbox.py - looks at a sandbox, and at what one left, from outside."""

import os
import socket
import subprocess
import tarfile
import threading
import time


def limits_hold():
    """Whether this user can hold a command to memory, CPU and processes."""
    if os.geteuid() == 0:
        with open("/proc/self/uid_map", encoding="ascii") as mapped:
            return mapped.read().split()[:3] == ["0", "0", "4294967295"]
    return any(os.access(os.path.join(top, "cx", "u%d" % os.geteuid()),
                         os.W_OK)
               for top, names, _ in os.walk("/sys/fs/cgroup")
               if top.count("/") < 5 and "cx" in names)


def find_workspace(top, job):
    """The data folder of a job, or None."""
    try:
        for org in os.listdir(top):
            path = os.path.join(top, org, job, "data")
            if os.path.lexists(path):
                return path
    except OSError:
        pass
    return None


def children(pid):
    found = []
    try:
        for task in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/children" % (pid, task),
                      encoding="ascii") as listed:
                found += [int(word) for word in listed.read().split()]
    except OSError:
        pass
    return found


def started(pid):
    """Tells one use of a number from the next; None of one that has ended,
    also where the machine's init hasn't taken note of it yet."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as stat:
            words = stat.read().rsplit(b")", 1)[1].split()
        return None if words[0] in (b"Z", b"X") else words[19]
    except (OSError, IndexError):
        return None


def blocks_below(folder, seen):
    """KiB of what stands below a folder, each file once; -1 gone."""
    total = 0
    for top, names, files in os.walk(folder):
        for name in names + files:
            try:
                stat = os.lstat(os.path.join(top, name))
            except OSError:
                continue
            if (stat.st_dev, stat.st_ino) not in seen:
                seen.add((stat.st_dev, stat.st_ino))
                total += stat.st_blocks // 2
    return total


def deleted_blocks(pids, device, seen):
    """KiB of deleted files on a device that these processes hold open."""
    total = 0
    for pid in pids:
        try:
            names = os.listdir("/proc/%d/fd" % pid)
        except OSError:
            continue
        for name in names:
            try:
                stat = os.stat("/proc/%d/fd/%s" % (pid, name))
            except OSError:
                continue
            if stat.st_nlink == 0 and stat.st_dev == device and \
                    (stat.st_dev, stat.st_ino) not in seen:
                seen.add((stat.st_dev, stat.st_ino))
                total += stat.st_blocks // 2
    return total


class Watch(threading.Thread):
    """A tool's processes while it runs, and the most that its workspace
    takes, deleted files that are still open among it."""

    def __init__(self, pid, workspace):
        threading.Thread.__init__(self, daemon=True)
        self.pid, self.workspace = pid, workspace
        self.processes = {}
        self.peak_kib = 0
        self.over = threading.Event()

    def run(self):
        while not self.over.is_set():
            self.look()
            self.over.wait(0.01)

    def look(self):
        todo, pids = [self.pid], []
        while todo:
            pid = todo.pop()
            pids.append(pid)
            if pid != self.pid and pid not in self.processes:
                self.processes[pid] = started(pid)
            todo += children(pid)
        data = find_workspace(*self.workspace)
        if not data:
            return
        try:
            device = os.lstat(data).st_dev
        except OSError:
            return
        seen = set()
        total = blocks_below(data, seen) + deleted_blocks(pids[1:], device,
                                                          seen)
        self.peak_kib = max(self.peak_kib, total)

    def stop(self):
        self.over.set()
        self.join(5)

    def left(self, patience=5.0):
        """Processes of the tool's that are still there. A sweeper may end after
        the tool has, and on a busy machine that takes its time."""
        end = time.monotonic() + patience
        while True:
            alive = [pid for pid, when in self.processes.items()
                     if when is not None and started(pid) == when]
            if not alive or time.monotonic() > end:
                return alive
            time.sleep(0.02)


def host_shm():
    return set(os.listdir("/dev/shm"))


def host_identity():
    """Texts of the machine that a sandbox has no business to know."""
    texts = set()
    for path in ["/sys/class/dmi/id/product_name", "/proc/cmdline"] + [
            "/sys/block/%s/device/model" % name
            for name in os.listdir("/sys/block")]:
        try:
            with open(path, encoding="utf-8", errors="replace") as found:
                texts.add(found.read().strip())
        except OSError:
            continue
    return {text for text in texts if len(text) > 3}


def host_name():
    return socket.gethostname()


def groups_named(word):
    """Control group folders that have a word in their name."""
    found = []
    for top, names, _ in os.walk("/sys/fs/cgroup"):
        found += [os.path.join(top, name) for name in names if word in name]
    return found


def mounts_named(word):
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        return [line for line in mounts if word in line]


def leftovers(world):
    """What is still there of a job: processes, groups, mounts, files."""
    end = time.monotonic() + 2
    while True:
        left = [pid for done in world.done for pid in done.seen.left(0)]
        left += groups_named(world.job) + mounts_named(world.job)
        begun = os.path.join(world.state, "run", "started")
        left += os.listdir(begun) if os.path.isdir(begun) else []
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.05)


def export(world):
    """The workspace as a list of (member, bytes or None)."""
    path = os.path.join(world.tools.folder("export"), "ws.tar")
    done = world.call(["cx-run", "workspace", "export", "--org", "acme",
                       "--job", world.job, "-o", path], world.env())
    if done.status != 0:
        return done, []
    members = []
    with tarfile.open(path) as archive:
        for member in archive:
            data = archive.extractfile(member).read(1 << 20) \
                if member.isreg() and member.size < 1 << 26 else None
            members.append((member, data))
    return done, members


def python_of_host(text):
    return subprocess.run(["python3", "-c", text], check=False,
                          stdout=subprocess.PIPE).stdout
