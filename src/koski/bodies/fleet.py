"""All bodies of a world: an engine that moves them, and what the water knows of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np

from koski.bodies import coupling, engine
from koski.bodies.engine import Engine, Spec
from koski.bodies.forces import Motion, Props
from koski.bodies.groups import doubled, pack
from koski.bodies.path import Path
from koski.bodies.shapes import Shape
from koski.core.errors import InputError, nearest, number
from koski.core.inputs import RHO, Inputs
from koski.core.solver import small
from koski.core.terrain import Terrain

STEP = 0.02  # bodies and water move in turns of at most this [s]
FINEST = 8  # turns, within that, for bodies that would cross more than a cell
SLACK = 0.1  # of a cell: how far blockers may move before the water takes note
MOST = 4096  # bodies in a world
LIGHTEST = 5.0  # body that may move [kg/m³]: water throws lighter ones about
MATERIALS = ("wood", "crate", "metal", "stone", "paint")

Kind = Literal["blocker", "floater"]


@dataclass(frozen=True)
class Record:
    """What the water needs to know of a body, beside how it moves."""

    kind: Kind
    drag: float
    damping: float
    color: Any = None
    path: Path | None = None
    material: str | None = None


class Fleet:
    """Bodies by the engine's keys; `slots` are their rows in the arrays that the water sees."""

    def __init__(self, name: str = "mujoco"):
        self.name = name
        self.engine: Engine = engine.make(name)
        self.records: dict[int, Record] = {}
        self.slots: dict[int, int] = {}
        self.groups: tuple = ()
        self.room = 0  # rows
        self.force = np.zeros((0, 3))  # of the water, by row [N]
        self.torque = np.zeros((0, 3))
        self.submerged = np.zeros(0)  # [m³]
        self.motion: Motion | None = None  # when the water last met it
        self.shown: Motion | None = None  # and where it stood for the water
        self.still: tuple | None = None  # what changes only when bodies come or go
        self.land: Any = None  # the ground that the engine knows

    def add(self, spec: Spec, record: Record) -> int:
        if len(self.slots) >= MOST:
            raise InputError(
                f"a world holds at most {MOST} bodies: remove some, or join them in a Compound"
            )
        key = self.engine.add(spec)
        self.records[key] = record
        taken = set(self.slots.values())
        self.slots[key] = next(i for i in range(len(taken) + 1) if i not in taken)
        self.grow(doubled(len(self.slots)))
        self.still = None
        return key

    def remove(self, key: int) -> None:
        self.engine.remove(key)
        row = self.slots.pop(key)
        del self.records[key]
        self.force[row], self.torque[row], self.submerged[row] = 0.0, 0.0, 0.0
        self.still = None

    @property
    def blocks(self) -> bool:
        """Whether any body blocks the water."""
        return any(record.kind == "blocker" for record in self.records.values())

    def grow(self, room: int) -> None:
        more = max(room - self.room, 0)
        self.room += more
        self.force = np.concatenate([self.force, np.zeros((more, 3))])
        self.torque = np.concatenate([self.torque, np.zeros((more, 3))])
        self.submerged = np.concatenate([self.submerged, np.zeros(more)])

    # ── running ──────────────────────────────────────────────────────────────────────────

    def turns(self, seconds: float, cell: float) -> list[float]:
        """The stretches in which bodies and water take turns."""
        speed = np.abs(self.engine.motion.velocity[:, :2]).max(initial=0.0)
        finer = np.clip(ceil(speed * STEP / cell), 1, FINEST)
        n = ceil(seconds / (STEP / finer) - 1e-6)
        return [seconds / n] * n

    def step(self, solver, state, terrain: Terrain, inputs: Inputs, t: float, seconds: float):
        """Move the bodies under the last forces, then the water round them."""
        self.lay(terrain)
        rows = [self.slots[key] for key in self.engine.keys]
        self.engine.push(self.force[rows], self.torque[rows])
        for key, record in self.records.items():
            if record.path is not None:
                self.engine.place(key, *record.path.at(t + seconds))
        self.engine.step(seconds)
        bodies = self.seen(terrain)
        state, wrench = coupling.run(solver, state, terrain, inputs, bodies, seconds, small(state))
        force, torque, under = jax.device_get((wrench.force, wrench.torque, wrench.submerged))
        self.force, self.torque = np.array(force, float), np.array(torque, float)
        self.submerged = np.array(under, float)
        return state

    def lay(self, terrain: Terrain) -> None:
        """Let the engine know the ground, if it has changed."""
        if self.land is not terrain.b:
            self.engine.ground(np.asarray(terrain.b), terrain.grid.cell)
            self.land = terrain.b

    def seen(self, terrain: Terrain) -> coupling.Bodies:
        """The bodies as the water sees them, now and a step ago."""
        self.still = self.still or self.describe(terrain.grid)
        groups, props, blocks, floats, reach = self.still
        motion = self.rows_of(self.engine.motion)
        before, shown = self.known(self.motion, motion), self.known(self.shown, motion)
        self.motion, self.shown = motion, lagging(shown, motion, SLACK * terrain.grid.cell, reach)
        return coupling.Bodies(groups, motion, before, self.shown, props, blocks, floats)

    def known(self, old: Motion | None, new: Motion) -> Motion:
        """The rows of old for the bodies that it has, else those of new."""
        if old is None:
            return new
        there = np.zeros(self.room, bool)  # there may be more rows now
        there[: len(old.position)] = np.isfinite(old.position).all(1)

        def rows(old, new):
            new = new.copy()
            new[there] = old[there[: len(old)]]
            return new

        return jax.tree.map(rows, old, new)

    def rows_of(self, m: engine.Motion) -> Motion:
        """The engine's motion in the water's rows; who is not there is nowhere."""
        rows = [self.slots[key] for key in self.engine.keys]

        def laid(values):
            out = np.full((self.room, values.shape[1]), np.nan, np.float32)
            out[rows] = values
            return out

        return Motion(*(laid(f) for f in (m.position, m.rotation, m.velocity, m.spin)))

    def describe(self, grid) -> tuple:
        """What changes only when bodies come or go."""
        shapes: list = [None] * self.room
        mass, drag, damping = np.ones(self.room), np.zeros(self.room), np.zeros(self.room)
        reach = np.ones(self.room)
        center, inertia = np.zeros((self.room, 3)), np.zeros((self.room, 3, 3)) + np.eye(3)
        blocks, floats = np.zeros(self.room, bool), np.zeros(self.room, bool)
        for key, i in self.slots.items():
            spec, record = self.engine.specs[key], self.records[key]
            shapes[i], mass[i], reach[i] = spec.shape, spec.mass, spec.shape.reach
            center[i], inertia[i] = spec.shape.centroid, spec.inertia
            drag[i], damping[i] = record.drag, record.damping
            blocks[i], floats[i] = record.kind == "blocker", record.kind == "floater"
        self.groups = pack(shapes, grid, old=self.groups)
        arrays = (mass, center, inertia, drag, damping)
        props = Props(*(jnp.asarray(f, jnp.float32) for f in arrays))
        return self.groups, props, jnp.asarray(blocks), jnp.asarray(floats), reach

    # ── keeping ──────────────────────────────────────────────────────────────────────────

    def keep(self) -> dict[str, Any]:
        """All that `recall` needs, as numbers that keep all their digits."""

        def rows(m):
            return None if m is None else [f.tolist() for f in jax.tree.leaves(m)]

        return {
            "name": self.name,
            "engine": self.engine.keep(),
            "records": list(self.records.values()),
            "slots": list(self.slots.values()),
            "room": self.room,
            "force": self.force.tolist(),
            "torque": self.torque.tolist(),
            "submerged": self.submerged.tolist(),
            "motion": rows(self.motion),
            "shown": rows(self.shown),
        }

    @staticmethod
    def recall(kept: dict[str, Any]) -> Fleet:
        fleet = Fleet(kept["name"])
        fleet.engine.recall(kept["engine"])
        keys = fleet.engine.keys
        fleet.records = dict(zip(keys, kept["records"]))
        fleet.slots = dict(zip(keys, kept["slots"]))
        fleet.room = kept["room"]
        fleet.force = np.array(kept["force"]).reshape(-1, 3)
        fleet.torque = np.array(kept["torque"]).reshape(-1, 3)
        fleet.submerged = np.array(kept["submerged"])
        for name in ("motion", "shown"):
            rows: Any = (np.array(f, np.float32) for f in kept[name] or ())
            setattr(fleet, name, Motion(*rows) if kept[name] else None)
        return fleet


