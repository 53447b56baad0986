"""The ground the water runs over."""

import jax
import jax.numpy as jnp
import numpy as np

from koski.core.edges import Edges
from koski.core.errors import InputError
from koski.core.grid import Grid
from koski.core.pytree import pytree, static

HIGHEST = 1e6  # that the ground may be, and lowest [m]


@pytree
class Terrain:
    """Heights per cell on a grid, with a rule for each of its sides."""

    b: jax.Array  # height of the ground [m]
    edges: Edges
    grid: Grid = static(default=None)

    @staticmethod
    def create(b, cell: float = 1.0, edges: Edges | None = None) -> "Terrain":
        """A terrain from a map of heights [m], checked."""
        shape = np.shape(b)
        if len(shape) != 2:
            raise InputError(f"a terrain is a map of heights [ny, nx], not of shape {shape}")
        edges = Edges() if edges is None else edges
        if not isinstance(edges, Edges):
            raise InputError(f"edges are koski.Edges(west=…, east=…, …), not {edges!r}")
        edges.check()
        wrap_x, wrap_y = edges.wraps
        grid = Grid.create(shape[0], shape[1], cell, wrap_x, wrap_y)
        try:
            b = jnp.array(b, jnp.float32)
        except (TypeError, ValueError) as e:
            raise InputError(f"a terrain is a map of numbers: {e}") from None
        known = np.zeros(1) if isinstance(b, jax.core.Tracer) else np.asarray(b)
        if bad := int((~np.isfinite(known)).sum()):
            raise InputError(
                f"the terrain has {bad} heights that are not finite: fill them first, for"
                " instance with koski.io.dem.fill_holes"
            )
        if np.abs(known).max() > HIGHEST:
            raise InputError("the terrain has heights beyond ±1000 km: give them in metres")
        return Terrain(b, edges, grid)
