"""A round drop on deep water: how round its ring stays, and how high on the axes and diagonals."""

import numpy as np

from koski.core.solver import Solver, advance
from koski.core.terrain import Terrain
from koski.validate.exact import wave_speed


def ring(solver: Solver, sigma: float, radius: float, dt: float | None = None):
    """Heights of the ring along an axis and along a diagonal, when it has come `radius` cells.

    A drop exp(−r² / 2σ²) of a thousandth of the depth, σ in cells.  Radii [cells] and heights
    along the axes, then along the diagonals.
    """
    n = 2 * int(radius + 6 * sigma) + 1  # odd: the drop is centred on a cell
    at = np.arange(n) - n // 2
    r = np.hypot(at[None, :], at[:, None])
    terrain = Terrain.create(np.zeros((n, n)))
    state = solver.start(terrain, 1 + 1e-3 * np.exp(-0.5 * (r / sigma) ** 2))
    state = advance(solver, state, terrain, seconds=radius / wave_speed(1.0), dt=dt)
    h = 1e3 * (np.asarray(solver.frame(state, terrain).depth, float) - 1)
    half = n // 2
    out = np.arange(half + 1)
    ways = [(j, i) for j in (-1, 0, 1) for i in (-1, 0, 1) if (j, i) != (0, 0)]
    lines = {way: h[half + way[0] * out, half + way[1] * out] for way in ways}
    axes = np.mean([line for way, line in lines.items() if 0 in way], axis=0)
    diagonals = np.mean([line for way, line in lines.items() if 0 not in way], axis=0)
    return out, axes, np.sqrt(2) * out, diagonals


def front(radii, h) -> float:
    """Where the ring's outer side falls to half the height of its crest [cells]."""
    half = 0.5 * h.max()
    over = np.flatnonzero(h > half)[-1]
    share = (h[over] - half) / (h[over] - h[over + 1])
    return float(radii[over] + share * (radii[over + 1] - radii[over]))


def roundness(solver: Solver, sigma: float, radius: float, dt: float | None = None) -> float:
    """How much farther the front has come along the diagonals than along the axes, relatively."""
    *axis, far, diagonal = ring(solver, sigma, radius, dt)
    return front(far, diagonal) / front(*axis) - 1


def evenness(solver: Solver, sigma: float, radius: float, dt: float | None = None) -> float:
    """How much higher the crest is along the diagonals than along the axes, relatively."""
    _, axis, _, diagonal = ring(solver, sigma, radius, dt)
    return crest(diagonal) / crest(axis) - 1


def crest(h) -> float:
    """The height of the highest point, between samples too: a parabola through the top three."""
    i = int(np.argmax(h))
    before, top, after = h[i - 1 : i + 2]
    return float(top + (after - before) ** 2 / (8 * (2 * top - before - after)))
