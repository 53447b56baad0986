"""Swell rolls in from the west, steepens over the shallows, breaks into bores and runs up a beach.

The western side is a wave maker that swallows what comes back.
"""

import numpy as np

from koski.core.edges import Absorbing, Edges, Series
from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.scene import Scene
from koski.solvers.shallow import ShallowWater

WIDTH = 300.0  # [m]
PERIOD = 12.0  # of the swell [s]
HEIGHT = 0.5  # of a crest above the still sea [m]


def scene(size: int = 256) -> Scene:
    cell = WIDTH / size
    x, y = Grid.create(size, size, cell).centres
    shore = 210 + 25 * np.sin(2 * np.pi * y / WIDTH) + 8 * np.sin(5.3 * np.pi * y / WIDTH)
    b = np.clip((x - shore) / 30, -5.0, 6.0)
    times = np.arange(0, 900, PERIOD / 24)
    swell = Series.create(times, HEIGHT * np.sin(2 * np.pi * times / PERIOD))
    edges = Edges(west=Absorbing(swell, width=max(size // 16, 4)))
    terrain = Terrain.create(b, cell, edges)
    depth = np.maximum(-b, 0)
    return Scene(
        "",
        terrain,
        depth,
        solver=ShallowWater(manning=0.02),
        seconds=90.0,
        view="eye:200,40,10,190,150,0",
    )
