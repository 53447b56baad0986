"""Shadows of bodies: how high the uppermost one reaches along each ray of the sun.

Along a ray, x − z sₓ/s_z and y − z s_y/s_z stay what they are.  In these coordinates the bodies are
seen from the sun, and a point is in shadow where one of them lies higher.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from koski.io.paint_pixels import SUN, Array
from koski.io.paint_raster import uppermost
from koski.io.solids import Triangles

LEAN = SUN[:2] / SUN[2]
FINE = 2.0  # cells of the map along a pixel
CELLS = 1 << 23  # at most
TAPS = 20  # points of the sun's disk
BLUR = 1.3, 6.0  # least and most radius of a soft edge [cells]
WIDE = 0.12  # radius of a soft edge over the way from what casts the shadow


@dataclass(frozen=True)
class Sunlight:
    """The heights of bodies seen from the sun."""

    top: Array  # [m], −inf where nothing is
    low: Array  # where the map begins [2] [m]
    scale: float  # [cells/m]

    @staticmethod
    def on(tri: Triangles, lowest: float, highest: float, size: tuple, scale: float) -> Sunlight:
        """Of what can shade ground between two heights within size [m], painted in px/m."""
        toward = tri.normals @ SUN > 0
        z = tri.corners[..., 2]
        toward &= (z.max(1) > lowest) & (z.min(1) < highest + np.hypot(*size))
        if not toward.any():
            return Sunlight(np.full((1, 1), -np.inf, np.float32), np.zeros(2), 1.0)
        p = tri.corners[toward]
        p = np.concatenate([p[..., :2] - p[..., 2:] * LEAN, p[..., 2:]], -1)
        low, high = p[..., :2].min((0, 1)), p[..., :2].max((0, 1))
        reach = np.array([lowest, highest, z[toward].max()])[:, None] * LEAN
        low = np.maximum(low, -reach.max(0))
        high = np.maximum(np.minimum(high, np.array(size) - reach.min(0)), low)
        fine = min(FINE * scale, np.sqrt(CELLS / max(np.prod(high - low), 1e-9)))
        nx, ny = (int(n) + 5 for n in (high - low) * fine)
        low = low - 2 / fine
        p[..., :2] = (p[..., :2] - low) * fine
        return Sunlight(uppermost(p, (ny, nx))[0], low, fine)

    def shades(self, p: Array, soft: bool = True) -> Array:
        """How much of the sun is hidden from points [N, 3]."""
        x, y = ((p[:, :2] - p[:, 2:] * LEAN - self.low) * self.scale).T
        z = p[:, 2] + 1e-3
        if not soft:
            return (self.lookup(self.top, x, y) > z).astype(np.float32)
        out = np.zeros(len(p), np.float32)
        over = self.lookup(spread(self.top, int(BLUR[1])), x, y)
        near = np.nonzero(over > z)[0]
        x, y, z = x[near], y[near], z[near]
        radius = np.clip(WIDE * (over[near] - z) * self.scale, *BLUR)
        for k in range(TAPS):  # a spiral with turns by the golden angle covers a disk evenly
            r, angle = radius * np.sqrt((k + 0.5) / TAPS), 2.399963 * k
            out[near] += self.lookup(self.top, x + r * np.cos(angle), y + r * np.sin(angle)) > z
        return out / TAPS

    @staticmethod
    def lookup(top: Array, x: Array, y: Array) -> Array:
        """The map at places; its margin, where nothing is, goes on beyond it."""
        h, w = top.shape
        return top[np.clip(y, 0, h - 1).astype(int), np.clip(x, 0, w - 1).astype(int)]


def spread(f: Array, reach: int) -> Array:
    """The highest value within reach along x and y."""
    for axis in (0, 1):
        wide = np.pad(f, [(reach, reach) if a == axis else (0, 0) for a in (0, 1)], mode="edge")
        n = f.shape[axis]
        f = np.max([wide.take(range(i, i + n), axis) for i in range(2 * reach + 1)], axis=0)
    return f
