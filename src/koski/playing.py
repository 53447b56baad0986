"""The play command: a game, a server at a free port, and a browser that looks at it."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import secrets
import socket
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from koski import cache
from koski.core.errors import InputError
from koski.extras import need

if TYPE_CHECKING:
    from koski.view.sandbox import Origin

PORT, TRIES = 8765, 20
SCENE = "river-dam"
ZIP = b"PK\x03\x04"


def play(what, port, host, browser: bool, solver, coupling, cells, scale) -> None:
    """Check everything, serve, and say where."""
    for module in ("starlette", "uvicorn", "websockets"):
        need(module, "play")
    cache.enable()
    origin = checked(what or SCENE, solver, coupling, cells, scale)
    from koski.view import server

    files = server.page()
    with bound(host, port) as sock:
        port = sock.getsockname()[1]
        token = None if is_loopback(host) else secrets.token_urlsafe(24)
        link = address(host, port, token)
        from koski.view.game import Game

        game = Game(origin, solver, coupling, ahead=True)
        app = server.Server(game, files).app(port, token, host)
        serve(app, sock, game, lambda: announce(link, browser))


def checked(what: str, solver, coupling, cells, scale=(None, None)) -> Callable[[], Origin]:
    """What to play, found out about as far as is quick; the rest is made in the game's thread."""
    from koski import scenes
    from koski.running import Scale, find_scene
    from koski.solvers import coupled, named
    from koski.view.sandbox import Origin

    if solver is not None:
        named(solver)
    if coupling is not None:
        coupled(coupling)
    if what in scenes.names() and scale == (None, None):
        if cells is not None and not 8 <= cells <= 4096:
            raise InputError(f"cells must be from 8 to 4096, not {cells}")
        return lambda: Origin.named(what, cells)
    if saved(what):
        from koski.view import uploads

        return lambda: uploads.world(Path(what).read_bytes())
    scene = find_scene(what, cells, None, Scale(*scale))
    return lambda: Origin(scene.name, scene)


def saved(what: str) -> bool:
    """Whether it is a file that holds a saved world, and no heightmap."""
    import zipfile

    path = Path(what)
    if not path.is_file() or path.read_bytes()[:4] != ZIP:
        return False
    with zipfile.ZipFile(path) as files:
        return "tree.npy" in files.namelist()


def bound(host: str, port: int | None) -> socket.socket:
    """A socket at the port asked for, or at the next that is free where none was."""
    try:
        family = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][0]
    except OSError:
        raise InputError(f"there is no address {host!r} here: try 127.0.0.1") from None
    for wanted in [port] if port is not None else [*range(PORT, PORT + TRIES), 0]:
        sock = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":  # elsewhere it would let two listen at once
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, wanted))
            sock.listen(128)
            return sock
        except OSError as e:
            sock.close()
            why = e.strerror or str(e)
        except OverflowError:
            sock.close()
            raise InputError(f"a port is a number from 1 to 65535, not {wanted}") from None
    if port is None:
        raise InputError(f"nothing can be served at {host} ({why}): is that an address of ours?")
    raise InputError(
        f"port {port} at {host} cannot be had ({why}): choose another with --port, or leave it out"
    )


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def address(host: str, port: int, token: str | None) -> str:
    """The link to open; for a server open to all, by this machine's own name."""
    name = f"[{host}]" if ":" in host else host
    if host in ("0.0.0.0", "::"):
        name = socket.gethostname()
    return f"http://{name}:{port}/" + (f"?token={token}" if token else "")


def announce(link: str, browser: bool) -> None:
    """Say where it is, and have it opened."""
    opened = browser and open_browser(link)
    tail = "Ctrl-C stops it" if opened else "open this link in a browser; Ctrl-C stops it"
    Console(stderr=True).print(f"koski plays at {link}  ({tail})", soft_wrap=True, highlight=False)


def open_browser(link: str) -> bool:
    """Whether a browser that can be seen was found."""
    seen = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    try:
        return seen and webbrowser.open(link)
    except webbrowser.Error:
        return False


def serve(app: Any, sock: socket.socket, game: Any, begun: Callable[[], None]) -> None:
    """Serve until Ctrl-C; then all ends at once."""
    import uvicorn

    class Quiet(uvicorn.Server):
        async def startup(self, sockets=None) -> None:
            await super().startup(sockets)
            game.start()
            begun()

    try:
        with contextlib.suppress(KeyboardInterrupt):
            Quiet(config(app)).run(sockets=[sock])
    finally:
        ended = game.stop(patience=0.5)
    if not ended:  # it compiles: nothing can interrupt that, and it may take long
        sys.stderr.flush()
        os._exit(0)


def config(app: Any) -> Any:
    """How to serve: quietly, with small messages, and no time for what does not answer."""
    import uvicorn

    from koski.view.server import MESSAGE

    return uvicorn.Config(
        app,
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=MESSAGE,
        ws_per_message_deflate=False,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=16 * 1024,
    )
