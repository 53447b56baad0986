"""Waves lap on a beach of bumps and hollows: they bend, overtop the bars and leave puddles.

Islands join the shore and part from it as the water comes and goes (Kass 1990).
"""

import numpy as np

from koski.core.edges import Absorbing, Edges, Series
from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.landscape import smooth
from koski.scene import Scene
from koski.solvers.wave import Wave

WIDTH = 120.0  # [m]
PERIOD = 6.0  # of the waves [s]
SEA = 1.8  # depth [m]
HEIGHT = 0.3  # of a crest above the still sea [m]


def scene(size: int = 256) -> Scene:
    cell = WIDTH / size
    x, y = Grid.create(size, size, cell).centres
    inland = x - 76 - 7 * np.sin(y / 15)
    slope = np.where(inland < 0, np.maximum(inland / 14, -SEA), inland / 50)
    bumps = np.sin(x / 4.1 + 1.5 * np.sin(y / 9)) * np.sin(y / 5.3 + x / 13)
    b = slope + 0.35 * bumps * smooth((x - 55) / 20)
    times = np.arange(0, 900, PERIOD / 24)
    swell = Series.create(times, HEIGHT * np.sin(2 * np.pi * times / PERIOD))
    terrain = Terrain.create(b, cell, Edges(west=Absorbing(swell, width=max(size // 16, 4))))
    depth = np.maximum(-b, 0)
    return Scene(
        "",
        terrain,
        depth,
        solver=Wave(manning=0.02, cfl=2.0),
        seconds=60.0,
        view="eye:96,30,7,66,60,0",
    )
