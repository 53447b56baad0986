"""Where a vertical line enters and leaves a solid.

A form holds the sizes of n solids of one kind, and takes their axes m [n, 3, 3] (columns are the
axes of the solid in the world).  `bounds` gives the corners of the box about each, low and high
[n, 3].  `extent` takes lines at x [n, 1, W] and y [n, W, 1], at most a `cell` [n] apart, and gives
the heights low and high [n, W, W] between which each is inside, low > high where it misses.  All
from the middles of the solids.

What is thinner than a cell is thickened sideways, or a thin wall would leak between the lines.
`spans` cuts at the solid's own bottom and top, so that it gets no taller by that.
"""

from __future__ import annotations

from typing import Protocol

import jax
import jax.numpy as jnp
from jax import lax

from koski.bodies.turns import apply
from koski.core.pytree import pytree

HALF = 0.501  # of a cell, and a little more: lines lie closer than this to either side of a wall
STOUT = 0.6  # of a cell: what is round and thicker needs no thickening
STEEP = 1e-6  # a smaller part of a unit vector counts as this: heights stay finite
EDGE = 1e-5  # how far beside a triangle it is still hit, as a share of its sides
UNROLL = 8  # slabs or triangles done in one go


class Form(Protocol):
    def bounds(self, m) -> tuple[jax.Array, jax.Array]: ...

    def extent(self, m, x, y, cell) -> tuple[jax.Array, jax.Array]: ...


@pytree
class Slabs:
    """What lies between pairs of parallel planes: boxes, and hulls of points."""

    axis: jax.Array  # unit normals [n, K, 3]
    low: jax.Array  # low ≤ axis · x ≤ high [n, K] [m]
    high: jax.Array
    corners: jax.Array  # [n, P, 3] [m]

    def bounds(self, m):
        p = apply(m[:, None], self.corners)
        return p.min(1), p.max(1)

    def extent(self, m, x, y, cell):
        axis = apply(m[:, None], self.axis)
        across = jnp.sqrt(axis[..., 0] ** 2 + axis[..., 1] ** 2)
        thicker = jnp.maximum(HALF * cell[:, None] * across - 0.5 * (self.high - self.low), 0)
        up = unflat(axis[..., 2])
        a, b = (self.low - thicker) / up, (self.high + thicker) / up
        slope = axis[..., :2] / up[..., None]
        rows = (slope[..., 0], slope[..., 1], jnp.minimum(a, b), jnp.maximum(a, b))

        def cut(span, slab):
            sx, sy, low, high = map(col, slab)
            fall = sx * x + sy * y
            return (jnp.maximum(span[0], low - fall), jnp.minimum(span[1], high - fall)), None

        return over(cut, (-jnp.inf, jnp.inf), rows, x, y)


@pytree
class Logs:
    """Cylinders with flat ends, along their z."""

    radius: jax.Array  # [n] [m]
    half: jax.Array  # half of the length [n] [m]

    def bounds(self, m):
        axis = m[:, :, 2]
        ends = self.radius[:, None] * jnp.sqrt(jnp.maximum(1 - axis * axis, 0))
        far = self.half[:, None] * jnp.abs(axis) + ends
        return -far, far

    def extent(self, m, x, y, cell):
        e, flat, up = lying(m)
        half = jnp.maximum(self.half, HALF * cell * flat)
        return barrel(stout(self.radius, cell), half, e, flat, up, x, y)


@pytree
class Pills:
    """Capsules along their z, and balls, whose ends are at one point."""

    radius: jax.Array  # [n] [m]
    half: jax.Array  # half of the length between the centres of the ends [n] [m]

    def bounds(self, m):
        far = self.half[:, None] * jnp.abs(m[:, :, 2]) + self.radius[:, None]
        return -far, far

    def extent(self, m, x, y, cell):
        e, flat, up = lying(m)
        r = stout(self.radius, cell)
        low, high = barrel(r, self.half, e, flat, up, x, y)
        between = low <= high
        low, high = jnp.where(between, low, jnp.inf), jnp.where(between, high, -jnp.inf)
        along, aside = place(e, x, y)
        for end in (-self.half, self.half):
            far2 = (along - col(end * flat)) ** 2 + aside**2
            hit = far2 <= col(r * r)
            tall = jnp.sqrt(jnp.maximum(col(r * r) - far2, 0))
            z = col(end * m[:, 2, 2])
            low = jnp.where(hit, jnp.minimum(low, z - tall), low)
            high = jnp.where(hit, jnp.maximum(high, z + tall), high)
        return low, high


