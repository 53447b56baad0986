"""A column of water falls into a lake: a crown, a ring of waves, and echoes from the shore."""

import numpy as np

from koski import landscape
from koski.scene import Scene
from koski.solvers.shallow import ShallowWater

WIDTH = 200.0  # [m]


def scene(size: int = 256) -> Scene:
    terrain = landscape.basin(size, cell=WIDTH / size, depth=8.0, seed=5)
    b = np.asarray(terrain.b)
    x, y = terrain.grid.centres
    level = b.min() + 6.5
    lake = np.maximum(level - b, 0)
    column = np.hypot(x - 0.42 * WIDTH, y - 0.55 * WIDTH) < 0.05 * WIDTH
    depth = lake + np.where(column & (lake > 0), 4.0, 0)
    return Scene(
        "", terrain, depth, solver=ShallowWater(), seconds=12.0, view="eye:116,74,6,84,112,-1"
    )
