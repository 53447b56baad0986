"""Waves round a box that drifts with the current, where there should be none.

Kellomäki 2014 §4.1 and fig. 7 name it as the open problem of blocking bodies: each cell that the
box enters or leaves makes a wave.
"""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np

from koski.core.blockers import Blockers
from koski.core.edges import Edges, Periodic
from koski.core.inputs import Inputs
from koski.core.solver import advance
from koski.core.stencil import right
from koski.core.terrain import Terrain
from koski.solvers.pipe import Pipe
from koski.solvers.two_layer import TwoLayer

DEPTH = 4.0  # [m]
STEP = 0.02  # [s]
CALMING = Pipe(friction=0.9)  # in which all comes to rest before it is set off


def noise(two: TwoLayer, draft: float, cells: int, speed=1.0, seconds=20.0, shape=(32, 64)):
    """RMS difference of the surface from level [mm] in the second half of the time.

    A round channel: the box comes to rest in still water, then both are set off at one speed.
    """
    ny, nx = shape
    edges = Edges(west=Periodic(), east=Periodic())
    terrain = Terrain.create(np.zeros(shape, np.float32), edges=edges)
    y, x = np.mgrid[:ny, :nx] + 0.5

    def box(t):
        dx = (x - (20 + speed * t) + nx / 2) % nx - nx / 2
        return (np.abs(dx) < cells / 2) & (np.abs(y - ny / 2 - 0.01) < cells / 2)

    def met(t, u):
        here = box(t)
        low, high = np.where(here, DEPTH - draft, np.nan), np.where(here, DEPTH + 1, np.nan)
        return Inputs(blockers=Blockers.create(low, high, terrain.grid, u=u))

    calm = replace(two, base=CALMING)
    state = calm.start(terrain, np.where(box(0), DEPTH - draft, DEPTH))
    state = advance(calm, state, terrain, met(0, 0.0), seconds=60.0)
    state = set_off(state, speed, terrain.grid)
    squares = []
    for n in range(round(seconds / STEP)):
        state = advance(two, state, terrain, met(n * STEP, speed), seconds=STEP)
        if n * STEP > seconds / 2 and n % 10 == 0:
            s = np.asarray(two.frame(state, terrain).surface)
            squares.append(np.mean((s - np.median(s)) ** 2))
    return 1000 * float(np.sqrt(np.mean(squares)))


def set_off(state, speed: float, grid):
    """Give all the water one velocity along x, above the box and below."""
    blocked = state.top > -jnp.inf
    beside = blocked | right(blocked, grid, False)
    over = jnp.where(beside, 0, speed * grid.cell * state.water.d)
    room = jnp.where(blocked, state.under, right(state.under, grid))
    below = jnp.where(beside, speed * grid.cell * room, 0)
    return replace(state, upper=replace(state.upper, x=over), lower=replace(state.lower, x=below))
