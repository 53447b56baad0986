"""Which triangle is uppermost in each pixel."""

import numpy as np

from koski.io.paint_pixels import Array

ONCE = 1 << 21  # pixels of triangles looked at together


def uppermost(corners: Array, shape: tuple[int, int]) -> tuple[Array, Array]:
    """Height [h, w], −inf where nothing is, and the triangle there, −1 where none is.

    Corners [T, 3, 3] have x and y in pixels, of which the first spans 0 to 1, and a height.
    """
    top = np.full(shape[0] * shape[1], -np.inf, np.float32)
    which = np.full(shape[0] * shape[1], -1, np.int32)
    tri, row, first, count = spans(corners, shape)
    z, slope = heights(corners, tri, row + 0.5, first + 0.5, count)
    pixel = row * shape[1] + first
    total = np.cumsum(count)
    cuts = np.searchsorted(total, np.arange(0, total[-1] if len(total) else 0, ONCE), "right")
    for i, j in zip(cuts, [*cuts[1:], len(count)]):
        n = count[i:j]
        _, along = runs(n)
        level = np.repeat(z[i:j], n) + np.repeat(slope[i:j], n) * along.astype(np.float32)
        at = np.repeat(pixel[i:j], n) + along
        np.maximum.at(top, at, level)
        wins = level == top[at]
        which[at[wins]] = np.repeat(tri[i:j], n)[wins]
    return top.reshape(shape), which.reshape(shape)


def spans(corners: Array, shape: tuple[int, int]) -> tuple[Array, Array, Array, Array]:
    """Triangle, row, first pixel and number of pixels of every row of every triangle."""
    h, w = shape
    x, y = corners[..., 0], corners[..., 1]
    first, last = between(least(y), most(y), h)
    seen = np.nonzero((last > first) & (most(x) > 0) & (least(x) < w))[0]
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
    left, right = between(west, east, w)
    some = right > left
    return tri[some], row[some], left[some], (right - left)[some]


def heights(corners: Array, tri: Array, y: Array, x: Array, count: Array) -> tuple[Array, Array]:
    """The height of each span at its first pixel, and its rise per pixel.

    Kept between the corners' heights: a steep triangle would slip past them half a pixel away.
    """
    (xa, ya, za), b, c = corners[:, 0].T, *(corners[:, i].T - corners[:, 0].T for i in (1, 2))
    up = b[0] * c[1] - b[1] * c[0]
    up = np.where(np.abs(up) > 1e-12, up, np.inf)
    sx, sy = (b[2] * c[1] - b[1] * c[2]) / up, (b[0] * c[2] - b[2] * c[0]) / up
    low, high = least(corners[..., 2])[tri], most(corners[..., 2])[tri]
    start = za[tri] + sy[tri] * (y - ya[tri]) + sx[tri] * (x - xa[tri])
    end = np.clip(start + sx[tri] * (count - 1), low, high)
    start = np.clip(start, low, high)
    slope = (end - start) / np.maximum(count - 1, 1)
    return start.astype(np.float32), slope.astype(np.float32)


def between(low: Array, high: Array, n: int) -> tuple[Array, Array]:
    """The first pixel whose middle lies between, and the one after the last, of n in all."""
    a, b = (np.ceil(np.clip(f, -1, n + 1) - 0.5).astype(np.int64) for f in (low, high))
    return np.maximum(a, 0), np.minimum(b, n)


def runs(count: Array) -> tuple[Array, Array]:
    """0 0 0 1 1 … and 0 1 2 0 1 …: which run, and the place in it, for runs of such lengths."""
    k = np.repeat(np.arange(len(count)), count)
    return k, np.arange(len(k)) - np.repeat(np.cumsum(count) - count, count)


def least(f: Array) -> Array:
    """The least of three columns; quicker than `min`."""
    return np.minimum(np.minimum(f[:, 0], f[:, 1]), f[:, 2])


def most(f: Array) -> Array:
    return np.maximum(np.maximum(f[:, 0], f[:, 1]), f[:, 2])
