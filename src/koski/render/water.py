"""What water looks like: the sky and the land in it, the bed through it, foam on it.

R · reflection + (1 − R) · (bed + scattered)                               Maes 2006, eq. 8–12
"""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp

from koski.core.phase import phase
from koski.core.pytree import pytree
from koski.render import foam as foams
from koski.render import light as lights
from koski.render import march
from koski.render.caustics import caustics
from koski.render.crowd import SOAKED, Crowd, skin, solid
from koski.render.exact import short, wide
from koski.render.ground import albedo, edge, matt, relief, sunshine
from koski.render.light import Medium, beside, dot
from koski.render.ripples import lost, slopes, stirred
from koski.render.solids import Hit
from koski.render.stage import Sight, Stage, outward, unit

GUESSES = (0.3, 0.6, 0.85, 1.0, 1.2, 1.6, 2.4, 4.0, 8.0)  # of the way to the bed were it level
STEPS = 10  # of a mirrored ray
DARK = 7.0  # optical depth at which nothing is left of the light
CALM = 0.2  # water shallower than this has smaller ripples [m]
FILM = 0.02  # depth of a film [m], or its share of a cell
WHITE = 0.85  # albedo of foam
SHORT = 0.01  # of a cell below the highest land it is looked for last: at its top, rounding decides
OFF = 0.01  # from a body's surface, shadows are looked for [m]
BLURRED = 4.0  # times as wide as a pixel, what is mirrored is looked at
NET = 0.65  # how much of the net of light that waves could make is seen


@pytree
class Rays:
    """From points of the water's surface: what is mirrored, and what goes on into the water."""

    normal: jax.Array  # with ripples
    mirrored: jax.Array
    bent: jax.Array
    depth: jax.Array  # of the water there [m]
    start: jax.Array  # how far below the surface the ray goes in [m]
    flat: jax.Array  # 1 where that is through the cut side of the water
    speed: jax.Array


@pytree
class Ways:
    """Where these rays go."""

    rays: Rays
    most: jax.Array  # how far the bent ones are followed at most [m]
    bed: jax.Array  # … to the bed, FAR where they do not reach it
    leaves: jax.Array  # whether they leave the block of water then, or all is dark
    land: jax.Array  # how far the mirrored ones go to the land, FAR where they meet none
    rises: jax.Array  # how far that rises above them [m]
    below: Hit | None  # what the bent ones meet of bodies
    above: Hit | None  # … and the mirrored ones


@pytree
class Surface:
    """What the surface itself looks like."""

    share: jax.Array  # R, of the light that is mirrored
    rough: jax.Array  # slope of what is too small to be seen
    foam: jax.Array  # share that foam hides


def split(stage: Stage, sight: Sight, flat) -> Rays:
    """Bend and mirror the rays at the surface; `flat` where it is the cut side of the water.

    Within a pixel of its upper edge the one goes over into the other.
    """
    land, sea = stage.land, stage.sea
    x, y, z = sight.p
    at, coarse = land.spot(x, y), land.spot_coarse(x, y)
    u, v = coarse.of(sea.u), coarse.of(sea.v)
    speed = jnp.sqrt(u * u + v * v)
    carried = stage.detail.at(coarse)
    rx, ry = slopes(carried, stage.ripples, x, y, sight.footprint, stage.t, speed)
    w = at.of(sea.w)
    depth, below = jnp.maximum(w - at.of(land.b), 0), jnp.maximum(w - z, 0)
    flat = jnp.where(flat, jnp.clip(below / jnp.maximum(sight.footprint, 1e-9), 0, 1), 0)
    calm = jnp.clip(depth / CALM, 0, 1)
    n = unit(-(at.of(sea.wx) + calm * rx), -(at.of(sea.wy) + calm * ry), jnp.ones_like(x))
    n = n + flat * (outward(stage, sight) - n)
    n = unit(n[0], n[1], n[2])
    n, back = facing(n, sight.d)
    mirrored = lights.reflect(sight.d, n)
    up = jnp.maximum(mirrored[2], 0.01 + back)  # behind a crest the sky is seen, not what is below
    up = up + flat * (mirrored[2] - up)
    mirrored = unit(mirrored[0], mirrored[1], up)
    bent, _ = lights.refract(sight.d, n)
    rays = Rays(n, mirrored, bent, depth, flat * below, flat, speed)
    return jax.tree.map(short, rays)


