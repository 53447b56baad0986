"""Where rays meet the ground and the water.

From an eye above both, each direction on the map is a row of heights at growing distances.  The
highest tangent so far grows along it, so that the first sample which hides a ray is found by
halving; a few looks along the ray itself then find the point.  From anywhere else rays march.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax

from koski.core.phase import phase
from koski.core.pytree import pytree
from koski.render.exact import short, wide
from koski.render.fields import Land, Sea
from koski.render.spot import entries

STEPS = 512  # distances along a direction
HALVINGS = 10  # of those
CLOSE = 3  # halvings along the ray itself: then the ground is nearly straight
LEAP = 16  # steps by which neighbouring directions may meet the same slope apart
UNROLLED = 16  # rounds of a loop, on a GPU
FAR = 1e9  # the length of a ray that meets nothing [m]


@pytree
class Fan:
    """Directions on the map, seen from the eye, and how steeply what stands there rises."""

    first: jax.Array  # azimuth of the first of them [rad]
    apart: jax.Array  # from one to the next [rad]
    distance: jax.Array  # of the samples [STEPS] [m]
    steepest: jax.Array  # tangent of the elevation, at most so far [STEPS, directions]


def height(land: Land, sea: Sea, x, y):
    """The higher of ground and water."""
    at = land.spot(x, y)
    return jnp.maximum(at.of(land.b), at.of(sea.w))


def beyond(land: Land, x, y):
    """Which points are not over the grid."""
    wide, deep = land.grid.size
    return (x < 0) | (x > wide) | (y < 0) | (y > deep)


@partial(jax.jit, static_argnames="count")
def fan(land: Land, sea: Sea, eye, first, apart, nearest, farthest, count: int) -> Fan:
    """Look in `count` directions, at distances that grow by the same share each."""
    k = jnp.arange(STEPS) / (STEPS - 1)
    even = nearest + (farthest - nearest) * k
    grown = nearest * jnp.exp(k * jnp.log(farthest / nearest))
    r = 0.5 * (even + grown)
    turn = first + apart * jnp.arange(count)
    ex, ey, r_ = jnp.cos(turn), jnp.sin(turn), r[:, None]
    near = jnp.clip(r_, nearest, border(land, eye, ex, ey))  # the last one is on the border
    x, y = eye[0] + ex * near, eye[1] + ey * near
    h = jnp.where(beyond(land, x, y), -FAR, height(land, sea, x, y))
    steep = ((h - eye[2]) / near).astype(jnp.float32)  # from here on only compared
    return Fan(first, apart, r, lax.cummax(steep, axis=0))


def border(land: Land, eye, ex, ey):
    """How far it is from the eye to where directions on the map leave it."""
    _, leave = entry(land, eye, (ex, ey))
    return short(leave * (1 - 1e-5))


@jax.jit
def first_hit(fan: Fan, land: Land, sea: Sea, eye, d):
    """How far along rays d [3, ...] from the eye the ground or the water is, FAR if nowhere.

    And by how much land or water rises above them, as a tangent: nothing does beside the skyline.
    """
    flat = jnp.sqrt(d[0] * d[0] + d[1] * d[1] + 1e-12)
    ex, ey, rise = (short(f / flat) for f in d)
    turn = jnp.mod(jnp.arctan2(d[1], d[0]) - fan.first, 2 * jnp.pi) / fan.apart
    count = fan.steepest.shape[1]
    whole = jnp.clip(turn, 0, count - 2).astype(jnp.int32)
    steepest = fan.steepest.reshape(-1)
    tops = fan.steepest[-1]
    top, next_top = (entries(tops, whole + k) for k in (0, 1))
    above = top + jnp.clip(turn - whole, 0, 1) * (next_top - top) - rise

    def hidden(direction):
        """The first sample of a direction that hides the rays, STEPS if none does."""

        def halve(bounds):
            low, high = bounds
            mid = low + high >> 1
            hides = entries(steepest, mid * count + direction) >= rise
            return jnp.where(hides, low, mid + 1), jnp.where(hides, mid, high)

        none = jnp.zeros(whole.shape, jnp.int32)
        return repeat(HALVINGS, halve, (none, none + STEPS))[0]

    leave = phase(border)(land, eye, ex, ey)

    def distance(k):
        r = entries(fan.distance, jnp.clip(k, 0, STEPS - 1))
        return jnp.where(k < 0, 0, jnp.minimum(short(r), leave))

    def over(r):
        """How far the ground or the water stands above the ray."""
        r = wide(r)
        x, y = eye[0] + r * ex, eye[1] + r * ey
        gap = height(land, sea, x, y) - (eye[2] + r * rise)
        return short(jnp.where(beyond(land, x, y), -FAR, gap))

    # a ray runs between two directions: what it meets is near what hides one of them
    both = phase(hidden)(whole), phase(hidden)(whole + 1)
    first, last = jnp.minimum(*both), jnp.maximum(*both)
    looks = (first - 1, first, first + 1, first + 3, jnp.maximum(first + 3, last - LEAP), last)
    before, after = distance(first - 2), distance(last + 1)
    g0, g1, met = jnp.full_like(rise, -FAR), jnp.zeros_like(rise), jnp.zeros(whole.shape, bool)
    for k in looks:
        r = distance(k)
        g = phase(over)(r)
        now = ~met & (g >= 0)
        met = met | now
        above = jnp.maximum(above, g / jnp.maximum(r, 1e-3))
        after, g1 = jnp.where(now, r, after), jnp.where(now, g, g1)
        before, g0 = jnp.where(met, before, r), jnp.where(met, g0, g)
    t = closer(over, before, after, g0, g1) / flat
    return jnp.where(met | ((last < STEPS) & (after < leave)), t, FAR), above


def closer(over, before, after, g0, g1):
    """Where rays go under between two distances: by halving, then twice as if all were straight.

    `g0` and `g1` are what `over` says there.
    """

    def split(found, at):
        before, after, g0, g1 = found
        g = phase(over)(at)
        under = g >= 0
        return (
            jnp.where(under, before, at),
            jnp.where(under, at, after),
            jnp.where(under, g0, g),
            jnp.where(under, g, g1),
        )

    def straight(before, after, g0, g1):
        before, after, g0, g1 = map(wide, (before, after, g0, g1))
        share = jnp.where((g0 > -0.5 * FAR) & (g0 < 0) & (g1 >= 0), -g0 / (g1 - g0 + 1e-20), 1.0)
        return before + share * (after - before)

    found = before, after, g0, g1
    found = repeat(CLOSE, lambda f: split(f, 0.5 * (f[0] + f[1])), found)
    return straight(*split(found, short(straight(*found))))


def repeat(times: int, f, start):
    """f(f(… start))."""
    return lax.fori_loop(0, times, lambda _, so_far: f(so_far), start, unroll=at_once())


def at_once() -> int:
    """How many rounds of a loop are unrolled: a GPU does all of them in one kernel."""
    return 1 if jax.default_backend() == "cpu" else UNROLLED


def entry(land: Land, p, d):
    """How far along rays from p the block of land begins and ends, seen from above."""
    width, depth = land.grid.size

    def along(p, d, size):
        inv = 1 / wide(jnp.where(jnp.abs(d) < 1e-9, 1e-9, d))
        a, b = -p * inv, (size - p) * inv
        return jnp.minimum(a, b), jnp.maximum(a, b)

    (x0, x1), (y0, y1) = along(p[0], d[0], width), along(p[1], d[1], depth)
    return jnp.maximum(x0, y0), jnp.minimum(x1, y1)


def side(land: Land, sea: Sea, eye, d, base):
    """How far rays from outside go to the cut sides of land and water, FAR if they miss."""
    enter, leave = phase(entry)(land, eye, d)
    x, y, z = (eye[k] + enter * d[k] for k in range(3))
    hit = (enter > 0) & (enter < leave) & (z > base) & (z < height(land, sea, x, y))
    return jnp.where(hit, enter, FAR)


def side_covers(land: Land, eye, d, base, pixel):
    """How much of a pixel the cut sides cover: less than all at their lower and outer edges."""
    enter, leave = entry(land, eye, d)
    low, inside = eye[2] + enter * d[2] - base, 0.5 * (leave - enter)
    return jnp.clip(jnp.minimum(low, inside) / jnp.maximum(pixel * enter, 1e-9), 0, 1)


def passes_below(land: Land, eye, d, base):
    """Which rays from outside come in below the block of land."""
    enter, _ = entry(land, eye, d)
    return (enter > 0) & (eye[2] + enter * d[2] <= base)


def along(land: Land, p, d, way):
    """How far along rays from p the ground is: looked for at the distances `way` [K, ...].

    None of them is beyond the border.  FAR where the ground is not before the last of them.  And
    how far it rises above the rays at most [m].
    """

    def over(t):
        x, y, z = (p[k] + wide(t) * d[k] for k in range(3))
        return short(land.spot(x, y).of(land.b) - z)

    return first_under(over, short(way))


def first_under(over, way):
    """Where rays first go under, looked for at the distances `way` [K, ...]; FAR if nowhere.

    And how far they are under at most.
    """

    def step(found, t):
        before, after, g0, g1, most = found
        g = phase(over)(t)
        free = after >= FAR
        hit = free & (g >= 0)
        before, g0 = jnp.where(free & ~hit, t, before), jnp.where(free & ~hit, g, g0)
        after, g1 = jnp.where(hit, t, after), jnp.where(hit, g, g1)
        return (before, after, g0, g1, jnp.maximum(most, g)), None

    none = jnp.zeros_like(way[0])
    start = none, none + FAR, phase(over)(none), none, none - FAR
    (before, after, g0, g1, most), _ = lax.scan(step, start, way, unroll=at_once())
    hit = after < FAR
    after = jnp.where(hit, after, before)
    return jnp.where(hit, closer(over, before, after, g0, g1), FAR), most
