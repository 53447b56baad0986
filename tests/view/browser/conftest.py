"""One browser, one page and one small world for all tests of the page."""

import shutil
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from hands import Hands

from koski import Pipe, Terrain
from koski.playing import bound
from koski.scene import Scene
from koski.view import hand
from koski.view.game import Game
from koski.view.sandbox import Origin
from koski.view.server import Server, page

FLAGS = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
SIZE = {"width": 480, "height": 300}  # small, for it is drawn by the processor [px]
CELLS = 48


class Service:
    """A game with a server round it, as `koski play` makes them, in a thread of its own."""

    def __init__(self) -> None:
        import uvicorn

        self.game = Game(pond)
        sock = bound("127.0.0.1", 0)
        port = sock.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}/"
        self.server = Server(self.game, page())
        app = self.server.app(port)
        self.uvicorn = uvicorn.Server(
            uvicorn.Config(app, log_level="critical", lifespan="off", ws="websockets-sansio")
        )
        self.thread = threading.Thread(target=self.uvicorn.run, args=([sock],), daemon=True)
        self.game.start()
        self.thread.start()

    def cut(self) -> None:
        """Drop every connection, as a network does."""
        for connection in list(self.uvicorn.server_state.connections):
            self.server.loop.call_soon_threadsafe(connection.transport.abort)

    def stop(self) -> None:
        self.uvicorn.should_exit = True
        self.uvicorn.force_exit = True
        self.thread.join(20)
        self.game.stop()


def pond() -> Origin:
    """A metre of water in a flat bowl, with a wave on it."""
    y, x = (np.mgrid[:CELLS, :CELLS] + 0.5) / CELLS - 0.5
    ground = np.maximum(12 * (np.hypot(x, y) - 0.35), 0)
    surface = 1 + 0.6 * np.exp(-40 * ((x + 0.25) ** 2 + y**2))
    land = Terrain.create(ground, cell=1.0)
    return Origin("pond", Scene("pond", land, np.maximum(surface - ground, 0), solver=Pipe()))


@pytest.fixture(scope="session")
def chromium() -> str:
    """Debian's Chromium, or another that is installed."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    if shutil.which("apt-get"):
        pytest.fail("there is no Chromium: run  make browser  to install it")
    pytest.skip("there is no Chromium: install it to test the page")


@pytest.fixture(scope="session")
def service(chromium) -> Iterator[Service]:
    hand.IDLE, idle = 0.0, hand.IDLE  # who asks for the tools gets them
    made = Service()
    yield made
    made.stop()
    hand.IDLE = idle


@pytest.fixture(scope="session")
def address(service) -> str:
    return service.address + "#quality=low"


@pytest.fixture(scope="session")
def hands(service, address, chromium) -> Iterator[Hands]:
    """The page, drawn and with the tools in hand."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        made = Hands(browser.new_context(viewport=SIZE).new_page(), service.game)
        made.open(address)
        yield made
        browser.close()