def surface_of(stage: Stage, sight: Sight, rays: Rays) -> Surface:
    """How much the surface mirrors, how rough it is, and the foam on it."""
    x, y, _ = sight.p
    coarse = stage.land.spot_coarse(x, y)
    thick = jnp.clip(rays.depth / edge(stage), 0, 1)
    share = lights.schlick(-dot(sight.d, rays.normal)) * thick
    carried = stage.detail.at(coarse)
    lace = foams.pattern(carried, stage.lace, x, y, sight.footprint, stage.ripples.tile)
    foam = (1 - rays.flat) * thick * foams.foam_hides(coarse.of(stage.detail.foam), lace)
    return Surface(share, lost(stage.ripples, sight.footprint, rays.speed), foam)


def facing(n, d):
    """The normal, turned so that it is seen from where the ray comes, and how far it was turned."""
    back = jnp.maximum(dot(n, d) + 0.02, 0)
    n = n - back * d
    return unit(n[0], n[1], n[2]), back


def reach(stage: Stage, p, d):
    """How far rays are followed in the water at most [m], and whether they leave the block then;
    else all is dark there."""
    _, leave = march.entry(stage.land, p, d)
    dark = DARK / jnp.maximum(stage.medium.takes.min(), 1e-3)
    most = jnp.minimum(jnp.maximum(leave, 0), dark)
    return most, most < dark


def risen(stage: Stage, seen, length, depth, start=0.0):
    """What comes to the eye of light that goes a way through the water, and what that scatters.

    The way runs from `start` to `depth` below the surface.
    """
    entering = lights.entering(stage.sky.sunlight, stage.sky.ambient, stage.sky.sun[2])
    glow = lights.scattered(stage.medium, length, depth, entering, start)
    return seen * lights.through(stage.medium, length) + glow


def ways(stage: Stage, sight: Sight, flat, crowd: Crowd | None = None) -> Ways:
    """Follow the rays of some points of the water's surface."""
    stage = replace(stage, medium=tinted(stage, sight.p))
    rays = phase(split)(stage, sight, flat)
    bed, most, leaves = phase(bed_of)(stage, sight, rays)
    land, rises = phase(over_land)(stage, sight, rays)
    below, above = (
        None if crowd is None else crowd.cast(sight.p, wide(d), hollow=False)
        for d in (rays.bent, rays.mirrored)  # not hollow: a waterline is within
    )
    return Ways(rays, most, bed, leaves, land, rises, below, above)


def bed_of(stage: Stage, sight: Sight, rays: Rays):
    """How far along the bent rays the bed is, FAR where they leave the block before; and their
    reach."""
    land = stage.land
    down = wide(jnp.maximum(-rays.bent[2], 1e-3))
    most, leaves = reach(stage, sight.p, rays.bent)
    guess = jnp.minimum(jnp.maximum(rays.depth - rays.start, 0.01) / down, most)
    way = jnp.stack([jnp.minimum(g * guess, most) for g in GUESSES] + [most])
    return march.along(land, sight.p, rays.bent, way)[0], most, leaves


def bed(stage: Stage, p, depth, footprint, clear, sun=1.0):
    """The bed under `depth` of water, lit from above through it."""
    r = relief(stage, p[0], p[1], footprint)
    wet = stage.land.spot_coarse(p[0], p[1]).of(stage.detail.wet)
    color = albedo(stage, p, r, 1 + film(stage, depth) * (wet - 1), footprint)
    sees = r.at.of(stage.land.open)
    return lit_below(stage, p, r.at, depth, color, r.normal, footprint, clear, sun, sees)


