"""What koski asks of a rigid-body engine, and what every engine shares.

An engine moves bodies over the ground under the forces that it is given, and knows nothing of
water.  Inside, a body's place is that of its centre of mass: it flies straight, and a torque about
it shifts nothing.  Outside, it is that of its shape's origin.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from math import ceil
from typing import Any, Literal

import numpy as np

from koski.bodies.shapes import Quaternion, Shape, Vector, keep, vector
from koski.bodies.turns import STILL, multiply, rotate
from koski.core.errors import InputError, duration, nearest, number

ENGINES = {"mujoco": "MujocoEngine", "bullet": "BulletEngine"}
MOTIONS = "free", "fixed", "driven"
FAST = 1e3  # no body of ours moves or turns faster [m/s, rad/s]: its solver has failed
FAR = 1e7  # nor is it farther away [m]
HEAVY = 1e6  # mass of a driven body in masses of the heaviest free one: nothing stops it

# What is known of a body, one row each: pose and speed of the centre of mass, force and torque
# on it, the pose a driven body is to reach, the solver's last acceleration, the centre in the shape
POSE, SPEED, LOAD, GOAL, WARM, CENTRE = map(slice, (0, 7, 13, 19, 26, 32), (7, 13, 19, 26, 32, 35))
WIDTH = CENTRE.stop


@dataclass(frozen=True)
class Spec:
    """A body as it is put into the world."""

    shape: Shape
    mass: float  # [kg]
    at: Vector = (0.0, 0.0, 0.0)  # of the shape's origin [m]
    rotation: Quaternion = STILL
    velocity: Vector = (0.0, 0.0, 0.0)  # of the centre of mass [m/s]
    spin: Vector = (0.0, 0.0, 0.0)  # [rad/s]
    friction: float = 0.6  # sliding force over pressing force, on the ground
    bounce: float = 0.0  # speed after a hit over speed before it
    moves: Literal["free", "fixed", "driven"] = "free"  # driven: goes where it is placed

    def __post_init__(self):
        if not isinstance(self.shape, Shape):
            raise InputError(f"a body needs a shape such as Box((2, 1, 1)), not {self.shape!r}")
        if self.moves not in MOTIONS:
            raise InputError(f"a body is free, fixed or driven, not {self.moves!r}")
        keep(
            self,  # type: ignore[arg-type]
            mass=number("mass", self.mass, low=1e-6, high=1e12),
            at=vector("at", self.at),
            rotation=tuple(map(float, unit(self.rotation))),
            velocity=bounded("velocity", self.velocity),
            spin=bounded("spin", self.spin),
            friction=number("friction", self.friction, low=0, high=100),
            bounce=number("bounce", self.bounce, low=0, high=1),
        )

    @property
    def inertia(self) -> np.ndarray:
        """About the centre of mass [kg m²]."""
        return self.mass / self.shape.volume * self.shape.inertia


@dataclass(frozen=True)
class Motion:
    """How all bodies lie and move in the world, in the order of the engine's keys."""

    position: np.ndarray  # of the shapes' origins [n, 3] [m]
    rotation: np.ndarray  # [n, 4]
    velocity: np.ndarray  # of the centres of mass [n, 3] [m/s]
    spin: np.ndarray  # [n, 3] [rad/s]


