"""Seeded landscapes at any size: hills, a valley, an island, a basin, a stepped channel.

Each is a function of the position in relative coordinates, so that the same seed gives the same
landscape at every resolution and more cells only add detail.  Roughness is gradient noise, octave
over octave, each on a turned lattice of its own that depends on seed and octave only:

    f = Σ aᵏ n(2ᵏ p) / (1 + c |Σ aᵏ ∇n|²)      slopes stay smooth, ridges and floors grow rough
"""

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from koski.core.edges import Edges
from koski.core.errors import InputError, number
from koski.core.grid import Grid
from koski.core.terrain import Terrain

Array = np.ndarray
LATTICE = 256  # lattice points before an octave repeats
TURN = np.exp(0.65j)  # from octave to octave; in no step is one lattice aligned with another
SLAB = 1 << 18  # cells evaluated at a time


def hills(size=256, cell=1.0, relief=30.0, seed=0, edges: Edges | None = None) -> Terrain:
    """Rolling hills with gullies, from 0 to `relief` metres high."""
    grid, edges, seed = prepare(size, cell, seed, edges)
    relief = number("relief", relief, low=0, high=1e5)

    def ground(x, y):
        return fractal(*warp(x, y, 1.7, seed), 1.9, seed, grid)

    b = sample(ground, grid)
    share = (b - b.min()) / max(np.ptp(b), 1e-9)
    return Terrain.create(relief * share, cell, edges)


def valley(
    size=256, cell=1.0, relief=40.0, seed=0, slope=0.01, edges: Edges | None = None
) -> Terrain:
    """A valley that falls toward +x, with a meandering river bed between rising hillsides.

    The bottom of the bed depends on x alone: a spring at its head reaches the far end.
    """
    grid, edges, seed = prepare(size, cell, seed, edges)
    relief = number("relief", relief, low=0, high=1e5)
    slope = number("slope", slope, low=0, high=10)
    unit = shorter(grid)
    across = grid.ny / unit  # of the valley, in relative coordinates
    half = max(0.03 * across, 1.5 / unit)  # of the bed
    deep = min(0.3 * half * unit * grid.cell, 0.1 * relief)

    def bends(x):
        """Where the valley's axis lies, and where the river."""
        axis = across * (0.5 + 0.1 * wander(x / across, 0.8, seed))
        river = axis + across * 0.1 * wander(x / across, 3.6, seed + 1)
        return axis, river

    def ground(x, y):
        wx, wy = warp(x, y, 2.0, seed)
        rough = fractal(wx, wy, 2.2, seed, grid, gain=0.46)
        (axis, river), (_, ahead), (_, behind) = bends(x), bends(x + 1e-3), bends(x - 1e-3)
        bow = (ahead - behind) / 2e-3
        off = np.abs(y - river)
        near = np.exp(-((off / (4 * half)) ** 2))  # farther off the nearest bend is another one
        off = off / np.sqrt(1 + bow * bow * near)
        side = np.abs(y - axis) / across + 0.12 * rough  # from the valley's axis
        bank = smooth((off / half - 0.6) / 0.8)
        plain = smooth((off - 1.4 * half) / (0.2 * across))
        hillside = smooth((side - 0.1) / 0.55) * (0.85 + 0.4 * rough) + 0.03 * (1 + rough)
        fall = slope * (grid.nx / unit - x) * unit * grid.cell
        return fall + deep * bank + relief * plain * np.maximum(hillside, 0)

    return Terrain.create(sample(ground, grid), cell, edges)


def island(size=256, cell=1.0, peak=20.0, sea=10.0, seed=0, edges: Edges | None = None) -> Terrain:
    """An island whose top stands `peak` above the sea at height 0, in a sea of depth `sea`."""
    grid, edges, seed = prepare(size, cell, seed, edges)
    peak = number("peak", peak, low=0, high=1e5)
    sea = number("sea", sea, low=0, high=1e5)

    def ground(x, y):
        wx, wy = warp(x, y, 2.0, seed)
        rough = fractal(wx, wy, 2.6, seed, grid, gain=0.46)
        r = radius(x, y, grid)
        s = 0.55 - r + 0.28 * rough * smooth((1 - r) / 0.25)
        up = np.maximum(s, 0)
        return np.where(s > 0, up**1.3 * (1 + 0.5 * rough), -smooth(-s / 0.36))

    b = sample(ground, grid)
    return Terrain.create(np.where(b > 0, b * peak / max(b.max(), 1e-9), b * sea), cell, edges)


