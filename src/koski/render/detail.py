"""What the eye sees of the water beyond its surface, carried from frame to frame."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp

from koski.core.frame import Frame
from koski.core.grid import Grid
from koski.core.pytree import pytree
from koski.core.stencil import above, below, left, right
from koski.core.terrain import Terrain
from koski.render.drift import Carried, Drift, upstream
from koski.render.exact import exact
from koski.render.fields import SHOWN
from koski.render.foam import FILM, birth
from koski.render.noise import smooth
from koski.render.spot import Spot

LIFE = 3.5  # of foam [s]
DRIES = 30.0  # wet ground, over this time [s]
RIM = 0.75  # how wet the ground beside water is: it creeps up a cell


@pytree
class Detail:
    """Foam, wet ground, and how far the water has carried what is painted on it."""

    foam: jax.Array  # share of the water that foam hides, per cell
    wet: jax.Array  # 1 where the water is or was just now, 0 where the ground is dry
    drift: Drift | None  # None for who paints nothing on it

    @staticmethod
    def start(terrain: Terrain, painted: bool = True) -> Detail:
        """Nothing has happened yet."""
        zero = jnp.zeros(terrain.grid.shape, jnp.float32)
        return Detail(zero, zero, Drift.start(terrain.grid) if painted else None)

    def step(self, frame: Frame, terrain: Terrain, blocked, dt) -> Detail:
        """Go on by `dt` under the water of `frame`; `blocked` marks cells with bodies, or None.

        Three programs, for in one XLA would compute the first two anew for each cell that reads
        their results: four times as slow.
        """
        u, v = ashore(frame, terrain.grid)
        rate = birth(frame, u, v, blocked, terrain.grid)
        return step(self, frame.depth, u, v, rate, jnp.float32(dt), terrain.grid)

    def at(self, at: Spot) -> Carried:
        """How the water's texture was carried to some spots of the grid."""
        assert self.drift is not None
        return self.drift.at(at)


@partial(exact, static_argnames="grid")
def step(detail: Detail, depth, u, v, rate, dt, grid: Grid) -> Detail:
    back, wide = upstream(u, v, dt, grid)
    foam = grow(back.of(wide(detail.foam)), rate, dt)
    foam = jnp.where(depth > FILM, foam, foam * smooth(SHOWN, FILM, depth))
    drift = detail.drift and detail.drift.step(u, v, back, wide, dt)
    return Detail(foam, soak(detail.wet, depth, dt, grid), drift)


@partial(exact, static_argnames="grid")
def ashore(frame: Frame, grid: Grid):
    """The velocity, carried on to dry cells beside the water: no texture tears at its edge."""
    wet = (frame.depth > SHOWN).astype(jnp.float32)
    count = sum(shift(wet, grid) for shift in (left, right, below, above))

    def spread(f):
        near = sum(shift(f * wet, grid) for shift in (left, right, below, above))
        return jnp.where(wet > 0, f, near / jnp.maximum(count, 1))

    return spread(frame.u), spread(frame.v)


def grow(foam, rate, dt):
    """∂f/∂t = rate (1 − f) − f / LIFE, exactly for any dt."""
    whole = rate + 1 / LIFE
    rest = rate / whole
    return jnp.clip(rest + (foam - rest) * jnp.exp(-whole * dt), 0, 1)


def soak(wet, depth, dt, grid: Grid):
    """Water wets the ground at once and its rim nearly; the rest dries."""
    under = smooth(0, SHOWN, depth)
    rim = RIM * jnp.maximum(
        jnp.maximum(left(under, grid), right(under, grid)),
        jnp.maximum(below(under, grid), above(under, grid)),
    )
    return jnp.maximum(jnp.maximum(under, rim), wet * jnp.exp(-dt / DRIES))
