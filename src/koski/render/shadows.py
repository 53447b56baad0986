"""Shadows of the land: how high they reach above each point of the map.

    M(p) = max over s > 0 of  b(p + s e) − s tan θ,    e toward the sun, θ its elevation

whatever is below M(p) lies in shadow.  It doubles: with M over distances up to s,

    M up to 2s (p) = max(M(p), M(p + s e) − s tan θ)

This is for the sun's lower limb.  Its upper one is hidden below M less as much as the two are
apart at the distance of what casts the shadow: the farther, the softer.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from koski.core.phase import phase
from koski.core.pytree import pytree
from koski.render.fields import Land
from koski.render.spot import Spot, spot

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
    lower, upper = (np.tan(np.radians(max(angle + k * SUN, LEAST))) for k in (-1, 1))
    none, far = reach(land.b, x / flat, y / flat, lower, land.cell)
    return Shade(none, none - far * (upper - lower))


@partial(jax.jit, static_argnames="cell")
def reach(b, ex, ey, steep, cell: float):
    """M, by doubling, and how far away what it comes from is."""
    ny, nx = b.shape
    x, y = jnp.meshgrid((jnp.arange(nx) + 0.5) * cell, (jnp.arange(ny) + 0.5) * cell)
    s = cell
    M, far = spot(x + s * ex, y + s * ey, b.shape, cell).of(b) - s * steep, jnp.full_like(b, s)
    while s < cell * np.hypot(nx, ny):
        px, py = x + s * ex, y + s * ey
        inside = (px > 0) & (px < nx * cell) & (py > 0) & (py < ny * cell)
        there = spot(px, py, b.shape, cell)
        new = phase(there.of)(M) - s * steep
        higher = inside & (new > M)
        far = jnp.where(higher, phase(there.of)(far) + s, far)
        M, s = jnp.where(higher, new, M), 2 * s
    return M, far


def lit(shade: Shade, at: Spot, z, soft):
    """The share of the sun that is seen from height z above spots of the map.

    Shadows reach no sharper than `soft` [m] in height.
    """
    low, high = at.of(shade.all), at.of(shade.none)
    return jnp.clip((z - low + soft) / jnp.maximum(high - low, soft), 0, 1)