def basin(size=256, cell=1.0, depth=10.0, seed=0, edges: Edges | None = None) -> Terrain:
    """A lake basin, `depth` deep in the middle; filled to height 0 it does not spill."""
    grid, edges, seed = prepare(size, cell, seed, edges)
    depth = number("depth", depth, low=0, high=1e5)

    def ground(x, y):
        wx, wy = warp(x, y, 2.0, seed)
        rough = fractal(wx, wy, 2.4, seed, grid, gain=0.46)
        r = radius(x, y, grid)
        shore = r - 0.72 + 0.22 * rough * smooth(r / 0.7)
        rim = smooth(shore / 0.4) * (0.75 + 0.5 * rough) + 0.12 * np.maximum(shore, 0)
        hole = 1 - (1 - np.clip(-shore / 0.72, 0, 1)) ** 2
        return np.where(shore > 0, rim, -hole)

    b = sample(ground, grid)
    return Terrain.create(np.where(b < 0, b * depth / max(-b.min(), 1e-9), b * depth), cell, edges)


def steps(size=256, cell=1.0, drop=2.0, count=4, width=0.5, edges: Edges | None = None) -> Terrain:
    """A channel along x between walls, with `count` vertical drops; `width` is its share of y."""
    grid, edges, _ = prepare(size, cell, 0, edges)
    drop = number("drop", drop, low=0, high=1e4)
    count = int(number("count", count, low=0, high=grid.nx - 1))
    width = number("width", width, low=0, high=1)
    unit = shorter(grid)

    def ground(x, y):
        x, y = x * unit / grid.nx, y * unit / grid.ny
        tread = drop * (count - np.floor(x * (count + 1)))
        wall = drop * (count * (1 - x) + 2)
        return np.where(np.abs(y - 0.5) > width / 2, wall, tread)

    return Terrain.create(sample(ground, grid), cell, edges)


def prepare(size, cell, seed, edges: Edges | None) -> tuple[Grid, Edges, int]:
    """Check what every landscape is asked, before anything is allocated."""
    pair = size if np.ndim(size) else (size, size)
    if len(pair) != 2 or not all(isinstance(n, (int, np.integer)) for n in pair):
        raise InputError(f"size must be a number of cells or a pair (ny, nx), not {size!r}")
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InputError(f"seed must be a whole number of at least 0, not {seed!r}")
    edges = edges or Edges()
    return Grid.create(int(pair[0]), int(pair[1]), cell, *edges.wraps), edges, int(seed)


def shorter(grid: Grid) -> float:
    """The relative coordinates' unit in cells: the shorter side, but in no strip a sliver."""
    return max(min(grid.shape), max(grid.shape) / 4)


