"""The grid: how many cells, how large, and whether opposite sides are joined."""

import os
from dataclasses import dataclass

import numpy as np

from koski.core.errors import InputError, number

BYTES_PER_CELL = 128  # the most that scenes without bodies were seen to take, frames included


@dataclass(frozen=True)
class Grid:
    """ny × nx square cells.  Arrays are indexed [y, x]; cell centres lie at (i + ½) cell."""

    ny: int
    nx: int
    cell: float  # side of a cell [m]
    wrap_x: bool = False  # the east side joins the west
    wrap_y: bool = False  # the north side joins the south

    @staticmethod
    def create(ny: int, nx: int, cell: float = 1.0, wrap_x=False, wrap_y=False) -> "Grid":
        """A grid that makes sense and fits in memory, checked before anything is allocated."""
        if ny < 1 or nx < 1 or ny * nx < 2:
            raise InputError(
                f"a grid of {ny} × {nx} cells has nowhere to flow: give it at least two cells"
            )
        if (wrap_x and nx < 2) or (wrap_y and ny < 2):
            raise InputError("a periodic direction needs at least two cells across")
        cell = number("cell", cell, low=1e-6, high=1e9)
        need, have = ny * nx * BYTES_PER_CELL, free_memory()
        if need > have:
            raise InputError(
                f"a grid of {ny} × {nx} cells needs about {need / 2**30:.1f} GiB of memory and"
                f" {have / 2**30:.1f} GiB is free: choose fewer cells"
            )
        return Grid(int(ny), int(nx), cell, bool(wrap_x), bool(wrap_y))

    def check(self, name: str, f) -> None:
        """Refuse what is neither nothing, nor a number, nor a map of the grid."""
        if f is not None and np.shape(f) not in ((), self.shape):
            raise InputError(
                f"{name} has shape {np.shape(f)} but the terrain {self.shape}: give one number or a"
                " map of the terrain's shape"
            )

    @property
    def shape(self) -> tuple[int, int]:
        return self.ny, self.nx

    @property
    def turned(self) -> "Grid":
        """The grid with x and y exchanged."""
        return Grid(self.nx, self.ny, self.cell, self.wrap_y, self.wrap_x)

    @property
    def cells(self) -> int:
        return self.ny * self.nx

    @property
    def area(self) -> float:
        """Area of one cell [m²]."""
        return self.cell * self.cell

    @property
    def size(self) -> tuple[float, float]:
        """Length along x and along y [m]."""
        return self.nx * self.cell, self.ny * self.cell

    @property
    def axes(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the middles of the columns are along x, and those of the rows along y [m]."""
        x, y = ((np.arange(n) + 0.5) * self.cell for n in (self.nx, self.ny))
        return x, y

    @property
    def centres(self) -> tuple[np.ndarray, np.ndarray]:
        """x and y of the middles of all cells, as maps [m]."""
        x, y = np.meshgrid(*self.axes)
        return x, y


def free_memory() -> float:
    """Bytes of memory the machine can still give, without bound where it does not say."""
    try:
        with open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith("MemAvailable"):
                    return 1024.0 * float(line.split()[1])
    except OSError:
        pass
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return float("inf")