def film(stage: Stage, depth):
    """1 where the water is so shallow that what is below it looks as if there were none."""
    return jnp.exp(-depth / (FILM * max(1.0, stage.land.grid.cell)))


def lit_below(stage: Stage, p, at, depth, color, normal, footprint, clear, sun=1.0, sees=1.0):
    """A dull surface below water: sun and sky come down through it, the sun in a net of light.

    Below a film it is lit as if it were dry: water ends where nothing tells it from the shore.
    """
    sky, medium = stage.sky, stage.medium
    shine = sun * sunshine(stage, at, p[2] + depth)
    net = caustics(stage.caustics, p[0], p[1], depth, footprint, stage.t, clear)
    up = 0.5 + 0.5 * normal[2]
    dark = jnp.zeros(3)
    by_sun = lights.bed_light(medium, depth, sky.sunlight, dark, sky.sun[2]) * (shine * net)
    by_sky = lights.bed_light(medium, depth, dark, sky.ambient, sky.sun[2])
    below = color / jnp.pi * ((by_sun + by_sky) * up)
    return below + film(stage, depth) * (matt(stage, color, normal, shine, sees) - below)


def tinted(stage: Stage, *places) -> Medium:
    """The water with the dyes that are on a way past some places [3, ...], each of which takes
    away what is not its colour."""
    medium, dyes = stage.medium, stage.sea.dyes
    if not dyes:
        return medium
    spots = [stage.land.spot_coarse(p[0], p[1]) for p in places]
    takes = jnp.zeros(())
    for k, c in enumerate(dyes.values()):
        much = sum(jnp.maximum(at.of(c), 0) for at in spots) / len(spots)
        takes = takes + beside(DYES[k % len(DYES)], much) * much
    takes = takes / jnp.maximum(medium.concentration, 1e-3)
    return replace(
        medium,
        absorption=beside(medium.absorption, spots[0].x) + takes,
        scattering=beside(medium.scattering, spots[0].x),
    )


DYES = jnp.array([(0.1, 1.6, 2.2), (2.0, 0.3, 1.8), (2.0, 1.0, 0.1), (0.2, 0.4, 2.4)])


def foamy(stage: Stage, sight: Sight, rays: Rays, sun=1.0):
    """White foam in the light."""
    at = stage.land.spot(sight.p[0], sight.p[1])
    shine = sun * sunshine(stage, at, sight.p[2])
    white = jnp.full_like(sight.p, WHITE)
    return matt(stage, white, rays.normal, shine, jnp.ones_like(shine))


def water(stage: Stage, sight: Sight, ways: Ways, crowd: Crowd | None = None):
    """The light that comes from the water at some points of its surface."""
    stage = replace(stage, medium=tinted(stage, sight.p))
    surface = phase(surface_of)(stage, sight, ways.rays)
    below = phase(under)(stage, sight, ways, surface, crowd)
    above = phase(over)(stage, sight, ways, surface)
    light = above * surface.share + below * (1 - surface.share)
    sun = 1.0 if crowd is None else crowd.sunlit(sight.p, stage.sky.sun)
    return light + surface.foam * (phase(foamy)(stage, sight, ways.rays, sun) - light)


