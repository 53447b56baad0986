"""Rigid bodies painted as they are seen from straight above, in the sun.

Each pixel is many: in every one the uppermost triangle is found, shaded, and blended with the
water over it; their mean has smooth edges however small the body.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from koski.bodies.mesh import Cornered
from koski.bodies.shapes import Box, Capsule, Cylinder
from koski.io.paint_pixels import SUN, Array, smooth
from koski.io.paint_raster import uppermost
from koski.io.paint_shadow import Sunlight
from koski.io.paint_wood import grain
from koski.io.solids import Solid, Triangles

LINE = 0.5  # light left on the outline of a body
CREASE = 0.85  # cosine of the angle between faces that a line parts
HALO = 2  # fine pixels seen about what is painted, where outlines begin
ONCE = 1 << 20  # fine pixels painted together
Through = Callable[[Array, Array, Array], tuple[Array, Array, Array]]


@dataclass(frozen=True)
class View:
    """What is painted: from the origin along x and y, looking down z."""

    shape: tuple[int, int]  # [px]
    scale: tuple[float, float]  # along x and y [px/m]


def render(
    solids: tuple[Solid, ...], tri: Triangles, view: View, light: Sunlight, through: Through
) -> tuple[Array, Array]:
    """Colour times cover [h, w, 3], and cover [h, w].

    `through` says of points x, y [px] and heights which are seen, the colour of what lies over
    them, and how much that hides.
    """
    h, w = view.shape
    rgb, cover = np.zeros((h, w, 3), np.float32), np.zeros((h, w), np.float32)
    corners = tri.corners * [*view.scale, 1]
    up = tri.normals[:, 2] > 1e-6
    low, high = corners[..., :2].min(1), corners[..., :2].max(1)
    up &= (high > 0).all(1) & (low < [w, h]).all(1)
    if not up.any():
        return rgb, cover
    tri = Triangles(*(f[up] for f in (tri.corners, tri.normals, tri.solid, tri.round)))
    corners, low, high = corners[up], low[up], high[up]
    west, south = (max(int(f), 0) for f in low.min(0))
    east, north = (min(int(f) + 1, n) for f, n in zip(high.max(0), (w, h)))
    fine = fineness(solids, view)
    tall = max(ONCE // (fine * fine * (east - west)), 1)
    for row in range(south, north, tall):
        end = min(row + tall, north)
        here = np.nonzero((high[:, 1] > row - 1) & (low[:, 1] < end + 1))[0]
        if here.size:
            place = slice(row, end), slice(west, east)
            part = Triangles(*(f[here] for f in (tri.corners, tri.normals, tri.solid, tri.round)))
            inked, hit = patch(solids, part, corners[here], view, place, fine, light, through)
            rgb[place], cover[place] = inked, hit
    return rgb, cover


def fineness(solids: tuple[Solid, ...], view: View) -> int:
    """Fine pixels along a pixel: fewer where bodies fill the picture."""
    most = view.shape[0] * view.shape[1]
    area = sum(min(4 * s.shape.reach**2 * view.scale[0] * view.scale[1], most) for s in solids)
    return 4 if area < 2e5 else 3 if area < 6e5 else 2


def patch(solids, tri: Triangles, corners: Array, view: View, place, fine: int, light, through):
    """Paint some rows and columns."""
    (south, north), (west, east) = ((p.start, p.stop) for p in place)
    shape = ((north - south) * fine + 2 * HALO, (east - west) * fine + 2 * HALO)
    shifted = (corners - [west, south, 0]) * [fine, fine, 1] + [HALO, HALO, 0]
    z, top = uppermost(shifted, shape)
    at = np.nonzero(top.ravel() >= 0)[0]
    y, x = at // shape[1], at % shape[1]
    x, y = west + (x + 0.5 - HALO) / fine, south + (y + 0.5 - HALO) / fine
    seen, veil, hides = through(x, y, z.ravel()[at])
    at, x, y, veil, hides = at[seen], x[seen], y[seen], veil[seen], hides[seen]
    which, height = top.ravel()[at], z.ravel()[at]
    owner = tri.solid[which]

    world = np.stack([x / view.scale[0], y / view.scale[1], height], -1)
    turn = np.array([s.turn for s in solids], np.float32)[owner]
    middle = np.array([s.at for s in solids])[owner]
    local = np.einsum("nij,ni->nj", turn, (world - middle).astype(np.float32))
    flat = np.einsum("nij,ni->nj", turn, tri.normals[which].astype(np.float32))
    normal = np.where(tri.round[which][:, None], rounded(solids, owner, local), flat)
    scale = min(view.scale)
    color = np.array([s.color for s in solids], np.float32)[owner]
    color *= grain(solids, owner, local, normal, scale)
    normal = np.einsum("nij,nj->ni", turn, normal)
    shade = light.shades(world + normal * (1.5 / light.scale), soft=False)
    sun = np.maximum(normal @ SUN, 0) / SUN[2] * (1 - 0.75 * shade)
    color *= (0.42 + 0.08 * normal[:, 2] + 0.5 * sun)[:, None]

    body = np.full(shape[0] * shape[1], -1, np.int32)
    body[at] = np.array([s.body for s in solids])[owner]
    inked = outlines(at, body, normal, height, shape[1], 0.5 / scale, range(1, fine // 2 + 1))
    thick = np.array([thickness(s) for s in solids])[owner] * scale
    color *= (1 - (1 - LINE) * inked * smooth((thick - 1) / 4))[:, None]
    color = color * (1 - hides[:, None]) + veil * hides[:, None]
    return gather(color, at, shape, fine)


def rounded(solids, owner: Array, p: Array) -> Array:
    """Normals of curved surfaces, away from the nearest point of the axis within the shape."""
    half = np.array([axis(s) for s in solids], np.float32)[owner]
    n = p.copy()
    n[:, 2] -= np.clip(p[:, 2], -half, half)
    return n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-9)


def axis(s: Solid) -> float:
    """Half the length of the line about which a shape is round."""
    if isinstance(s.shape, Cylinder):
        return np.inf
    return s.shape.length / 2 if isinstance(s.shape, Capsule) else 0.0


def thickness(s: Solid) -> float:
    """The least width along the shape's axes."""
    if isinstance(s.shape, Box):
        return min(s.shape.size)
    if isinstance(s.shape, Cornered):
        return float(np.ptp(s.shape.corners, axis=(0, 1)).min())
    return 2 * getattr(s.shape, "radius", s.shape.reach)


