"""Brushes: round, soft marks on the grid, and looking up what lies at a point."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from koski.core.errors import InputError
from koski.core.grid import Grid


@partial(jax.jit, static_argnums=0)
def bump(grid: Grid, x, y, radius):
    """1 in the cell nearest to (x, y), falling smoothly to 0 at the radius."""
    xs = (jnp.arange(grid.nx) + 0.5) * grid.cell
    ys = (jnp.arange(grid.ny) + 0.5) * grid.cell
    r2 = (xs[None, :] - x) ** 2 + (ys[:, None] - y) ** 2
    soft = jnp.maximum(1 - r2 / jnp.maximum(radius, grid.cell) ** 2, 0) ** 2
    return soft / soft.max()


@partial(jax.jit, static_argnums=0)
def share(grid: Grid, x, y, radius):
    """The bump as shares that sum to one: how to spread a volume over cells."""
    w = bump(grid, x, y, radius)
    return w / w.sum()


def together(x, y) -> tuple[np.ndarray, np.ndarray]:
    """Points as arrays of the same shape, or an InputError."""
    try:
        x, y = np.broadcast_arrays(np.asarray(x, np.float32), np.asarray(y, np.float32))
    except (TypeError, ValueError):
        raise InputError("points are numbers, or arrays of them alike in x and y") from None
    return x, y


@jax.jit
def sample(f, x, y, cell):
    """f at points in metres, bilinear between cell centres, level beyond the outermost."""
    ny, nx = f.shape
    i = jnp.clip(jnp.asarray(x, jnp.float32) / cell - 0.5, 0, nx - 1)
    j = jnp.clip(jnp.asarray(y, jnp.float32) / cell - 0.5, 0, ny - 1)
    i0, j0 = jnp.floor(i).astype(int), jnp.floor(j).astype(int)
    i1, j1 = jnp.minimum(i0 + 1, nx - 1), jnp.minimum(j0 + 1, ny - 1)
    a, b = i - i0, j - j0
    low = (1 - a) * f[j0, i0] + a * f[j0, i1]
    high = (1 - a) * f[j1, i0] + a * f[j1, i1]
    return (1 - b) * low + b * high
