#!/usr/bin/env python3
"""origin.py - the servers that the clients of people talk to, made small.

  origin.py FOLDER

FOLDER gets what they serve: a page, a git repository, and a package each for
pip, npm and apt; then HTTP at port 80, HTTPS at 443 (FOLDER/ca.pem vouches),
the banner of SSH at 22 and a database at 5432 answer at every address. Says
"ready" when they do. It ends with its standard input.
"""

import base64
import gzip
import hashlib
import http.server
import io
import json
import os
import pathlib
import socket
import socketserver
import ssl
import struct
import subprocess
import sys
import tarfile
import threading
import zipfile

HOST = "www.example.org"


def run(*words, cwd=None):
    subprocess.run(words, cwd=cwd, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def make_wheel(root):
    place = root / "simple" / "cxhello"
    place.mkdir(parents=True)
    name = "cxhello-1.0-py3-none-any.whl"
    info = "cxhello-1.0.dist-info/"
    with zipfile.ZipFile(place / name, "w") as wheel:
        wheel.writestr("cxhello.py", "print('hello from pip')\n")
        wheel.writestr(info + "METADATA",
                       "Metadata-Version: 2.1\nName: cxhello\nVersion: 1.0\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: cx\n"
                       "Root-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(info + "RECORD", "cxhello.py,,\n")
    digest = hashlib.sha256((place / name).read_bytes()).hexdigest()
    (place / "index.html").write_text(
        f"<!DOCTYPE html><a href='{name}#sha256={digest}'>{name}</a>")


def make_npm(root):
    bytes_ = io.BytesIO()
    with tarfile.open(fileobj=bytes_, mode="w:gz") as tar:
        for name, text in (("package.json", json.dumps(
                {"name": "cxhello", "version": "1.0.0"})),
                ("index.js", "console.log('hello from npm')\n")):
            member = tarfile.TarInfo("package/" + name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    data = bytes_.getvalue()
    (root / "cxhello-1.0.0.tgz").write_bytes(data)
    digest = base64.b64encode(hashlib.sha512(data).digest()).decode()
    (root / "cxhello").write_text(json.dumps({
        "name": "cxhello", "dist-tags": {"latest": "1.0.0"},
        "versions": {"1.0.0": {
            "name": "cxhello", "version": "1.0.0",
            "dist": {"tarball": f"http://{HOST}/cxhello-1.0.0.tgz",
                     "integrity": "sha512-" + digest}}}}))


def make_apt(root):
    place = root / "apt"
    tree = place / "tree" / "DEBIAN"
    tree.mkdir(parents=True)
    (tree / "control").write_text(
        "Package: cxhello\nVersion: 1.0\nArchitecture: all\n"
        "Maintainer: cx <cx@example.org>\nDescription: hello\n")
    run("dpkg-deb", "--root-owner-group", "-b", "tree", "cxhello.deb",
        cwd=place)
    data = (place / "cxhello.deb").read_bytes()
    text = ((tree / "control").read_text() + "Filename: ./cxhello.deb\n"
            f"Size: {len(data)}\n"
            f"SHA256: {hashlib.sha256(data).hexdigest()}\n")
    (place / "Packages").write_text(text)
    (place / "Packages.gz").write_bytes(gzip.compress(text.encode()))


def make_git(root):
    tree = root / "tree"
    run("git", "init", "-q", tree)
    (tree / "hello").write_text("hello from git\n")
    run("git", "-c", "user.name=cx", "-c", "user.email=cx@example.org", "-C",
        tree, "add", "hello")
    run("git", "-c", "user.name=cx", "-c", "user.email=cx@example.org", "-C",
        tree, "commit", "-qm", "hello")
    run("git", "clone", "-q", "--bare", tree, root / "hello.git")
    run("git", "-C", root / "hello.git", "update-server-info")


def make_certificate(root):
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
        f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-keyout",
        root / "key.pem", "-out", root / "ca.pem")


class Threads(socketserver.ThreadingTCPServer):
    address_family = socket.AF_INET6
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64

    def server_bind(self):
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()

    def handle_error(self, request, client_address):
        pass


class Pages(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def guess_type(self, path):
        return ("application/json" if pathlib.Path(path).name == "cxhello"
                else super().guess_type(path))


class Banner(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.sendall(b"SSH-2.0-cxhello\r\n")
        self.request.recv(4096)


class Database(socketserver.BaseRequestHandler):
    """Enough of PostgreSQL's protocol 3 to answer "select 1"."""

    def take(self, size):
        data = b""
        while len(data) < size:
            piece = self.request.recv(size - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def say(self, kind, body):
        self.request.sendall(kind + struct.pack(">I", len(body) + 4) + body)

    def handle(self):
        code = 0
        while code != 196608:
            size, code = struct.unpack(">II", self.take(8))
            self.take(size - 8)
            if code != 196608:
                self.request.sendall(b"N")
        self.say(b"R", struct.pack(">I", 0))
        self.say(b"S", b"server_version\x0017.0\0")
        self.say(b"S", b"client_encoding\0UTF8\0")
        self.say(b"Z", b"I")
        while self.take(1) == b"Q":
            self.take(struct.unpack(">I", self.take(4))[0] - 4)
            self.say(b"T", struct.pack(">H", 1) + b"hello\0" +
                     struct.pack(">IHIHIH", 0, 0, 25, 65535, 0xffffffff, 0))
            self.say(b"D", struct.pack(">HI", 1, 15) + b"hello from psql")
            self.say(b"C", b"SELECT 1\0")
            self.say(b"Z", b"I")


def serve(port, handler, context=None):
    server = Threads(("::", port), handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True,
                                            do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    root.mkdir(parents=True)
    (root / "page").write_text("hello from http\n")
    for make in (make_wheel, make_npm, make_apt, make_git, make_certificate):
        make(root)
    os.chdir(root)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("ca.pem", "key.pem")
    serve(80, Pages)
    serve(443, Pages, context)
    serve(22, Banner)
    serve(5432, Database)
    print("ready", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
