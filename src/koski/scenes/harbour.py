"""Swell rolls in from the open west; behind the breakwater boats barely stir, outside they pitch.

Look for the crests that bend round the heads of the breakwater and fade on their way in.
"""

import numpy as np

from koski.bodies.mesh import Convex
from koski.bodies.shapes import Box, Compound, Part
from koski.bodies.turns import from_axis
from koski.core.edges import Absorbing, Edges, Series
from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.landscape import smooth
from koski.scene import Scene
from koski.solvers.shallow import LinearShallowWater

LENGTH, BREADTH = 160.0, 120.0  # [m]
SEA = 5.0  # depth [m]
PERIOD, CREST = 6.0, 0.45  # of the swell [s], and height above the still sea [m]
WALL = 78.0  # where the breakwater is, along x [m]
MOUTH = 62.0, 20.0  # middle and width of its mouth, along y [m]
COLORS = "white", "firebrick", "navy", "gold", "seagreen", "darkorange"
MOORED = ((104, 22), (122, 34), (100, 40), (112, 94), (128, 88), (126, 62), (98, 100), (108, 12))
OUTSIDE = ((34, 30), (46, 84), (58, 58))  # x, y of the boats [m]


def scene(size: int = 192) -> Scene:
    cell = LENGTH / size
    shape = max(3 * size // 4, 2), size
    x, y = Grid.create(*shape, cell).centres
    shore = 142 + 5 * np.sin(y / 17)
    land = (SEA + 2) * smooth((x - shore) / 6 + 0.5) - SEA + 0.4 * np.maximum(x - shore - 3, 0)
    off = np.abs(x - WALL - 6 * np.cos(y / 30))
    ends = smooth((np.abs(y - MOUTH[0]) - MOUTH[1] / 2) / 4)
    mole = (SEA + 2.5) * ends * smooth(1.8 - off / 5) - SEA
    b = np.maximum(land, mole)
    times = np.arange(0, 900, PERIOD / 24)
    start = np.minimum(times / PERIOD, 1)
    swell = Series.create(times, CREST * start * np.sin(2 * np.pi * times / PERIOD))
    edges = Edges(west=Absorbing(swell, width=max(size // 16, 4)))
    return Scene(
        "",
        Terrain.create(b, cell, edges),
        np.maximum(-b, 0),
        solver=LinearShallowWater(manning=0.02),
        bodies=tuple(boats()),
        seconds=40.0,
        view="eye:46,18,9,90,66,0",
    )


def boats() -> list[dict]:
    """At rest at their draught, bows where they please."""
    rng = np.random.default_rng(3)
    found = []
    for k, (x, y) in enumerate(MOORED + OUTSIDE):
        turn = from_axis((0.0, 0.0, 1.0), rng.uniform(-np.pi, np.pi))
        boat = {"shape": boat_of(rng.uniform(7, 11)), "material": "paint"}
        boat |= {"density": 350.0, "color": COLORS[k % len(COLORS)]}
        found.append(boat | {"at": (x, y, 0.25), "rotation": tuple(turn)})
    return found


def boat_of(long: float) -> Compound:
    """A hull, sharp ahead and square astern, and a cabin."""
    beam, high = 0.34 * long, 0.16 * long
    side = [(0.5, 0.0), (0.28, 0.4), (0.0, 0.5), (-0.5, 0.42)]  # from the bow to the stern
    rim = side + [(px, -py) for px, py in side[1:]]
    deck = [(px * long, py * beam, high / 2) for px, py in rim]
    keel = [(0.8 * px * long, 0.55 * py * beam, -high / 2) for px, py in rim]
    cabin = Box((0.26 * long, 0.5 * beam, 0.1 * long))
    on_deck = -0.12 * long, 0.0, (high + cabin.size[2]) / 2
    return Compound((Part(Convex(np.array(deck + keel))), Part(cabin, on_deck)))
