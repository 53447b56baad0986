"""Ice drifts down a river and jams between the piers of a bridge: the water behind it backs up.

Each floe is in the water's way: where they crowd, the river squeezes under and between them,
and stands higher upstream than below the bridge.
"""

import numpy as np

from koski import landscape
from koski.bodies.mesh import Convex
from koski.bodies.shapes import Box
from koski.core.edges import Edges, Inflow, Level
from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.landscape import smooth
from koski.scene import Scene
from koski.solvers.shallow import LinearShallowWater

LENGTH, BREADTH = 120.0, 60.0  # [m]
SLOPE, ROUGH = 0.002, 0.03  # of the bed; Manning's n [s/m^⅓]
WIDE, NARROW = 32.0, 20.0  # the river's bed, and at the bridge [m]
BRIDGE = 84.0  # where it is, along x [m]
DEPTH = 1.6  # of the river [m]
SPEED = DEPTH ** (2 / 3) * SLOPE**0.5 / ROUGH  # of a wide stream   Manning [m/s]
PIER = Box((5.0, 1.6, 9.0))
PIERS = 3
THICK = 0.5  # of the ice [m]
ICE = 917.0  # [kg/m³]
FLOES = 60


def scene(size: int = 160) -> Scene:
    cell = LENGTH / size
    shape = max(size // 2, 2), size
    x, y = Grid.create(*shape, cell).centres
    half = width(x) / 2
    bank = 5.0 * smooth((np.abs(y - BREADTH / 2) - half) / 3)
    hills = landscape.hills(shape, cell, relief=8.0, seed=8).b
    b = SLOPE * (LENGTH - x) + bank * (1 + 0.2 * np.asarray(hills))
    depth = np.maximum(DEPTH - bank, 0)
    u = np.where(depth > 0, SPEED * WIDE / width(x), 0)
    return Scene(
        "",
        Terrain.create(b, cell, Edges(west=Inflow(DEPTH * WIDE * SPEED), east=Level(DEPTH))),
        depth,
        np.stack([u, np.zeros_like(u)], -1),
        solver=LinearShallowWater(manning=ROUGH),
        bodies=(*piers(), *floes()),
        seconds=40.0,
        view="eye:60,18,14,83,31,1",
    )


def width(x):
    """Of the bed [m]."""
    return WIDE + (NARROW - WIDE) * smooth((x - 50) / 30) * smooth((112 - x) / 20)


def piers() -> list[dict]:
    apart = NARROW / (PIERS + 1)
    y = [BREADTH / 2 + (k - (PIERS - 1) / 2) * apart for k in range(PIERS)]
    pier = {"shape": PIER, "fixed": True, "kind": "blocker", "material": "stone"}
    return [pier | {"at": (BRIDGE, yk, 2.0)} for yk in y]


def floes() -> list[dict]:
    """Plates with five to eight corners, scattered over the river above the bridge."""
    rng = np.random.default_rng(7)
    found: list[dict] = []
    places: list[tuple[float, float, float]] = []
    while len(found) < FLOES:
        r = rng.uniform(1.2, 2.6)
        x, y = rng.uniform(5, BRIDGE - 8), BREADTH / 2 + rng.uniform(-0.5, 0.5) * (WIDE - 6)
        if any(np.hypot(x - px, y - py) < r + pr for px, py, pr in places):
            continue
        if abs(y - BREADTH / 2) > width(x) / 2 - r:
            continue
        places.append((x, y, r))
        high = SLOPE * (LENGTH - x) + DEPTH - THICK * ICE / 1000 + THICK / 2
        ice = {"shape": floe(rng, r), "density": ICE, "kind": "blocker", "friction": 0.3}
        paint = {"material": "paint", "color": "aliceblue"}
        found.append(ice | paint | {"at": (x, y, high), "velocity": (SPEED, 0, 0)})
    return found


def floe(rng, r: float) -> Convex:
    """A plate with corners at about the distance r from its middle."""
    n = rng.integers(5, 9)
    angle = 2 * np.pi * (np.arange(n) + rng.uniform(-0.25, 0.25, n)) / n
    rim = np.stack([r * np.cos(angle), r * np.sin(angle)], -1)
    faces = [np.insert(rim, 2, z, axis=1) for z in (-THICK / 2, THICK / 2)]
    return Convex(np.concatenate(faces))
