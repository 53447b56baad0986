"""Terraces fill one after the other, and water falls over their rims wherever these are low.

Columns at the top hold their height and feed the terraces, columns at the foot take the water
away.  The rims bend every way: a metre of brink passes the same whichever way it faces.
"""

import numpy as np

from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.landscape import smooth
from koski.scene import Scene
from koski.solvers.columns import Columns

LENGTH = 120.0  # [m]
STEPS = 5
DROP = 3.0  # from one terrace to the next [m]
RIM = 1.5  # of a rim above its terrace, at its highest [m]
RISER = 1.8  # width of what the water falls down [m]
HEAD = 1.6  # of the water at the top [m]


def scene(size: int = 240) -> Scene:
    shape = max(5 * size // 8, 2), size
    x, y = Grid.create(*shape, 1 / size).centres
    bends = 0.45 * np.sin(9 * y + 3 * x) + 0.3 * np.sin(19 * y - 11 * x + 1)
    climb = np.maximum(STEPS * (1 - x) + bends * smooth(4 * x), 0)
    terrace = np.floor(climb)
    notched = RIM * (0.75 + 0.25 * np.sin(31 * y + 13 * x))
    rim = notched * smooth((0.22 - (climb - terrace)) / 0.12)
    steep = np.hypot(*np.gradient(climb, LENGTH / size))
    riser = smooth((climb - terrace) / (RISER * np.maximum(steep, 1 / LENGTH))) * (terrace > 0)
    steps = DROP * np.maximum(terrace - 1, 0) + riser * (DROP + rim)
    middle = 0.31 - 0.03 * np.sin(11 * x) + 0.02 * np.sin(29 * x + 17 * y)
    bank = smooth((np.abs(y - middle) - 0.21) / 0.1)
    b = (1 - bank) * steps + bank * DROP * (STEPS * (1 - x) + 2)
    held = np.full(shape, np.nan)
    top = DROP * (STEPS - 1) + HEAD
    held[:, 0] = np.where(b[:, 0] < top, top, np.nan)
    held[:, -1] = b[:, -1]
    terrain = Terrain.create(b, LENGTH / size)
    return Scene(
        "",
        terrain,
        solver=Columns(manning=0.02),
        held=held,
        seconds=100.0,
        view="eye:112,20,22,50,38,6",
    )
