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
from typing import Any

import jax

from koski.core.errors import InputError
from koski.view import messages
from koski.view.messages import Notice
from koski.view.rehearsal import Rehearsal, form, twin
from koski.view.sandbox import Origin, Sandbox
from koski.view.snapshot import Eye, Snapshot

RATE = 30  # states a second
WAITING = 512  # messages, at most
PATIENCE = 5.0  # a scene that fails again so soon is stopped [s]
PROGRAMS = 12  # kept, at most
COMPILING = "compiling the water: this takes a few seconds, once"

Listener = Callable[[str | None, Notice | None], None]  # a viewer or all; no notice: look again


class Game:
    """The sandbox's thread, clock and queue."""

    def __init__(self, origin: Callable[[], Origin], solver=None, coupling=None, ahead=False):
        self.first = origin, solver, coupling
        self.ahead = ahead  # compile what hands may want next before they do
        self._coming: list[Any] = []  # that
        self._ready = False
        self.snapshot: Snapshot | None = None
        self.overlays: frozenset[str] = frozenset()  # what viewers want to have laid over
        self.listener: Listener = lambda viewer, notice: None
        self.busy = COMPILING  # what those who come now should know, or ""
        self._waiting: queue.Queue = queue.Queue(WAITING)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="koski game", daemon=True)
        self.box: Sandbox
        self.paused, self.speed, self.epoch, self.tick = False, 1.0, 0, 0
        self._once, self._grief = False, 0.0
        self._eye: Eye
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
        self._put(lambda: self.box.let_go() if hasattr(self, "box") else None)

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
        elif not (jobs or acting or self.overlays != self._eye.laid):
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
        self._eye, self._once = Eye(box, self.epoch), False
        self._show(0.0)

    def _forget(self) -> None:
        """Drop old programs: each holds maps of memory, of which a process has only so many."""
        if len(self._known) >= PROGRAMS and not self.compiling:
            jax.clear_caches()
            self._known.clear()

    def reset(self) -> None:
        """Begin anew, with the solver and coupling that were chosen."""
        if not hasattr(self, "box"):
            raise InputError("there is no world yet: choose a scene")
        box = self.box
        self.open(box.origin, box.solver_name, box.coupling_name)

    def _recover(self, why: str) -> None:
        """Begin anew after a failure; if that fails as well, stand still."""
        again, self._grief = time.perf_counter() - self._grief < PATIENCE, time.perf_counter()
        try:
            self._tell("error", f"the water came to grief ({why}): the scene begins anew")
            self.paused = self.paused or again
            self.reset()
        except Exception as e:
            self.paused = True
            self._tell("error", f"the scene does not start ({short(e)}): choose another")

    def _show(self, dt: float) -> None:
        """Make the next snapshot."""
        self.tick += 1
        self.snapshot = self._eye.look(self.tick, dt, self.overlays, (self.paused, self.speed))
        self.listener(None, None)

    def _rest(self) -> None:
        """Keep telling how it goes while time stands still."""
        if self.snapshot is None:
            return
        new = self._eye.rest(self.snapshot, self.paused, self.speed)
        if new is not self.snapshot:
            self.snapshot = new
            self.listener(None, None)

    def _tell(self, level: str, text: str, viewer: str | None = None) -> None:
        self.listener(viewer, Notice(level, text))  # type: ignore[arg-type]


def coming(box: Sandbox) -> list[Any]:
    """What hands are likely to do first."""
    x, y = (a / 2 for a in box.world.terrain.grid.size)
    return [messages.Drop("crate", x, y, 1.0, 0.0)]


def short(e: Exception) -> str:
    """What went wrong, in a few words."""
    return (" ".join(str(e).split()) or type(e).__name__)[:200]
