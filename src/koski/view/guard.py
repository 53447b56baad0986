"""Who may speak to the server, how much, and what a page of ours may do.

A page from elsewhere can make a browser send requests here: so the Host must be ours (against
names that are pointed at this machine), the Origin must be our own page, and where the server is
open to a network each request needs the token that was printed as a link.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from secrets import compare_digest
from typing import Any
from urllib.parse import parse_qs

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
COOKIE = "koski-token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:;"
    " media-src 'self' blob:; font-src 'self'; worker-src 'self' blob:; manifest-src 'self';"
    " connect-src 'self' blob: ws://{host} wss://{host}; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
PER_SECOND, BURST = 240.0, 480.0  # messages of one viewer


class Guard:
    """Lets a request through to the app, or answers it."""

    def __init__(self, app: Callable, port: int, token: str | None = None, host: str = ""):
        self.app, self.token = app, token
        tail = ("", ":80") if port == 80 else (f":{port}",)  # browsers leave 80 out
        self.hosts = {name + end for name in (*LOOPBACK, host) if name for end in tail}

    async def __call__(self, scope: dict, receive: Callable, send: Callable) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        refused = self.refusal(scope, headers)
        if refused:
            await refuse(scope, receive, send, refused)
            return
        extra = HEADERS | {"content-security-policy": POLICY.format(host=headers["host"])}
        if self.token and self.asked(scope):
            cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
            extra = extra | {"set-cookie": cookie}

        async def reply(message: Any) -> None:
            if message["type"] == "http.response.start":
                more = [(k.encode(), v.encode("latin-1")) for k, v in extra.items()]
                message = message | {"headers": [*message.get("headers", ()), *more]}
            await send(message)

        await self.app(scope, receive, reply)

    def refusal(self, scope: dict, headers: dict[str, str]) -> str:
        """Why a request is refused, or nothing."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if not host or set(host) & set(" ;,'\"\\/@"):
            return "the request names no host"
        if not self.token and host not in self.hosts:
            return "this server answers to 127.0.0.1 only: open the address it printed"
        told = scope["type"] == "websocket" or scope.get("method") not in ("GET", "HEAD")
        if (told or origin is not None) and origin not in (f"http://{host}", f"https://{host}"):
            return "the request comes from another site"
        if self.token and not (self.asked(scope) or self.kept(headers)):
            return "this needs the link with the token that koski play printed"
        return ""

    def asked(self, scope: dict) -> bool:
        """Whether the address has the token."""
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        return self.same(query.get("token", [""])[0])

    def kept(self, headers: dict[str, str]) -> bool:
        """Whether the browser kept the token."""
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return found is not None and self.same(found.value)

    def same(self, token: str) -> bool:
        return self.token is not None and compare_digest(token.encode(), self.token.encode())


async def refuse(scope: dict, receive: Callable, send: Callable, why: str) -> None:
    """Answer with one sentence; a socket is closed before it opens."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    start = {"type": "http.response.start", "status": 403}
    headers = HEADERS | {"content-type": "text/plain; charset=utf-8"}
    await send(start | {"headers": [(k.encode(), v.encode()) for k, v in headers.items()]})
    await send({"type": "http.response.body", "body": f"{why}\n".encode()})


class Pace:
    """How many messages a viewer may send: so many a second, and a burst now and then."""

    def __init__(self, per_second: float = PER_SECOND, burst: float = BURST):
        self.per_second, self.burst = per_second, burst
        self.left, self.then = burst, time.monotonic()

    def allows(self) -> bool:
        now = time.monotonic()
        self.left = min(self.left + (now - self.then) * self.per_second, self.burst)
        self.then = now
        self.left -= 1
        return self.left >= 0
