"""How much mechanical energy the water has."""

import numpy as np

from koski.core.solver import G
from koski.core.stencil import over_sill
from koski.core.terrain import Terrain


def energy(d, u, terrain: Terrain) -> float:
    """½ g ((b + d)² − b²) over the cells and ½ D u² over the faces, times l²   [J per kg/m³]."""
    b, d = np.asarray(terrain.b, float), np.asarray(d, float)
    potential = 0.5 * G * ((b + d) ** 2 - b**2).sum()
    here, there = over_sill(terrain.b, d.astype(np.float32), terrain.grid)
    kinetic = sum(
        (0.25 * (np.asarray(a0, float) + np.asarray(a1, float)) * np.asarray(v, float) ** 2).sum()
        for a0, a1, v in ((here.x, there.x, u.x), (here.y, there.y, u.y))
    )
    return float((potential + kinetic) * terrain.grid.area)