def lagging(shown: Motion, now: Motion, slack: float, reach: np.ndarray) -> Motion:
    """Where bodies stand for the water: sideways at most `slack` [m] behind where they are.

    A body that rocks a little at an edge of a cell would block and free it at every step, and
    stir the water that rocks it.
    """
    behind = np.asarray(now.position) - np.asarray(shown.position)
    far = np.linalg.norm(behind[:, :2], axis=1, keepdims=True)
    place = np.array(now.position)
    place[:, :2] -= behind[:, :2] * np.minimum(1, slack / np.maximum(far, 1e-12))
    a, b = np.asarray(shown.rotation), np.asarray(now.rotation)
    turned = 2 * np.sqrt(np.maximum(0, 1 - np.sum(a * b, 1) ** 2))  # the angle, while it is small
    turn = np.where((turned * reach < slack)[:, None], a, b)
    return Motion(place, turn, now.velocity, now.spin)  # type: ignore[arg-type]


def kind_of(kind: str, density: float, coupling: str, moves: str = "free") -> Kind:
    """Whether a body blocks the water or floats in it: as asked, else as light things do.

    What is fixed or driven blocks it, however light.
    """
    if coupling == "floaters":
        return "floater"
    if kind in ("blocker", "floater"):
        return kind  # type: ignore[return-value]
    if kind != "auto":
        raise InputError(f"a body is a floater, a blocker or auto, not {kind!r}")
    light = moves == "free" and density < RHO
    return "floater" if coupling == "mixed" and light else "blocker"


