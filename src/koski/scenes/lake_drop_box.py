"""A box as large as a house falls into a calm lake: a ring of waves runs out, and the box bobs up.

It pushes all the water aside that it takes the place of (Kellomäki 2013, fig. 8); with floaters
the ring is half as high.
"""

import numpy as np

from koski import landscape
from koski.bodies.shapes import Box
from koski.scene import Scene
from koski.solvers.shallow import LinearShallowWater

WIDTH = 128.0  # [m]
LAKE = 9.0  # depth in the middle [m]
BOX = Box((9.0, 7.0, 6.0))
PLACE = (60.0, 68.0)  # where it falls [m]
HEIGHT = 14.0  # of its middle above the lake [m]


def scene(size: int = 128) -> Scene:
    terrain = landscape.basin(size, cell=WIDTH / size, depth=LAKE + 1, seed=5)
    b = np.asarray(terrain.b)
    level = float(b.min()) + LAKE
    box = {
        "shape": BOX,
        "at": (*PLACE, level + HEIGHT),
        "rotation": (0.97, 0.06, 0.0, 0.22),
        "density": 750.0,
        "kind": "blocker",
        "material": "crate",
    }
    depth = np.maximum(level - b, 0)
    return Scene(
        "",
        terrain,
        depth,
        solver=LinearShallowWater(),
        bodies=(box,),
        seconds=5.0,
        view="eye:84,58,5,60,68,1",
    )
