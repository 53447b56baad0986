"""Noise on tiles that repeat without a seam, read with one gather a point.

Each texel of a tile keeps the four corners of its square, 8 bits a corner, so that one gather
gives all that bilinear interpolation needs.  Behind the map lie its halves, quarters and so on:
what is seen from afar is read from where it is averaged already.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from koski.core.phase import phase
from koski.core.pytree import pytree, static
from koski.render.spot import entries

Array = np.ndarray
R = TypeVar("R")
BITS = 10  # of a share along x, and along y: with the 8 of a value, what an int32 holds
FINE = 1 << BITS  # parts of a texel


@pytree
class Tile:
    """A square map that repeats, with all its coarser levels."""

    corners: jax.Array  # four values of 8 bits at each texel, level after level
    low: jax.Array  # what 0 and the step from one value to the next stand for
    step: jax.Array
    size: int = static(default=256)  # texels along a side, a power of two

    @staticmethod
    def of(f: Array) -> Tile:
        """Pack a map [n, n], or several laid one behind the other [layers, n, n]."""
        low, high = float(f.min()), float(f.max())
        step = max((high - low) / 255, 1e-12)
        size = f.shape[-1]
        f = f.reshape(-1, size, size)
        packed = np.zeros((len(f), 2 * size * size), np.uint32)
        while (n := f.shape[-1]) > 1:
            q = np.stack([rounded((layer - low) / step) for layer in f])
            east, north = np.roll(q, -1, 2), np.roll(q, -1, 1)
            four = q | east << 8 | north << 16 | np.roll(east, -1, 1) << 24
            first = start(size, n)
            packed[:, first : first + n * n] = four.reshape(len(f), -1)
            f = f.reshape(len(f), n // 2, 2, n // 2, 2).mean((2, 4))
        return Tile(jnp.asarray(packed.ravel()), jnp.float32(low), jnp.float32(step), size)

    def at(self, u, v, layers: int) -> list[jax.Array]:
        """So many maps themselves at (u, v), in sides of the tile."""
        place = texel(u, v, self.size)
        return [self.read(place, self.layer(k)) for k in range(layers)]

    def seen(self, u, v, blur, layer=0):
        """The map averaged over a width of `blur` sides: between the two levels about it."""
        n = self.size
        u, v = phase(lambda *place: place)(u, v)  # found twice, it might lie in two texels
        level = jnp.clip(jnp.log2(jnp.maximum(blur, 1e-9) * n), 0, n.bit_length() - 2.001)
        whole = jnp.floor(level)
        side = n >> whole.astype(jnp.int32)
        first = self.layer(layer)
        fine, coarse = (self.read(texel(u, v, m), first + start(n, m)) for m in (side, side >> 1))
        return fine + (level - whole) * (coarse - fine)

    def layer(self, k):
        """Where a layer begins."""
        return k * (2 * self.size * self.size)

    def read(self, place: Texel, first):
        """Linear between the texels of a level that begins at `first`.

        In whole numbers, of which no device rounds any.
        """
        number, x, y = place
        four = entries(self.corners, first + number)
        a, b, c, d = ((four >> k & 255).astype(jnp.int32) for k in (0, 8, 16, 24))
        near, far = FINE * a + x * (b - a), FINE * c + x * (d - c)
        return self.low + self.step / FINE**2 * (FINE * near + y * (far - near))


class Texel(NamedTuple):
    """Points among the texels of a level: the one before each, and the shares of the next ones."""

    number: jax.Array  # j · side + i
    x: jax.Array  # of FINE parts
    y: jax.Array


def texel(u, v, side) -> Texel:
    """Where points are on a level of so many texels a side."""

    def among(u):
        x = (u - jnp.floor(u)) * side + (side - 0.5)  # whole turns keep it positive
        x = (x * FINE).astype(jnp.int32)
        return x >> BITS & (side - 1), x & (FINE - 1)

    (i, x), (j, y) = among(u), among(v)
    return Texel(j * side + i, x, y)


def start(size, side):
    """Where the level of `side` texels begins: with gaps, but found without a division."""
    return 2 * (size * size - side * side)


def rounded(f: Array) -> Array:
    """Whole numbers from 0 to 255 with the same mean: what is left goes where most was cut."""
    q = np.floor(f)
    short = round(f.sum() - q.sum())
    q.flat[np.argsort((q - f).ravel(), kind="stable")[:short]] += 1
    return np.clip(q, 0, 255).astype(np.uint32)


def smooth(low, high, f):
    """0 below `low`, 1 above `high`, and a curve with level ends between."""
    t = jnp.clip((f - low) * (1 / (high - low)), 0, 1)
    return t * t * (3 - 2 * t)


def each(f: Callable[..., R], *rows: tuple) -> list[R]:
    """f of each row, computed once: XLA would read the maps anew for whatever uses what it read."""
    return [phase(f)(*row) for row in rows]


def numbers(n: int) -> tuple[Array, Array]:
    """Cycles per tile along x and y of each mode of a Fourier transform."""
    k = np.fft.fftfreq(n, 1 / n)
    return k[None, :], k[:, None]


def fractal(n: int, seed: int, fall: float = 1.6, first: float = 6.0) -> Array:
    """Clouds of all sizes up to a `first` of the tile, mean 0, deviation 1.

    Amplitudes fall as k^−fall.  Few and strong long waves would show that the tile repeats.
    """
    kx, ky = numbers(n)
    k = np.maximum(np.hypot(kx, ky), 1)
    white = np.fft.fft2(np.random.default_rng(seed).standard_normal((n, n)))
    f = np.fft.ifft2(white * k**-fall / (1 + (first / k) ** 8)).real
    return f / f.std()


def crackle(n: int, seed: int, cells: int, warp: float = 0.0) -> tuple[Array, Array]:
    """Distances to the nearest of scattered points and to the border between the nearest two.

    In spacings of the `cells` × `cells` points (Worley 1996); `warp` bends the borders.
    """
    points = np.random.default_rng(seed).uniform(0, 1, (2, cells, cells))
    at = (np.arange(n) + 0.5) * cells / n
    x, y = np.meshgrid(at, at)
    if warp:
        x, y = (f + warp * fractal(n, seed + 1 + k, 2.0, cells / 3) for k, f in enumerate((x, y)))
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    first, second = np.full((n, n), np.inf), np.full((n, n), np.inf)
    for dj, di in product((-1, 0, 1), repeat=2):
        px, py = points[:, (j + dj) % cells, (i + di) % cells]
        r = np.hypot(i + di + px - x, j + dj + py - y)
        second = np.minimum(second, np.maximum(first, r))
        first = np.minimum(first, r)
    return first, second - first


def even(f: Array) -> Array:
    """The same map with its values spread evenly over 0 to 1: half of it lies below ½."""
    rank = np.empty(f.size)
    rank[np.argsort(f, axis=None, kind="stable")] = (np.arange(f.size) + 0.5) / f.size
    return rank.reshape(f.shape)
