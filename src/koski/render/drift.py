"""Texture that flows with the water: two copies of it, carried and forgotten in turn.

Each copy is carried for a while, then starts afresh when nothing of it is seen:

    D' = D(x − u dt) + u dt,   seen at x − D,   weight 1 − |2φ − 1|,   D = 0 when φ returns to 0

The phases φ of the two lie half a period apart.      Kellomäki 2015 §4.7
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from koski.core.grid import Grid
from koski.core.pytree import pytree
from koski.render.spot import Spot, spot

PERIOD = 3.0  # for which a copy is carried [s]: longer, and shear tears it
GOLDEN = 0.6180340  # of a turn, by which each new copy starts elsewhere


@pytree
class Drift:
    """How far each of the two copies has been carried."""

    shift: jax.Array  # [copy, x or y, ny, nx] [m]
    clock: jax.Array  # [s]

    @staticmethod
    def start(grid: Grid) -> Drift:
        return Drift(jnp.zeros((2, 2, *grid.shape), jnp.float32), jnp.float32(0))

    def step(self, u, v, from_: Spot, wide, dt) -> Drift:
        """Carry both copies for `dt`; one whose turn is over starts again on the way."""
        clock = self.clock + dt
        turn, was = turns(clock), turns(self.clock)
        new = jnp.floor(turn) > jnp.floor(was)
        age = (turn - jnp.floor(turn)) * PERIOD
        flow = jnp.stack([u, v])

        def carried(shift, new, age):
            old = jnp.stack([from_.of(wide(f)) for f in shift])
            return jnp.where(new, age * flow, old + dt * flow)

        both = [carried(self.shift[k], new[k], age[k]) for k in (0, 1)]
        return Drift(jnp.stack(both), clock)

    def at(self, at: Spot) -> Carried:
        """What the two copies are at some spots of the grid."""
        turn = turns(self.clock)
        phase = turn - jnp.floor(turn)
        jump = jnp.floor(turn) * GOLDEN
        shift = jnp.stack([jnp.stack([at.of(f) for f in copy]) for copy in self.shift])
        return Carried(shift, 1 - jnp.abs(2 * phase - 1), jump - jnp.floor(jump))


@pytree
class Carried:
    """The two copies at some points: how far they came, how much each is seen, where it began."""

    shift: jax.Array  # [copy, x or y, ...] [m]
    weight: jax.Array  # [copy], together 1
    jump: jax.Array  # [copy], in tiles

    @property
    def share(self) -> jax.Array:
        """How much of each copy to add up: two unlike textures laid together keep their contrast.

        The squares of the shares sum to 1.
        """
        return self.weight / jnp.sqrt((self.weight * self.weight).sum())

    def copy(self, k, x, y, tile):
        """Where one of the copies is to be read, on a tile of this side [m]."""
        return x - self.shift[k, 0] + self.jump[k] * tile, y - self.shift[k, 1]


def turns(clock):
    """How often each copy has come round."""
    return clock / PERIOD + jnp.array([0.0, 0.5])


def upstream(u, v, dt, grid: Grid):
    """Where the water in each cell was `dt` ago, and how to lay a map out to be read there."""
    modes = ("wrap" if grid.wrap_y else "edge", "wrap" if grid.wrap_x else "edge")

    def wide(f):
        f = jnp.pad(f, ((1, 1), (0, 0)), mode=modes[0])
        return jnp.pad(f, ((0, 0), (1, 1)), mode=modes[1])

    def back(n, speed, wrap, axis):
        at = (jnp.arange(n) + 0.5).reshape((-1, 1) if axis == 0 else (1, -1)) * grid.cell
        at, whole = at - dt * speed, n * grid.cell
        return (at % whole if wrap else jnp.clip(at, 0, whole)) + grid.cell

    x, y = back(grid.nx, u, grid.wrap_x, 1), back(grid.ny, v, grid.wrap_y, 0)
    return spot(x, y, (grid.ny + 2, grid.nx + 2), grid.cell), wide
