"""Columns and their eight neighbours: four pairs per cell, each met once.

Each cell keeps the pairs of the block of four cells that it is the lower left of: two along the
sides of the block, two across it.  A loop over pairs then shifts only towards +x and one over
cells only towards −x, which is what CPUs vectorise.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import jax
import jax.numpy as jnp

from koski.core.grid import Grid
from koski.core.phase import renew
from koski.core.pytree import pytree
from koski.core.stencil import TINY, WALL, Flow, above, below, left, right
from koski.core.water import WATER, Water


@pytree
class Pairs:
    """A quantity on the four pairs of columns that each cell keeps, each from head to tail."""

    x: jax.Array  # from the cell to its neighbour at +x
    y: jax.Array  # from the cell to its neighbour at +y
    up: jax.Array  # from the cell to the one at +x +y
    down: jax.Array  # from the one at +y to the one at +x


@dataclass(frozen=True)
class Way:
    """What all pairs of one direction have in common; lengths in cells.

    pipe_x + √2 pipe_up = 1           a wave runs at √(gd), along the grid and at 45° to it
    pipe_x = 4 pipe_up / √2           the same short waves too: the isotropic nine-point Laplacian
    weir_x + 2 weir_up = 1            a metre of brink along the grid passes what eq. 4 says
    √2 (weir_x + weir_up) = 1         and so does one at 45° to it
    """

    ends: Callable  # the values of a map at head and tail
    length: float
    pipe: float  # width
    weir: float  # width
    beside: Callable | None = None  # shifts to the block on the pair's other side, if it has one


def ends_x(f, grid: Grid, fill=0.0):
    return f, right(f, grid, fill)


def ends_y(f, grid: Grid, fill=0.0):
    return f, above(f, grid, fill)


def ends_up(f, grid: Grid, fill=0.0):
    return f, above(right(f, grid, fill), grid, fill)


def ends_down(f, grid: Grid, fill=0.0):
    return above(f, grid, fill), right(f, grid, fill)


STRAIGHT = 1.0, 2 / 3, sqrt(2) - 1
ACROSS = sqrt(2), sqrt(2) / 6, 1 - sqrt(0.5)
FOUR: Any = (
    Way(ends_x, *STRAIGHT, below),
    Way(ends_y, *STRAIGHT, left),
    Way(ends_up, *ACROSS),
    Way(ends_down, *ACROSS),
)
WAYS: Any = Pairs(*FOUR)


def per_pair(f: Callable, *pairs: Pairs) -> Pairs:
    """Apply one equation to the pairs of all ways."""
    return jax.tree.map(f, *pairs)


def bars(b, grid: Grid) -> Pairs:
    """How far what lies between two columns stands above the ground of the head, or 0 [m].

    Between columns across a block it is the lower of the other two: without it a dam one cell
    wide leaks at its corners.
    """
    none = jnp.float32(0)
    up = jnp.minimum(*ends_down(b, grid, WALL)) - b
    down = jnp.minimum(*ends_up(b, grid, WALL)) - above(b, grid, WALL)
    return Pairs(none, none, jnp.maximum(up, 0), jnp.maximum(down, 0))


def over_sill(way: Way, bar, b, d, grid: Grid):
    """How high water of depth `d` stands above the pair's sill, at its head and at its tail.

    The sill is the highest of both grounds and the bar.  Each shifted map is used but once: XLA
    would write out one that is used twice.
    """
    (b0, b1), (d0, d1) = way.ends(b, grid, WALL), way.ends(d, grid)
    step = b1 - b0
    rise = jnp.maximum(step, bar)
    return jnp.maximum(d0 - rise, 0), jnp.maximum(d1 - (rise - step), 0)


def idle(way: Way, crossing: tuple | None, grid: Grid):
    """How much of the room beside a pair is idle: ½ for each block that nothing crosses.

    What walls and dry ground take from the pairs across a block goes to those along its sides:
    so waves keep their speed along a shore, and in a profile of one row.
    """
    if way.beside is None or crossing is None:
        return 0.0
    up, down = crossing
    half = jnp.where((up == 0) & (down == 0), 0.5, 0.0)
    return half + way.beside(half, grid, 0.5)


def along(u: Flow, grid: Grid) -> Pairs:
    """A vector that is known on the faces, along each pair."""
    x, y = 0.5 * (u.x + above(u.x, grid)), 0.5 * (u.y + right(u.y, grid))
    return Pairs(u.x, u.y, sqrt(0.5) * (x + y), sqrt(0.5) * (x - y))


def sideways(u: Pairs, grid: Grid) -> Pairs:
    """The velocity at right angles to each pair."""
    x, y = u.up + u.down, u.up - u.down
    half = 0.5 * sqrt(0.5)
    return Pairs(half * (y + below(y, grid)), half * (x + left(x, grid)), u.down, u.up)


def to_faces(u: Pairs, grid: Grid) -> Flow:
    """The velocity at each face, from the pairs through it and beside it by their widths."""

    def wide(way: Way, alone):
        return (way.pipe + (1 - way.pipe) * idle(way, (u.up, u.down), grid)) * alone

    q = per_pair(wide, WAYS, u)
    x, y = 0.5 * (q.up + q.down), 0.5 * (q.up - q.down)
    return Flow(q.x + (x + below(x, grid)), q.y + (y + left(y, grid)))


def div(q: Pairs, grid: Grid):
    """Σ of what leaves each cell through its eight pairs."""
    east = (q.x + q.up) + below(q.down, grid)
    west = (q.x + below(q.up, grid)) + q.down  # as seen from the cell at −x
    return (east - left(west, grid)) + (q.y - below(q.y, grid))


def outflow(q: Pairs, grid: Grid):
    """Σ of what leaves each cell, what enters not counted."""
    forth = per_pair(lambda q: jnp.maximum(q, 0), q)
    back = per_pair(lambda q: jnp.maximum(-q, 0), q)
    east = (forth.x + forth.up) + below(forth.down, grid)
    west = (back.x + below(back.up, grid)) + back.down
    return (east + left(west, grid)) + (forth.y + below(back.y, grid))


def scale(q: Pairs, d, dt, grid: Grid):
    """The share of its outflow that each column can afford.

    K = min(1, V_column / Σ V_out)                                                 Maes 2006, eq. 6
    """
    held = jnp.maximum(d * grid.area, TINY)
    return held / jnp.maximum(dt * outflow(q, grid), held)


def upwind(q, way: Way, f, grid: Grid):
    """A flow times the value of `f` in the column that it leaves."""
    f0, f1 = way.ends(f, grid)
    return q * jnp.where(q > 0, f0, f1)


def carry(q: Pairs, f, grid: Grid) -> Pairs:
    """Each flow times the value of `f` in the column that it leaves."""
    return per_pair(lambda q, way: renew(upwind)(q, way, f, grid), q, WAYS)


def move(w: Water, q: Pairs, dt, grid: Grid) -> Water:
    """Let the settled flow take water and dyes along, and the clock tick."""
    k = dt / grid.area
    new = w
    for name, c in w.concentration().items():
        new = new.add(name, -k * div(carry(q, c, grid), grid))
    return replace(new.add(WATER, -k * div(q, grid)), t=w.t.tick(dt))
