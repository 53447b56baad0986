"""The only module that shifts arrays.

Every array has the grid's shape.  A flow lives on the +x and +y face of each cell; the last
column and row of it are the edge of the grid: no flow there, or the joint of a periodic grid.
On a patch of a grid the same shifts look up the neighbouring slots.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax

from koski.core.grid import Grid
from koski.core.patch import Patch
from koski.core.pytree import pytree

WALL = 1e30  # height of the terrain beyond the edge [m]: nothing flows over it
TINY = 1e-15  # keeps a division finite, and its derivative: its square is still a float32
STICKS = 1e-9  # a film thinner than this does not flow [m]


@pytree
class Flow:
    """A quantity on the faces: `x` on each cell's +x face, `y` on its +y face."""

    x: jax.Array
    y: jax.Array


def right(f, grid: Grid | Patch, fill=0.0):
    """The value of the neighbour at +x, `fill` beyond the edge."""
    if isinstance(grid, Patch):
        return grid.beside(f, grid.right, fill)
    if grid.wrap_x:
        return jnp.roll(f, -1, axis=1)
    return jnp.pad(f[:, 1:], ((0, 0), (0, 1)), constant_values=fill)


def left(f, grid: Grid | Patch, fill=0.0):
    """The value of the neighbour at −x, `fill` beyond the edge."""
    if isinstance(grid, Patch):
        return grid.beside(f, grid.left, fill)
    if grid.wrap_x:
        return jnp.roll(f, 1, axis=1)
    return jnp.pad(f[:, :-1], ((0, 0), (1, 0)), constant_values=fill)


def above(f, grid: Grid | Patch, fill=0.0):
    """The value of the neighbour at +y, `fill` beyond the edge."""
    if isinstance(grid, Patch):
        return grid.beside(f, grid.above, fill)
    if grid.wrap_y:
        return jnp.roll(f, -1, axis=0)
    return jnp.pad(f[1:], ((0, 1), (0, 0)), constant_values=fill)


def below(f, grid: Grid | Patch, fill=0.0):
    """The value of the neighbour at −y, `fill` beyond the edge."""
    if isinstance(grid, Patch):
        return grid.beside(f, grid.below, fill)
    if grid.wrap_y:
        return jnp.roll(f, 1, axis=0)
    return jnp.pad(f[:-1], ((1, 0), (0, 0)), constant_values=fill)


def farther(f, rows: int, fill=0.0):
    """The value this many rows along +y, `fill` beyond the edge."""
    if rows > 0:
        return jnp.pad(f[rows:], ((0, rows), (0, 0)), constant_values=fill)
    return jnp.pad(f[:rows], ((-rows, 0), (0, 0)), constant_values=fill)


def filled(f, known, times: int, grid: Grid):
    """A map with its unknown cells filled: each as the mean of its known neighbours, from the
    known ones outwards, `times` cells far.  And which are known then."""

    def grow(_, both):
        f, known = both
        shifts = right, left, above, below
        total = sum(shift(f * known, grid) for shift in shifts)
        count = sum(shift(known, grid) for shift in shifts)
        new = (known == 0) & (count > 0)
        return jnp.where(new, total / jnp.maximum(count, 1), f), jnp.where(new, 1.0, known)

    f, known = lax.fori_loop(0, times, grow, (f, known.astype(jnp.float32)))
    return f, known > 0


def over_sill(b, d, grid: Grid | Patch) -> tuple[Flow, Flow]:
    """How high the water stands above each face's sill: in the cell, and in its neighbour.

    The sill is the higher of the two grounds; a surface below it counts as at it.  Without this
    water neither leaves the brink of a cliff nor overtops a dam.  Written with the step in the
    ground rather than with surfaces, thin water high on a mountain loses no digits.
    """

    def sides(b1, d1):
        step = b1 - b
        return jnp.maximum(d - jnp.maximum(step, 0), 0), jnp.maximum(d1 + jnp.minimum(step, 0), 0)

    x = sides(right(b, grid, WALL), right(d, grid))
    y = sides(above(b, grid, WALL), above(d, grid))
    return Flow(x[0], y[0]), Flow(x[1], y[1])


def per_face(f: Callable[..., jax.Array], *flows: Flow) -> Flow:
    """Apply one equation to the x faces and to the y faces alike."""
    return Flow(f(*(q.x for q in flows)), f(*(q.y for q in flows)))


def upwind(q: Flow, f, grid: Grid | Patch) -> Flow:
    """The value of `f` in the cell that each flow leaves."""
    return Flow(
        jnp.where(q.x > 0, f, right(f, grid)),
        jnp.where(q.y > 0, f, above(f, grid)),
    )


def div(q: Flow, grid: Grid | Patch):
    """Σ of what leaves each cell through its four faces."""
    return (q.x - left(q.x, grid)) + (q.y - below(q.y, grid))


def outflow(q: Flow, grid: Grid | Patch):
    """Σ of what leaves each cell, what enters not counted."""
    out_x = jnp.maximum(q.x, 0) - jnp.minimum(left(q.x, grid), 0)
    out_y = jnp.maximum(q.y, 0) - jnp.minimum(below(q.y, grid), 0)
    return out_x + out_y


def to_cells(q: Flow, grid: Grid) -> tuple[jax.Array, jax.Array]:
    """The mean of each cell's two faces, along x and along y."""
    return 0.5 * (q.x + left(q.x, grid)), 0.5 * (q.y + below(q.y, grid))


def to_faces(x, y, grid: Grid) -> Flow:
    """The mean of the two cells that each face joins, zero on the edge."""
    ones = jnp.ones(grid.shape, jnp.float32)
    return Flow(
        0.5 * (x + right(x, grid)) * right(ones, grid),
        0.5 * (y + above(y, grid)) * above(ones, grid),
    )
