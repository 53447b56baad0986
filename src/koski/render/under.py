"""What an eye under water sees: the bed, the surface from below, and the sky in its window.

A ray that meets the surface more steeply than about 41° leaves it, as Snell has it; flatter ones
are mirrored and end on the bed, on a body or at the side of the water.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp

from koski.core.phase import phase
from koski.render import light as lights
from koski.render import march
from koski.render.crowd import Crowd, skin, solid
from koski.render.exact import exact, short, wide
from koski.render.light import dot
from koski.render.ripples import slopes, stirred
from koski.render.solids import Hit
from koski.render.spot import Spot
from koski.render.stage import Stage, unit
from koski.render.water import bed, lit_below, reach, risen, sunk, tinted

STEPS = 48  # along a ray
MIRRORED = 12  # along one that the surface sends back


@jax.jit
def submerged(stage: Stage, eye) -> jax.Array:
    """Whether an eye is in the water."""
    at = stage.land.spot(eye[0], eye[1])
    return ~march.beyond(stage.land, eye[0], eye[1]) & (eye[2] < at.of(stage.sea.w))


def ways(stage: Stage, p, d, count: int):
    """Distances to look at along rays, close to each other at first; and their reach."""
    most, leaves = reach(stage, p, d)
    k = (jnp.arange(count) + 1.0) / count
    return k.reshape(-1, *(1,) * most.ndim) ** 2 * most, most, leaves


def out_of_water(stage: Stage, p, d):
    """How far rays stay in the water, and what ends it: the ground, the surface or the side."""
    way, most, leaves = ways(stage, p, d, STEPS)

    def over(t):
        """Above zero where the point is in the ground or in the air."""
        x, y, z = (p[k] + wide(t) * d[k] for k in range(3))
        at = stage.land.spot(x, y)
        return short(jnp.maximum(at.of(stage.land.b) - z, z - at.of(stage.sea.w)))

    t, _ = march.first_under(over, short(way))
    ends = t < march.FAR
    t = jnp.where(ends, t, most)
    x, y, z = (p[k] + t * d[k] for k in range(3))
    at = stage.land.spot(x, y)
    ground = ends & (at.of(stage.land.b) - z > z - at.of(stage.sea.w))
    return t, ground, ends & ~ground, ~ends & leaves


def speed(stage: Stage, at: Spot):
    """Of the water at some spots of the grid [m/s]."""
    return jnp.hypot(at.of(stage.sea.u), at.of(stage.sea.v))


@partial(exact, reads=1)
def dive(stage: Stage, eye, d, pixel, crowd: Crowd | None = None):
    """The light along rays d [3, ...] from an eye in the water."""
    p = jnp.broadcast_to(eye.reshape(3, *(1,) * (d.ndim - 1)), d.shape)
    t, ground, surface, side = phase(out_of_water)(stage, p, d)
    hit = None if crowd is None else crowd.cast(p, d)
    if hit is not None:
        before = hit.t < t
        t, ground, surface = jnp.minimum(t, hit.t), ground & ~before, surface & ~before
    q, width = p + t * d, pixel * t
    stage = replace(stage, medium=tinted(stage, p, p + 0.5 * t * d, q))
    at = stage.land.spot(q[0], q[1])
    depth = jnp.maximum(at.of(stage.sea.w) - q[2], 0)
    sun = 1.0 if crowd is None else crowd.sunlit(q, sunk(stage.sky.sun))
    clear = stirred(phase(speed)(stage, stage.land.spot_coarse(q[0], q[1])))
    seen = stage.sky.radiance(d) * side
    seen = jnp.where(ground, phase(bed)(stage, q, depth, width, clear, sun), seen)
    seen = jnp.where(surface, phase(ceiling)(stage, q, d, width, crowd), seen)
    if hit is not None:
        seen = jnp.where(before, drowned(stage, hit, q, depth, width, clear, sun), seen)
    above = stage.land.spot(eye[0], eye[1])
    start = jnp.maximum(above.of(stage.sea.w) - eye[2], 0)
    return risen(stage, seen, t, depth, start)


def drowned(stage: Stage, hit: Hit, p, depth, width, clear, sun=1.0):
    """A body under water."""
    color, _ = skin(stage, hit, width)
    at = stage.land.spot(p[0], p[1])
    return lit_below(stage, p, at, depth, color, hit.normal, width, clear, sun)


def ceiling(stage: Stage, q, d, width, crowd: Crowd | None):
    """The surface from below: what is above in its window, what is below mirrored about it."""
    at, coarse = stage.land.spot(q[0], q[1]), stage.land.spot_coarse(q[0], q[1])
    fast = speed(stage, coarse)
    rx, ry = slopes(stage.detail.at(coarse), stage.ripples, q[0], q[1], width, stage.t, fast)
    n = -unit(-(at.of(stage.sea.wx) + rx), -(at.of(stage.sea.wy) + ry), jnp.ones_like(rx))
    out, total = lights.refract(d, n, lights.OUT_OF_WATER)
    share = jnp.where(total, 1, lights.schlick(-dot(out, n)))
    below = mirrored(stage, q, lights.reflect(d, n), width, stirred(fast), crowd)
    return share * below + (1 - share) * window(stage, q, out, width, crowd)


def window(stage: Stage, q, out, width, crowd: Crowd | None):
    """What rays meet that leave the water."""
    sky = stage.sky.radiance(out) + stage.sky.disc(out, 0.02)
    if crowd is None:
        return sky
    hit = crowd.cast(q, out)
    return jnp.where(hit.t < jnp.inf, solid(stage, hit, q + hit.safe * out, out, width), sky)


def mirrored(stage: Stage, q, back, width, clear, crowd: Crowd | None):
    """What rays meet that the surface sends back into the water."""
    way, most, leaves = ways(stage, q, back, MIRRORED)
    t, _ = march.along(stage.land, q, back, way)
    ground = t < march.FAR
    t = jnp.where(ground, t, most)
    hit = None if crowd is None else crowd.cast(q, back)
    if hit is not None:
        t = jnp.minimum(t, hit.t)
    r = q + t * back
    depth = jnp.maximum(stage.land.spot(r[0], r[1]).of(stage.sea.w) - r[2], 0)
    seen = stage.sky.radiance(back) * leaves
    seen = jnp.where(ground, phase(bed)(stage, r, depth, width, clear), seen)
    if hit is not None:
        seen = jnp.where(hit.t <= t, drowned(stage, hit, r, depth, width, clear), seen)
    return risen(stage, seen, t, depth)
