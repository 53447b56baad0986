"""A house-sized box falls into a calm lake: a crater, a ring of waves, and the box bobs up again.

The box pushes the water aside all the way down (Kellomäki 2013, fig. 8); with floaters the ring
is a faint one.
"""

import numpy as np

from koski import landscape
from koski.bodies.shapes import Box
from koski.scene import Scene
from koski.solvers.shallow import LinearShallowWater

WIDTH = 140.0  # [m]
LAKE = 9.0  # depth in the middle [m]
BOX = Box((9.0, 7.0, 6.0))
PLACE = (66.0, 74.0)  # where it falls [m]
HEIGHT = 14.0  # of its middle above the lake [m]


def scene(size: int = 224) -> Scene:
    terrain = landscape.basin(size, cell=WIDTH / size, depth=LAKE + 1, seed=5)
    b = np.asarray(terrain.b)
    level = float(b.min()) + LAKE
    box = {
        "shape": BOX,
        "at": (*PLACE, level + HEIGHT),
        "rotation": (0.97, 0.06, 0.0, 0.22),
        "density": 600.0,
        "kind": "blocker",
    }
    depth = np.maximum(level - b, 0)
    return Scene("", terrain, depth, solver=LinearShallowWater(), bodies=(box,), seconds=6.0)
