"""The bodies in a picture, seen directly, in the water and through it."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from koski.core.frame import Frame
from koski.core.pytree import pytree
from koski.render import materials, solids
from koski.render.fields import Land
from koski.render.ground import matt, sunshine
from koski.render.light import dot, reflect, schlick
from koski.render.solids import Hit, Solids
from koski.render.stage import Stage
from koski.render.tiles import Tiles

DAMP = 0.12  # a body is wet so far above the water [m]
SOAKED = 0.45  # how much darker it is then
STIRS = 0.7  # a body that moves with the water, but for less than this, makes no foam [m/s]


@pytree
class Crowd:
    """Bodies, and the tiles of the picture in which they may be met."""

    solids: Solids
    tiles: Tiles

    def cast(self, origin, direction, hollow: bool = True) -> Hit:
        """What rays [3, T, 256] meet first."""
        return solids.cast(self.solids, self.tiles, origin, direction, hollow)

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
    color = color * (1 - SOAKED * damp)
    gloss = jnp.maximum(gloss, 0.5 * damp)
    light = matt(stage, color, hit.normal, sun * sunshine(stage, at, p[2]), jnp.ones_like(gloss))
    away = reflect(d, hit.normal)
    metal = hit.material == materials.MATERIALS["metal"]
    mirror = schlick(-dot(d, hit.normal), jnp.where(metal, 0.6, 0.04)) * gloss
    shine = stage.sky.radiance(away) + stage.sky.disc(away, 0.25) * (sun * gloss)
    return jnp.where(metal, 1 - mirror, 1) * light + mirror * shine


def in_the_way(bodies: Sequence, frame: Frame, land: Land) -> jax.Array | None:
    """The cells in which a body stands in water that runs past it."""
    if not bodies:
        return None
    grid, parts = land.grid, jax.device_get(Solids.of(bodies).parts)
    maps = frame.surface, frame.depth, frame.u, frame.v
    surface, depth, u, v = map(np.asarray, maps)
    mask, cells = np.zeros(grid.shape, bool), np.mgrid[: grid.ny, : grid.nx]
    for k in np.flatnonzero((parts.body >= 0) & (parts.body < len(bodies))):
        at, half = parts.at[:, k], parts.half[:, k]
        if not np.isfinite(at).all():
            continue
        n = int(np.linalg.norm(half) / grid.cell) + 2
        i, j = (int(np.clip(p / grid.cell, 0, m - 1)) for p, m in zip(at, grid.shape[::-1]))
        rows, columns = slice(max(j - n, 0), j + n + 1), slice(max(i - n, 0), i + n + 1)
        y, x = cells[:, rows, columns]
        place = np.stack([(x + 0.5) * grid.cell, (y + 0.5) * grid.cell, surface[y, x]])
        own = np.tensordot(parts.turn[..., k].T, place - at[:, None, None], 1)
        inside = (np.abs(own) <= half[:, None, None] + 0.25 * grid.cell).all(0)
        velocity = bodies[parts.body[k]].velocity
        past = np.hypot(u[y, x] - velocity[0], v[y, x] - velocity[1]) * (depth[y, x] > DAMP)
        if past.max() > STIRS:
            mask[y, x] |= inside
    return jnp.asarray(mask)
