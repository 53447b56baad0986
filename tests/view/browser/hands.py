"""A hand on the page, and an eye on the server's world."""

import base64
import io
import time
from collections.abc import Callable

import numpy as np
from PIL import Image

from koski import World

PATIENCE = 90  # SwiftShader on two busy cores draws a few pictures a second [s]
BARE = "document.elementFromPoint({}, {}) === koski.view.canvas"  # no notice or bar lies there


class Hands:
    """What the tests do to the page, and ask of the game behind it."""

    def __init__(self, page, game):
        self.page, self.game = page, game
        self.errors: list[str] = []
        page.on("console", lambda m: m.type == "error" and self.errors.append(m.text))
        page.on("pageerror", lambda e: self.errors.append(str(e)))

    def open(self, address: str) -> None:
        """Load the page afresh and wait until it draws."""
        self.page.goto("about:blank")
        self.page.goto(address)
        self.see(
            "window.koski?.app.world && koski.app.stats?.hand && koski.view.counters.states > 1"
        )

    # ── the page ─────────────────────────────────────────────────────────────────────────

    def see(self, truth: str, page=None) -> None:
        """Wait until something is true of the page; its policy forbids it to wait by itself."""
        end = time.monotonic() + PATIENCE
        while not (page or self.page).evaluate(f"Boolean({truth})"):
            assert time.monotonic() < end, f"the page never came to {truth}"
            time.sleep(0.1)

    def tell(self, question: str):
        return self.page.evaluate(question)

    @property
    def middle(self) -> tuple[float, float]:
        size = self.page.viewport_size
        return size["width"] / 2, size["height"] / 2

    def spot(self, dx: float = 0, dy: float = 0) -> tuple[float, float, float]:
        """The place in the world that lies under the middle of the picture, or beside it."""
        x, y = self.middle
        pick = self.tell(f"koski.view.pick({x + dx}, {y + dy})")
        return pick["x"], pick["y"], pick["z"]

    def choose(self, tool: str) -> None:
        self.page.evaluate(f"document.querySelector('[data-tool={tool}]').click()")

    def reach(self, dx: float = 0, dy: float = 0) -> tuple[float, float]:
        """Move to the middle or beside it, once nothing lies there that would be hit instead."""
        x, y = (a + b for a, b in zip(self.middle, (dx, dy)))
        self.see(BARE.format(x, y))
        self.page.mouse.move(x, y)
        return x, y

    def press(self, truth: Callable[[World], bool], dx: float = 0, dy: float = 0) -> None:
        """Hold the left button until something is true of the world."""
        self.reach(dx, dy)
        self.page.mouse.down()
        self.until(truth)
        self.page.mouse.up()
        self.until(lambda world: self.game.box.grip is None)  # or the tool goes on for a while

    def click(self, dx: float = 0, dy: float = 0) -> None:
        self.page.mouse.click(*self.reach(dx, dy))

    def pause(self, wanted: bool) -> None:
        """Stop time or let it go on, and wait until the page shows the world as it is."""
        was = str(self.game.paused).lower()
        self.see(f"koski.app.stats.paused === {was}")
        if self.game.paused != wanted:
            self.page.keyboard.press("Space")
        self.see(f"koski.app.stats.paused === {str(wanted).lower()}")
        drawn = self.tell("koski.view.counters.drawn")
        self.see(f"koski.view.counters.drawn > {drawn + 4} && koski.view.arrived")

    def drag(self, body: int, by: tuple[float, float], truth: Callable[[World], bool]) -> None:
        """Take hold of a body while time stands still; then drag it until something is true."""
        self.pause(True)
        x, y = self.reach(*self.find(body))
        self.page.mouse.down()
        self.pause(False)
        self.page.mouse.move(x + by[0], y + by[1], steps=5)
        self.until(truth)
        self.page.mouse.up()
        self.pause(True)

    def find(self, body: int) -> tuple[float, float]:
        """Where a body can be clicked, and nothing lies over it, from the middle [px]."""
        x, y = self.middle
        pick = f"koski.view.pick({x} + at[0], {y} + at[1])?.body === {body}"
        bare = BARE.format(f"{x} + at[0]", f"{y} + at[1]")
        places = [[dx, dy] for dy in range(-60, 61, 6) for dx in range(-150, 151, 6)]
        seen = f"{places}.filter(at => {pick} && {bare})"
        end = time.monotonic() + PATIENCE
        while not (found := self.tell(seen)):
            assert time.monotonic() < end, f"body {body} was never seen"
            time.sleep(0.1)
        middle = np.mean(found, axis=0)
        return min(found, key=lambda at: np.hypot(*(at - middle)))

    def set(self, control: str, value) -> None:
        """Set a slider or a choice, as its user would."""
        self.page.evaluate(
            """([key, value]) => {
                const control = document.querySelector(`[data-key="${key}"]`);
                control.value = value;
                control.dispatchEvent(new Event(control.matches("select") ? "change" : "input"));
            }""",
            [control, str(value)],
        )

    def pixels(self) -> np.ndarray:
        """The picture that the page would keep."""
        read = "new Promise(done => Object.assign(reader, {onload: () => done(reader.result)}))"
        address = self.tell(
            f"""async () => {{
                const reader = new FileReader(), picture = await koski.view.screenshot();
                reader.readAsDataURL(picture);
                return {read};
            }}"""
        )
        data = base64.b64decode(address.partition(",")[2])
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), float)

    # ── the world ────────────────────────────────────────────────────────────────────────

    def ask(self, question: Callable[[World], object]):
        """Something of the world, between two ticks."""
        return self.game.ask(lambda game: question(game.box.world)).result(PATIENCE)

    def until(self, truth: Callable[[World], bool]) -> None:
        """Wait until something is true of the world."""
        end = time.monotonic() + PATIENCE
        while not self.ask(truth):
            assert time.monotonic() < end, "the world did not become as it should"
            time.sleep(0.05)