def sample(ground: Callable[[Array, Array], Array], grid: Grid) -> Array:
    """Heights at the cells' centres, a slab of rows at a time."""
    b = np.empty(grid.shape, np.float32)
    unit = shorter(grid)
    x = ((np.arange(grid.nx) + 0.5) / unit)[None, :]
    rows = max(SLAB // grid.nx, 1)
    for top in range(0, grid.ny, rows):
        y = ((np.arange(top, min(top + rows, grid.ny)) + 0.5) / unit)[:, None]
        b[top : top + rows] = ground(x, y)
    return b


def radius(x, y, grid: Grid):
    """Distance from the middle, 1 where the nearest sides are."""
    unit = shorter(grid)
    ax, ay = (min(n / unit, 2.0) / 2 for n in (grid.nx, grid.ny))
    return np.hypot((x - grid.nx / unit / 2) / ax, (y - grid.ny / unit / 2) / ay)


def smooth(t):
    """0 below 0, 1 above 1, and a curve with level ends between."""
    t = np.clip(t, 0, 1)
    return t * t * (3 - 2 * t)


@lru_cache(maxsize=32)
def lattice(seed: int, octave: int) -> Array:
    """A random direction at each lattice point."""
    angle = np.random.default_rng([seed, octave]).uniform(0, 2 * np.pi, (LATTICE, LATTICE))
    return np.exp(1j * angle).astype(np.complex64)


def noise(x, y, seed: int, octave: int) -> tuple[Array, Array, Array]:
    """Gradient noise, about −0.7 to 0.7 with features of size 1, and its slopes.

    Quintic weights between the lattice's points: slopes and curvatures are continuous.  Perlin 2002
    """
    x0, y0 = np.floor(x), np.floor(y)
    fx, fy = (x - x0).astype(np.float32), (y - y0).astype(np.float32)
    i, j = x0.astype(np.int32), y0.astype(np.int32)
    g = lattice(seed, octave)
    mask = LATTICE - 1

    def corner(di, dj):
        a = g[(j + dj) & mask, (i + di) & mask]
        return a.real, a.imag, a.real * (fx - di) + a.imag * (fy - dj)

    def weight(t):
        return t * t * t * (t * (6 * t - 15) + 10), 30 * t * t * (t - 1) ** 2

    (u, du), (v, dv) = weight(fx), weight(fy)
    c00, c10, c01, c11 = (corner(*at) for at in ((0, 0), (1, 0), (0, 1), (1, 1)))

    def mix(k):
        return (c00[k] * (1 - u) + c10[k] * u) * (1 - v) + (c01[k] * (1 - u) + c11[k] * u) * v

    along = (c10[2] - c00[2]) * (1 - v) + (c11[2] - c01[2]) * v
    up = (c01[2] - c00[2]) * (1 - u) + (c11[2] - c10[2]) * u
    return mix(2), mix(0) + du * along, mix(1) + dv * up


def bands(x, y, frequency: float, octaves: int) -> Iterator[tuple[int, Array, Array, complex]]:
    """Per octave the position on its lattice, doubled, turned and moved each time."""
    turn: complex = frequency * TURN
    for k in range(octaves):
        p = (x + 1j * y) * turn + (19.3 + 7.7j) * (k + 1)
        yield k, p.real, p.imag, turn
        turn *= 2 * TURN


def fractal(x, y, frequency: float, seed: int, grid: Grid, gain=0.45) -> Array:
    """Octaves of noise down to what the grid's cells can show, about −1 to 1.

    Slow octaves are billows, −|n| softened: rounded backs between creeks that join.  Each octave
    counts less where the ground is steep already, and less low down, as if silt had filled it.
    """
    finest = np.log2(max(shorter(grid) / (2 * frequency), 1))  # two cells to a lattice's side
    height, slope, a = 0.0, 0.0, 1.0
    for k, px, py, turn in bands(x, y, frequency, min(14, 1 + int(finest))):
        n, nx, ny = noise(px, py, seed, k)
        if k > 0:
            n = n + 0.12  # at 0 all creeks would pass through the lattice's points
            fold = np.sqrt(n * n + 0.003)
            n, nx, ny = 1.6 * fold - 0.4, 1.6 * n / fold * nx, 1.6 * n / fold * ny
        calm = 1 / (1 + 0.5 * np.abs(slope) ** 2)
        lift = np.clip(0.75 + 0.8 * height, 0.15, 1.5)
        slope = slope + a * lift * (nx + 1j * ny) * (turn / abs(turn)).conjugate()
        height = height + a * lift * calm * n
        a *= gain
    return 1.3 * np.asarray(height)


def warp(x, y, frequency: float, seed: int, amount: float = 0.2) -> tuple[Array, Array]:
    """The position, pushed about by slow noise: valleys bend, no lattice shows."""
    wx, wy = x, y
    for k, px, py, turn in bands(x, y, frequency, 3):
        wx = wx + amount / abs(turn) * noise(px, py, seed, 100 + k)[0]
        wy = wy + amount / abs(turn) * noise(px, py, seed, 200 + k)[0]
    return wx, wy


def wander(x, frequency: float, seed: int) -> Array:
    """A smooth swing about zero along x, about −1 to 1: a river's bends."""
    p = x * frequency
    phase = 1.3 * noise(p * 0.5, 0.5 + 0 * p, seed, 301)[0]
    swing = np.sin(2 * np.pi * (0.5 * p + 0.5 * phase) + seed)
    return 0.75 * swing + 0.6 * noise(p * 0.7, 0.3 + 0 * p, seed, 300)[0]
