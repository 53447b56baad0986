"""A few cells of a grid, gathered into a list, that still know their neighbours.

Bodies touch little of a large water.  What happens only beside them is computed on a patch: its
arrays hold one number per slot, and the shifts of `stencil` work on it as they do on the grid.
"""

import jax
import jax.numpy as jnp

from koski.core.grid import Grid
from koski.core.pytree import pytree, static


@pytree
class Patch:
    """Slots, each one cell of the grid or empty; no cell has two."""

    cells: jax.Array  # which cell, as j · nx + i; grid.cells where the slot is empty
    right: jax.Array  # slot of the neighbour at +x; one past the last where it has none
    left: jax.Array
    above: jax.Array
    below: jax.Array
    asked: jax.Array  # slot of each cell that was asked for, one past the last where it has none
    grid: Grid = static(default=None)

    @staticmethod
    def create(cells, grid: Grid) -> "Patch":
        """A patch of the cells asked for; a cell asked for twice goes to the first who asked."""
        slots = jnp.arange(cells.size, dtype=jnp.int32)
        owner = jnp.full(grid.cells + 1, cells.size, jnp.int32)
        owner = owner.at[cells].min(slots, mode="drop").at[grid.cells].set(cells.size)
        asked = owner.at[cells].get(mode="clip")
        cells = jnp.where(asked == slots, cells, grid.cells)
        i, j = cells % grid.nx, cells // grid.nx

        def slot(di, dj):
            x, y = i + di, j + dj
            inside = (cells < grid.cells) & ((x >= 0) & (x < grid.nx) | grid.wrap_x)
            inside &= (y >= 0) & (y < grid.ny) | grid.wrap_y
            there = (y % grid.ny) * grid.nx + x % grid.nx
            return owner.at[jnp.where(inside, there, grid.cells)].get(mode="clip")

        return Patch(cells, slot(1, 0), slot(-1, 0), slot(0, 1), slot(0, -1), asked, grid)

    @staticmethod
    def whole(grid: Grid) -> "Patch":
        """Every cell of the grid."""
        return Patch.create(jnp.arange(grid.cells, dtype=jnp.int32), grid)

    @property
    def cell(self) -> float:
        return self.grid.cell

    @property
    def area(self) -> float:
        return self.grid.area

    @property
    def shape(self) -> tuple[int, ...]:
        return self.cells.shape

    def take(self, f, fill=0.0):
        """The values of a map in the cells of the patch, `fill` in empty slots."""
        return f.reshape(-1).at[self.cells].get(mode="fill", fill_value=fill)

    def put(self, f, values):
        """The map with its values in the patch replaced."""
        return f.reshape(-1).at[self.cells].set(values, mode="drop").reshape(f.shape)

    def spread(self, values):
        """A map with these values in the patch and zero elsewhere."""
        return self.put(jnp.zeros(self.grid.shape, values.dtype), values)

    def beside(self, f, slots, fill=0.0):
        """The values in some neighbouring slots, `fill` where there is none."""
        return f.at[slots].get(mode="fill", fill_value=fill)
