"""peers.py - other proxies at work, for test/bench/gateway.

Each runs in the foreground, without logs, its settings otherwise Debian's but
for what lets it serve at all, and is told to serve 127.0.0.1:PORT. HAProxy
relays TCP: it knows no CONNECT, and has one target.
"""

import os
import shutil

import live

PORT = 3127


class Peer:
    name, program, package = "", "", ""
    connects = True    # speaks CONNECT
    token = None

    def __init__(self, world, cpu):
        self.world = world
        self.process = world.start(self.argv(world.path(self.program)),
                                   cpu=cpu)
        live.until(self.is_up, 20, self.name)
        self.pid = self.process.pid

    def is_up(self):
        if self.process.poll() is not None:
            raise RuntimeError("%s ended with %d" % (
                self.name, self.process.returncode))
        return live.listens("127.0.0.1", PORT)

    def write(self, path, text):
        with open(path, "w", encoding="ascii") as out:
            out.write(text % {"port": PORT, "folder": self.world.folder})
        return path

    def argv(self, path):
        raise NotImplementedError

    def options(self):
        """Of load.c."""
        return {"via": "127.0.0.1:%d" % PORT, "token": self.token}

    def close(self):
        self.world.end(self.process)

    @classmethod
    def is_here(cls):
        return shutil.which(cls.program, path="/usr/sbin:/usr/bin") is not None


class Squid(Peer):
    name, program, package = "squid", "squid", "squid"

    def argv(self, path):
        folder = os.path.join(self.world.folder, "squid-run")
        os.makedirs(folder, exist_ok=True)
        shutil.chown(folder, "proxy", "proxy")
        self.write(path, "http_port 127.0.0.1:%(port)d\n"
                   "acl to_any port 80 443\n"
                   "http_access allow to_any\n"
                   "cache deny all\naccess_log none\ncache_log /dev/null\n"
                   "pid_filename none\nshutdown_lifetime 0 seconds\n"
                   "max_filedescriptors 20000\npinger_enable off\n"
                   "coredump_dir %(folder)s/squid-run\n")
        return ["squid", "-N", "-f", path]


class Tinyproxy(Peer):
    name, program, package = "tinyproxy", "tinyproxy", "tinyproxy-bin"

    def argv(self, path):
        return ["tinyproxy", "-d", "-c", self.write(
            path, "Port %(port)d\nListen 127.0.0.1\nTimeout 600\n"
            "MaxClients 9000\nLogLevel Critical\n"
            "LogFile \"/dev/null\"\nConnectPort 443\nConnectPort 80\n")]


class Haproxy(Peer):
    name, program, package = "HAProxy, TCP", "haproxy", "haproxy"
    connects = False

    def argv(self, path):
        return ["haproxy", "-db", "-f", self.write(
            path, "global\n maxconn 9000\n nbthread 1\n"
            "defaults\n mode tcp\n timeout connect 5s\n timeout client 600s\n"
            " timeout server 600s\n"
            "listen here\n bind 127.0.0.1:%(port)d\n"
            " server there 93.184.215.14:443\n")]

    def options(self):
        """It is itself what the client takes for the target."""
        return {"to": "127.0.0.1:%d" % PORT}


PEERS = (Squid, Tinyproxy, Haproxy)
