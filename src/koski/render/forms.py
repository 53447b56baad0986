"""Solids as rays meet them: slabs, pills, logs and facets.

A form holds n solids of one kind: each belongs to a part of a body and is described in the axes of
that part, its number on the last axis of every array.  `rows` takes some of them, to be laid beside
rays [...].  Rays come from the middle of the part, that is w + t d, |d| = 1, in the world's axes;
`turn` [3, 3, ...] has the axes of the part as columns.  Then

    meet      gives the distances t at which a ray enters and leaves, and the number of the face
              for each; near > far where it misses.  It leaves a facet where it enters it.
    inside    is about how far inside the outline a ray is that goes through over a chord.
    surface   is what tells the normal of some faces, of the solids with these numbers: from that
    normal    points out of the surface, in the axes of the part, at a point there.
    shadow    is the silhouette along the z axis, in axes where that leads to the sun: how far
              outside its edge a point (x, y) lies, below zero inside; how high the solid is there;
              and how much of a sun, that spreads over a radius, the silhouette can hide.
"""

from __future__ import annotations

from typing import Any, Protocol

import jax
import jax.numpy as jnp
from jax import lax

from koski.core.pytree import pytree
from koski.render.light import dot
from koski.render.spot import entries

STEEP = 1e-6  # a smaller part of a unit vector counts as this: distances stay finite
EDGE = 1e-5  # how far beside a facet it is still hit, as a share of its sides
CLEAR = 2e-3  # points this close to a facet are on it, as a share of its size
UNROLL = 8  # slabs cut in one go


class Form(Protocol):
    part: jax.Array  # whose each is, −1 of none [n]
    middle: jax.Array  # of the box about each, along the axes of the part [3, n] [m]
    half: jax.Array  # half its size [3, n] [m]

    def meet(self, turn, w, d) -> tuple[Any, Any, Any, Any]: ...

    def inside(self, chord) -> Any: ...

    def surface(self, row, face) -> Any: ...

    def normal(self, surface, p) -> jax.Array: ...

    def shadow(self, turn, x, y) -> tuple[Any, Any, Any]: ...


@pytree
class Slabs:
    """What lies between pairs of parallel planes: boxes, and hulls of points."""

    part: jax.Array
    middle: jax.Array
    half: jax.Array
    axis: jax.Array  # unit normals of the planes [K, 3, n]
    at: jax.Array  # |axis · p − at| ≤ wide [K, n] [m]
    wide: jax.Array
    edge: jax.Array  # unit vectors along the edges [K, 3, n]
    corner: jax.Array  # [P, 3, n] [m]

    def meet(self, turn, w, d):
        def cut(span, slab):
            near, far, entry, exit = span
            k, axis, at, wide = slab
            a = turned(turn, axis)
            pace = 1 / unflat(dot(a, d))
            mid, half = (at - dot(a, w)) * pace, wide * jnp.abs(pace)
            low, high = mid - half, mid + half
            entry, exit = jnp.where(low > near, k, entry), jnp.where(high < far, k, exit)
            return (jnp.maximum(near, low), jnp.minimum(far, high), entry, exit), None

        shape = jnp.broadcast_shapes(self.part.shape, d.shape[1:])
        faces = jnp.zeros(shape, jnp.int32)
        k = jnp.arange(len(self.axis), dtype=jnp.int32)
        start = (jnp.full(shape, -jnp.inf), jnp.full(shape, jnp.inf), faces, faces)
        return over(cut, start, (k, self.axis, self.at, self.wide))

    def inside(self, chord):
        return 0.5 * chord

    def surface(self, row, face):
        flat = face * self.part.size + row
        return rows((self.axis.swapaxes(0, 1).reshape(3, -1), self.at.reshape(-1)), flat)

    def normal(self, surface, p):
        axis, at = surface
        return axis * jnp.where(dot(axis, p) < at, -1.0, 1.0)

    def shadow(self, turn, x, y):
        corner = turned(turn, self.corner.swapaxes(0, 1))

        def cut(span, slab):
            near, far, out = span
            axis, at, wide, edge = slab
            a, e = turned(turn, axis), turned(turn, edge)
            pace = 1 / unflat(a[2])
            mid, half = (at - a[0] * x - a[1] * y) * pace, wide * jnp.abs(pace)
            seen = jnp.sqrt(e[0] * e[0] + e[1] * e[1])
            m = e[1] / jnp.maximum(seen, STEEP), -e[0] / jnp.maximum(seen, STEEP)
            lines = m[0] * corner[0] + m[1] * corner[1]
            low, high = lines.min(0), lines.max(0)
            beyond = jnp.abs(m[0] * x + m[1] * y - 0.5 * (low + high)) - 0.5 * (high - low)
            beyond = jnp.where(seen > STEEP, beyond, -jnp.inf)
            span = jnp.maximum(near, mid - half), jnp.minimum(far, mid + half)
            return (*span, jnp.maximum(out, beyond)), None

        shape = jnp.broadcast_shapes(self.part.shape, x.shape)
        start = tuple(jnp.full(shape, s, x.dtype) for s in (-jnp.inf, jnp.inf, -jnp.inf))
        near, far, out = over(cut, start, (self.axis, self.at, self.wide, self.edge))
        thin = self.wide.min(0)
        return out, between(near, far, turn, self.half), lambda blur: jnp.minimum(1, thin / blur)


