"""A block of water collapses in a tray: a round bore, echoes from the walls, ripples across.

Maes 2006, fig. 10a: 1.5 m × 1.5 m, water up to 0.15 m high, 64² columns, steps of 5 ms.
"""

import numpy as np

from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.scene import Scene
from koski.solvers.columns import Columns

WIDTH = 1.5  # [m]
BLOCK = 0.15  # height of the block [m]
FILM = 0.02  # depth of the water around it [m]


def scene(size: int = 64) -> Scene:
    x, y = Grid.create(size, size, 1 / size).centres
    block = (np.abs(x - 0.36) < 0.16) & (np.abs(y - 0.58) < 0.16)
    terrain = Terrain.create(np.zeros((size, size)), WIDTH / size)
    return Scene(
        "",
        terrain,
        np.where(block, BLOCK, FILM),
        solver=Columns(),
        seconds=0.9,
        view="eye:1.9,0.35,0.42,0.6,0.75,0.02",
    )
