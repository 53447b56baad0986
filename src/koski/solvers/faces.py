"""Between cells, where people look, and faces, where solvers keep velocities."""

import jax
import jax.numpy as jnp
import numpy as np

from koski.core.errors import InputError
from koski.core.frame import Frame
from koski.core.grid import Grid
from koski.core.stencil import Flow, to_cells, to_faces
from koski.core.terrain import Terrain
from koski.core.water import Water

DRY = 1e-6  # a section lower than this has no velocity [m]
STILL = 1e-12  # slower than this is at rest [m/s]: smaller numbers round differently by machine
SHOWN = 1e-4  # water shallower than this is shown at rest [m]


def face_velocity(velocity, grid: Grid) -> Flow:
    """A start: still, or from cell velocities [ny, nx, 2] or one (u, v) for all cells."""
    if velocity is None:
        return Flow(jnp.zeros(grid.shape, jnp.float32), jnp.zeros(grid.shape, jnp.float32))
    v = jnp.asarray(velocity, jnp.float32)
    if v.shape not in ((2,), (*grid.shape, 2)):
        raise InputError(
            f"velocity has shape {v.shape}: give one pair (u, v) or a map [ny, nx, 2] on the"
            f" terrain's {grid.ny} × {grid.nx} cells"
        )
    if not isinstance(v, jax.core.Tracer) and not np.isfinite(np.asarray(v)).all():
        raise InputError("velocity has values that are not finite: fill or remove them")
    v = jnp.broadcast_to(v, (*grid.shape, 2))
    return to_faces(v[..., 0], v[..., 1], grid)


def make_frame(w: Water, u: Flow, terrain: Terrain) -> Frame:
    """What is seen of water with these face velocities: the mean of each cell's faces."""
    x, y = to_cells(u, terrain.grid)
    wet = w.d > SHOWN
    dyes = {name: jnp.where(wet, c, 0) for name, c in w.concentration().items()}
    still = jnp.zeros_like(w.d)
    return Frame(
        depth=w.d + 0,  # copies: the state's own arrays are used up by the next step
        surface=terrain.b + w.d,
        u=jnp.where(wet, x, still),
        v=jnp.where(wet, y, still),
        t=w.t.value + 0,
        dyes=dyes,
    )
