"""A real valley floods: a cloudburst over the Jacksboro fault, Tennessee, gathers in its bends.

The ground is the digital elevation model that matplotlib ships as sample data (US Geological
Survey, 3 arc seconds a cell).
"""

import numpy as np

from koski.brush import sample
from koski.core.edges import Drain, Edges
from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.extras import need
from koski.scene import Scene
from koski.solvers.shallow import ShallowWater

RATE = 0.15 / 3600  # 150 mm an hour [m/s]


def scene(size: int = 384) -> Scene:
    from koski.io import dem

    cbook = need("matplotlib.cbook", "picture")
    with np.errstate(all="ignore"):
        whole = dem.load(cbook.get_sample_data("jacksboro_fault_dem.npz", asfileobj=False))
    width, height = whole.grid.size
    cell = max(width, height) / size
    grid = Grid.create(round(height / cell), round(width / cell), cell)
    x, y = grid.centres
    b = sample(whole.b, x, y, whole.grid.cell)
    terrain = Terrain.create(b, cell, Edges.all(Drain()))
    return Scene(
        "",
        terrain,
        solver=ShallowWater(manning=0.05),
        rain=RATE,
        seconds=10800.0,
        view="eye:12500,5500,1700,7000,10500,480",
    )
