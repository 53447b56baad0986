"""The bodies in a picture, seen directly, in the water and through it."""

from __future__ import annotations

import jax.numpy as jnp

from koski.core.pytree import pytree
from koski.render import materials, solids
from koski.render.ground import matt, sunshine
from koski.render.light import dot, reflect, schlick
from koski.render.solids import Hit, Solids
from koski.render.stage import Stage
from koski.render.tiles import Tiles

DAMP = 0.12  # a body is wet so far above the water [m]


@pytree
class Crowd:
    """Bodies, and the tiles of the picture in which they may be met."""

    solids: Solids
    tiles: Tiles

    def cast(self, origin, direction) -> Hit:
        """What rays [3, T, 256] meet first."""
        return solids.cast(self.solids, self.tiles, origin, direction)

    def sunlit(self, points, sun):
        """The share of the sun that bodies leave at points [3, T, 256]."""
        return solids.sunlit(self.solids, self.tiles, points, sun)


def skin(stage: Stage, hit: Hit, footprint):
    """Colour and gloss of bodies where they are hit."""
    return materials.body(
        stage.noise, hit.material, hit.point, hit.facing, hit.half, hit.color, footprint
    )


def solid(stage: Stage, hit: Hit, p, d, footprint, sun=1.0):
    """A body in the light of sun and sky, wet above the water line."""
    color, gloss = skin(stage, hit, footprint)
    at = stage.land.spot(p[0], p[1])
    damp = jnp.clip(1 - (p[2] - at.of(stage.sea.w)) / DAMP, 0, 1)
    color = color * (1 - 0.45 * damp)
    gloss = jnp.maximum(gloss, 0.5 * damp)
    light = matt(stage, color, hit.normal, sun * sunshine(stage, at, p[2]), jnp.ones_like(gloss))
    away = reflect(d, hit.normal)
    mirror = schlick(-dot(d, hit.normal), 0.04) * gloss
    shine = stage.sky.radiance(away) + stage.sky.disc(away, 0.25) * (sun * gloss)
    return light + mirror * shine
