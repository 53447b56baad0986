"""One who looks: what it has been sent, what it has drawn, and what it is owed."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from koski.view.frames import encode, in_view, owed, tiles_of
from koski.view.game import COMPILING
from koski.view.guard import Pace
from koski.view.messages import FrameHeader, Look, Notice, ToPage
from koski.view.overlays import OVERLAYS
from koski.view.snapshot import Snapshot

AHEAD = 2  # frames on their way to a viewer, at most
GONE = 60.0  # a viewer that draws nothing for so long is let go [s]
NOTICES = 8  # kept for a viewer that does not read them
BEAT = 5.0  # something is said at least this often [s]


class Viewer:
    """A socket's side of the game.  Its memory does not grow, however slow it is."""

    def __init__(self, name: str):
        self.name = name
        self.wake = asyncio.Event()
        self.pace = Pace()
        self.look: Look | None = None
        self.looked: Look | None = None  # when it was last sent something
        self.notices: deque[Notice] = deque(maxlen=NOTICES)
        self.sent: dict[type, ToPage] = {}  # the last of each kind
        self.got: dict[str, np.ndarray] = {}  # tick of each tile of each field
        self.epoch, self.tick = -1, -1
        self.flying: deque[int] = deque()  # frames not yet drawn
        self.drew = self.spoke = time.monotonic()

    def tell(self, notice: Notice) -> None:
        self.notices.append(notice)
        self.wake.set()

    def ack(self, seq: int) -> None:
        """This frame, and those before it, were drawn."""
        while self.flying and self.flying[0] <= seq:
            self.flying.popleft()
            self.drew = time.monotonic()
        self.wake.set()

    @property
    def stalled(self) -> bool:
        """Whether it should be waited for."""
        return len(self.flying) >= AHEAD

    @property
    def gone(self) -> bool:
        """Whether it has drawn nothing for too long."""
        return self.stalled and time.monotonic() - self.drew > GONE

    def texts(self, snap: Snapshot | None, viewers: int, mine: bool, taken: bool) -> Iterator:
        """What is to be told now: notices, and whatever of the world is new."""
        while self.notices:
            yield self.notices.popleft()
        now = time.monotonic()
        if snap is None and now - self.spoke > BEAT:
            self.spoke = now
            yield Notice("info", COMPILING)
        if snap is None or self.stalled:
            return
        for message in self.untold(snap):
            self.sent[type(message)] = message
            yield message
        stats = replace(snap.stats, viewers=viewers, hand=mine, taken=taken)
        if self.sent.get(type(stats)) != stats or now - self.spoke > BEAT:
            self.sent[type(stats)] = stats
            self.spoke = now
            yield stats

    def untold(self, snap: Snapshot) -> list[ToPage]:
        """What is known of the world and was not told, which frames are of no use without."""
        facts = snap.world, snap.bodies, snap.springs
        return [fact for fact in facts if self.sent.get(type(fact)) is not fact]

    def frame(self, snap: Snapshot | None) -> bytes | None:
        """The next frame, of what changed in view since it last got it; None if there is none."""
        overlay = self.look.overlay if self.look else ""
        if snap is None or self.stalled or self.untold(snap):
            return None
        again = (snap.epoch, snap.tick) == (self.epoch, self.tick)
        if again and self.look is self.looked:
            return None
        if snap.epoch != self.epoch:
            self.got.clear()
        shape = snap.world.ny, snap.world.nx
        view = self.view(shape, snap.world.cell)
        tiles = {}
        for name, sheet in snap.sheets.items():
            if name in OVERLAYS and name != overlay:
                self.got.pop(name, None)
                continue
            numbers = owed(sheet, self.got.get(name), view)
            if numbers.size:
                got = self.got.setdefault(name, np.full(tiles_of(shape), -1))
                got.flat[numbers] = snap.tick
                tiles[name] = numbers
        self.epoch, self.tick, self.looked = snap.epoch, snap.tick, self.look
        if again and not tiles:
            return None
        if not self.flying:
            self.drew = time.monotonic()
        self.flying.append(snap.tick)
        header = FrameHeader(snap.epoch, snap.tick, snap.t, 0, snap.bodies.version, 0, [])
        return encode(header, snap.sheets, tiles, snap.poses)

    def view(self, shape: tuple[int, int], cell: float) -> np.ndarray:
        if self.look is None:
            return np.ones(tiles_of(shape), bool)
        k = self.look
        return in_view(shape, cell, k.x0, k.y0, k.x1, k.y1)
