"""What there is to see of a world at one moment, as maps that are smooth between the cells."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp

from koski.core.frame import Frame
from koski.core.grid import Grid
from koski.core.pytree import pytree, static
from koski.core.stencil import filled
from koski.core.terrain import Terrain
from koski.render.drape import Drape, drape
from koski.render.exact import exact
from koski.render.spot import Spot, spot

FINE = 1024  # cells along the longer side of a map that is made finer
FINEST = 4  # times as many cells along a side, at most
SHOWN = 2e-3  # thinner water only wets the ground [m]
THIN = 1e-3  # nor is water thinner than this share of a cell seen
CLINGS = 0.02  # nor slow water on steep ground that is this much deeper [m]
SLOW = 0.5  # about as fast is water that does not cling any more [m/s]
BELOW = 0.02  # how far below dry ground the water's surface is at least [cells]


@pytree
class Land:
    """The ground, which seldom changes."""

    b: jax.Array  # ground, finer than the grid [m]
    bx: jax.Array  # its slope
    by: jax.Array
    open: jax.Array  # share of the sky that hollows leave
    coarse: jax.Array  # the ground in the cells of the grid [m]
    drape: Drape
    low: jax.Array  # lowest and highest ground [m]
    high: jax.Array
    cell: float = static(default=1.0)  # side of a fine cell [m]
    grid: Grid = static(default=None)

    @staticmethod
    def of(terrain: Terrain) -> Land:
        return land(terrain.b, terrain.grid)

    def spot(self, x, y) -> Spot:
        return spot(x, y, self.b.shape, self.cell)

    def spot_coarse(self, x, y) -> Spot:
        """On maps of the grid's own cells."""
        return spot(x, y, self.grid.shape, self.grid.cell)


@pytree
class Sea:
    """The water at one moment."""

    w: jax.Array  # its surface, below the ground where it is dry; as fine as the ground [m]
    wx: jax.Array  # its slope
    wy: jax.Array
    u: jax.Array  # velocity in the cells of the grid [m/s]
    v: jax.Array
    dyes: dict[str, jax.Array]


def finer(f, times: int):
    """A map with `times` as many cells along each side, cubic between them.

    Nowhere beyond what is about it: a cubic alone would put spikes on the edges of cliffs.
    """
    if times == 1:
        return f
    smooth = jax.image.resize(f, (f.shape[0] * times, f.shape[1] * times), "cubic")
    least, most = (repeated(extreme(f, pick), times) for pick in (jnp.minimum, jnp.maximum))
    return jnp.clip(smooth, least, most)


def extreme(f, pick):
    """The least or the most of each cell and its eight neighbours."""
    f = jnp.pad(f, 1, mode="edge")
    f = pick(pick(f[2:], f[1:-1]), f[:-2])
    return pick(pick(f[:, 2:], f[:, 1:-1]), f[:, :-2])


def repeated(f, times: int):
    """A map with `times` as many cells along each side, each as it is."""
    return jnp.repeat(jnp.repeat(f, times, 0), times, 1)


def slopes(f, cell: float):
    """The slope of a map along x and y, none across a single row or column."""
    y, x = (
        jnp.gradient(f, cell, axis=k) if n > 1 else jnp.zeros_like(f) for k, n in enumerate(f.shape)
    )
    return x, y


@partial(exact, static_argnames="grid")
def land(b, grid: Grid) -> Land:
    times = max(1, min(FINEST, FINE // max(grid.shape)))
    fine = finer(b, times)
    cell = grid.cell / times
    bx, by = slopes(fine, cell)
    wide = b
    for _ in range(8):
        wide = smoothed(wide, grid)
    hollow = (wide - b) / (4 * grid.cell)
    sees = finer(jnp.clip(1 - 1.2 * jnp.maximum(hollow, 0), 0.35, 1), times)
    return Land(fine, bx, by, sees, b, drape(b, grid.cell), b.min(), b.max(), cell, grid)


def smoothed(f, grid: Grid):
    """The mean of each cell and its four neighbours; beyond the edge counts as the cell itself."""
    f = 0.25 * (
        jnp.pad(f, ((1, 1), (0, 0)), mode="edge")[2:]
        + 2 * f
        + jnp.pad(f, ((1, 1), (0, 0)), mode="edge")[:-2]
    )
    return 0.25 * (
        jnp.pad(f, ((0, 0), (1, 1)), mode="edge")[:, 2:]
        + 2 * f
        + jnp.pad(f, ((0, 0), (1, 1)), mode="edge")[:, :-2]
    )


@exact
def sea(frame: Frame, land: Land) -> Sea:
    """The water's surface goes on below the ground beside it: they meet in a smooth line."""
    times = land.b.shape[0] // land.grid.ny
    w, wet = extended(frame, land.coarse, land.grid)
    beside = repeated(extreme(wet, jnp.logical_or), times)
    w = finer(w, times)
    w = jnp.where(beside, w, jnp.minimum(w, land.b - BELOW * land.grid.cell))
    wx, wy = slopes(w, land.cell)
    return Sea(w, wx, wy, frame.u, frame.v, frame.dyes)


def least_seen(frame: Frame, b, grid: Grid):
    """How deep the water must be to be seen [m]: what trickles down a bank only wets it."""
    sx, sy = slopes(b, grid.cell)
    steep = jnp.clip(jnp.sqrt(sx * sx + sy * sy), 0, 1)
    slow = jnp.clip(1.5 - frame.speed / SLOW, 0, 1)
    least = max(SHOWN, THIN * grid.cell)
    clings = min(CLINGS + 2 * least, 0.05 * grid.cell)
    return least + clings * steep * slow


def extended(frame: Frame, b, grid: Grid):
    """The surface of the water, carried on under dry ground as the mean of what is beside it.

    And where it is wet.
    """
    surface = frame.surface
    wet = surface - b > least_seen(frame, b, grid)
    s, known = filled(jnp.where(wet, surface, 0.0), wet, 3, grid)
    below_ground = b - BELOW * grid.cell
    dry = jnp.where(known, jnp.minimum(s, below_ground), below_ground)
    return jnp.where(wet, surface, dry), wet


@exact
def between(old: Sea, new: Sea, share) -> Sea:
    """The water between two moments."""
    return jax.tree.map(lambda a, b: a + share * (b - a), old, new)