@pytree
class Facets:
    """Closed meshes.  One that no line hits counts as its bounding box."""

    triangles: jax.Array  # [n, T, 3, 3] [m]
    box: Slabs

    def bounds(self, m):
        p = apply(m[:, None, None], self.triangles)
        return p.min((1, 2)), p.max((1, 2))

    def extent(self, m, x, y, cell):
        a, b, c = (apply(m[:, None], self.triangles[:, :, i]) for i in range(3))
        p, q = b - a, c - a
        (px, py, _), (qx, qy, _) = split(p), split(q)
        det = px * qy - py * qx
        size = jnp.maximum((p * p).sum(-1), (q * q).sum(-1))
        seen = jnp.abs(det) > STEEP * size
        det = jnp.where(seen, det, 1)[..., None]
        # shares of p and q in a point: dual · (x − a)
        dual_p, dual_q = jnp.stack([qy, -qx], -1) / det, jnp.stack([-py, px], -1) / det
        at_p = jnp.where(seen, (dual_p * a[..., :2]).sum(-1), jnp.inf)
        at_q = (dual_q * a[..., :2]).sum(-1)
        rows = (*split(dual_p), at_p, *split(dual_q), at_q, a[..., 2], p[..., 2], q[..., 2])

        def hit(span, triangle):
            px, py, p0, qx, qy, q0, z, dzp, dzq = map(col, triangle)
            s, t = px * x + py * y - p0, qx * x + qy * y - q0
            inside = (s >= -EDGE) & (t >= -EDGE) & (s + t <= 1 + EDGE)
            z = z + jnp.where(inside, s, 0) * dzp + t * dzq
            low = jnp.where(inside, jnp.minimum(span[0], z), span[0])
            return (low, jnp.where(inside, jnp.maximum(span[1], z), span[1])), None

        low, high = over(hit, (jnp.inf, -jnp.inf), rows, x, y)
        found = (low <= high).any((1, 2), keepdims=True)
        box_low, box_high = self.box.extent(m, x, y, cell)
        return jnp.where(found, low, box_low), jnp.where(found, high, box_high)


def spans(form: Form, m, x, y, cell):
    """Where each line enters and leaves, inf and −inf where it misses.

    A solid that slips between the lines is hit by the one next to its middle.
    """
    bottom, top = (col(corner[:, 2]) for corner in form.bounds(m))
    low, high = form.extent(m, x, y, cell)
    low, high = jnp.maximum(low, bottom), jnp.minimum(high, top)
    lone = ~(low <= high).any((1, 2), keepdims=True) & nearest(x, cell) & nearest(y, cell)
    low, high = jnp.where(lone, bottom, low), jnp.where(lone, top, high)
    hit = low <= high
    return jnp.where(hit, low, jnp.inf), jnp.where(hit, high, -jnp.inf)


def nearest(x, cell):
    """Whether a line is the nearest to the middle: just one is, where they are a cell apart."""
    return (x > -0.5 * col(cell)) & (x <= 0.5 * col(cell))


def over(f, start, rows, x, y):
    """Fold `f` over the second axis of `rows`, from maps filled with two values."""
    shape = jnp.broadcast_shapes(x.shape, y.shape)
    span = tuple(jnp.full(shape, s, jnp.float32) for s in start)
    rows = tuple(r.swapaxes(0, 1) for r in rows)
    return lax.scan(f, span, rows, unroll=min(UNROLL, len(rows[0])))[0]


def col(f):
    """One number a solid, beside maps [n, W, W]."""
    return f[:, None, None]


def split(v):
    """The components of vectors."""
    return [v[..., i] for i in range(v.shape[-1])]


def unflat(f):
    """`f` away from zero."""
    return jnp.where(jnp.abs(f) < STEEP, STEEP, f)


def stout(radius, cell):
    """The radius of what is nearly as tall half a cell aside as it should be in the middle."""
    tall = jnp.sqrt(radius**2 + (HALF * cell) ** 2)
    return jnp.maximum(radius, jnp.minimum(tall, STOUT * cell))


def lying(m):
    """How a log lies: its direction on the map, and the flat and upright parts of its axis."""
    flat = jnp.sqrt(m[:, 0, 2] ** 2 + m[:, 1, 2] ** 2)
    upright = flat < STEEP
    safe = jnp.maximum(flat, STEEP)
    e = jnp.where(upright, 1.0, m[:, 0, 2] / safe), jnp.where(upright, 0.0, m[:, 1, 2] / safe)
    return e, safe, unflat(m[:, 2, 2])


def place(e, x, y):
    """Where the lines stand along a log and beside it."""
    return col(e[0]) * x + col(e[1]) * y, col(e[0]) * y - col(e[1]) * x


def barrel(radius, half, e, flat, up, x, y):
    """Along each line, where it is within the radius of a log's axis and between its ends.

    The line at `along`, `aside` is √(aside² + (along · up − z · flat)²) from the axis, and
    along · flat + z · up from the middle.
    """
    along, aside = place(e, x, y)
    room = col(radius) ** 2 - aside * aside
    wide = jnp.sqrt(jnp.maximum(room, 0)) / col(flat)
    mid = along * col(up / flat)
    end, mid_end = col(half / jnp.abs(up)), along * col(flat / up)
    low = jnp.maximum(mid - wide, -mid_end - end)
    high = jnp.minimum(mid + wide, end - mid_end)
    return jnp.where(room >= 0, low, jnp.inf), high
