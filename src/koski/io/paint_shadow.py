"""Shadows of bodies: how high the uppermost one reaches along each ray of the sun.

Along a ray, x − z sₓ/s_z and y − z s_y/s_z stay what they are.  In these coordinates the bodies are
seen from the sun, and a point is in shadow where one of them lies higher.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from koski.io.paint_pixels import SUN, Array
from koski.io.paint_raster import least, most, uppermost
from koski.io.solids import Triangles

LEAN = SUN[:2] / SUN[2]
FINE = 2.0  # cells of the map along a pixel
CELLS = 1 << 23  # at most
TAPS = 20  # points of the sun's disk
BLUR = 1.3, 6.0  # least and most radius of a soft edge [cells]
BLOCK = MARGIN = 8  # cells, more than the most radius
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
        toward &= (most(z) > lowest) & (least(z) < highest + np.hypot(*size))
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
        x, y = ((p[:, :2] - p[:, 2:] * LEAN - self.low) * self.scale).astype(np.float32).T
        z = (p[:, 2] + 1e-3).astype(np.float32)
        if not soft:
            return (lookup(self.top, x, y) > z).astype(np.float32)
        out = np.zeros(len(p), np.float32)
        near = np.nonzero(lookup(self.around, x / BLOCK, y / BLOCK) > z)[0]
        x, y, z = x[near], y[near], z[near]
        blockers, above = np.full((2, len(z)), 1e-9, np.float32)
        for dx, dy in disk(TAPS // 2):
            way = lookup(self.top, x + BLUR[1] * dx, y + BLUR[1] * dy) - z
            blockers += way > 0
            above += np.maximum(way, 0)
        radius = np.clip(WIDE * self.scale * above / blockers, *BLUR)
        for dx, dy in disk(TAPS):
            out[near] += lookup(self.top, x + radius * dx, y + radius * dy) > z
        return out / TAPS

    @cached_property
    def around(self) -> Array:
        """The highest of every block of cells and the blocks about it."""
        h, w = self.top.shape
        f = np.pad(self.top, ((0, -h % BLOCK), (0, -w % BLOCK)), constant_values=-np.inf)
        f = f.reshape(-(-h // BLOCK), BLOCK, -(-w // BLOCK), BLOCK).max((1, 3))
        f = np.pad(f, 1, mode="edge")
        f = np.maximum(np.maximum(f[:-2], f[1:-1]), f[2:])
        return np.maximum(np.maximum(f[:, :-2], f[:, 1:-1]), f[:, 2:])

    def on_map(self, height: Array, scale: tuple[float, float]) -> Array:
        """How much of the sun is hidden from the pixels of a map of heights, painted in px/m."""
        ends = self.low, self.low + np.array(self.top.shape[::-1]) / self.scale
        reach = np.array([height.min(), height.max()])[:, None] * LEAN
        west, south = np.maximum((ends[0] + reach.min(0)) * scale, 0)
        east, north = np.maximum((ends[1] + reach.max(0)) * scale + 1, 0)
        out = np.zeros(height.shape, np.float32)
        part = slice(int(south), int(north)), slice(int(west), int(east))
        z = height[part]
        x = (np.arange(z.shape[1]) + int(west) + 0.5) / scale[0]
        y = (np.arange(z.shape[0]) + int(south) + 0.5) / scale[1]
        p = np.dstack([*np.meshgrid(x, y), z])
        out[part] = self.shades(p.reshape(-1, 3)).reshape(z.shape)
        return out


def lookup(top: Array, x: Array, y: Array) -> Array:
    """A map at places; its edge, where nothing is, goes on beyond it."""
    h, w = top.shape
    return top[np.clip(y, 0, h - 1).astype(np.int32), np.clip(x, 0, w - 1).astype(np.int32)]


def disk(n: int) -> list[tuple[float, float]]:
    """Points that cover a disk evenly: a spiral with turns by the golden angle."""
    r, angle = np.sqrt((np.arange(n) + 0.5) / n), 2.399963 * np.arange(n)
    return list(zip((r * np.cos(angle)).tolist(), (r * np.sin(angle)).tolist()))
