"""What the eye sees of the water beyond its surface, carried from frame to frame."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from koski.core.frame import Frame
from koski.core.grid import Grid
from koski.core.pytree import pytree
from koski.core.stencil import above, below, left, right
from koski.core.terrain import Terrain
from koski.render.drift import Carried, Drift, upstream
from koski.render.fields import SHOWN, Spot
from koski.render.foam import FILM, birth
from koski.render.noise import smooth

LIFE = 3.5  # of foam [s]
DRIES = 30.0  # wet ground, over this time [s]
RIM = 0.75  # how wet the ground beside water is: it creeps up a cell


@pytree
class Detail:
    """Foam, wet ground, and how far the water has carried what is painted on it."""

    foam: jax.Array  # share of the water that foam hides, per cell
    wet: jax.Array  # 1 where the water is or was just now, 0 where the ground is dry
    drift: Drift

    @staticmethod
    def start(terrain: Terrain) -> Detail:
        """Nothing has happened yet."""
        zero = jnp.zeros(terrain.grid.shape, jnp.float32)
        return Detail(zero, zero, Drift.start(terrain.grid))

    def step(self, frame: Frame, terrain: Terrain, blocked, dt) -> Detail:
        """Go on by `dt` under the water of `frame`; `blocked` marks cells with bodies, or None."""
        return step(self, frame, terrain, blocked, jnp.float32(dt))

    def at(self, at: Spot) -> Carried:
        """How the water's texture was carried to some spots of the grid."""
        return self.drift.at(at)


@jax.jit
def step(detail: Detail, frame: Frame, terrain: Terrain, blocked, dt) -> Detail:
    grid = terrain.grid
    u, v = ashore(frame, grid)
    back, wide = upstream(u, v, dt, grid)
    foam = back.of(wide(detail.foam))
    foam = grow(foam, birth(frame, u, v, blocked, grid), dt)
    foam = jnp.where(frame.depth > FILM, foam, foam * smooth(SHOWN, FILM, frame.depth))
    wet = soak(detail.wet, frame.depth, dt, grid)
    return Detail(foam, wet, detail.drift.step(u, v, back, wide, dt))


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
