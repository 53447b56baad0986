"""Run a solver on a case with a known answer, and measure how far off it is."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from koski.core.edges import Edges, Periodic
from koski.core.solver import Solver, advance
from koski.core.terrain import Terrain
from koski.core.water import G
from koski.validate import exact

LENGTH = 50.0  # of the dam-break channel, the dam in its middle [m]
TIME = 4.0  # after the break [s]


def exactly(solver):
    """The solver with no friction and short steps: what exact solutions are for."""
    numbers = {"friction": 0.0, "cfl": min(solver.cfl, 0.5)}
    return replace(solver, **{k: v for k, v in numbers.items() if hasattr(solver, k)})


def dam_break_error(solver: Solver, right: float, cells: int, along: str = "x") -> float:
    """Relative L1 error of depth, 4 s after a 1 m dam breaks onto a depth of `right`."""
    cell = LENGTH / cells
    at = (np.arange(cells) + 0.5) * cell - LENGTH / 2
    if along == "diagonal":
        x = (at[None, :] + at[:, None]) / np.sqrt(2)
        line: Callable = np.diag
    else:
        x = at[None, :] if along == "x" else at[:, None]
        line = np.ravel
    terrain = Terrain.create(np.zeros(x.shape), cell)
    state = solver.start(terrain, np.where(x < 0, 1.0, right))
    state = advance(solver, state, terrain, seconds=TIME)
    depth = line(np.asarray(solver.frame(state, terrain).depth))
    truth = exact.dam_break(line(x), TIME, 1.0, right)
    return float(np.abs(depth - truth).sum() / truth.sum())


def wave_speed_error(
    solver: Solver, along: str = "x", cells: int = 20, depth: float = 1.0
) -> float:
    """Relative error in the speed of a small wave, `cells` to its length, over five periods."""
    n, depth, small = 2 * cells, 1.0, 1e-3
    k = 2 * np.pi * 2 / n
    ripple = small * depth * np.cos(k * (np.arange(n) + 0.5))
    c = exact.wave_speed(depth)
    shape = (1, n) if along == "x" else (n, 1)
    sides = ("west", "east") if along == "x" else ("south", "north")
    terrain = Terrain.create(np.zeros(shape), 1.0, Edges(**{s: Periodic() for s in sides}))
    velocity = np.zeros((*shape, 2))
    velocity[..., 0 if along == "x" else 1] = (ripple * np.sqrt(G / depth)).reshape(shape)
    state = solver.start(terrain, (depth + ripple).reshape(shape), velocity)
    seconds = 5 * cells / c
    state = advance(solver, state, terrain, seconds=seconds)
    wave = np.ravel(np.asarray(solver.frame(state, terrain).depth, float)) - depth
    phase = np.angle(np.fft.rfft(wave)[2]) - np.angle(np.fft.rfft(ripple)[2])
    behind = (phase + np.pi) % (2 * np.pi) - np.pi  # of the five turns it should have made
    return float(-behind / (2 * np.pi * 5))


def seiche_period_error(solver: Solver, along: str = "x", cells: int = 100) -> float:
    """Relative error in the period of a basin's slowest wave, over four periods."""
    depth, small = 1.0, 1e-3
    shape = (1, cells) if along == "x" else (cells, 1)
    mode = np.cos(np.pi * (np.arange(cells) + 0.5) / cells)
    terrain = Terrain.create(np.zeros(shape), 1.0)
    state = solver.start(terrain, depth + small * mode.reshape(shape))
    period = exact.seiche_period(cells * 1.0, depth)
    times, heights = [], []
    for i in range(160):
        state = advance(solver, state, terrain, seconds=period / 40)
        wave = np.ravel(np.asarray(solver.frame(state, terrain).depth, float)) - depth
        times.append((i + 1) / 40)
        heights.append(wave @ mode)
    t, h = np.array(times), np.array(heights)
    down = np.flatnonzero((h[:-1] > 0) & (h[1:] <= 0))
    cross = t[down] + (t[1] - t[0]) * h[down] / (h[down] - h[down + 1])
    return float((cross[-1] - cross[0]) / (len(cross) - 1) - 1)


def radial_dam_break(solver: Solver, outside: float, cells: int = 200) -> tuple[np.ndarray, ...]:
    """Radius, and depth along x and along the diagonal, 2 s after a 50 m disc of 10 m collapses."""
    cell = 200.0 / cells
    at = (np.arange(cells) + 0.5) * cell - 100
    r = np.hypot(at[None, :], at[:, None])
    terrain = Terrain.create(np.zeros((cells, cells)), cell)
    state = solver.start(terrain, np.where(r <= 50, 10.0, outside))
    state = advance(solver, state, terrain, seconds=2.0)
    d = np.asarray(solver.frame(state, terrain).depth, float)
    half = cells // 2
    radius = np.arange(1.0, 95.0, 1.0)
    axis = np.interp(radius, r[half, half:], d[half, half:])
    diagonal = np.interp(radius, np.diag(r)[half:], np.diag(d)[half:])
    return radius, axis, diagonal


def front(radius, depth, outside: float) -> float:
    """The radius at which the depth falls to a tenth of the disc's above what was outside [m]."""
    over = np.flatnonzero(depth > outside + 1.0)[-1]
    share = (depth[over] - outside - 1.0) / (depth[over] - depth[over + 1])
    return float(radius[over] + share * (radius[over + 1] - radius[over]))
