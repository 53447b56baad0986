"""All that light meets on its way to the eye, at one moment."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from koski.core.pytree import pytree
from koski.render.caustics import Caustics
from koski.render.detail import Detail
from koski.render.fields import Land, Sea
from koski.render.light import Medium
from koski.render.materials import Site
from koski.render.noise import Tile
from koski.render.ripples import Ripples
from koski.render.shadows import Shade
from koski.render.sky import Sky

THICK = 0.06  # of the land below its lowest point, as a share of its shorter side
AIR = 0.1  # share of the light that hazy air takes away over the land's longer side


@pytree
class Stage:
    """The world as light sees it."""

    land: Land
    sea: Sea
    shade: Shade
    sky: Sky
    medium: Medium
    detail: Detail
    ripples: Ripples
    lace: Tile
    caustics: Caustics
    site: Site
    noise: Tile  # of the ground
    above: jax.Array  # how high the ground is above the water near it [m]
    t: jax.Array  # [s]

    @property
    def base(self):
        """Where the block of land ends below [m]."""
        return self.land.low - THICK * min(self.land.grid.size)


@pytree
class Sight:
    """Points that are seen, and from where: maps [3, ...] and [...]."""

    p: jax.Array  # [m]
    d: jax.Array  # the ray's direction
    far: jax.Array  # how far from the eye [m]
    footprint: jax.Array  # how much of the surface a pixel covers [m]
    cover: jax.Array  # how much of the pixel the surface covers: less than all at the skyline


def outward(stage: Stage, sight: Sight):
    """The normals of points on the cut sides; at the edge between two, those of both in part."""
    (x, y, _), d, (wide, deep) = sight.p, sight.d, stage.land.grid.size
    to_x = jnp.minimum(jnp.abs(x), jnp.abs(x - wide))
    to_y = jnp.minimum(jnp.abs(y), jnp.abs(y - deep))
    by_x = jnp.clip(0.5 + 0.5 * (to_y - to_x) / jnp.maximum(sight.footprint, 1e-9), 0, 1)
    return unit(-jnp.sign(d[0]) * by_x, -jnp.sign(d[1]) * (1 - by_x), jnp.zeros_like(x))


def hazed(stage: Stage, light, d, far):
    """Light from `far` away through air that the sky shines in."""
    kept = jnp.exp(-AIR / max(stage.land.grid.size) * jnp.minimum(far, 1e9))
    level = jnp.stack([d[0], d[1], jnp.full_like(d[0], 0.02)])
    return light * kept + stage.sky.radiance(level) * (1 - kept)


def unit(x, y, z):
    """A vector of length one, [3, ...]."""
    inv = jax.lax.rsqrt(x * x + y * y + z * z + 1e-20)
    return jnp.stack([x * inv, y * inv, z * inv])
