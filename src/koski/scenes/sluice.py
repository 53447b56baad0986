"""A gate lifts from a full reservoir: water shoots out under it and runs down the dry meadow.

Look for the jet under the edge of the gate, lower than the water behind it, and for how it
spreads once it is out.
"""

import numpy as np

from koski.bodies.path import Path
from koski.bodies.shapes import Box
from koski.core.edges import Drain, Edges
from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.landscape import smooth
from koski.scene import Scene
from koski.solvers.pipe import Pipe

LENGTH = 100.0  # [m]
LEVEL = 5.0  # of the reservoir [m]
DAM, THICK = 40.0, 4.0  # where the dam begins, and how thick it is [m]
MIDDLE, OPENING = 30.0, 10.0  # of the gap in it, along y; its width [m]
GATE = Box((1.5, OPENING + 3.0, 7.0))
LIFT = 2.0  # [m]
FRICTION = 0.3  # share of flow lost per second: the gap then passes what Torricelli's law says
TIMES = 2.0, 8.0  # when the gate begins to rise, and when it has risen [s]


def scene(size: int = 200) -> Scene:
    cell = LENGTH / size
    shape = max(3 * size // 5, 2), size
    x, y = Grid.create(*shape, cell).centres
    past = np.maximum(x - DAM - THICK, 0)
    bank = 3.0 * smooth((np.abs(y - MIDDLE - 5 * np.sin(past / 14)) - 9) / 14)
    dam = (x > DAM) & (x < DAM + THICK) & (np.abs(y - MIDDLE) > OPENING / 2)
    b = np.where(dam, LEVEL + 2, bank * smooth(past / 10) - 0.03 * past)
    depth = np.where(x < DAM + THICK / 2, np.maximum(LEVEL - b, 0), 0)
    return Scene(
        "",
        Terrain.create(b, cell, Edges(east=Drain())),
        depth,
        solver=Pipe(friction=FRICTION),
        bodies=(gate(),),
        seconds=16.0,
        view="eye:78,10,14,46,31,1",
    )


def gate() -> dict:
    """Shut at first, its foot on the sill."""
    shut = DAM + THICK / 2, MIDDLE, GATE.size[2] / 2
    risen = *shut[:2], shut[2] + LIFT
    path = Path(TIMES, (shut, risen))
    return {"shape": GATE, "at": shut, "path": path, "kind": "blocker", "material": "metal"}
