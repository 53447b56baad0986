"""Which triangle is uppermost in each pixel."""

from collections.abc import Iterator

import numpy as np

from koski.io.paint_pixels import Array

ONCE = 1 << 21  # pixels of triangles looked at together


def uppermost(corners: Array, shape: tuple[int, int]) -> tuple[Array, Array]:
    """Height [h, w], −inf where nothing is, and the triangle there, −1 where none is.

    Corners [T, 3, 3] have x and y in pixels, of which the first spans 0 to 1, and a height.
    """
    h, w = shape
    top = np.full(h * w, -np.inf, np.float32)
    which = np.full(h * w, -1, np.int32)
    z0, sx, sy, low, high = planes(corners)
    x0, y0 = corners[:, 0, 0], corners[:, 0, 1]
    for tri, row, first, count in spans(corners, shape):
        k, x = runs(count)
        x, y, tri = x + first[k], row[k], tri[k]
        z = z0[tri] + sx[tri] * (x + 0.5 - x0[tri]) + sy[tri] * (y + 0.5 - y0[tri])
        z = np.clip(z, low[tri], high[tri]).astype(np.float32)  # steep ones slip past their edge
        pixel = y * w + x
        np.maximum.at(top, pixel, z)
        wins = z == top[pixel]
        which[pixel[wins]] = tri[wins]
    return top.reshape(shape), which.reshape(shape)


def spans(corners: Array, shape: tuple[int, int]) -> Iterator[tuple[Array, ...]]:
    """Triangle, row, first pixel and number of pixels of every row of every triangle."""
    h, w = shape
    x, y = corners[..., 0], corners[..., 1]
    first, last = pixels(y.min(1), y.max(1), h)
    seen = np.nonzero((last > first) & (x.max(1) > 0) & (x.min(1) < w))[0]
    tri, row = runs((last - first)[seen])
    tri, row = seen[tri], row + first[seen][tri]
    west, east = np.full(len(tri), np.inf), np.full(len(tri), -np.inf)
    middle = row + 0.5
    for a, b in ((0, 1), (1, 2), (2, 0)):
        ya, yb, xa, xb = y[tri, a], y[tri, b], x[tri, a], x[tri, b]
        cut = (ya <= middle) != (yb <= middle)
        at = xa + (middle - ya) / np.where(cut, yb - ya, 1) * (xb - xa)
        west = np.where(cut, np.minimum(west, at), west)
        east = np.where(cut, np.maximum(east, at), east)
    left, right = pixels(west, east, w)
    some = right > left
    tri, row, left, count = tri[some], row[some], left[some], (right - left)[some]
    total = np.cumsum(count)
    ends = np.searchsorted(total, np.arange(ONCE, (total[-1] if len(total) else 0) + ONCE, ONCE))
    for i, j in zip([0, *ends + 1], ends + 1):
        if len(tri[i:j]):
            yield tri[i:j], row[i:j], left[i:j], count[i:j]


def pixels(low: Array, high: Array, n: int) -> tuple[Array, Array]:
    """The first pixel whose middle lies between, and the one after the last, of n in all."""
    a, b = (np.ceil(np.clip(f, -1, n + 1) - 0.5).astype(np.int64) for f in (low, high))
    return np.maximum(a, 0), np.minimum(b, n)


def runs(count: Array) -> tuple[Array, Array]:
    """0 0 0 1 1 … and 0 1 2 0 1 …: which run, and the place in it, for runs of such lengths."""
    k = np.repeat(np.arange(len(count)), count)
    return k, np.arange(len(k)) - (np.cumsum(count) - count)[k]


def planes(corners: Array) -> tuple[Array, ...]:
    """Each triangle's height at its first corner, its slopes, and the heights it lies between."""
    a, z = corners[:, 0], corners[..., 2]
    n = np.cross(corners[:, 1] - a, corners[:, 2] - a)
    up = np.where(np.abs(n[:, 2]) > 1e-12, n[:, 2], np.inf)
    return a[:, 2], -n[:, 0] / up, -n[:, 1] / up, z.min(1), z.max(1)
