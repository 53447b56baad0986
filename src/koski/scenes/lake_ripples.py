"""Drops fall into a lake: rings run out round, cross each other and break up on the shore.

Maes 2006, fig. 10b: 200 m × 200 m, 512² columns.
"""

import numpy as np

from koski import landscape
from koski.scene import Scene
from koski.solvers.columns import Columns

WIDTH = 200.0  # [m]
DROPS = ((0.40, 0.55), (0.60, 0.62), (0.55, 0.36), (0.33, 0.36), (0.70, 0.47))  # of the width
HEIGHTS = (1.6, 1.2, 1.0, 0.7, 0.6)  # of the drops [m]
RADIUS = 2.2  # of a drop [m]


def scene(size: int = 512) -> Scene:
    terrain = landscape.basin(size, cell=WIDTH / size, depth=12.0, seed=5)
    b = np.asarray(terrain.b)
    x, y = terrain.grid.centres
    lake = np.maximum(b.min() + 11.0 - b, 0)
    far2 = [(x - px * WIDTH) ** 2 + (y - py * WIDTH) ** 2 for px, py in DROPS]
    drops = sum(h * np.exp(-r2 / (2 * RADIUS**2)) for h, r2 in zip(HEIGHTS, far2))
    depth = np.where(lake > 0, lake + drops, 0)
    return Scene("", terrain, depth, solver=Columns(), seconds=3.5, view="eye:64,70,7,110,110,-1")