class Ground:
    """A smooth surface through the heights at the cells' centres; level beyond the edge."""

    def __init__(self, heights, cell: float):
        b = np.array(heights, np.float32)
        if b.ndim != 2 or not b.size or not np.isfinite(b).all():
            raise InputError(f"ground is a finite map of heights [ny, nx], not of shape {b.shape}")
        self.heights, self.cell = b, number("cell", cell, low=1e-6, high=1e9)
        padded = np.pad(b.astype(float), 1, mode="edge")
        sy, sx = np.gradient(padded, self.cell)
        self.table = np.stack([padded, sx, sy], -1).reshape(-1, 3)

    @property
    def size(self) -> tuple[float, float]:
        """Length along x and along y [m]."""
        ny, nx = self.heights.shape
        return nx * self.cell, ny * self.cell

    def beyond(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Which points lie off the map."""
        width, depth = self.size
        return (x < 0) | (x > width) | (y < 0) | (y > depth)

    def under(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Height, slope along x and slope along y [3, n] at points, linear in between."""
        ny, nx = self.heights.shape
        x = np.fmin(np.fmax(x / self.cell + 0.5, 0.0), nx + 0.999)  # a NaN is at the edge
        y = np.fmin(np.fmax(y / self.cell + 0.5, 0.0), ny + 0.999)
        i, j = x.astype(int), y.astype(int)
        s, t = (x - i)[:, None], (y - j)[:, None]
        at, row = j * (nx + 2) + i, nx + 2

        def along(at):
            f = self.table.take(at, 0)
            return f + s * (self.table.take(at + 1, 0) - f)

        south, north = along(at), along(at + row)
        return (south + t * (north - south)).T


class Engine(ABC):
    """Rigid bodies on a ground.  A kind of engine says how to build its world and advance it."""

    def __init__(self, substep: float = 0.005, walls: bool = True):
        self.substep = number("substep", substep, low=1e-5, high=0.1)  # the longest [s]
        self.walls = walls  # keep bodies over the ground; else they fall off its edge
        self.specs: dict[int, Spec] = {}
        self.rows = np.zeros((0, WIDTH))
        self.land: Ground | None = None
        self.given = 0  # keys, so far
        self.stale = True  # the engine's own world is to be built anew

    @abstractmethod
    def build(self) -> None:
        """Make the engine's own world of the specs, the ground and the rows."""

    @abstractmethod
    def advance(self, n: int, dt: float) -> None:
        """Move the rows by n substeps of dt."""

    @property
    def keys(self) -> tuple[int, ...]:
        """The bodies, in the order of all arrays."""
        return tuple(self.specs)

    @property
    def motion(self) -> Motion:
        pose, speed = self.rows[:, POSE], self.rows[:, SPEED]
        origin = pose[:, :3] - rotate(pose[:, 3:], self.rows[:, CENTRE])
        return Motion(origin, pose[:, 3:].copy(), speed[:, :3].copy(), speed[:, 3:].copy())

    def add(self, spec: Spec) -> int:
        """Put a body into the world and get its key, which it keeps for life."""
        row = np.zeros(WIDTH)
        row[CENTRE] = spec.shape.centroid
        row[POSE] = row[GOAL] = *(spec.at + rotate(spec.rotation, row[CENTRE])), *spec.rotation
        row[SPEED] = (*spec.velocity, *spec.spin) if spec.moves == "free" else 0.0
        self.rows = np.vstack([self.rows, row])
        self.specs[self.given] = spec
        self.stale, self.given = True, self.given + 1
        return self.given - 1

    def remove(self, key: int) -> None:
        self.rows = np.delete(self.rows, self.row(key), axis=0)
        del self.specs[key]
        self.stale = True

    def ground(self, heights, cell: float) -> None:
        """Lay the ground [ny, nx]; again, whenever it has changed."""
        old, self.land = self.land, Ground(heights, cell)
        if old is None or (old.size, old.cell) != (self.land.size, self.land.cell):
            self.stale = True

    def push(self, force, torque) -> None:
        """Press on the bodies until the next push: force [n, 3] at the centre of mass [N], and
        torque [n, 3] about it [N m]."""
        n = len(self.rows)
        for name, value in (("force", force), ("torque", torque)):
            if np.shape(value) != (n, 3):
                raise InputError(
                    f"{name} must have the shape ({n}, 3), a row for each body, not"
                    f" {np.shape(value)}"
                )
            bad = ~np.isfinite(np.asarray(value, float)).all(1)
            if bad.any():
                key = self.keys[int(bad.argmax())]
                raise InputError(f"{name} on body {key} is not finite: check what pushes it")
        self.rows[:, LOAD] = np.hstack([force, torque])

    def place(self, key: int, position=None, rotation=None, velocity=None, spin=None) -> None:
        """Set a body's state, or what is given of it.

        A driven body gets there by the end of the next step, at the speed that this takes.
        """
        row, moves = self.rows[self.row(key)], self.specs[key].moves
        pose, centre = row[GOAL if moves == "driven" else POSE], row[CENTRE]
        origin = pose[:3] - rotate(pose[3:], centre)
        if position is not None:
            origin = np.array(vector("position", position))
        if rotation is not None:
            pose[3:] = unit(rotation)
        pose[:3] = origin + rotate(pose[3:], centre)
        if moves == "free" and velocity is not None:
            row[SPEED][:3] = bounded("velocity", velocity)
        if moves == "free" and spin is not None:
            row[SPEED][3:] = bounded("spin", spin)

    def step(self, seconds: float) -> None:
        """Advance the bodies, in equal substeps."""
        seconds = duration("seconds", seconds)
        if seconds == 0 or not self.those("free", "driven").any():
            return
        if self.stale:
            self.build()
            self.stale = False
        n, driven = ceil(seconds / self.substep - 1e-9), self.those("driven")
        goal, before = self.rows[driven, GOAL], self.rows.copy()
        way = goal[:, :3] - self.rows[driven, POSE][:, :3]
        turn = turned(self.rows[driven, POSE][:, 3:], goal[:, 3:])
        speed = np.clip(np.hstack([way, turn]) / seconds, -0.9 * FAST, 0.9 * FAST)
        self.rows[driven, SPEED] = speed
        self.advance(n, seconds / n)
        self.rows[driven, POSE], self.rows[driven, SPEED] = goal, speed
        self.mend(before)

    def mend(self, before: np.ndarray) -> None:
        """Put bodies whose solver has failed back to where they were, at rest."""
        place, speed = self.rows[:, POSE], self.rows[:, SPEED]
        good = (np.abs(place) < FAR).all(1) & (np.abs(speed) < FAST).all(1)  # a NaN is neither
        if not good.all():
            self.rows[~good] = before[~good]
            self.rows[~good, SPEED] = self.rows[~good, WARM] = 0.0

    def keep(self) -> dict[str, Any]:
        """All that `recall` needs to go on as if nothing had happened, to the bit."""
        return {
            "keys": list(self.specs),
            "specs": list(self.specs.values()),
            "given": self.given,
            "rows": self.rows.tolist(),  # numbers of JSON keep all digits; JAX's arrays would not
            "heights": None if self.land is None else self.land.heights,
            "cell": None if self.land is None else self.land.cell,
        }

    def recall(self, kept: dict[str, Any]) -> None:
        """Go back to what `keep` gave."""
        self.specs = dict(zip(kept["keys"], kept["specs"]))
        self.rows = np.array(kept["rows"], float).reshape(-1, WIDTH)
        self.given = kept["given"]
        self.land = None if kept["cell"] is None else Ground(kept["heights"], kept["cell"])
        self.stale = True

    def row(self, key: int) -> int:
        if key not in self.specs:
            raise InputError(f"there is no body {key!r}: it was removed, or never added")
        return self.keys.index(key)

    def those(self, *moves: str) -> np.ndarray:
        """Which rows are of bodies that move so."""
        return np.array([s.moves in moves for s in self.specs.values()], bool)


def make(name: str = "mujoco", **options) -> Engine:
    """An engine by its name; what it needs is imported now."""
    return getattr(import_module(f"koski.bodies.{known(name)}"), ENGINES[name])(**options)


def known(name: str) -> str:
    """The name of an engine, if it is one."""
    if name not in ENGINES:
        raise InputError(f"there is no engine called {name!r}: {nearest(str(name), ENGINES)}")
    return name


def bounded(name: str, value) -> Vector:
    """Three numbers that are not absurd, or an InputError."""
    x, y, z = vector(name, value)
    if max(abs(x), abs(y), abs(z)) >= FAST:
        raise InputError(f"{name} must be less than {FAST:g} along each axis, not {value!r}")
    return x, y, z


def unit(rotation: Sequence[float]) -> np.ndarray:
    """A rotation of length one, or an InputError."""
    q = np.array(vector("rotation", rotation, 4))
    if not np.linalg.norm(q) > 0:
        raise InputError("a rotation is (w, x, y, z) and not all zero: (1, 0, 0, 0) is none")
    return q / np.linalg.norm(q)


def turned(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The shorter turn [n, 3] from one rotation [n, 4] to another, its length the angle [rad]."""
    q = multiply(end, start * [1, -1, -1, -1])
    q = np.where(q[:, :1] < 0, -q, q)
    sine = np.linalg.norm(q[:, 1:], axis=1, keepdims=True)
    return q[:, 1:] * np.where(sine > 1e-12, 2 * np.arctan2(sine, q[:, :1]) / (sine + 1e-300), 2)