def outlines(at: Array, body: Array, normal: Array, z: Array, w: int, step: float, reach) -> Array:
    """1 at points beside a lower thing, another body or a crease, else 0."""
    place = np.full(len(body), -1, np.int32)
    place[at] = np.arange(len(at))
    mine = body[at]
    ink = np.zeros(len(at), bool)
    for k in reach:
        for off in (k, -k, k * w, -k * w):
            beside = np.clip(at + off, 0, len(body) - 1)
            there = place[beside]
            other = body[beside] != mine
            lower = (there < 0) | (z[there] < z + step)
            bend = np.einsum("ni,ni->n", normal[there], normal) < CREASE
            ink |= np.where(other, lower, bend)
    return ink


def gather(color: Array, at: Array, shape: tuple[int, int], fine: int) -> tuple[Array, Array]:
    """The means of fine pixels over pixels: colour times cover, and cover."""
    h, w = shape[0] - 2 * HALO, shape[1] - 2 * HALO
    y, x = at // shape[1] - HALO, at % shape[1] - HALO
    inside = (y >= 0) & (y < h) & (x >= 0) & (x < w)
    h, w = h // fine, w // fine
    pixel = (y[inside] // fine) * w + x[inside] // fine
    layers = [*color[inside].T, None]
    sums = [np.bincount(pixel, f, minlength=h * w) / fine**2 for f in layers]
    rgb = np.stack(sums[:3], -1).reshape(h, w, 3)
    return rgb.astype(np.float32), sums[3].reshape(h, w).astype(np.float32)
