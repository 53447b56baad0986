"""World: the one thing that changes, a thin shell round the pure parts, for people."""

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from koski import cache, pack, scenes
from koski.bodies.body import Body
from koski.bodies.engine import Spec, known
from koski.bodies.fleet import Fleet, Record, fits, kind_of, made_of, weighed
from koski.bodies.path import Path, led
from koski.bodies.shapes import Shape
from koski.brush import bump, sample, share, together
from koski.core.errors import InputError, duration, number, numbers
from koski.core.frame import Frame
from koski.core.inputs import Inputs
from koski.core.loop import ready
from koski.core.solver import Solver, advance
from koski.core.stencil import above, below, left, right
from koski.core.sums import total
from koski.core.terrain import HIGHEST, Terrain
from koski.core.water import WATER
from koski.ledger import Volume
from koski.scene import Scene, Spring
from koski.solvers import blocking, chosen, coupled
from koski.strokes import Strokes, plus, springing, stroked

HARDEST = 1e6  # rain [m/s]


class World:
    """Water on a terrain, that you can pour, dig and push.

    x and y are metres from the corner of the grid; the centre of cell [j, i] lies at
    ((i + ½) cell, (j + ½) cell).
    """

    def __init__(
        self,
        what: Scene | Terrain | str,
        depth: Any = None,
        solver: Solver | str | None = None,
        velocity: Any = None,
        coupling: str | None = None,
        engine: str = "mujoco",
    ):
        cache.enable()
        if isinstance(what, str):
            what = scenes.load(what)
        scene = Scene("terrain", what) if isinstance(what, Terrain) else what
        if not isinstance(scene, Scene):
            raise InputError(
                "a World is made from a scene, its name or a terrain (koski.Terrain.create(heights,"
                f" cell=…)), not from {type(what).__name__}"
            )
        self.name, self.view = scene.name, scene.view
        self.terrain = scene.terrain
        self.solver: Any = chosen(scene.solver if solver is None else solver)
        self.coupling = coupled(scene.coupling if coupling is None else coupling)
        self.engine = known(engine)
        depth = scene.depth if depth is None else depth
        velocity = scene.velocity if velocity is None else velocity
        self.state = self.solver.start(self.terrain, depth, velocity)
        self.springs: list[Spring] = []
        self._fleet: Fleet | None = None
        self._strokes = Strokes()
        self._rain: Any = None
        self._evaporation: Any = None
        self._held: Any = None if scene.held is None else jnp.asarray(scene.held, jnp.float32)
        self._start = self._now()
        if scene.rain is not None:
            self.rain(scene.rain)
        if scene.evaporation is not None:
            self.evaporate(scene.evaporation)
        for s in scene.springs:
            self.spring(s.x, s.y, s.discharge, s.radius, s.dyes)
        for thing in scene.bodies:
            self.drop(**thing)
        self._start = self._now()
        self.state = ready(
            self.solver, self.state, self.terrain, self._inputs(1.0)
        )  # compiled once

    def __repr__(self) -> str:
        ny, nx = self.terrain.grid.shape
        solver, few = type(self.solver).__name__, len(self.bodies)
        with_bodies = f", {few} {'body' if few == 1 else 'bodies'}" if few else ""
        return f"World({self.name}: {ny} × {nx} cells, {solver}{with_bodies}, t = {self.t:.2f} s)"

    # ── running ──────────────────────────────────────────────────────────────────────────

    def step(self, seconds: float = 1 / 30) -> None:
        """Let time pass."""
        length = to_go = duration("seconds", seconds)
        inputs = self._inputs(to_go)
        if self._fleet is not None and to_go > 0:
            if self._fleet.blocks and not hasattr(self.solver, "meet"):
                self.use(blocking(self.solver, self.coupling))
            for turn in self._fleet.turns(to_go, self.terrain.grid.cell):
                now = self.solver, self.state, self.terrain, inputs, self.t, turn
                self.state = self._fleet.step(*now)
            to_go = 0.0
        while to_go > 0:
            before = self.t
            self.state = advance(self.solver, self.state, self.terrain, inputs, seconds=to_go)
            ran = self.t - before
            to_go = to_go - ran if ran < to_go * (1 - 1e-5) else 0.0
        self._strokes = Strokes() if length > 0 else self._strokes

    def frames(self, fps: float = 30.0, seconds: float = 10.0) -> Iterator[Frame]:
        """Run, and yield what is seen after each 1 / fps."""
        fps = number("fps", fps, low=1e-6, high=1e6)
        for _ in range(max(round(duration("seconds", seconds) * fps), 0)):
            self.step(1 / fps)
            yield self.frame

    @property
    def frame(self) -> Frame:
        """What is seen now; it stays as it is while the world goes on."""
        return self.solver.frame(self.state, self.terrain)

    @property
    def t(self) -> float:
        """Time since the start [s]."""
        return float(self.state.water.t)

    @property
    def steps(self) -> int:
        """How many steps the solver has made."""
        return int(self.state.water.steps)

    @property
    def volume(self) -> Volume:
        """How much water there is [m³], with the ledger of how it came about."""
        w = self.state.water
        return Volume(self._start, float(w.came), float(w.went), self._now())

    # ── hands ────────────────────────────────────────────────────────────────────────────

    def pour(self, x: float, y: float, volume: float, radius: float = 0.0) -> None:
        """Pour a volume [m³] of water; it falls during the next step."""
        depth = number("volume", volume, low=0) / self.terrain.grid.area
        self._stroke(poured=plus(self._strokes.poured, depth * self._share(x, y, radius)))

    def drain(self, x: float, y: float, volume: float, radius: float = 0.0) -> None:
        """Take a volume [m³] of water away during the next step, or what there is of it."""
        depth = number("volume", volume, low=0) / self.terrain.grid.area
        self._stroke(drained=plus(self._strokes.drained, depth * self._share(x, y, radius)))

    def push(self, x: float, y: float, u: float, v: float, radius: float = 0.0) -> None:
        """Give the water an impulse: at the centre it gains the velocity (u, v) [m/s]."""
        soft = self._bump(x, y, radius)
        gain = number("u", u) * soft, number("v", v) * soft
        old = self._strokes.pushed or (None, None)
        self._stroke(pushed=(plus(old[0], gain[0]), plus(old[1], gain[1])))

    def press(self, x: float, y: float, pressure: float, radius: float = 0.0) -> None:
        """Press on the surface during the next step: `pressure` [Pa] at the centre."""
        p = number("pressure", pressure) * self._bump(x, y, radius)
        self._stroke(pressed=plus(self._strokes.pressed, p))

    def dye(
        self, x: float, y: float, amount: float, radius: float = 0.0, name: str = "dye"
    ) -> None:
        """Drop an amount of dye (kilograms, say): it rides with the water."""
        per_area = number("amount", amount, low=0) / self.terrain.grid.area
        old = dict(self._strokes.dyed or {})
        old[name] = plus(old.get(name), per_area * self._share(x, y, radius))
        self._stroke(dyed=old)

    def rain(self, rate: Any) -> None:
        """Let it rain from now on: a rate [m/s] or a map of rates; 0 to stop."""
        self._rain = self._rate("rain", rate)

    def evaporate(self, rate: Any) -> None:
        """Let water evaporate from now on: a rate [m/s] or a map of rates; 0 to stop."""
        self._evaporation = self._rate("evaporation", rate)

    def spring(self, x: float, y: float, discharge: float, radius: float = 0.0, dyes=None) -> None:
        """Let water come up at a place from now on [m³/s]; a negative discharge is a sink."""
        self._share(x, y, radius)  # checks the place
        flow = number("discharge", discharge)
        colours = {name: number(f"dye {name!r}", c, low=0) for name, c in dict(dyes or {}).items()}
        self.springs.append(Spring(float(x), float(y), flow, float(radius), colours))

    def hold(self, x: float, y: float, level: float, radius: float = 0.0) -> None:
        """Keep the water at a place at a height [m] from now on: a source, or a sink."""
        level = number("level", level)
        self._held = jnp.where(self._bump(x, y, radius) > 0, level, self._held_map())

    def release(self) -> None:
        """Let all that is held go."""
        self._held = None

    def dig(self, x: float, y: float, depth: float, radius: float = 0.0) -> None:
        """Lower the ground, by `depth` [m] at the centre; the water sinks with it."""
        self.raise_(x, y, -number("depth", depth, -HIGHEST, HIGHEST), radius)

    def raise_(self, x: float, y: float, height: float, radius: float = 0.0) -> None:
        """Raise the ground, by `height` [m] at the centre; the water on it is lifted."""
        lift = number("height", height, -HIGHEST, HIGHEST) * self._bump(x, y, radius)
        self._ground(jnp.clip(self.terrain.b + lift, -HIGHEST, HIGHEST))

    def smooth(self, x: float, y: float, radius: float = 0.0, strength: float = 0.5) -> None:
        """Smooth the ground towards the mean of each cell's neighbours."""
        b, grid = self.terrain.b, self.terrain.grid
        ones = jnp.ones(grid.shape)
        near = sum(shift(b, grid) for shift in (left, right, above, below))
        count = sum(shift(ones, grid) for shift in (left, right, above, below))
        soft = number("strength", strength, low=0, high=1) * self._bump(x, y, radius)
        self._ground(b + soft * (near / count - b))

    # ── bodies ───────────────────────────────────────────────────────────────────────────

    def drop(
        self,
        shape: Shape,
        at: Any,
        density: float | None = None,
        mass: float | None = None,
        kind: str = "auto",
        rotation: Any = (1, 0, 0, 0),
        velocity: Any = (0, 0, 0),
        spin: Any = (0, 0, 0),
        friction: float = 0.6,
        bounce: float = 0.0,
        drag: float = 1.0,
        damping: float = 1.0,
        fixed: bool = False,
        path: Path | None = None,
        color: Any = None,
        material: str | None = None,
    ) -> Body:
        """Put a body into the world, its centre `at` (x, y, z) [m]; it falls, floats or blocks.

        By default it weighs 500 kg/m³.  Light bodies are floaters, that let the water through;
        heavy ones are blockers, unless `kind` says otherwise.  A `fixed` body stays where it is,
        one with a `path` goes where that leads; both block the water.  Its `color` and `material`
        (wood, crate, metal, stone or paint) are for pictures, which else go by shape and density.
        """
        weight = weighed(shape, density, mass)
        moves = "driven" if led(path) else "fixed" if fixed else "free"
        start = (at, rotation) if path is None else path.at(self.t)
        turn = rotation if start[1] is None else start[1]
        spec = Spec(shape, weight, start[0], turn, velocity, spin, friction, bounce, moves)  # type: ignore[arg-type]
        fits(spec, self.terrain.grid)
        sort = kind_of(kind, weight / shape.volume, self.coupling, moves)
        pull = number("drag", drag, low=0), number("damping", damping, low=0)
        record = Record(sort, *pull, color, path, made_of(material))
        if self._fleet is None:
            self._fleet = Fleet(self.engine)
        return Body(self._fleet, self._fleet.add(spec, record))

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All that is in the world, oldest first."""
        fleet = self._fleet
        return () if fleet is None else tuple(Body(fleet, key) for key in fleet.engine.keys)

    @property
    def poses(self) -> np.ndarray:
        """Where all of them are [n, 7]: x, y, z [m] and the rotation (w, x, y, z)."""
        if self._fleet is None:
            return np.zeros((0, 7))
        motion = self._fleet.engine.motion
        return np.hstack([motion.position, motion.rotation])

    def use(self, solver: Solver | str) -> None:
        """Go on with another solver: the water, its dyes and its ledger carry over."""
        solver = chosen(solver)
        velocity, old = self.frame.velocity, self.state.water
        whole = sum(getattr(self.state, "aside", ()), start=old.d)
        depth, rests = jnp.maximum(whole, 0), dict(old.rests)
        if whole is not old.d:  # what bodies still owe is owed as rounding is, until water comes
            rests[WATER] = rests.get(WATER, 0) + (whole - depth)
        state = solver.start(self.terrain, depth, velocity)
        water = replace(old, d=state.water.d, rests=rests)
        self.solver, self.state = solver, replace(state, water=water)

    # ── looking ──────────────────────────────────────────────────────────────────────────

    def height_at(self, x, y) -> np.ndarray:
        """Height of the surface [m] at points, of the ground where dry; as it is right now."""
        return self._sample(self.frame.surface, x, y)

    def depth_at(self, x, y) -> np.ndarray:
        """Depth of the water [m] at points."""
        return self._sample(self.frame.depth, x, y)

    def velocity_at(self, x, y) -> np.ndarray:
        """Velocity of the water [m/s] at points, as [..., 2]."""
        frame = self.frame
        return np.stack([self._sample(frame.u, x, y), self._sample(frame.v, x, y)], axis=-1)

    def normal_at(self, x, y) -> np.ndarray:
        """Unit normal of the surface at points, as [..., 3]."""
        x, y, h = np.asarray(x, float), np.asarray(y, float), self.terrain.grid.cell / 2
        slope_x = (self.height_at(x + h, y) - self.height_at(x - h, y)) / (2 * h)
        slope_y = (self.height_at(x, y + h) - self.height_at(x, y - h)) / (2 * h)
        n = np.stack([-slope_x, -slope_y, np.ones_like(slope_x)], axis=-1)
        return n / np.linalg.norm(n, axis=-1, keepdims=True)

    def picture(self, camera=None, size=(960, 540), quality="good", **look) -> np.ndarray:
        """See the water as an image [height, width, 3] of bytes, that a notebook shows by itself.

        `camera` is a Camera, or a text such as "orbit:azimuth=30"; of none it is the scene's own,
        or one that sees all.  `look` are the fields of koski.render.renderer.Look: elevation,
        azimuth, water, exposure.
        """
        from koski.render.picture import pictured

        return pictured(self, camera, size, quality, look)

    # ── keeping ──────────────────────────────────────────────────────────────────────────

    def save(self, path: str | os.PathLike) -> None:
        """Write all there is to a file, from which the world goes on to the same bits."""
        fleet = None if self._fleet is None else self._fleet.keep()
        pack.save(path, self.__dict__ | {"_fleet": fleet})

    @classmethod
    def load(cls, path: str | os.PathLike) -> "World":
        """Read a saved world."""
        cache.enable()
        world = cls.__new__(cls)
        kept = pack.load(path)
        if not isinstance(kept, dict) or "state" not in kept:
            raise InputError(f"{path} holds no world")
        world.__dict__.update(kept)
        world._fleet = None if kept["_fleet"] is None else Fleet.recall(kept["_fleet"])
        return world

    # ── inside ───────────────────────────────────────────────────────────────────────────

    def _inputs(self, seconds: float) -> Inputs:
        """Rain, springs and strokes as rates over the coming seconds."""
        lasting = Inputs(self._rain, evaporation=self._evaporation, held=self._held)
        lasting = springing(lasting, self.springs, self.terrain.grid)
        return stroked(lasting, self._strokes, seconds, self.terrain.grid)

    def _held_map(self):
        free = jnp.full(self.terrain.grid.shape, jnp.nan, jnp.float32)
        return free if self._held is None else self._held

    def _stroke(self, **marks) -> None:
        self._strokes = replace(self._strokes, **marks)  # type: ignore[type-var]

    def _ground(self, b) -> None:
        self.terrain = replace(self.terrain, b=b)  # type: ignore[type-var]

    def _rate(self, name: str, rate: Any) -> Any:
        """A rate that is fit for Inputs, or None where it is nothing."""
        if np.ndim(rate) == 0:
            return number(name, rate, low=0, high=HARDEST) or None
        r = numbers(name, rate, low=0, high=HARDEST)
        if r.shape != self.terrain.grid.shape:
            raise InputError(
                f"{name} must be one rate or a map of the terrain's shape"
                f" {self.terrain.grid.shape}, not of shape {r.shape}"
            )
        return r

    def _place(self, x: float, y: float, radius: float) -> tuple[float, float, float]:
        width, height = self.terrain.grid.size
        x, y = number("x", x, 0, width), number("y", y, 0, height)
        return x, y, number("radius", radius, low=0)

    def _bump(self, x, y, radius):
        return bump(self.terrain.grid, *self._place(x, y, radius))

    def _share(self, x, y, radius):
        return share(self.terrain.grid, *self._place(x, y, radius))

    def _sample(self, f, x, y) -> np.ndarray:
        x, y = together(x, y)
        return np.asarray(sample(f, x, y, self.terrain.grid.cell))

    def _now(self) -> float:
        """The water there is [m³], with what rounding still owes."""
        w = self.state.water
        parts = [w.d] + [r for name, r in w.rests.items() if name == WATER]
        parts += getattr(self.state, "aside", ())
        return self.terrain.grid.area * sum(sum(map(float, exact(p))) for p in parts)


exact = jax.jit(total)
