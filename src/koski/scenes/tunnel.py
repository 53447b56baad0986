"""Two basins are joined by a slot under a block: water dives through it until both stand even.

The slot is a metre high and as wide as the basins.  The levels swing past each other and come to
rest as friction, 0.1 % of the flow per 20 ms, takes their motion (Kellomäki 2014 §3.7).
"""

import numpy as np

from koski.bodies.shapes import Box
from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.scene import Scene
from koski.solvers.pipe import Pipe

LENGTH, BREADTH = 48.0, 24.0  # of both basins together [m]
OPENING = 1.0  # height of the slot [m]
PROUD = 0.1  # of the sides of the basins, so that neither hides the other [m]
BLOCK = Box((8.0, BREADTH + 2 * PROUD, 5.5))
LEVELS = 5.0, 3.0  # of the water in the west and in the east [m]


def scene(size: int = 48) -> Scene:
    shape = max(size // 2, 2), size
    cell = LENGTH / size
    x, _ = Grid.create(*shape, cell).centres
    level = np.where(x < LENGTH / 2, *LEVELS)
    depth = np.where(np.abs(x - LENGTH / 2) < BLOCK.size[0] / 2, OPENING, level)
    middle = LENGTH / 2, shape[0] * cell / 2, OPENING + BLOCK.size[2] / 2
    block = {"shape": BLOCK, "at": middle, "fixed": True, "kind": "blocker", "material": "stone"}
    return Scene(
        "",
        Terrain.create(np.zeros(shape), cell),
        depth,
        solver=Pipe(friction=0.05),
        bodies=(block,),
        seconds=90.0,
        view="eye:30,-23,10,24.5,8,1.5",
    )
