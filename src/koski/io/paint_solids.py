"""Rigid bodies painted as they are seen from straight above, in the sun.

Each pixel is many: in every one the uppermost triangle is found, shaded, and blended with the
water over it; their mean has smooth edges however small the body.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from koski.io.paint_pixels import SUN, Array, smooth
from koski.io.paint_raster import least, most, uppermost
from koski.io.paint_shadow import Sunlight
from koski.io.paint_wood import grain
from koski.io.solids import Solid, Triangles

LINE = 0.5  # light left on the outline of a body
CREASE = 0.7  # cosine of the angle between faces that a line parts
HALO = 2  # fine pixels seen about what is painted, where outlines begin
ONCE = 1 << 20  # fine pixels painted together
SPARSE = {2: (0, 1), 3: (1, 2, 0), 4: (1, 3, 0, 2)}  # columns that lie evenly, one in each row
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
    low, high = least(corners)[:, :2], most(corners)[:, :2]
    up = (tri.normals[:, 2] > 1e-6) & (high > 0).all(1) & (low < [w, h]).all(1)
    if not up.any():
        return rgb, cover
    tri, corners, low, high = tri.where(up), corners[up], low[up], high[up]
    west, south = (max(int(f), 0) for f in low.min(0))
    east, north = (min(int(f) + 1, n) for f, n in zip(high.max(0), (w, h)))
    fine = fineness(corners)
    tall = max(ONCE // (fine * fine * (east - west)), 1)
    for row in range(south, north, tall):
        end = min(row + tall, north)
        here = np.nonzero((high[:, 1] > row - 1) & (low[:, 1] < end + 1))[0]
        if here.size:
            place, some = (slice(row, end), slice(west, east)), tri.where(here)
            painted = patch(solids, some, corners[here], view, place, fine, light, through)
            rgb[place], cover[place] = painted[..., :3], painted[..., 3]
    return rgb, cover


def fineness(corners: Array) -> int:
    """Fine pixels along a pixel: fewer where triangles [px] fill much of the picture."""
    (ax, ay), (bx, by) = ((corners[:, i] - corners[:, 0])[:, :2].T for i in (1, 2))
    area = 0.5 * np.minimum(np.abs(ax * by - ay * bx), 2e6).sum()
    return 4 if area < 2e5 else 3 if area < 5e5 else 2


def patch(solids, tri: Triangles, corners: Array, view: View, place, fine: int, light, through):
    """Paint some rows and columns: colour times cover, and cover."""
    (south, north), (west, east) = ((p.start, p.stop) for p in place)
    h, w = north - south, east - west
    shape = h * fine + 2 * HALO, w * fine + 2 * HALO
    shifted = (corners - [west, south, 0]) * [fine, fine, 1] + [HALO, HALO, 0]
    z, top = uppermost(shifted, shape)
    kind = np.where(tri.round, -2 - tri.solid, np.arange(len(tri.solid)))
    inner = top[HALO:-HALO, HALO:-HALO]
    j, i, weight = samples(np.where(inner >= 0, kind[inner], -1), fine)
    at = (j + HALO) * shape[1] + i + HALO
    x, y = west + (i + 0.5) / fine, south + (j + 0.5) / fine
    z, top = z.ravel(), top.ravel()
    seen, veil, hides = through(x, y, z[at])

    world = np.stack([x / view.scale[0], y / view.scale[1], z[at]], -1)
    color = shade(solids, tri, top[at], world, min(view.scale), light)
    steps = [k * step for k in range(1, fine // 2 + 1) for step in (1, -1, shape[1], -shape[1])]
    inked = outlines(at, top, z, tri, steps, 0.5 / min(view.scale))
    bold = smooth((np.array([s.thick for s in solids]) * min(view.scale) - 1) / 4)
    color *= (1 - (1 - LINE) * inked * bold[tri.solid[top[at]]])[:, None]
    color = color * (1 - hides[:, None]) + veil * hides[:, None]

    pixel, weight = (j // fine) * w + i // fine, weight * seen / fine**2
    layers = [*(color.T * weight), weight]
    return np.stack([np.bincount(pixel, f, h * w) for f in layers], -1).reshape(h, w, 4)


def shade(solids, tri: Triangles, which: Array, world: Array, scale: float, light) -> Array:
    """The colours of points of triangles in the sun."""
    owner = tri.solid[which]
    turn = np.array([s.turn for s in solids], np.float32)[owner]
    middle = np.array([s.at for s in solids])[owner]
    local = np.einsum("nij,ni->nj", turn, (world - middle).astype(np.float32))
    flat = np.einsum("nij,ni->nj", turn, tri.normals[which].astype(np.float32))
    half = np.array([s.axis for s in solids], np.float32)[owner]
    normal = np.where(tri.round[which][:, None], rounded(local, half), flat)
    color = np.array([s.color for s in solids], np.float32)[owner]
    color *= grain(solids, owner, local, normal, scale)
    normal = np.einsum("nij,nj->ni", turn, normal)
    hidden = light.shades(world + normal * (1.5 / light.scale), soft=False)
    sun = np.maximum(normal @ SUN.astype(np.float32), 0) / SUN[2] * (1 - 0.75 * hidden)
    return color * (0.42 + 0.08 * normal[:, 2] + 0.5 * sun)[:, None]


def rounded(p: Array, half: Array) -> Array:
    """Normals of curved surfaces, away from the nearest point of an axis of half such a length."""
    n = p.copy()
    n[:, 2] -= np.clip(p[:, 2], -half, half)
    return n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-9)


def samples(top: Array, fine: int) -> tuple[Array, Array, Array]:
    """Row, column and weight of the fine pixels to shade: all where things meet, −1 for nothing.

    Where one thing fills a pixel, one in each row and column of it are enough.
    """
    first = top[::fine, ::fine]
    one, some = np.ones(first.shape, bool), first != -1
    for k in range(1, fine * fine):
        there = top[k // fine :: fine, k % fine :: fine]
        one &= there == first
        some |= there != -1
    y, x = np.nonzero(some & ~one)
    j, i = np.divmod(np.arange(fine * fine), fine)
    mixed = (fine * y[:, None] + j).ravel(), (fine * x[:, None] + i).ravel()
    hit = top[mixed] != -1
    y, x = np.nonzero(some & one)
    j, i = np.arange(fine), np.array(SPARSE[fine])
    full = (fine * y[:, None] + j).ravel(), (fine * x[:, None] + i).ravel()
    rows, columns = (np.concatenate([a[hit], b]) for a, b in zip(mixed, full))
    return rows, columns, np.repeat([1.0, fine], [int(hit.sum()), len(full[0])])


def outlines(at: Array, top: Array, z: Array, tri: Triangles, steps, rise: float) -> Array:
    """Whether pixels are beside a lower thing, another body or a crease."""
    which, height = top[at], z[at] + rise
    ink = np.zeros(len(at), bool)
    for step in steps:
        k = np.nonzero(top[at + step] != which)[0]
        near, mine = top[at[k] + step], which[k]
        other = (near < 0) | (tri.body[near] != tri.body[mine])
        bent = np.einsum("ni,ni->n", tri.normals[near], tri.normals[mine]) < CREASE
        bent &= ~(tri.round[near] & tri.round[mine])
        ink[k] |= np.where(other, z[at[k] + step] < height[k], bent)
    return ink
