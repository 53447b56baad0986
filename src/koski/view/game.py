"""The game: a sandbox in a thread of its own at a steady rate, that viewers look at and talk to.

Messages wait in one bounded queue and are obeyed between two ticks.  After each tick there is a
new snapshot, which never changes: whoever is slow misses some.  Nothing is raised out of the
thread: what a viewer did wrong, or what went wrong with the water, is told in a notice.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from koski.core.errors import InputError
from koski.view import facts, messages
from koski.view.frames import Press, Sheet
from koski.view.messages import Notice
from koski.view.overlays import OVERLAYS, least, seen
from koski.view.rehearsal import Rehearsal, form, twin
from koski.view.sandbox import Origin, Sandbox

RATE = 30  # states a second
WAITING = 512  # messages, at most
PROGRAMS = 12  # kept, at most
SMOOTH = 0.3  # share of the latest in what is told of speeds
STATS = 0.25  # how often to tell how it goes [s]
COMPILING = "compiling the water: this takes a few seconds, once"

Listener = Callable[[str | None, Notice | None], None]  # a viewer or all; no notice: look again


@dataclass(frozen=True)
class Snapshot:
    """All there is to see of one moment."""

    tick: int
    epoch: int
    t: float
    sheets: dict[str, Sheet]
    poses: np.ndarray
    world: messages.WorldInfo
    bodies: messages.Bodies
    springs: messages.Springs
    stats: messages.Stats


class Game:
    """The sandbox's thread, clock and queue."""

    def __init__(self, origin: Callable[[], Origin], solver=None, coupling=None, ahead=False):
        self.first = origin, solver, coupling
        self.ahead = ahead  # compile what hands may want next before they do
        self._coming: list[Any] = []  # that
        self._ready = False
        self.snapshot: Snapshot | None = None
        self._laid: frozenset[str] = frozenset()
        self.overlays: frozenset[str] = frozenset()  # what viewers want to have laid over
        self.listener: Listener = lambda viewer, notice: None
        self.busy = COMPILING  # what those who come now should know, or ""
        self._waiting: queue.Queue = queue.Queue(WAITING)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="koski game", daemon=True)
        self.box: Sandbox
        self.paused, self.speed, self.epoch, self.tick = False, 1.0, 0, 0
        self._once, self._water = False, 0.0
        self._known: set = set()  # forms of worlds that are compiled
        self._rehearsal: Rehearsal | None = None
        self._later: deque = deque()  # messages that wait for it, and their viewers

    # ── from other threads ───────────────────────────────────────────────────────────────

    def start(self) -> None:
        self._thread.start()

    def stop(self, patience: float = 60.0) -> bool:
        """End the thread at the end of its tick; whether all has ended in so many seconds."""
        self._stop.set()
        end = time.perf_counter() + patience
        for thread in (self._thread, self._rehearsal):
            if thread is not None and thread.is_alive():
                thread.join(max(end - time.perf_counter(), 0))
        return not (self._thread.is_alive() or self.compiling)

    @property
    def compiling(self) -> bool:
        return self._rehearsal is not None and self._rehearsal.is_alive()

    def say(self, viewer: str, message: Any) -> bool:
        """Hand in a message, to be obeyed before the next tick; False where too many wait."""
        return self._put(lambda: self._obey(viewer, message))

    def release(self) -> None:
        """Take the tool up: its viewer is gone."""
        self._put(lambda: self.box.let_go())

    def ask(self, question: Callable[[Game], Any]) -> Future:
        """Have something done between two ticks, and get what came of it."""
        answer: Future = Future()

        def reply() -> None:
            try:
                answer.set_result(question(self))
            except Exception as e:
                answer.set_exception(e)

        if not self._put(reply):
            answer.set_exception(InputError("the water is busy: try again in a moment"))
        return answer

    def _put(self, job: Callable[[], None]) -> bool:
        try:
            self._waiting.put_nowait(job)
            return True
        except queue.Full:
            return False

    # ── the thread ───────────────────────────────────────────────────────────────────────

    def _run(self) -> None:
        origin, solver, coupling = self.first
        try:
            self.open(origin(), solver, coupling)
        except Exception as e:
            self._tell("error", f"this world cannot be opened ({short(e)}): choose another scene")
        due = time.perf_counter()
        while not self._stop.is_set():
            due = max(due + 1 / RATE, time.perf_counter())  # what was missed is not made up for
            try:
                self._turn()
            except Exception as e:
                self._recover(short(e))
            self._stop.wait(max(due - time.perf_counter(), 0))

    def _turn(self) -> None:
        """One tick: messages, tools, water, snapshot."""
        jobs = self._jobs() + self._rehearsed()
        if not hasattr(self, "box"):
            return
        acting, dt = self.box.grip is not None, self.speed / RATE
        try:
            self.box.act(dt, 1 / RATE)
        except InputError as e:
            self._tell("error", str(e))
        if not self._ready:
            return
        if not self.paused or self._once:
            self._once = False
            self.box.step(dt)
            self._water += dt
        elif not (jobs or acting or self.overlays != self._laid):
            self._rest()
            return
        else:
            dt = 0.0
        self._show(dt)
        self.busy = ""

    def _jobs(self) -> int:
        """Do what waits, and no more than that: what comes meanwhile is for the next tick."""
        count = self._waiting.qsize()
        for _ in range(count):
            self._waiting.get_nowait()()
        return count

    def _obey(self, viewer: str, message: Any) -> None:
        try:
            match message:
                case messages.Clock(action="reset"):
                    self.reset()
                case messages.Clock(action=action):
                    self.paused = action != "play"
                    self._once = action == "step"
                case messages.Speed(factor=factor):
                    self.speed = factor
                case messages.Open(scene=name, cells=cells):
                    self.open(Origin.named(name, cells))
                case _ if not hasattr(self, "box"):
                    raise InputError("there is no world yet: wait a moment")
                case _ if self.box.reshapes(message):
                    self._reshape(viewer, message)
                case _:
                    self.box.obey(message)
        except InputError as e:
            self._tell("error", str(e), viewer)
        except Exception as e:
            self._tell("error", f"that did not work ({short(e)}): try something else", viewer)

    def _reshape(self, viewer: str, message: Any) -> None:
        """Do what may need another program: at once if that is there, else when it is."""
        if not self._later:
            other = twin(self.box)
            other.obey(message)
            if form(other) in self._known:
                self.box.obey(message)
                return
            self._tell("info", COMPILING, viewer)
            if self._rehearsal is None:
                self._forget()
                self._rehearsal = Rehearsal(other)
        if len(self._later) >= WAITING:
            raise InputError("too much waits to be compiled: try again in a moment")
        self._later.append((viewer, message))

    def _rehearsed(self) -> int:
        """Go on with what waited for a program that is there now."""
        done, count = self._rehearsal, 0
        if done is None:
            self._foresee()
            return 0
        if done.is_alive():
            return 0
        self._rehearsal = None
        if done.failed is None:
            self._known.add(done.form)
        if not self._ready:
            self._ready = True
            if done.failed is not None:
                raise done.failed
        elif done.failed is not None and self._later:
            viewer, _ = self._later.popleft()
            self._tell("error", f"that did not work ({short(done.failed)})", viewer)
        waiting = list(self._later)
        self._later.clear()
        for viewer, message in waiting:  # those that need yet another program wait again
            self._obey(viewer, message)
            count += 1
        return count

    def _foresee(self) -> None:
        """Compile what hands may want next, while nobody waits for anything."""
        if self._ready and self._coming and not self._later:
            other = twin(self.box)
            other.obey(self._coming.pop(0))
            if form(other) not in self._known:
                self._rehearsal = Rehearsal(other)

    def open(self, origin: Origin, solver: str | None = None, coupling: str | None = None) -> None:
        """Go to another world; if it cannot be made, the old one stays."""
        self.busy = COMPILING
        self._tell("info", COMPILING)
        self._forget()
        box = Sandbox(origin, solver, coupling)
        self._later.clear()
        self._coming = coming(box) if self.ahead else []
        self._ready = form(box) in self._known
        if not self._ready:
            self._rehearsal = Rehearsal(twin(box))
        self.box, self.epoch = box, self.epoch + 1
        grid = box.world.terrain.grid
        self._press, self._laid, self._once = Press(), frozenset(), False
        self._foam = self._wet = jnp.zeros(grid.shape, jnp.float32)
        self._facts: dict[str, tuple] = {}
        self._strongest: dict[str, float] = {}
        self._stats: messages.Stats | None = None
        self._water, self._clock, self._ticks = 0.0, time.perf_counter(), 0
        self._show(0.0)

    def _forget(self) -> None:
        """Drop old programs: each holds maps of memory, of which a process has only so many."""
        if len(self._known) >= PROGRAMS and not self.compiling:
            jax.clear_caches()
            self._known.clear()

    def reset(self) -> None:
        """Begin anew, with the solver and coupling that were chosen."""
        box = self.box
        self.open(box.origin, box.solver_name, box.coupling_name)

    def _recover(self, why: str) -> None:
        """Begin anew after a failure; if that fails as well, stand still."""
        try:
            self._tell("error", f"the water came to grief ({why}): the scene begins anew")
            self.reset()
        except Exception as e:
            self.paused = True
            self._tell("error", f"the scene does not start ({short(e)}): choose another")

    # ── what is seen ─────────────────────────────────────────────────────────────────────

    def _show(self, dt: float) -> None:
        """Make the next snapshot."""
        box, world = self.box, self.box.world
        self.tick += 1
        self._ticks += 1
        self._laid = self.overlays
        now = world.solver, world.state, world.terrain, self._foam, self._wet
        maps, self._foam, self._wet = seen(*now, jnp.float32(dt))
        maps = {n: f for n, f in maps.items() if n not in OVERLAYS or n in self._laid}
        limits = least(maps, world.terrain.grid.cell, self._strongest)
        sheets, t = self._press.sheets(maps, limits, self.tick, also=world.state.water.t.value)
        if not all(np.isfinite(sheet.low) for sheet in sheets.values()):
            raise ArithmeticError("a height is not a number any more")
        for name, sheet in sheets.items():
            self._strongest[name] = max(self._strongest.get(name, 0.0), sheet.high)
        self.snapshot = Snapshot(
            self.tick,
            self.epoch,
            float(t),
            sheets,
            world.poses.astype(np.float32),
            self._fact("world", self._traits(), lambda: box.info(self.epoch)),
            self._fact("bodies", (box.changes, len(world.bodies)), self._bodies),
            self._fact("springs", tuple(world.springs), self._springs),
            self._tally(),
        )
        self.listener(None, None)

    def _rest(self) -> None:
        """Keep telling how it goes while time stands still."""
        if self.snapshot is not None and self._tally() is not self.snapshot.stats:
            self.snapshot = Snapshot(**(vars(self.snapshot) | {"stats": self._tally()}))
            self.listener(None, None)

    def _traits(self) -> tuple:
        world = self.box.world
        return world.solver, world.terrain.edges, world.coupling, self.box.rain

    def _bodies(self) -> messages.Bodies:
        return messages.Bodies(self.epoch, self.tick, facts.bodies_told(self.box.world.bodies))

    def _springs(self) -> messages.Springs:
        return messages.Springs(facts.springs_told(self.box.world.springs))

    def _fact(self, name: str, traits: tuple, make: Callable[[], Any]) -> Any:
        """The same message again, unless what it tells of has changed."""
        old = self._facts.get(name)
        if old is None or not same(old[0], traits):
            self._facts[name] = traits, make()
        return self._facts[name][1]

    def _tally(self) -> messages.Stats:
        """How it goes, told a few times a second."""
        now = time.perf_counter()
        spent = now - self._clock
        if self._stats is not None and spent < STATS:
            return self._stats
        box, world = self.box, self.box.world
        cells, v = world.terrain.grid.cells, world.volume
        new = np.array([self._water, self._ticks]) / max(spent, 1e-9)
        old = new if self._stats is None else np.array([self._stats.factor, self._stats.fps])
        factor, fps = map(float, old + SMOOTH * (new - old))
        self._stats = messages.Stats(
            t=world.t,
            paused=self.paused,
            speed=self.speed,
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
        self._water, self._clock, self._ticks = 0.0, now, 0
        return self._stats

    def _tell(self, level: str, text: str, viewer: str | None = None) -> None:
        self.listener(viewer, Notice(level, text))  # type: ignore[arg-type]


def coming(box: Sandbox) -> list[Any]:
    """What hands are likely to do first."""
    x, y = (a / 2 for a in box.world.terrain.grid.size)
    return [messages.Drop("crate", x, y, 1.0, 0.0)]


def same(old: tuple, new: tuple) -> bool:
    """Whether nothing was replaced; solvers and the like are compared by what they are."""
    plain = int, float, str
    return len(old) == len(new) and all(
        a is b or (isinstance(a, plain) and isinstance(b, plain) and a == b)
        for a, b in zip(old, new)
    )


LEDGER = "start", "came", "went", "now", "drift"


def short(e: Exception) -> str:
    """What went wrong, in a few words."""
    return (" ".join(str(e).split()) or type(e).__name__)[:200]
