"""A spring runs down all sides of a hill: it parts at crates, shoves cars, passes under trucks.

Look for the water that heaps up above what stands in its way, the wake below it, and the sheet
that goes on beneath the trucks' hulls (Kellomäki 2014, figs. 8 and 9).
"""

import numpy as np

from koski.bodies.shapes import Box, Compound, Cylinder, Part
from koski.bodies.turns import from_axis, multiply
from koski.core.edges import Drain, Edges
from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.scene import Scene, Spring
from koski.solvers.pipe import Pipe

WIDTH = 80.0  # [m]
TOP, REACH = 6.0, 20.0  # height of the hill, and how far out it is steepest [m]
SPRING = 40.0  # [m³/s]
CRATE = Box((2.5, 2.5, 2.5))
ALONG_Y = (0.5**0.5, 0.5**0.5, 0.0, 0.0)  # turns what stands upright


def scene(size: int = 160) -> Scene:
    cell = WIDTH / size
    b = ground(*Grid.create(size, size, cell).centres)
    terrain = Terrain.create(b, cell, Edges.all(Drain()))
    spring = Spring(WIDTH / 2, WIDTH / 2, SPRING, radius=4.0)
    return Scene(
        "",
        terrain,
        solver=Pipe(friction=0.6),
        springs=(spring,),
        bodies=tuple(things()),
        seconds=22.0,
        view="eye:40,-8,16,40,36,2",
    )


def ground(x, y):
    """A smooth hill, as high above the plain as TOP [m]."""
    r2 = (x - WIDTH / 2) ** 2 + (y - WIDTH / 2) ** 2
    return TOP * np.exp(-r2 / (2 * REACH**2))


def car() -> Compound:
    """Low: its hull is a hand above the ground."""
    return vehicle(Box((4.2, 1.8, 0.8)), Box((2.2, 1.6, 0.6)), -0.2, 0.55, wheel=0.35)


def truck() -> Compound:
    """High: a child could walk under it."""
    return vehicle(Box((7.5, 2.5, 2.2)), Box((1.8, 2.4, 0.6)), 2.6, 2.3, wheel=0.6)


def vehicle(hull: Box, cabin: Box, forward: float, high: float, wheel: float) -> Compound:
    """A hull whose middle is `high` above the road, a cabin on it, and wheels, brakes on."""
    (long, wide, tall), out = hull.size, wheel + 0.3
    top = (tall + cabin.size[2]) / 2
    places = [(x, y) for x in (out - long / 2, long / 2 - out) for y in (-wide / 2, wide / 2)]
    wheels = [Part(Cylinder(wheel, 0.4), (x, y, wheel - high), ALONG_Y) for x, y in places]
    return Compound((Part(hull), Part(cabin, (forward, 0, top)), *wheels))


def things() -> list[dict]:
    """Round the hill: vehicles that stand across the slope, crates that stand or fall."""
    low = {"shape": car(), "mass": 3000.0, "material": "paint", "color": "firebrick"}
    high = {"shape": truck(), "mass": 14000.0, "material": "paint", "color": "goldenrod"}
    crate = {"shape": CRATE, "density": 2200.0, "material": "crate"}
    return [
        set_down(low, 17, 0.1, lift=0.56),
        set_down(low, 20, 3.5, lift=0.56),
        set_down(high, 19, 1.3, lift=2.31),
        set_down(high, 22, 4.6, lift=2.31),
        set_down(crate, 14, 2.3, lift=1.3),
        set_down(crate, 21, 2.75, lift=1.3),
        set_down(crate, 15, 4.05, lift=6.0),
        set_down(crate, 16, 5.5, lift=9.0),
        set_down(crate, 22, 0.65, lift=12.0),
    ]


def set_down(thing: dict, far: float, angle: float, lift: float) -> dict:
    """So far from the top, at an angle, so high above the slope; its side to the top."""
    out = np.array([np.cos(angle), np.sin(angle), 0.0])
    x, y, _ = foot = np.array([WIDTH / 2, WIDTH / 2, 0.0]) + far * out
    fall = np.arctan(ground(x, y) * far / REACH**2)
    normal = np.sin(fall) * out + [0, 0, np.cos(fall)]
    tilt = from_axis((-out[1], out[0], 0.0), fall)
    turn = multiply(tilt, from_axis((0.0, 0.0, 1.0), angle + np.pi / 2))
    at = foot + [0, 0, ground(x, y)] + lift * normal
    return thing | {"at": tuple(at), "rotation": tuple(turn), "kind": "blocker"}