@pytree
class Pills:
    """Capsules along their z, and balls, whose ends are at one point."""

    part: jax.Array
    middle: jax.Array
    half: jax.Array
    radius: jax.Array  # [n] [m]
    long: jax.Array  # half of the length between the centres of the ends [n] [m]

    def meet(self, turn, w, d):
        u = turn[:, 2]
        near, far = barrel(self.radius, self.long, u, w, d)
        between = near <= far
        near, far = jnp.where(between, near, jnp.inf), jnp.where(between, far, -jnp.inf)
        for end in (-self.long, self.long):
            to = [w[i] - end * u[i] for i in range(3)]
            mid = -dot(to, d)
            aside = [to[i] + mid * d[i] for i in range(3)]
            room = self.radius * self.radius - dot(aside, aside)
            deep = jnp.sqrt(jnp.maximum(room, 0))
            near = jnp.where(room >= 0, jnp.minimum(near, mid - deep), near)
            far = jnp.where(room >= 0, jnp.maximum(far, mid + deep), far)
        return near, far, 0, 0

    def inside(self, chord):
        return chord * chord / (8 * self.radius)

    def surface(self, row, face):
        return rows(self.long, row)

    def normal(self, surface, p):
        return jnp.stack([p[0], p[1], p[2] - jnp.clip(p[2], -surface, surface)])

    def shadow(self, turn, x, y):
        u = turn[:, 2]
        flat = jnp.maximum(u[0] * u[0] + u[1] * u[1], STEEP**2)
        v = jnp.clip((x * u[0] + y * u[1]) / flat, -self.long, self.long)
        out = jnp.sqrt((x - v * u[0]) ** 2 + (y - v * u[1]) ** 2) - self.radius
        return out, v * u[2], lambda blur: jnp.minimum(1, self.radius / blur)


@pytree
class Logs:
    """Cylinders with flat ends, along their z."""

    part: jax.Array
    middle: jax.Array
    half: jax.Array
    radius: jax.Array  # [n] [m]
    long: jax.Array  # half of the length [n] [m]

    def meet(self, turn, w, d):
        return *barrel(self.radius, self.long, turn[:, 2], w, d), 0, 0

    def inside(self, chord):
        """Round as a pill, but sharp at the rims of its ends."""
        return chord * jnp.maximum(chord / (8 * self.radius), 0.25)

    def surface(self, row, face):
        return rows((self.radius, self.long), row)

    def normal(self, surface, p):
        radius, long = surface
        from_side = jnp.abs(radius - jnp.sqrt(p[0] * p[0] + p[1] * p[1]))
        end = jnp.abs(long - jnp.abs(p[2])) < from_side
        return jnp.where(jnp.stack([~end, ~end, end]), p, 0)

    def shadow(self, turn, x, y):
        """A strip with half an ellipse at either end."""
        u, r = turn[:, 2], self.radius
        flat = jnp.sqrt(u[0] * u[0] + u[1] * u[1])
        lies = flat > STEEP
        flat = jnp.maximum(flat, STEEP)
        e = jnp.where(lies, u[0] / flat, 1.0), jnp.where(lies, u[1] / flat, 0.0)
        along, aside = e[0] * x + e[1] * y, e[0] * y - e[1] * x
        wide = jnp.sqrt(jnp.maximum(r * r - aside * aside, 0))
        ends = jnp.abs(along) - self.long * flat - jnp.abs(u[2]) * wide
        up = unflat(u[2])
        low, high = (along * u[2] - wide) / flat, (along * u[2] + wide) / flat
        mid, tall = -along * flat / up, self.long / jnp.abs(up)
        near, far = jnp.maximum(low, mid - tall), jnp.minimum(high, mid + tall)
        thin = jnp.minimum(r, self.long)
        out = jnp.maximum(jnp.abs(aside) - r, ends)
        return out, between(near, far, turn, self.half), lambda blur: jnp.minimum(1, thin / blur)


