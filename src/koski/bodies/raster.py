"""Bodies on the water's grid: over which cells they stand, from what height to what height."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from koski.bodies.extents import col, spans
from koski.bodies.groups import Group
from koski.bodies.turns import apply, matrix, product
from koski.core.grid import Grid
from koski.core.pytree import pytree


@pytree
class Window:
    """The cells about each part of a group: maps [n, W, W]."""

    cells: jax.Array  # j · nx + i, or grid.cells where there is none
    low: jax.Array  # where the part begins above the middle of the cell [m], inf where it is not
    high: jax.Array  # where it ends [m], −inf where it is not
    x: jax.Array  # from the middle of the part to that of the cell [n, 1, W] [m]
    y: jax.Array  # [n, W, 1] [m]


def raster(group: Group, position, rotation, grid: Grid) -> Window:
    """Find the vertical extent of each part above the middles of the cells about it.

    One whose pose is not finite is nowhere.
    """
    m, p = poses(group, position, rotation)
    there = col(jnp.isfinite(p).all(-1))
    x, y, z = (jnp.where(there, col(p[:, k]), 0) for k in range(3))
    i, x = across(x, group.window, grid.nx, grid.cell, grid.wrap_x)
    j, y = across(y, group.window, grid.ny, grid.cell, grid.wrap_y)
    j, y = j.swapaxes(1, 2), y.swapaxes(1, 2)
    low, high = spans(group.form, m, x, y, jnp.full(len(p), grid.cell))
    low, high = jnp.where(there, z + low, jnp.inf), jnp.where(there, z + high, -jnp.inf)
    cells = jnp.where((i >= 0) & (j >= 0) & there, j * grid.nx + i, grid.cells)
    return Window(cells, low, high, x, y)


def poses(group: Group, position, rotation):
    """The axes and the middle of each part in the world, NaN for those of no body."""
    turn = matrix(of(group.body, rotation))
    return product(turn, group.turn), of(group.body, position) + apply(turn, group.at)


def of(body, f):
    """What belongs to the body of each part, NaN where there is none."""
    return jnp.asarray(f).at[body].get(mode="fill", fill_value=jnp.nan)


def across(p, window: int, n: int, cell: float, wrap: bool):
    """Indices of a window's cells along one axis, −1 beyond the grid, and their distances from p.

    A window larger than the grid lies over all of it: beyond there is nothing to see.
    """
    k = jnp.arange(window)
    first = jnp.round(p / cell) - window // 2
    if wrap:
        first = jnp.clip(first, -(2.0**30), 2.0**30)
        once = (k >= window // 2 - n // 2) & (k < window // 2 - n // 2 + n)
        index = jnp.where(once, (first.astype(jnp.int32) + k) % n, -1)
    else:
        first = jnp.clip(first, *((n - window, 0) if window >= n else (-window, n)))
        index = first.astype(jnp.int32) + k
        index = jnp.where(index < n, jnp.maximum(index, -1), -1)
    return index, ((first - p / cell) + (k + 0.5)) * cell