def under(stage: Stage, sight: Sight, ways: Ways, surface: Surface, crowd: Crowd | None):
    """What comes up through the water: from the bed, bodies, and what floats in it."""
    rays, way, most, hit = ways.rays, ways.bed, ways.most, ways.below
    length = jnp.minimum(way, most)
    clear, width = NET * (1 - surface.foam) * stirred(rays.speed), sight.footprint
    sun = sunk(stage.sky.sun)

    def sent(shade, length, off=0.0):
        """What a surface so far down the rays sends up to the eye."""
        q = sight.p + length * rays.bent
        depth = jnp.maximum(stage.land.spot(q[0], q[1]).of(stage.sea.w) - q[2], 0)
        seen = shade(q, depth, 1.0 if crowd is None else crowd.sunlit(q + off, sun))
        return risen(stage, seen, length, depth, rays.start)

    def ends(q, depth, sun):
        """The bed, or what is beyond the side of the block."""
        out = stage.sky.radiance(rays.bent) * ways.leaves
        reaches = jnp.clip((most - way) / width, 0, 1)
        return reaches * phase(bed)(stage, q, depth, width, clear, sun) + (1 - reaches) * out

    light = sent(ends, length)
    if hit is None:
        return light

    def body(q, depth, sun):
        color, _ = skin(stage, hit, width)
        color = color * (1 - SOAKED * film(stage, depth))
        at = stage.land.spot(q[0], q[1])
        return phase(lit_below)(stage, q, at, depth, color, hit.normal, width, clear, sun)

    # a body is not in its own way
    return light + hit.covers(width, length) * (sent(body, hit.safe, OFF * hit.normal) - light)


def sunk(sun):
    """Where the sun seems to stand from below the water."""
    return unit(sun[0] * lights.INTO_WATER, sun[1] * lights.INTO_WATER, jnp.sqrt(
        jnp.maximum(1 - lights.INTO_WATER**2 * (1 - sun[2] ** 2), 0.1)))  # fmt: skip


def over(stage: Stage, sight: Sight, ways: Ways, surface: Surface):
    """What is mirrored: the sky and the sun, land and bodies where they are in the way."""
    sky, rays, way, hit = stage.sky, ways.rays, ways.land, ways.above
    land = way < march.FAR
    r = sight.p + jnp.where(land, way, 0) * rays.mirrored
    wide = blurred(sight.footprint, jnp.where(land, way, 0))
    at = stage.land.spot(sight.p[0], sight.p[1])
    cover = jnp.where(land, jnp.clip(ways.rises / (wide / BLURRED), 0, 1), 0)
    sun = sunshine(stage, at, sight.p[2]) * (1 - cover)
    blur = jnp.minimum(0.012 + 2.0 * surface.rough, 0.5)
    free = sky.radiance(rays.mirrored) + sky.disc(rays.mirrored, blur) * sun
    seen = free + cover * (phase(shored)(stage, r, wide) - free)
    if hit is not None:
        r, wide = sight.p + hit.safe * rays.mirrored, blurred(sight.footprint, hit.safe)
        body = phase(solid)(stage, hit, r, rays.mirrored, wide)
        seen = seen + hit.covers(wide / BLURRED, way) * (body - seen)
    return seen


def blurred(footprint, way):
    """How wide what is mirrored from afar is seen [m]: waves make it less sharp."""
    return BLURRED * (footprint + 0.02 * way)


def over_land(stage: Stage, sight: Sight, rays: Rays):
    """How far along mirrored rays the land is, FAR where they reach the sky; and how far it rises
    above them."""
    land = stage.land
    k = (jnp.arange(STEPS) + 1.0) / STEPS
    _, leave = march.entry(land, sight.p, rays.mirrored)
    top = land.high - SHORT * land.grid.cell
    over = (top - sight.p[2]) / jnp.maximum(rays.mirrored[2], 1e-3)
    most = jnp.maximum(jnp.minimum(leave, over), 0)
    way = jnp.stack([most * (s * s) for s in k])
    return march.along(land, sight.p, rays.mirrored, way)


def shored(stage: Stage, p, footprint):
    """Land as seen in the water."""
    r = relief(stage, p[0], p[1], footprint)
    wet = stage.land.spot_coarse(p[0], p[1]).of(stage.detail.wet)
    color = albedo(stage, p, r, wet, footprint)
    return matt(stage, color, r.normal, sunshine(stage, r.at, p[2]), r.at.of(stage.land.open))