@pytree
class Facets:
    """Triangles of closed meshes, seen anticlockwise from outside."""

    part: jax.Array
    middle: jax.Array
    half: jax.Array
    corner: jax.Array  # one of the three [3, n] [m]
    p: jax.Array  # from there to the next [3, n] [m]
    q: jax.Array  # and to the last [3, n] [m]
    facing: jax.Array  # the normal at a point x is facing + bend x, not of length one [3, n]
    bend: jax.Array  # [3, 3, n] [1/m]

    def meet(self, turn, w, d):
        a, p, q = (turned(turn, v) for v in (self.corner, self.p, self.q))
        g = cross(p, q)
        size = 1 / jnp.maximum(dot(g, g), 1e-30)
        share_p, share_q = (size * v for v in (cross(q, g), cross(g, p)))
        slant = dot(g, d)
        seen = jnp.abs(slant) * jnp.sqrt(size) > STEEP
        to = [a[i] - w[i] for i in range(3)]
        t = dot(g, to) / jnp.where(seen, slant, 1.0)
        x = [t * d[i] - to[i] for i in range(3)]
        s, r = dot(share_p, x), dot(share_q, x)
        hit = seen & (s >= -EDGE) & (r >= -EDGE) & (s + r <= 1 + EDGE)
        return jnp.where(hit, t, jnp.inf), jnp.where(hit, t, -jnp.inf), 0, 0

    def inside(self, chord):
        return jnp.inf

    def surface(self, row, face):
        return rows((self.facing, self.bend), row)

    def normal(self, surface, p):
        facing, bend = surface
        return facing + turned(bend, p)

    def shadow(self, turn, x, y):
        """Only facets that face away from the sun: where a ray to it goes into the solid."""
        a, p, q = (turned(turn, v) for v in (self.corner, self.p, self.q))
        g = cross(p, q)
        averse = g[2] < -STEEP * jnp.sqrt(dot(g, g))
        out = jnp.float32(-jnp.inf)
        for start, way in ((a, p), (a + p, q - p), (a + q, -q)):
            size = jnp.maximum(jnp.sqrt(way[0] * way[0] + way[1] * way[1]), 1e-12)
            beside = (x - start[0]) * (-way[1] / size) + (y - start[1]) * (way[0] / size)
            out = jnp.maximum(out, beside)
        c = a + (p + q) / 3
        spread = jnp.sqrt(most(*(dot(v - c, v - c) for v in (a, a + p, a + q))))
        ring = jnp.sqrt((x - c[0]) ** 2 + (y - c[1]) ** 2) - spread
        out = jnp.where(averse, jnp.maximum(out, ring), jnp.inf)
        up = jnp.where(averse, g[2], -1.0)
        height = a[2] - (g[0] * (x - a[0]) + g[1] * (y - a[1])) / up
        ends = a[2], a[2] + p[2], a[2] + q[2]
        height = jnp.clip(height, -most(*(-z for z in ends)), most(*ends))
        clear = CLEAR * spread * jnp.sqrt(dot(g, g)) / -up
        area = 0.5 * jnp.abs(g[2])
        return out, height - clear, lambda blur: jnp.minimum(1, 2 * area / blur**2)


def rows(form, index):
    """Some of the solids of a form, or of any tree of arrays like it."""
    return jax.tree.map(lambda f: entries(f, index), form)


def over(f, start, xs):
    """Fold `f` over the first axis."""
    return lax.scan(f, start, xs, unroll=min(UNROLL, len(xs[0])))[0]


def barrel(radius, long, u, w, d):
    """Where a ray is within a radius of an axis u and between its ends."""
    ud, uw = dot(u, d), dot(u, w)
    d, w = ([v[i] - along * u[i] for i in range(3)] for v, along in ((d, ud), (w, uw)))
    flat = jnp.maximum(dot(d, d), STEEP**2)
    mid = -dot(w, d) / flat
    aside = [w[i] + mid * d[i] for i in range(3)]
    room = radius * radius - dot(aside, aside)
    wide = jnp.sqrt(jnp.maximum(room, 0) / flat)
    pace = 1 / unflat(ud)
    centre, half = -uw * pace, long * jnp.abs(pace)
    near, far = jnp.maximum(mid - wide, centre - half), jnp.minimum(mid + wide, centre + half)
    return jnp.where(room >= 0, near, jnp.inf), far


def between(near, far, turn, half):
    """Half way from where a line along z enters to where it leaves, about there if it misses."""
    reach = dot(jnp.abs(turn[2]), half)
    return 0.5 * (jnp.clip(near, -reach, reach) + jnp.clip(far, -reach, reach))


def most(a, b, c):
    return jnp.maximum(jnp.maximum(a, b), c)


def turned(turn, v):
    """Vectors v [3, ...] of a part in the axes of the world."""
    return jnp.stack([dot(turn[i], v) for i in range(3)])


def turned_back(turn, v):
    """Vectors v [3, ...] of the world in the axes of a part."""
    return jnp.stack([dot(turn[:, j], v) for j in range(3)])


def cross(a, b):
    return jnp.stack([a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)])


def unit(v):
    return v * lax.rsqrt(jnp.maximum(dot(v, v), 1e-30))


def unflat(f):
    """`f` away from zero."""
    return jnp.where(jnp.abs(f) < STEEP, STEEP, f)
