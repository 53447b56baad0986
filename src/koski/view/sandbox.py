"""A world with hands in it: what each message of a page does to it."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import hypot
from typing import Any

import jax.numpy as jnp
import numpy as np

from koski import scenes
from koski.bodies.fleet import kind_of, weighed
from koski.core.errors import InputError
from koski.core.inputs import Inputs
from koski.core.terrain import Terrain
from koski.scene import Scene
from koski.solvers import blocking, coupled, name_of, named
from koski.solvers.one_layer import OneLayer
from koski.solvers.pipe import Pipe
from koski.solvers.two_layer import TwoLayer
from koski.view import facts, messages, props, tools
from koski.view.knobs import knobs, live, put, turn
from koski.view.tools import Grip
from koski.view.undo import Edits
from koski.world import World

DYE = "dye"  # what the brush paints with
MM_PER_HOUR = 3.6e6  # in a metre a second
MOST_SPRINGS = 32  # each is laid out anew at every tick
MOST_DROPPED = 300


@dataclass(frozen=True)
class Origin:
    """What a world begins from, and begins anew from: a scene, or a saved world's file."""

    name: str
    scene: Scene | None = None
    saved: bytes | None = None

    @staticmethod
    def named(name: str, cells: int | None = None) -> Origin:
        return Origin(name, scenes.load(name, cells))

    def make(self, solver: str | None = None, coupling: str | None = None) -> World:
        """The world as it is at the start."""
        if self.scene is not None:
            scene = self.scene if solver is None else self.scene.with_solver(solver)
            scene = replace(scene, coupling=coupling or scene.coupling)
            flow = scene.solver
            if blocks(scene) and not hasattr(flow, "meet"):
                flow = blocking(flow, scene.coupling)  # at once, or it would compile twice
            return World(replace(scene, solver=live(flow)))
        world = World.load(io.BytesIO(self.saved or b""))  # type: ignore[arg-type]
        world.solver = live(world.solver)
        if solver is not None:
            world.use(live(named(solver)))
        world.coupling = world.coupling if coupling is None else coupled(coupling)
        return world


def blocks(scene: Scene) -> bool:
    """Whether any body of a scene is in the water's way."""

    def kind(shape, density=None, mass=None, kind="auto", **_) -> str:
        return kind_of(kind, weighed(shape, density, mass) / shape.volume, scene.coupling)

    return any(kind(**thing) == "blocker" for thing in scene.bodies)