def made_of(material: str | None) -> str | None:
    """The material of a body, or none for pictures to choose."""
    if material is not None and material not in MATERIALS:
        raise InputError(f"there is no material {material!r}: {nearest(str(material), MATERIALS)}")
    return material


def fits(spec: Spec, grid) -> None:
    """Refuse a body that is not over the ground, or larger than it."""
    x, y, _ = spec.at
    width, depth = grid.size
    if not (0 <= x <= width and 0 <= y <= depth):
        raise InputError(
            f"a body at ({x:g}, {y:g}) is outside the world, which is {width:g} m × {depth:g} m"
        )
    if spec.moves == "free" and spec.mass < LIGHTEST * spec.shape.volume:
        raise InputError(
            f"a body of {spec.mass / spec.shape.volume:g} kg/m³ is too light to follow: give it at"
            f" least {LIGHTEST:g} kg/m³ (a beach ball has about 10)"
        )
    if spec.shape.reach > max(width, depth):
        raise InputError(
            f"a body that reaches {spec.shape.reach:g} m from its centre is bigger than the world,"
            f" which is {width:g} m × {depth:g} m: make it smaller"
        )


def weighed(shape: Shape, density: float | None, mass: float | None) -> float:
    """The mass of a body [kg] by its density or as given."""
    if not isinstance(shape, Shape):
        raise InputError(f"a body needs a shape such as koski.Box((2, 1, 1)), not {shape!r}")
    if density is not None and mass is not None:
        raise InputError("give a body's density or its mass, not both")
    if mass is not None:
        return number("mass", mass, low=1e-6)
    return shape.volume * number("density", 500.0 if density is None else density, low=1e-3)
