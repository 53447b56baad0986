"""Things to drop: a crate, a log, a boulder, a ball, a car, a gate, as large as suits a world."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from koski.bodies.body import Body
from koski.bodies.mesh import Convex
from koski.bodies.path import Path
from koski.bodies.shapes import Box, Capsule, Compound, Cylinder, Part, Shape, Sphere
from koski.bodies.turns import from_axis, multiply
from koski.core.grid import Grid
from koski.scenes.hill import car
from koski.world import World

SHARE = 0.02  # of the world's shorter side: how long a crate is
FEWEST = 2.5  # cells along a crate, at the least
CAR = 2.0  # a crate beside the car as it is [m]
ABOVE = 0.25  # crates: how far things fall
BALLS = ("#d1495b", "#edae49", "#00798c", "#f4f1de", "#8a5aa8")
UP, ALONG = (0.0, 0.0, 1.0), from_axis((0.0, 1.0, 0.0), np.pi / 2)  # a log lies


def unit(grid: Grid) -> float:
    """The length of a crate [m]."""
    return max(SHARE * min(grid.size), FEWEST * grid.cell)


def described(prop: str, s: float) -> dict[str, Any]:
    """Shape, weight and looks of a thing; `s` is the length of a crate [m]."""
    match prop:
        case "crate":
            return {"shape": Box((s, s, s)), "density": 600.0, "material": "crate"}
        case "log":
            return {"shape": Capsule(0.22 * s, 2.6 * s), "density": 650.0, "material": "wood"}
        case "boulder":
            return {"shape": boulder(0.75 * s), "density": 2600.0, "material": "stone"}
        case "ball":
            ball = {"shape": Sphere(0.5 * s), "density": 120.0, "bounce": 0.5}
            return ball | {"material": "paint"}
        case "car":
            low = {"shape": scaled(car(), s / CAR), "density": 340.0, "kind": "blocker"}
            return low | {"material": "paint", "color": "firebrick"}
    gate = {"shape": Box((0.5 * s, 5.0 * s, 3.0 * s)), "kind": "blocker", "material": "metal"}
    return gate


def drop(world: World, prop: str, x: float, y: float, size: float, turn: float) -> Body:
    """Let a thing fall from a little above whatever is there; a gate is set on the ground."""
    s = size * unit(world.terrain.grid)
    thing = described(prop, s)
    yaw = from_axis(UP, turn)
    thing["rotation"] = tuple(multiply(yaw, ALONG) if prop == "log" else yaw)
    if prop == "ball":
        thing["color"] = BALLS[len(world.bodies) % len(BALLS)]
    if prop == "gate":
        _, _, tall = thing["shape"].size
        at = (x, y, float(world.terrain.b[cell_of(world.terrain.grid, x, y)]) + 0.45 * tall)
        return world.drop(at=at, path=Path((0.0,), (at,), (thing["rotation"],)), **thing)
    half = {"crate": 0.5, "log": 0.22, "ball": 0.5, "car": 0.3, "boulder": 0.75}[prop] * s
    z = top(world, x, y, thing["shape"].reach) + half + ABOVE * s
    return world.drop(at=(x, y, z), **thing)


def top(world: World, x: float, y: float, reach: float) -> float:
    """The highest of ground, water and bodies within reach of a place [m]."""
    grid = world.terrain.grid
    n = int(min(reach / grid.cell + 1, max(grid.shape)))
    j, i = cell_of(grid, x, y)
    near = slice(max(j - n, 0), j + n + 1), slice(max(i - n, 0), i + n + 1)
    high = float(np.asarray(world.frame.surface)[near].max())
    for body, pose in zip(world.bodies, world.poses):
        far = body.shape.reach
        if np.hypot(pose[0] - x, pose[1] - y) < reach + far:
            high = max(high, float(pose[2]) + far)
    return high


def cell_of(grid: Grid, x: float, y: float) -> tuple[int, int]:
    """The row and column of a place."""
    j, i = int(y / grid.cell), int(x / grid.cell)
    return min(max(j, 0), grid.ny - 1), min(max(i, 0), grid.nx - 1)


def scaled(shape: Compound, k: float) -> Compound:
    """The same thing, k times as large."""

    def simple(shape: Shape) -> Shape:
        match shape:
            case Box(size):
                return Box(tuple(k * a for a in size))  # type: ignore[arg-type]
            case Cylinder(radius, length):
                return Cylinder(k * radius, k * length)
        raise TypeError(f"a car has no {shape!r}")

    parts = (
        Part(simple(m.shape), tuple(k * a for a in m.at), m.rotation)  # type: ignore[arg-type]
        for m in shape.members
    )
    return Compound(tuple(parts))


@lru_cache(maxsize=64)
def boulder(radius: float) -> Convex:
    """A rounded stone of a few facets."""
    rng = np.random.default_rng(5)
    points = rng.normal(size=(24, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return Convex(radius * points * [1.1, 0.9, 0.75] * rng.uniform(0.85, 1.0, (24, 1)))
