"""Connected bodies of water, found all at once."""

import jax
import jax.numpy as jnp
from jax import lax

from koski.core.grid import Grid
from koski.core.stencil import above, below, left, right


def label(wet, grid: Grid):
    """For each wet cell the number of the region that it belongs to; dry cells get grid.cells.

    Each cell points at the lowest number that it or a neighbour points at; each round it also
    moves on to what that cell points at, so that a region of n cells takes about log n rounds.
    """
    none = grid.cells
    own = jnp.where(wet, jnp.arange(none).reshape(grid.shape), none)

    def follow(labels, target):
        """What the cell that each points at points at."""
        return jnp.append(target.ravel(), none)[labels]

    def round_(state):
        old, _ = state
        near = old
        for shift in (left, right, above, below):
            near = jnp.minimum(near, shift(old, grid, none))
        near = jnp.where(wet, near, none)
        flat = jnp.append(old.ravel(), none).at[old.ravel()].min(near.ravel())
        hooked = jnp.minimum(near, flat[:none].reshape(grid.shape))
        new = follow(hooked, hooked)
        return jnp.where(wet, new, none), (new != old).any()

    return lax.while_loop(lambda s: s[1], round_, (own, jnp.bool_(True)))[0]


def sums(f, labels, grid: Grid) -> jax.Array:
    """Σ f over the region of each cell."""
    per_region = jax.ops.segment_sum(f.ravel(), labels.ravel(), grid.cells + 1)
    return per_region[labels]
