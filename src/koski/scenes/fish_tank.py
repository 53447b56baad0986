"""Water heaped in a corner of a fish tank sloshes, echoes from the glass and goes round a rock.

Kass 1990 names it among the things that trains of waves alone cannot show: they have no echoes.
"""

import numpy as np

from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.landscape import smooth
from koski.scene import Scene
from koski.solvers.wave import Wave

LENGTH = 2.0  # [m]
LEVEL = 0.4  # of the water at rest [m]
HEAP = 0.15  # of the water above it, in the corner [m]
ROCK = 0.6  # height [m]


def scene(size: int = 256) -> Scene:
    shape = max(size // 2, 2), size
    cell = LENGTH / size
    x, y = Grid.create(*shape, cell).centres
    sand = 0.03 + 0.24 * smooth(0.7 * x - 0.2 * y) + 0.02 * np.sin(5 * x + 1) * np.cos(7 * y)
    rock = ROCK * np.exp(-(((x - 1.35) / 0.16) ** 2) - ((y - 0.62) / 0.11) ** 2)
    terrain = Terrain.create(sand + rock, cell)
    heap = HEAP * np.exp(-(x**2 + y**2) / (2 * 0.09**2))
    depth = np.maximum(LEVEL + heap - terrain.b, 0)
    return Scene(
        "",
        terrain,
        depth,
        solver=Wave(tau=0.05, cfl=1.0),
        seconds=1.4,
        view="eye:0.9,-1.5,0.95,1.0,0.5,0.36",
    )
