"""A real server at a free port, for tests."""

import json
import threading
import time
from contextlib import contextmanager

import uvicorn
from websockets.sync.client import connect

from koski import playing
from koski.view.frames import decode
from koski.view.server import Server

FILES = {
    "/": (b"<!doctype html>", "text/html; charset=utf-8"),
    "/assets/a.js": (b"1", "text/javascript; charset=utf-8"),
}


@contextmanager
def served(game, token=None):
    """Serve a game; gives the server and its port."""
    sock = playing.bound("127.0.0.1", 0)
    port = sock.getsockname()[1]
    server = Server(game, FILES)
    config = playing.config(server.app(port, token))
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    try:
        yield server, port
    finally:
        running.should_exit = True
        thread.join(10)
        assert not thread.is_alive()


class Page:
    """A viewer without a screen."""

    def __init__(self, port, **headers):
        self.door = connect(
            f"ws://127.0.0.1:{port}/ws",
            origin=headers.pop("origin", f"http://127.0.0.1:{port}"),
            additional_headers=headers,
            compression=None,
            max_size=None,
        )
        self.ws = self.door.__enter__()
        self.shape = None
        self.last = {}

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.door.__exit__(*why)

    def say(self, kind, **fields):
        self.ws.send(json.dumps({"type": kind} | fields))

    def touch(self, tool="pour", phase="down"):
        where = {"x": 16, "y": 12, "z": 0, "radius": 3, "strength": 1, "body": None}
        self.say("Touch", tool=tool, phase=phase, **where)

    def hear(self, timeout=20.0, ack=True):
        """The next message: (kind, fields), or ("frame", (header, fields, poses))."""
        data = self.ws.recv(timeout)
        if isinstance(data, bytes):
            frame = decode(data, self.shape)
            if ack:
                self.say("Ack", seq=frame[0]["seq"])
            return "frame", frame
        message = json.loads(data)
        if message["type"] == "WorldInfo":
            self.shape = message["ny"], message["nx"]
        self.last[message["type"]] = message
        return message["type"], message

    def until(self, kind, true=lambda what: True, seconds=30.0):
        """The next of a kind for which something is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            name, what = self.hear()
            if name == kind and true(what):
                return what
        raise AssertionError(f"no such {kind} came")
