"""Reading maps between their cells."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from koski.core.pytree import pytree, static

# Places from 0 to n − 1: no device need look whether they are.
WITHIN: dict[str, Any] = {"mode": "promise_in_bounds", "wrap_negative_indices": False}


def entries(f, index):
    """The values of f [..., n] at places within it."""
    return f.at[..., index].get(**WITHIN)


@pytree
class Spot:
    """Points among the cells of a map: the cell before each, and the shares of the next ones."""

    cell: jax.Array  # j · nx + i
    x: jax.Array
    y: jax.Array
    nx: int = static(default=0)

    def of(self, f):
        """The value of a map there, linear between the cells."""
        f = f.reshape(-1)

        def at(k):
            return entries(f, self.cell + k)

        near, far = at(0), at(self.nx)
        near = near + self.x * (at(1) - near)
        return near + self.y * (far + self.x * (at(self.nx + 1) - far) - near)


def spot(x, y, shape: tuple[int, ...], cell: float) -> Spot:
    """Where points lie on a map, those beyond its edge on the edge."""
    ny, nx = shape
    x = jnp.clip(x * (1 / cell) - 0.5, 0, nx - 1.001)
    y = jnp.clip(y * (1 / cell) - 0.5, 0, ny - 1.001)
    i, j = jnp.floor(x), jnp.floor(y)
    return Spot((j * nx + i).astype(jnp.int32), x - i, y - j, nx)