class Sandbox:
    """The world, the tool that is held down, and what can be taken back."""

    def __init__(
        self,
        origin: Origin,
        solver: str | None = None,
        coupling: str | None = None,
    ):
        self.origin = origin
        self.world = world = origin.make(solver, coupling)
        self.solver_name = solver  # as chosen by hand, for when all begins anew
        self.coupling_name = coupling
        self.grip: Grip | None = None
        self.before: Any = None  # the ground when the brush came down
        self.edits = Edits()
        asked = [thing.get("kind", "auto") for thing in origin.scene.bodies] if origin.scene else []
        kinds = [body.kind for body in world.bodies]
        self.asked = dict(zip((body.key for body in world.bodies), asked or kinds))
        self.dropped: set[int] = set()
        self.changes = 0  # of which bodies there are, or what they are
        rain = origin.scene.rain if origin.scene else world._rain
        self.rain = 0.0 if rain is None else MM_PER_HOUR * float(np.mean(np.asarray(rain)))
        self.settle()
        b = np.asarray(world.terrain.b)
        room = max(float(np.ptp(b)), max(world.terrain.grid.size) / 4)
        self.limits = float(b.min()) - room, float(b.max()) + room  # for who digs or raises

    # ── time ─────────────────────────────────────────────────────────────────────────────

    def act(self, dt: float, wall: float) -> None:
        """Let the tool that is down act for one tick."""
        grip, world = self.grip, self.world
        if grip is None:
            return
        try:
            if not grip.gone or grip.fresh:
                tools.act(world, grip, dt, wall)
                self.grip = grip.acted()
            if grip.touch.tool in tools.EARTH:
                b = jnp.clip(world.terrain.b, *self.limits)
                world.terrain = replace(world.terrain, b=b)  # type: ignore[type-var]
        except InputError:
            self.grip = replace(grip, gone=True)
            raise
        finally:
            if self.grip is not None and self.grip.gone:
                self.let_go()

    def step(self, dt: float) -> None:
        """Let time pass; strokes of nothing keep the compiled step the same for any tool."""
        self.world.pour(0, 0, 0)
        self.world.drain(0, 0, 0)
        self.world.push(0, 0, 0, 0)
        if DYE in self.world.state.water.dyes:
            self.world.dye(0, 0, 0, name=DYE)
        self.world.step(dt)

    def settle(self, *dyes: str) -> None:
        """Make room for what tools bring: what a step adds to the state would compile it twice."""
        state = self.world.state
        brought = Inputs(source=0.0, dyes=dict.fromkeys((*dyes, *state.water.dyes), 0.0))
        self.world.state = replace(state, water=state.water.ready(brought, True))

    def let_go(self) -> None:
        """Take the tool up; a stroke of earth becomes one edit."""
        if self.before is not None:
            self.edits.add(self.before, self.world.terrain.b)
        self.grip, self.before = None, None

    # ── messages ─────────────────────────────────────────────────────────────────────────

    def reshapes(self, message: Any) -> bool:
        """Whether a message may make another program of the world."""
        kinds = messages.Drop, messages.Solver, messages.Coupling, messages.Edge
        dyes = isinstance(message, messages.Touch) and message.tool == "dye"
        return isinstance(message, kinds) or (dyes and DYE not in self.world.state.water.dyes)

    def obey(self, message: Any) -> None:
        """Do what a message asks; an InputError says why not."""
        OBEY[type(message)](self, message)

    def touch(self, m: messages.Touch) -> None:
        if m.phase == "down":
            self.let_go()
            if m.tool == "dye":
                self.settle(DYE)
            self.grip = Grip.of(m, self.world)
            self.before = self.world.terrain.b if m.tool in tools.EARTH else None
        elif self.grip is not None:
            self.grip = replace(self.grip.moved(m), gone=m.phase == "up")

    def drop(self, m: messages.Drop) -> None:
        self.inside(m.x, m.y)
        if len(self.dropped) >= MOST_DROPPED:
            raise InputError(f"{MOST_DROPPED} things are enough: clean some up first")
        body = props.drop(self.world, m.prop, m.x, m.y, m.size, m.turn)
        self.dropped.add(body.key)
        self.asked[body.key] = "blocker" if m.prop in ("car", "gate") else "auto"
        self.changes += 1

    def unbody(self, m: messages.Unbody) -> None:
        tools.held(self.world, m.body).remove()
        self.forget(m.body)

    def clean(self, m: messages.Clean) -> None:
        for body in self.world.bodies:
            if body.key in self.dropped:
                body.remove()
                self.forget(body.key)

    def forget(self, key: int) -> None:
        self.dropped.discard(key)
        self.asked.pop(key, None)
        self.changes += 1
        if self.grip is not None and self.grip.touch.body == key:
            self.let_go()

    def spring(self, m: messages.Spring) -> None:
        self.inside(m.x, m.y)
        if len(self.world.springs) >= MOST_SPRINGS:
            raise InputError(f"{MOST_SPRINGS} springs are enough: stop one first")
        self.world.spring(m.x, m.y, m.discharge, m.radius)

    def unspring(self, m: messages.Unspring) -> None:
        """Stop the spring that a place is deepest in: the page may not know yet which there are."""
        springs, least = self.world.springs, 2 * self.world.terrain.grid.cell
        away = [hypot(s.x - m.x, s.y - m.y) / max(s.radius, least) for s in springs]
        if min(away, default=1.0) >= 1:
            raise InputError("there is nothing here to remove")
        del springs[away.index(min(away))]

    def pour_rain(self, m: messages.Rain) -> None:
        self.world.rain(m.rate / MM_PER_HOUR)
        self.rain = m.rate

    def undo(self, m: messages.Undo) -> None:
        self.lay(self.edits.undo(self.world.terrain.b), "undo")

    def redo(self, m: messages.Redo) -> None:
        self.lay(self.edits.redo(self.world.terrain.b), "do again")

    def lay(self, b, verb: str) -> None:
        if b is None:
            raise InputError(f"there is nothing to {verb}")
        land = self.world.terrain
        self.world.terrain = replace(land, b=jnp.asarray(b))  # type: ignore[type-var]

    def solve(self, m: messages.Solver) -> None:
        manning = getattr(base(self.world.solver), "manning", None)
        new = live(named(m.name, manning=manning))
        if isinstance(new, TwoLayer) and manning is not None:
            new = put(new, "base.manning", manning)
        self.world.use(new)
        self.settle()
        self.solver_name = m.name

    def couple(self, m: messages.Coupling) -> None:
        """Bodies become what they were asked to be under the new way to meet the water."""
        world, name = self.world, coupled(m.name)
        for body in world.bodies:
            asked = self.asked.get(body.key, "auto")
            whole = body.moves != "free" and asked == "auto"  # what never floats off may block
            body.kind = kind_of("blocker" if whole else asked, body.density, name)
        world.coupling = self.coupling_name = name
        self.changes += 1
        wanted = OneLayer if name == "one-layer" else TwoLayer
        if isinstance(world.solver, (OneLayer, TwoLayer)) and not isinstance(world.solver, wanted):
            world.use(live(blocking(base(world.solver), name)))
            self.settle()

    def knob(self, m: messages.Knob) -> None:
        self.world.solver = turn(self.world.solver, m.path, m.value)

    def edge(self, m: messages.Edge) -> None:
        land = self.world.terrain
        edges = facts.edged(land.edges, m.side, m.kind, m.value)
        self.world.terrain = Terrain.create(land.b, land.grid.cell, edges)

    def inside(self, x: float, y: float) -> None:
        if not tools.inside(self.world, x, y):
            raise InputError("that is outside the world: choose a place on the ground")

    # ── looking ──────────────────────────────────────────────────────────────────────────

    def info(self, epoch: int) -> messages.WorldInfo:
        """The world but for what moves."""
        world, grid = self.world, self.world.terrain.grid
        return messages.WorldInfo(
            epoch=epoch,
            scene=self.origin.name,
            nx=grid.nx,
            ny=grid.ny,
            cell=grid.cell,
            solver=name_of(world.solver),
            coupling=world.coupling,
            view=world.view or "",
            knobs=knobs(world.solver),
            edges=facts.edges_told(world.terrain.edges),
            rain=self.rain,
        )


def base(solver: Any) -> Any:
    """The flow inside a solver that lets bodies block it, or itself."""
    if isinstance(solver, OneLayer):
        return Pipe(friction=solver.friction, lively=solver.lively, manning=solver.manning)
    return solver.base if isinstance(solver, TwoLayer) else solver


OBEY: dict[type, Callable[[Sandbox, Any], None]] = {
    messages.Touch: Sandbox.touch,
    messages.Drop: Sandbox.drop,
    messages.Spring: Sandbox.spring,
    messages.Unspring: Sandbox.unspring,
    messages.Unbody: Sandbox.unbody,
    messages.Clean: Sandbox.clean,
    messages.Rain: Sandbox.pour_rain,
    messages.Undo: Sandbox.undo,
    messages.Redo: Sandbox.redo,
    messages.Solver: Sandbox.solve,
    messages.Coupling: Sandbox.couple,
    messages.Knob: Sandbox.knob,
    messages.Edge: Sandbox.edge,
}
