"""A long wave meets an island: it bends round both sides and piles up in the lee.

All four sides let waves out, so what you see is the island's doing alone.
"""

import numpy as np

from koski import landscape
from koski.core.edges import Absorbing, Edges
from koski.scene import Scene
from koski.solvers.shallow import ShallowWater

WIDTH = 4000.0  # [m]
SEA = 20.0  # depth [m]
CREST = 4.0  # [m]


def scene(size: int = 256) -> Scene:
    edges = Edges.all(Absorbing(0.0, width=max(size // 16, 4)))
    terrain = landscape.island(size, cell=WIDTH / size, peak=60.0, sea=SEA, seed=2, edges=edges)
    b = np.asarray(terrain.b)
    x, _ = terrain.grid.axes
    crest = CREST / np.cosh((x - 0.15 * WIDTH) / 180.0) ** 2
    depth = np.where(b < 0, np.maximum(crest[None, :] - b, 0), 0)
    u = np.where(b < 0, crest * np.sqrt(9.81 / SEA), 0)  # the wave runs to the east
    velocity = np.stack([u, np.zeros_like(u)], axis=-1)
    return Scene(
        "",
        terrain,
        depth,
        velocity,
        solver=ShallowWater(manning=0.025),
        seconds=180.0,
        view="eye:1500,600,140,1300,2100,0",
    )
