"""What stands in the way of the water: per cell, the interval that is solid."""

from functools import partial

import jax
import jax.numpy as jnp

from koski.core.grid import Grid
from koski.core.patch import Patch
from koski.core.pytree import pytree


@pytree
class Blockers:
    """Bodies as the water sees them, in the slots of a patch.

    The patch holds every cell that is blocked, or was when the water last met them, and its four
    neighbours.
    """

    patch: Patch
    bottom: jax.Array  # z− of what is solid [m], +inf where nothing is
    top: jax.Array  # z+ of it [m], −inf where nothing is
    u: jax.Array  # its velocity along x [m/s]
    v: jax.Array  # and along y

    @staticmethod
    def create(bottom, top, grid: Grid, u=0.0, v=0.0) -> "Blockers":
        """From maps of the grid's shape: NaN, or a top below its bottom, where nothing stands."""
        maps = {"bottom": bottom, "top": top, "u": u, "v": v}
        for name, f in maps.items():
            grid.check(f"{name} of blockers", f)
        return everywhere(*(jnp.asarray(f, jnp.float32) for f in maps.values()), grid)


@partial(jax.jit, static_argnames="grid")
def everywhere(low, high, u, v, grid: Grid) -> Blockers:
    """Blockers on a patch that is the whole grid."""
    low, high, u, v = (jnp.broadcast_to(f, grid.shape).reshape(-1) for f in (low, high, u, v))
    solid = high > low  # false for NaN
    return Blockers(
        Patch.whole(grid),
        jnp.where(solid, low, jnp.inf),
        jnp.where(solid, high, -jnp.inf),
        jnp.where(solid, u, 0.0),
        jnp.where(solid, v, 0.0),
    )
