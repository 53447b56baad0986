"""How much mechanical energy the water of the implicit wave equation has."""

import numpy as np

from koski.core.terrain import Terrain
from koski.core.water import G
from koski.solvers.wave import State


def energy(s: State, terrain: Terrain) -> float:
    """½ g ((b + d)² − b²) over the cells and ½ p² over the faces, times l²   [J per kg/m³]."""
    b, d = np.asarray(terrain.b, float), np.asarray(s.water.d, float)
    potential = 0.5 * G * ((b + d) ** 2 - b**2).sum()
    kinetic = 0.5 * sum((np.asarray(p, float) ** 2).sum() for p in (s.p.x, s.p.y))
    return float((potential + kinetic) * terrain.grid.area)
