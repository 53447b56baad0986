"""What dry ground and bodies look like."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp

from koski.core.pytree import pytree
from koski.render import materials
from koski.render.light import beside, dot, reflect, schlick
from koski.render.noise import smooth
from koski.render.shadows import lit
from koski.render.spot import Spot
from koski.render.stage import Sight, Stage, outward, unit

PI = 3.14159265
EDGE = 0.01  # how deep the water's edge is [m], or its share of a cell
STONE = (0.23, 0.19, 0.15)  # of the cut sides


@pytree
class Relief:
    """The ground at some points."""

    at: Spot  # on the map
    x: jax.Array  # where its textures are read [m]
    y: jax.Array
    steep: jax.Array  # tangent of its slope
    normal: jax.Array  # with what is smaller than the map [3, ...]


def relief(stage: Stage, x, y, footprint) -> Relief:
    land = stage.land
    at = land.spot(x, y)
    sx, sy = at.of(land.bx), at.of(land.by)
    x, y = land.drape.at(x, y)
    bx, by = materials.bump(stage.noise, x, y, footprint, stage.site.scale)
    normal = unit(-(sx + bx), -(sy + by), jnp.ones_like(sx))
    return Relief(at, x, y, jnp.sqrt(sx * sx + sy * sy), normal)


def sunshine(stage: Stage, at, z):
    """The share of the sun that the land leaves at height z."""
    return lit(stage.shade, at, z, 0.1 * stage.land.cell)


def albedo(stage: Stage, p, r: Relief, wet, footprint):
    """The colour of the ground at points p [3, ...]."""
    high = above(stage, p)
    return materials.ground(stage.noise, stage.site, r.x, r.y, p[2], r.steep, wet, footprint, high)


def above(stage: Stage, p):
    """How high the ground stands above the water near it [m]."""
    return stage.land.spot_coarse(p[0], p[1]).of(stage.above)


def edge(stage: Stage):
    """Water shallower than this mirrors less, and so does ground no higher above it [m]."""
    return EDGE * max(1.0, stage.land.grid.cell)


def matt(stage: Stage, color, normal, sun, sees):
    """Light that a dull surface sends anywhere: of the sun, the sky and the land about it."""
    sky = stage.sky
    facing = jnp.maximum(dot(normal, beside(sky.sun, normal[0])), 0) * sun
    up = 0.5 + 0.5 * normal[2]
    light = beside(sky.sunlight, facing) * facing + beside(sky.ambient, up) * (up * sees)
    bounce = beside(sky.ground, up) * (PI * (1 - up) * sees)
    return color / PI * (light + bounce)


def ground(stage: Stage, sight: Sight, sun=1.0):
    """The ground, dry or wet; `sun` is what bodies leave of it."""
    x, y, z = sight.p
    r = relief(stage, x, y, sight.footprint)
    wet = stage.land.spot_coarse(x, y).of(stage.detail.wet)
    color = albedo(stage, sight.p, r, wet, sight.footprint)
    sees = r.at.of(stage.land.open)
    light = matt(stage, color, r.normal, sun * sunshine(stage, r.at, z), sees)
    away = reflect(sight.d, r.normal)
    sand = 1 - smooth(1.0, 3.0, above(stage, sight.p) / stage.site.shore)  # grass is no mirror
    ashore = jnp.clip((z - r.at.of(stage.sea.w)) / edge(stage), 0, 1)  # nor is the water's edge
    mirror = schlick(-dot(sight.d, r.normal)) * wet * wet * 0.35 * sees * sand * ashore
    return light + mirror * stage.sky.radiance(jnp.stack([away[0], away[1], jnp.abs(away[2])]))


def cut(stage: Stage, sight: Sight):
    """The cut side of the land, turf within a pixel of the dry top."""
    x, y, z = sight.p
    at = stage.land.spot(x, y)
    b, w = at.of(stage.land.b), at.of(stage.sea.w)
    side = soil(stage, sight, b - z)
    brim = jnp.where(w > b, 0, jnp.clip(1 - (b - z) / jnp.maximum(sight.footprint, 1e-9), 0, 1))
    top = ground(stage, replace(sight, p=jnp.stack([x, y, b])))
    return side + brim * (top - side)


def soil(stage: Stage, sight: Sight, deep):
    """Soil and layers of stone, so deep below the ground."""
    x, y, z = sight.p
    size = stage.site.scale
    wavy, patch = materials.read(
        stage.noise, x + y, z, sight.footprint, (materials.CLOUDS, 90 * size, 0.0),
        (materials.CLOUDS, 13 * size, 0.4),
    )  # fmt: skip
    layer = jnp.sin((z / size + 6 * wavy) * 1.3) + 0.6 * jnp.sin((z / size + 4 * wavy) * 3.1 + 2)
    stone = beside(STONE, z) * (1 + 0.18 * layer + 0.5 * patch)
    earth = beside(materials.SOIL, z) * (1 + 0.5 * patch)
    color = stone + jnp.exp(-deep / (1.5 * size) + patch) * (earth - stone)
    return matt(stage, jnp.clip(color, 0.01, 0.8), outward(stage, sight), jnp.ones_like(z), 1.0)
