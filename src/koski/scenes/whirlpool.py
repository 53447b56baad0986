"""A stream enters a round pool along its rim and leaves through a hole in the middle: it turns.

Only a solver in which velocity carries itself makes the whirlpool (Kellomäki 2015, fig. 4.2):
with the linear one or the pipes the water runs straight to the hole.
"""

import numpy as np

from koski.core.edges import Edges, Inflow
from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.landscape import smooth
from koski.scene import Scene, Spring
from koski.solvers.shallow import ShallowWater

WIDTH = 60.0  # [m]
POOL = 22.0  # radius [m]
STREAM = 5.0  # width of the stream [m]
DEPTH, WALL = 1.5, 4.0  # of the water; height of what is round it [m]
BANK = 1.5  # width of the wall's slope [m]
DISCHARGE = 12.0  # [m³/s]


def scene(size: int = 192) -> Scene:
    cell = WIDTH / size
    x, y = (f - WIDTH / 2 for f in Grid.create(size, size, cell).centres)
    pool = np.hypot(x, y) - POOL  # how far outside it
    stream = np.where(x < 0, np.abs(y + POOL - STREAM / 2) - STREAM / 2, np.inf)
    b = WALL * smooth(np.minimum(pool, stream) / BANK)
    terrain = Terrain.create(b, cell, Edges(west=Inflow(DISCHARGE)))
    hole = Spring(WIDTH / 2, WIDTH / 2, -DISCHARGE, radius=2.5)
    return Scene(
        "",
        terrain,
        depth=np.maximum(DEPTH - b, 0),
        solver=ShallowWater(manning=0.012),
        springs=(hole,),
        seconds=90.0,
        view="eye:36,20,4.2,30,30,0.8",
    )
