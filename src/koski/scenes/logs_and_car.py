"""Logs float down a river and a car fords it, there and back: bow waves, wakes, logs knocked aside.

The car blocks the water, the logs let it through but float on it and bump into all they meet
(Kellomäki 2014, figs. 1, 10 and 14).
"""

import numpy as np

from koski import landscape
from koski.bodies.path import Path
from koski.bodies.shapes import Capsule
from koski.bodies.turns import from_axis, multiply
from koski.core.edges import Edges, Inflow, Level
from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.landscape import smooth
from koski.scene import Scene
from koski.scenes.hill import car
from koski.solvers.shallow import LinearShallowWater

LENGTH, BREADTH = 120.0, 60.0  # [m]
SLOPE, ROUGH = 0.002, 0.03  # of the bed; Manning's n [s/m^⅓]
BED, BANK = 20.0, 14.0  # width of the bed, and of each bank [m]
RISE = 4.0  # of the land above the bed [m]
DEPTH = 1.1  # of the river [m]
SPEED = DEPTH ** (2 / 3) * SLOPE**0.5 / ROUGH  # of a wide stream   Manning [m/s]
LOG = Capsule(0.35, 4.5)
LOGS = 32
FORD = 78.0  # where the car crosses, along x [m]
WHEELS = 0.57  # from the road to the middle of the hull [m]
DRIVE = 7.0  # how fast it goes [m/s]


def scene(size: int = 192) -> Scene:
    cell = LENGTH / size
    shape = max(size // 2, 2), size
    x, y = Grid.create(*shape, cell).centres
    far = np.abs(y - middle(x)) - BED / 2 - BANK
    hills = landscape.hills(shape, cell, relief=9.0, seed=6).b * smooth((far - 1) / 14)
    b = ground(x, y) + np.asarray(hills) * smooth((np.abs(x - FORD) - 4) / 8)
    depth = np.maximum(DEPTH - (b - SLOPE * (LENGTH - x)), 0)
    bow = (middle(x + 0.5) - middle(x - 0.5))[..., None]
    velocity = SPEED * np.concatenate([np.ones_like(bow), bow], -1) / np.hypot(1, bow)
    discharge = DEPTH * (BED + 0.4 * BANK) * SPEED
    return Scene(
        "",
        Terrain.create(b, cell, Edges(west=Inflow(discharge), east=Level(DEPTH))),
        depth,
        velocity * np.minimum(depth / DEPTH, 1)[..., None],
        solver=LinearShallowWater(manning=ROUGH),
        bodies=(driver(), *logs()),
        seconds=20.0,
        view="eye:61,15,6,82,36,0.5",
    )


def middle(x):
    """Of the river, which swings from side to side [m]."""
    return BREADTH / 2 + 5 * np.sin(x / 19)


def ground(x, y):
    bank = smooth((np.abs(y - middle(x)) - BED / 2) / BANK)
    return SLOPE * (LENGTH - x) + RISE * bank


def driver() -> dict:
    """The car on its way across, at the height and slope of the ground, there and back."""
    y = np.linspace(4, BREADTH - 4, 40)
    climb = np.arctan(np.gradient(ground(FORD, y), y))
    yaw = from_axis((0.0, 0.0, 1.0), np.pi / 2)
    across = [(FORD, yi, ground(FORD, yi) + WHEELS) for yi in y]
    turns = [tuple(multiply(from_axis((1.0, 0.0, 0.0), a), yaw)) for a in climb]
    times = np.cumsum([4.0, *np.hypot(np.diff(y), np.diff(ground(FORD, y))) / DRIVE])
    back = [2 * times[-1] + 2.0 - t for t in times[::-1]]
    path = Path((*times, *back), (*across, *across[::-1]), (*turns, *turns[::-1]))
    start = {"shape": car(), "at": across[0], "path": path, "mass": 2500.0, "kind": "blocker"}
    return start | {"material": "paint", "color": "firebrick"}


def logs() -> list[dict]:
    """Adrift, each as it came."""
    rng = np.random.default_rng(2)
    found = []
    for x in np.linspace(14, FORD - 4, LOGS):
        y = middle(x) + rng.uniform(-0.5, 0.5) * BED
        lie = from_axis((0.0, 1.0, 0.0), np.pi / 2)
        turn = multiply(from_axis((0.0, 0.0, 1.0), rng.uniform(-1.2, 1.2)), lie)
        place = {"at": (x, y, ground(x, y) + DEPTH), "rotation": tuple(turn)}
        log = {"shape": LOG, "density": 600.0, "material": "wood", "velocity": (SPEED, 0, 0)}
        found.append(log | place)
    return found
