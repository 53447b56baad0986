"""Shadows of the land: how high they reach above each point of the map.

    M(p) = max over s of  b(p + s e) − s tan θ,    e toward the sun, θ its elevation

whatever is below M(p) lies in shadow.  It doubles: with M over distances up to s,

    M up to 2s (p) = max(M(p), M(p + s e) − s tan θ)
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from koski.core.phase import phase
from koski.core.pytree import pytree
from koski.render.fields import Land, Spot, spot

SUN = 0.5  # what counts as the sun's radius [degrees]: a little haze included
LEAST = 0.5  # elevation below which shadows get no longer [degrees]


@pytree
class Shade:
    """Two heights: below the lower all of the sun is hidden, above the higher none of it."""

    none: jax.Array  # [m]
    all: jax.Array


def cast(land: Land, sun) -> Shade:
    """The shadows of the land in the light of the sun, a unit vector toward it."""
    x, y, z = np.asarray(sun, float)
    flat = max(float(np.hypot(x, y)), 1e-6)
    angle = np.degrees(np.arctan2(z, flat))
    limbs = (np.tan(np.radians(max(angle + k * SUN, LEAST))) for k in (-1, 1))
    return Shade(*(reach(land.b, x / flat, y / flat, t, land.cell) for t in limbs))


@partial(jax.jit, static_argnames="cell")
def reach(b, ex, ey, steep, cell: float):
    """M, by doubling."""
    ny, nx = b.shape
    x, y = jnp.meshgrid((jnp.arange(nx) + 0.5) * cell, (jnp.arange(ny) + 0.5) * cell)
    M, s = b, cell
    while s < cell * np.hypot(nx, ny):
        px, py = x + s * ex, y + s * ey
        inside = (px > 0) & (px < nx * cell) & (py > 0) & (py < ny * cell)
        far = phase(spot(px, py, b.shape, cell).of)(M) - s * steep
        M, s = jnp.where(inside, jnp.maximum(M, far), M), 2 * s
    return M


def lit(shade: Shade, at: Spot, z, soft):
    """The share of the sun that is seen from height z above spots of the map.

    Shadows reach no sharper than `soft` [m] in height.
    """
    low, high = at.of(shade.all), at.of(shade.none)
    return jnp.clip((z - low + soft) / jnp.maximum(high - low, soft), 0, 1)
