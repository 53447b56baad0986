"""Snapshots: all there is to see of one moment, in a form that never changes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from koski.render.detail import Detail
from koski.view import facts, messages
from koski.view.frames import Press, Sheet
from koski.view.overlays import OVERLAYS, least, seen
from koski.view.sandbox import Sandbox

STATS = 0.25  # how often to tell how it goes [s]
SMOOTH = 0.3  # share of the latest in what is told of speeds
LEDGER = "start", "came", "went", "now", "drift"


@dataclass(frozen=True)
class Snapshot:
    tick: int
    epoch: int
    t: float
    sheets: dict[str, Sheet]
    poses: np.ndarray
    world: messages.WorldInfo
    bodies: messages.Bodies
    springs: messages.Springs
    stats: messages.Stats


class Eye:
    """Looks at one sandbox, tick after tick; foam and wet ground are what it remembers."""

    def __init__(self, box: Sandbox, epoch: int):
        self.box, self.epoch = box, epoch
        self.laid: frozenset[str] = frozenset()  # overlays in the last snapshot
        self._press = Press()
        self._detail = Detail.start(box.world.terrain, painted=False)
        self._facts: dict[str, tuple] = {}
        self._strongest: dict[str, float] = {}
        self._stats: messages.Stats | None = None
        self._since, self._passed, self._looks = time.perf_counter(), 0.0, 0

    def look(self, tick: int, dt: float, overlays: frozenset[str], clock: tuple) -> Snapshot:
        """See the world `dt` after the last look; `clock` is whether it is paused and its speed."""
        box, world = self.box, self.box.world
        self.laid = overlays
        self._passed += dt
        self._looks += 1
        maps, self._detail = seen(world.solver, world.state, world.terrain, self._detail, dt)
        maps = {n: f for n, f in maps.items() if n not in OVERLAYS or n in overlays}
        limits = least(maps, world.terrain.grid.cell, self._strongest)
        sheets, t = self._press.sheets(maps, limits, tick, also=world.state.water.t.value)
        if not all(np.isfinite(sheet.low) for sheet in sheets.values()):
            raise ArithmeticError("a height is not a number any more")
        for name, sheet in sheets.items():
            self._strongest[name] = max(self._strongest.get(name, 0.0), sheet.high)
        traits = world.solver, world.terrain.edges, world.coupling, box.rain
        count = box.changes, len(world.bodies)
        return Snapshot(
            tick,
            self.epoch,
            float(t),
            sheets,
            world.poses.astype(np.float32),
            self._fact("world", traits, lambda: box.info(self.epoch)),
            self._fact("bodies", count, lambda: self._bodies(tick)),
            self._fact("springs", tuple(world.springs), self._springs),
            self.tally(*clock),
        )

    def rest(self, snap: Snapshot, paused: bool, speed: float) -> Snapshot:
        """The same snapshot, with the latest of how it goes."""
        stats = self.tally(paused, speed)
        return snap if stats is snap.stats else replace(snap, stats=stats)

    def _bodies(self, tick: int) -> messages.Bodies:
        return messages.Bodies(self.epoch, tick, facts.bodies_told(self.box.world.bodies))

    def _springs(self) -> messages.Springs:
        return messages.Springs(facts.springs_told(self.box.world.springs))

    def _fact(self, name: str, traits: tuple, make: Callable[[], Any]) -> Any:
        """The same message again, unless what it tells of was replaced."""
        old = self._facts.get(name)
        if old is None or not same(old[0], traits):
            self._facts[name] = traits, make()
        return self._facts[name][1]

    def tally(self, paused: bool, speed: float) -> messages.Stats:
        """How it goes, told a few times a second."""
        now = time.perf_counter()
        spent = now - self._since
        if self._stats is not None and spent < STATS:
            return self._stats
        box, world = self.box, self.box.world
        cells, v = world.terrain.grid.cells, world.volume
        new = np.array([self._passed, self._looks]) / max(spent, 1e-9)
        old = new if self._stats is None else np.array([self._stats.factor, self._stats.fps])
        factor, fps = map(float, old + SMOOTH * (new - old))
        self._stats = messages.Stats(
            t=world.t,
            paused=paused,
            speed=speed,
            factor=factor,
            fps=fps,
            rtkc=factor * cells / 1000,
            cells=cells,
            bodies=len(world.bodies),
            steps=world.steps,
            **{name: float(np.nan_to_num(getattr(v, name))) for name in LEDGER},
            viewers=0,
            hand=False,
            taken=False,
            undo=len(box.edits.done),
            redo=len(box.edits.undone),
        )
        self._since, self._passed, self._looks = now, 0.0, 0
        return self._stats


def same(old: tuple, new: tuple) -> bool:
    """Whether nothing was replaced; solvers and the like are compared by what they are."""
    plain = int, float, str
    return len(old) == len(new) and all(
        a is b or (isinstance(a, plain) and isinstance(b, plain) and a == b)
        for a, b in zip(old, new)
    )
