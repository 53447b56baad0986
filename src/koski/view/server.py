"""The server: the page's files, a socket for each viewer, and files up and down."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from koski import scenes
from koski.core.errors import InputError, number
from koski.solvers import COUPLINGS, NAMED
from koski.view import messages, uploads
from koski.view.game import Game
from koski.view.guard import Guard
from koski.view.hand import Hand
from koski.view.messages import Ack, Look, Notice, SceneInfo, Welcome, read, write
from koski.view.viewer import Viewer

PAGE = Path(__file__).parent / "page"
MOST = 32  # viewers at once
MESSAGE = 64 * 1024  # of a page, at most [bytes]
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".ico": "image/x-icon",
}


def page(folder: Path = PAGE) -> dict[str, tuple[bytes, str]]:
    """The built page by address: no name from outside is ever looked up on the disk."""
    if not (folder / "index.html").is_file():
        raise InputError("the page is not built: run  make play  once, or  pip install .")
    files = {f"/{p.relative_to(folder).as_posix()}": p for p in folder.rglob("*") if p.is_file()}
    found = {at: (p.read_bytes(), TYPES[p.suffix]) for at, p in files.items() if p.suffix in TYPES}
    return found | {"/": found["/index.html"]}


class Server:
    """Viewers of one game."""

    def __init__(self, game: Game, files: Mapping[str, tuple[bytes, str]]):
        self.game, self.files = game, files
        self.viewers: dict[str, Viewer] = {}
        self.hand = Hand()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.uploading = asyncio.Lock()
        game.listener = self.heard

    def app(self, port: int, token: str | None = None, host: str = "") -> Guard:
        """The whole of it, guarded."""
        routes = [
            WebSocketRoute("/ws", self.socket),
            Route("/api/world", self.download, methods=["GET"]),
            Route("/api/world", self.load, methods=["POST"]),
            Route("/api/heightmap", self.heightmap, methods=["POST"]),
            Route("/{path:path}", self.file, methods=["GET"]),
        ]
        return Guard(Starlette(routes=routes), port, token, host)

    # ── files ────────────────────────────────────────────────────────────────────────────

    async def file(self, request: Request) -> Response:
        found = self.files.get(request.url.path)
        if found is None:
            return Response("there is nothing here\n", 404, media_type="text/plain")
        for_long = request.url.path.startswith("/assets/")  # their names change when they do
        cache = "public, max-age=31536000, immutable" if for_long else "no-cache"
        return Response(found[0], media_type=found[1], headers={"cache-control": cache})

    async def download(self, request: Request) -> Response:
        """The world as it is now, as a file."""
        if self.game.snapshot is None:
            return wrong(409, "there is no world yet: try again in a moment")
        try:
            data = await self.ask(lambda game: uploads.file_of(game.box.world))
        except InputError as e:
            return wrong(409, str(e))
        disposition = {"content-disposition": 'attachment; filename="world.koski"'}
        return Response(data, media_type="application/octet-stream", headers=disposition)

    async def load(self, request: Request) -> Response:
        return await self.upload(request, uploads.world)

    async def heightmap(self, request: Request) -> Response:
        try:
            asked = request.query_params.get("cell")
            cell = None if asked in (None, "") else number("cell", asked, 1e-3, 1e5)
        except InputError as e:
            return wrong(400, str(e))
        return await self.upload(request, lambda data: uploads.heightmap(data, cell))

    async def upload(self, request: Request, make: Any) -> Response:
        """Take a file from who has the tools, make a world of it, and go there."""
        if request.headers.get("x-koski-viewer", "") not in {self.hand.holder} & set(self.viewers):
            return wrong(403, "only who has the tools can open a file: ask for them first")
        if self.uploading.locked():
            return wrong(409, "another file is being opened: try again in a moment")
        async with self.uploading:
            try:
                data = await whole(request)
                if data is None:
                    return wrong(413, "the file is larger than 64 MiB: give a smaller one")
                origin = await asyncio.to_thread(make, data)
                await self.ask(lambda game: game.open(origin))
            except InputError as e:
                return wrong(400, str(e))
            except ClientDisconnect:
                return wrong(400, "the file did not arrive whole: send it again")
            return JSONResponse({"scene": origin.name})

    async def ask(self, question: Any) -> Any:
        return await asyncio.wrap_future(self.game.ask(question))

    # ── viewers ──────────────────────────────────────────────────────────────────────────

    async def socket(self, ws: WebSocket) -> None:
        """Serve one viewer until it goes."""
        self.loop = asyncio.get_running_loop()
        await ws.accept()
        if len(self.viewers) >= MOST:
            await ws.close(1013, "there are too many viewers: try again later")
            return
        viewer = Viewer(secrets.token_urlsafe(12))
        self.viewers[viewer.name] = viewer
        self.hand.use(viewer.name)
        try:
            await ws.send_text(write(welcome(viewer.name)))
            if self.game.busy:
                viewer.tell(Notice("info", self.game.busy))
            viewer.wake.set()
            both = {asyncio.create_task(f(ws, viewer)) for f in (self.send, self.receive)}
            try:
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in both:
                    task.cancel()
                await asyncio.gather(*both, return_exceptions=True)
        except (WebSocketDisconnect, RuntimeError, OSError):
            pass  # it went while it was being welcomed
        finally:
            self.leave(viewer)
            with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
                await ws.close()  # which it may have done itself

    def leave(self, viewer: Viewer) -> None:
        """Forget a viewer; its hand goes up and the tools go to the next in line."""
        self.viewers.pop(viewer.name, None)
        self.want()
        if self.hand.holder == viewer.name:
            self.game.release()
            self.hand.give(next(iter(self.viewers), None))

    async def send(self, ws: WebSocket, viewer: Viewer) -> None:
        """Send what is new, as fast as the viewer draws and no faster."""
        while not viewer.gone:
            snap, holder = self.game.snapshot, self.hand.holder
            about = len(self.viewers), holder == viewer.name, holder is not None
            for message in viewer.texts(snap, *about):
                await ws.send_text(write(message))
            if (frame := viewer.frame(snap)) is not None:
                await ws.send_bytes(frame)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1.0):  # wait_for of Python 3.11 can lose a cancel
                    await viewer.wake.wait()
            viewer.wake.clear()
        await ws.close(1008, "nothing was drawn for a minute")

    async def receive(self, ws: WebSocket, viewer: Viewer) -> None:
        while True:
            event = await ws.receive()
            if event["type"] == "websocket.disconnect":
                return
            if not viewer.pace.allows():
                await ws.close(1008, "too many messages: slow down")
                return
            try:
                text = event.get("text")
                if text is None or len(text) > MESSAGE:
                    raise InputError("a message must be text, and short")
                self.hear(viewer, read(text))
            except InputError as e:
                viewer.tell(Notice("error", str(e)))

    def hear(self, viewer: Viewer, message: Any) -> None:
        """Look, acknowledge and ask are for all; the rest is for who has the tools."""
        match message:
            case Ack(seq=seq):
                viewer.ack(seq)
            case Look():
                viewer.look = message
                viewer.wake.set()
                self.want()
            case messages.Hand(want=want):
                self.pass_on(viewer, want)
            case _ if not self.hand.use(viewer.name):
                raise InputError("somebody else has the tools: ask for them")
            case _:
                if not self.game.say(viewer.name, message):
                    raise InputError("the water cannot keep up: wait a moment")

    def pass_on(self, viewer: Viewer, want: bool) -> None:
        before = self.hand.holder
        if want and not self.hand.ask(viewer.name):
            raise InputError("somebody else has the tools: they are free after 20 s of rest")
        if not want and before == viewer.name:
            self.hand.give(None)
        if before != self.hand.holder:
            self.game.release()
            if before in self.viewers and want:
                self.viewers[before].tell(Notice("info", "another viewer has the tools now"))
            self.heard(None, None)

    def want(self) -> None:
        """Have the overlays made that anybody looks at."""
        looks = {v.look.overlay for v in self.viewers.values() if v.look is not None}
        self.game.overlays = frozenset(looks - {""})

    def heard(self, name: str | None, notice: Notice | None) -> None:
        """News of the game, from its thread: wake those whom it concerns."""
        if self.loop is None or self.loop.is_closed():
            return

        def spread() -> None:
            for viewer in list(self.viewers.values()):
                if notice is not None and name in (None, viewer.name):
                    viewer.notices.append(notice)
                viewer.wake.set()

        with contextlib.suppress(RuntimeError):  # the loop closed in between
            self.loop.call_soon_threadsafe(spread)


def welcome(viewer: str) -> Welcome:
    try:
        now = version("koski")
    except PackageNotFoundError:
        now = ""
    known = [SceneInfo(name, scenes.about(name)) for name in scenes.names()]
    return Welcome(now, viewer, known, list(NAMED), list(COUPLINGS))


def wrong(status: int, why: str) -> JSONResponse:
    return JSONResponse({"error": why}, status)


async def whole(request: Request) -> bytes | None:
    """The body of a request, or None if it is too large."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdigit() or int(declared) > uploads.LARGEST:
        return None
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > uploads.LARGEST:
            return None
    return bytes(data)
