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
MARGIN = 8  # cells about the bodies, more than the most radius
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
        nx, ny = (int(n) + 2 * MARGIN + 1 for n in (high - low) * fine)
        low = low - MARGIN / fine
        p[..., :2] = (p[..., :2] - low) * fine
        top, _ = uppermost(p, (ny, nx))
        top[[0, -1]] = top[:, [0, -1]] = -np.inf
        return Sunlight(top, low, fine)

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

    def on_map(self, height: Array, scale: tuple[float, float]) -> Array:
        """How much of the sun is hidden from the pixels of a map of heights, painted in px/m."""
        ends = self.low, self.low + np.array(self.top.shape[::-1]) / self.scale
        reach = np.array([height.min(), height.max()])[:, None] * LEAN
        west, south = np.maximum((ends[0] + reach.min(0)) * scale, 0)
        east, north = np.maximum((ends[1] + reach.max(0)) * scale + 1, 0)
        out = np.zeros(height.shape, np.float32)
        part = slice(int(south), int(north)), slice(int(west), int(east))
        z = height[part]
        y, x = np.indices(z.shape)
        x, y = (x + int(west) + 0.5) / scale[0], (y + int(south) + 0.5) / scale[1]
        out[part] = self.shades(np.dstack([x, y, z]).reshape(-1, 3)).reshape(z.shape)
        return out

    @staticmethod
    def lookup(top: Array, x: Array, y: Array) -> Array:
        """The map at places; its edge, where nothing is, goes on beyond it."""
        h, w = top.shape
        return top[np.clip(y, 0, h - 1).astype(int), np.clip(x, 0, w - 1).astype(int)]


def spread(f: Array, reach: int) -> Array:
    """The highest value within reach along x and y."""
    f = f.copy()
    for g in (f, f.T):
        for _ in range(reach):
            ahead = np.maximum(g[1:], g[:-1])
            g[1:] = np.maximum(g[1:], ahead)
            g[:-1] = np.maximum(g[:-1], ahead)
    return f
