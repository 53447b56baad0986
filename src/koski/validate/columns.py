"""What columns with eight neighbours promise: weirs, round waves, dams that hold.   Maes 2006"""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np

from koski.core.edges import Edges, Periodic
from koski.core.inputs import Inputs
from koski.core.solver import Solver, advance
from koski.core.terrain import Terrain
from koski.core.water import G
from koski.solvers.columns import Columns

SMALL = 1e-2  # height of a drop over the depth


def brink_discharge_error(solver: Solver, along: str = "x", head: float = 1.0) -> float:
    """Relative error in what falls over the brinks of a ridge, by the depth of the water there.

    q = (2/3) √(2g) h^(3/2) per metre                                              Maes 2006, eq. 4

    The ridge runs along y, or diagonally, over a grid joined at its sides; or the grid is one row.
    Its crest is held at the head, from where the water flows to both brinks; below it is gone.
    """
    n = 32
    j, i = np.indices((1, n) if along == "row" else (n, n))
    at = (i + j if along == "diagonal" else i) % n
    ridge, crest = at < n // 2, np.abs(at - (n // 2 - 1) / 2) < 2
    brink = (at == 0) | (at == n // 2 - 1)
    sides = ("west", "east") if along == "row" else ("west", "east", "south", "north")
    edges = Edges(**{side: Periodic() for side in sides})
    terrain = Terrain.create(np.where(ridge, 10.0, 0.0), 1.0, edges)
    held = np.where(crest, 10 + head, np.where(ridge, np.nan, 0.0))
    inputs = Inputs(held=jnp.asarray(held, jnp.float32))
    state = solver.start(terrain, np.where(ridge, head, 0.0))
    state = advance(solver, state, terrain, inputs, seconds=60.0)
    before = float(state.water.went)
    state = advance(solver, state, terrain, inputs, seconds=20.0)
    fell = (float(state.water.went) - before) / 20.0
    h = np.asarray(solver.frame(state, terrain).depth, float)[brink]
    length = 2 * len(at) * (np.sqrt(2) if along == "diagonal" else 1)  # of both brinks [m]
    return float(fell / (length * 2 / 3 * np.sqrt(2 * G) * (h**1.5).mean()) - 1)


def dam_leak(solver: Solver, seconds: float = 10.0) -> float:
    """The share of a lake that passes a diagonal dam, one cell wide and higher than the lake."""
    j, i = np.indices((24, 24))
    terrain = Terrain.create(np.where(i == j, 5.0, 0.0))
    state = solver.start(terrain, np.where(i < j, 2.0, 0.0))
    state = advance(solver, state, terrain, seconds=seconds)
    depth = np.asarray(solver.frame(state, terrain).depth, float)
    return float(depth[i > j].sum() / depth.sum())


def weir_damping(solver: Columns, steep: float = 0.05, cells: int = 20) -> float:
    """The share of a wave's height that the weirs take in five periods; `steep` is A / d."""
    heights = []
    for weir in (solver.weir, 0.0):
        smooth = replace(solver, weir=weir, friction=0.0)
        ripple = steep * np.cos(2 * np.pi * (np.arange(cells) + 0.5) / cells)[None, :]
        velocity = np.stack([ripple * np.sqrt(G), 0 * ripple], axis=-1)
        terrain = Terrain.create(0 * ripple, 1.0, Edges(west=Periodic(), east=Periodic()))
        state = smooth.start(terrain, 1 + ripple, velocity)
        state = advance(smooth, state, terrain, seconds=5 * cells / np.sqrt(G))
        heights.append(np.abs(np.fft.rfft(np.ravel(smooth.frame(state, terrain).depth))[1]))
    return float(1 - heights[0] / heights[1])
