"""Things to drop: a crate, a log, a boulder, a ball, a car, a gate, as large as suits a world.

All are made of boxes and of round parts of few sizes: each other form and size would be compiled
into the step of the water by itself, for seconds, when the first of it is dropped.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from koski.bodies.body import Body
from koski.bodies.path import Path
from koski.bodies.shapes import Box, Capsule, Compound, Part, Sphere
from koski.bodies.turns import from_axis, multiply
from koski.core.grid import Grid
from koski.world import World

SHARE = 0.02  # of the world's shorter side: how long a crate is
FEWEST = 2.5  # cells along a crate, at the least
WIDE, TALL = 5.0, 3.0  # of a gate, in crates
ABOVE = 0.25  # crates: how far things fall
BALLS = ("#d1495b", "#edae49", "#00798c", "#f4f1de", "#8a5aa8")
ALONG_Y = (0.5**0.5, 0.5**0.5, 0.0, 0.0)
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
            return {"shape": boulder(s), "density": 2600.0, "material": "stone"}
        case "ball":
            ball = {"shape": Sphere(0.5 * s), "density": 120.0, "bounce": 0.5}
            return ball | {"material": "paint"}
        case "car":
            low = {"shape": car(s), "density": 340.0, "kind": "blocker"}
            return low | {"material": "paint", "color": "firebrick"}
    return {"shape": gate(s), "kind": "blocker", "material": "metal"}


def drop(world: World, prop: str, x: float, y: float, size: float, turn: float) -> Body:
    """Let a thing fall from a little above whatever is there; a gate is set on the ground."""
    s = size * unit(world.terrain.grid)
    thing = described(prop, s)
    yaw = from_axis(UP, turn)
    thing["rotation"] = tuple(multiply(yaw, ALONG) if prop == "log" else yaw)
    if prop == "ball":
        thing["color"] = BALLS[len(world.bodies) % len(BALLS)]
    if prop == "gate":
        foot = float(world.terrain.b[cell_of(world.terrain.grid, x, y)])
        at = (x, y, foot + 0.45 * TALL * s)
        return world.drop(at=at, path=Path((0.0,), (at,), (thing["rotation"],)), **thing)
    half = {"crate": 0.5, "log": 0.22, "ball": 0.5, "car": 0.3, "boulder": 0.42}[prop] * s
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


def boulder(s: float) -> Compound:
    """Lumpy: what the river has rounded."""
    lumps = (0.42, (0, 0, 0)), (0.36, (0.22, 0.06, -0.04)), (0.34, (-0.16, 0.2, -0.05))
    return Compound(tuple(Part(Sphere(r * s), scaled(at, s)) for r, at in lumps))


def car(s: float) -> Compound:
    """A hull, a cabin and four wheels, brakes on."""
    hull, cabin = Box(scaled((2.1, 0.9, 0.4), s)), Box(scaled((1.1, 0.8, 0.3), s))
    places = [(x, y, -0.1) for x in (-0.72, 0.72) for y in (-0.42, 0.42)]
    wheels = [Part(Capsule(0.17 * s, 0.06 * s), scaled(at, s), ALONG_Y) for at in places]
    return Compound((Part(hull), Part(cabin, scaled((-0.1, 0, 0.35), s)), *wheels))


def gate(s: float) -> Compound:
    """Three panels side by side."""
    wide = WIDE / 3
    panel = Box(scaled((0.5, wide, TALL), s))
    return Compound(tuple(Part(panel, (0.0, k * wide * s, 0.0)) for k in (-1, 0, 1)))


def scaled(v: Any, s: float) -> Any:
    return tuple(s * a for a in v)
