"""Bodies on the water's grid: over which cells they stand, from what height to what height."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from koski.bodies.extents import Form, Pills, col, spans
from koski.bodies.groups import Group
from koski.bodies.turns import apply, matrix, product
from koski.core.grid import Grid
from koski.core.pytree import pytree

BALL = 1.0  # cells: what is round and of a smaller radius stands in whole cells


@pytree
class Window:
    """The cells about each part of a group: maps [n, W, W]."""

    cells: jax.Array  # j · nx + i, or grid.cells where there is none
    low: jax.Array  # where the part begins in the cell [m], inf where it is not
    high: jax.Array  # where it ends [m], −inf where it is not
    x: jax.Array  # from the middle of the part to that of the cell [n, 1, W] [m]
    y: jax.Array  # [n, W, 1] [m]


def raster(group: Group, position, rotation, surface, grid: Grid) -> Window:
    """Find the vertical extent of each part in the cells about it, water standing at a surface.

    One whose pose is not finite is nowhere.
    """
    m, p = poses(group, position, rotation)
    there = col(jnp.isfinite(p).all(-1))
    x, y, z = (jnp.where(there, col(p[:, k]), 0) for k in range(3))
    i, x = across(x, group.window, grid.nx, grid.cell, grid.wrap_x)
    j, y = across(y, group.window, grid.ny, grid.cell, grid.wrap_y)
    j, y = j.swapaxes(1, 2), y.swapaxes(1, 2)
    cells = jnp.where((i >= 0) & (j >= 0) & there, j * grid.nx + i, grid.cells)
    level = surface.reshape(-1).at[cells].get(mode="fill", fill_value=0)
    low, high = filled(group.form, m, x, y, z, level, grid)
    low, high = jnp.where(there, low, jnp.inf), jnp.where(there, high, -jnp.inf)
    return Window(cells, low, high, x, y)


def filled(form: Form, m, x, y, z, surface, grid: Grid):
    """From where to where each cell is solid: as above its middle; of what is round, as in the
    mean over its quarters.

    So a ball of few cells displaces what it should.  What is flat keeps its height: a crate that
    covers most of a cell is a dam as high as the crate.  What is thin must not get thinner.
    """
    cell = jnp.full(len(m), grid.cell)
    low, high = (z + f for f in spans(form, m, x, y, cell))
    if not isinstance(form, Pills):
        return low, high
    fine = quarters(x, grid.cell), quarters(y.swapaxes(1, 2), grid.cell).swapaxes(1, 2)
    first, last = (z + f for f in spans(form, m, *fine, cell))
    wet, dry, bottom = split(first, last, surface)
    stout = col(form.radius >= BALL * cell)
    there = wet + dry > 0
    soft_low = jnp.where(there, bottom, jnp.inf)
    soft_high = jnp.where(there, bottom + wet + dry, -jnp.inf)
    return jnp.where(stout, soft_low, low), jnp.where(stout, soft_high, high)


def split(low, high, surface):
    """How much is solid below the surface and above it, in the mean of each cell's quarters, and
    from where on: as if all of what is wet hung from the surface."""
    hit, level = low < high, surface.repeat(2, 1).repeat(2, 2)
    wet = mean(jnp.where(hit, jnp.clip(level - low, 0, high - low), 0))
    dry = mean(jnp.where(hit, jnp.clip(high - level, 0, high - low), 0))
    share = jnp.maximum(mean(hit), 0.25)
    first, last = (mean(jnp.where(hit, f, 0)) / share for f in (low, high))
    return wet, dry, jnp.where(wet > 0, jnp.minimum(surface, last) - wet, first)


def quarters(x, cell: float):
    """Two places in each cell of a row [n, 1, W]: [n, 1, 2W]."""
    aside = jnp.array([-0.25, 0.25]) * cell
    return (x[..., None] + aside).reshape(*x.shape[:2], -1)


def mean(f):
    """Over the four quarters of each cell."""
    n, wide, _ = f.shape
    return f.reshape(n, wide // 2, 2, wide // 2, 2).mean((2, 4))


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
