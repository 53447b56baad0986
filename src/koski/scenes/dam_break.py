"""A dam breaks: the reservoir bursts through the gap, round the houses, down a dry valley floor.

Look for the bore that stands off each house, the dry wakes behind them, and the reservoir
drawn down in an arc.  The pipe method and the linear solver run slower and rounder.
"""

import numpy as np

from koski.core.edges import Drain, Edges
from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.scene import Scene
from koski.solvers.shallow import ShallowWater

WIDTH = 200.0  # [m]
HOUSES = ((0.52, 0.50), (0.60, 0.36), (0.62, 0.60), (0.72, 0.47), (0.80, 0.30), (0.82, 0.68))


def scene(size: int = 256) -> Scene:
    cell = WIDTH / size
    x, y = Grid.create(size, size, 1 / size).centres
    b = 2.0 * (1 - x) + 6.0 * np.abs(y - 0.5) ** 2  # a floor that falls to the east
    dam = (np.abs(x - 0.3) < 0.015) & (np.abs(y - 0.5) > 0.09)
    b = np.where(dam, 12.0, b)
    for hx, hy in HOUSES:
        b = np.where((np.abs(x - hx) < 0.02) & (np.abs(y - hy) < 0.028), b + 6.0, b)
    depth = np.where(x < 0.3, np.maximum(8.0 - b, 0), 0)
    terrain = Terrain.create(b, cell, Edges(east=Drain()))
    return Scene(
        "",
        terrain,
        depth,
        solver=ShallowWater(manning=0.03),
        seconds=15.0,
        view="eye:150,50,24,80,100,2",
    )
