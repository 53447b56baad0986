"""What dry ground and bodies look like."""

from __future__ import annotations

import jax.numpy as jnp

from koski.render import materials
from koski.render.light import beside, dot, reflect, schlick
from koski.render.shadows import lit
from koski.render.stage import Sight, Stage, unit

PI = 3.14159265
STONE = (0.23, 0.19, 0.15)  # of the cut sides


def relief(stage: Stage, x, y, footprint):
    """The ground's normal, with what is smaller than the map, and where it is on the map."""
    land = stage.land
    at = land.spot(x, y)
    sx, sy = at.of(land.bx), at.of(land.by)
    steep = jnp.sqrt(sx * sx + sy * sy)
    bx, by = materials.bump(stage.noise, x, y, at.of(land.b), footprint, stage.site.scale)
    return unit(-(sx + bx), -(sy + by), jnp.ones_like(sx)), steep, at


def sunshine(stage: Stage, at, z):
    """The share of the sun that the land leaves at height z."""
    return lit(stage.shade, at, z, 0.1 * stage.land.cell)


def albedo(stage: Stage, p, steep, wet, footprint):
    """The colour of the ground at points p [3, ...]."""
    at = stage.land.spot_coarse(p[0], p[1])
    return materials.ground(
        stage.noise, stage.site, p[0], p[1], p[2], steep, wet, footprint, at.of(stage.above)
    )


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
    normal, steep, at = relief(stage, x, y, sight.footprint)
    wet = stage.land.spot_coarse(x, y).of(stage.detail.wet)
    color = albedo(stage, sight.p, steep, wet, sight.footprint)
    sees = at.of(stage.land.open)
    light = matt(stage, color, normal, sun * sunshine(stage, at, z), sees)
    away = reflect(sight.d, normal)
    mirror = schlick(-dot(sight.d, normal)) * wet * wet * 0.35 * sees
    return light + mirror * stage.sky.radiance(jnp.stack([away[0], away[1], jnp.abs(away[2])]))


def cut(stage: Stage, sight: Sight):
    """The cut side of the land: turf, soil, and layers of stone."""
    x, y, z = sight.p
    size = stage.site.scale
    deep = stage.land.spot(x, y).of(stage.land.b) - z
    wavy, patch = materials.read(
        stage.noise, x + y, z, 0.0, sight.footprint, (materials.CLOUDS, 90 * size, 0.0),
        (materials.CLOUDS, 13 * size, 0.4),
    )  # fmt: skip
    layer = jnp.sin((z / size + 6 * wavy) * 1.3) + 0.6 * jnp.sin((z / size + 4 * wavy) * 3.1 + 2)
    stone = beside(STONE, z) * (1 + 0.18 * layer + 0.5 * patch)
    earth = beside(materials.SOIL, z) * (1 + 0.5 * patch)
    color = stone + jnp.exp(-deep / (1.5 * size) + patch) * (earth - stone)
    return matt(stage, jnp.clip(color, 0.01, 0.8), sight.normal, jnp.ones_like(z), 1.0)
