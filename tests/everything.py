"""What the tests run over: every solver, and terrains that are awkward on purpose."""

import numpy as np
import pytest

import koski

SOLVERS = {
    "pipe": koski.Pipe(),
    "pipe-upwind": koski.Pipe(section=koski.upwind_section),
    "pipe-rough": koski.Pipe(manning=0.03),
    "linear": koski.LinearShallowWater(),
    "shallow": koski.ShallowWater(),
    "shallow-rough": koski.ShallowWater(manning=0.03),
    "shallow-semi-lagrangian": koski.ShallowWater(advection=koski.semi_lagrangian),
    "wave": koski.Wave(),
    "columns": koski.Columns(),
    "shallow-maccormack": koski.ShallowWater(advection=koski.maccormack),
}

KIN = "pipe-upwind", "pipe-rough", "shallow-rough", "shallow-maccormack"  # of others here


def over_solvers(*slow: str):
    """Run a test over all solvers; over kin and the slow ones only when there is time."""

    def marks(name: str) -> list:
        return [pytest.mark.long] if name in (*KIN, *slow) else []

    named = [pytest.param(s, id=name, marks=marks(name)) for name, s in SOLVERS.items()]
    return pytest.mark.parametrize("solver", named)


each_solver = over_solvers()
few_solvers = over_solvers("wave", "columns")  # which take long to compile


def rough(ny: int, nx: int, seed: int = 0, relief: float = 3.0) -> np.ndarray:
    """Random smooth bumps with a few cliffs, some of them out of the water."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:ny, :nx]
    b = sum(
        rng.normal() * np.sin(kx * x / nx * 6.3 + p) * np.cos(ky * y / ny * 6.3 + r)
        for kx, ky, p, r in rng.uniform(0.5, 4, (6, 4))
    )
    b = relief * (b - b.min()) / np.ptp(b)
    j, i = rng.integers(2, ny - 4), rng.integers(2, nx - 4)
    b[j : j + 3, i : i + 3] += relief  # a tower
    return b.astype(np.float32)


def sloshing(ny: int, nx: int, seed: int = 0, relief: float = 3.0, level: float = 1.8):
    """A rough terrain and water that will not stay where it is, with dry ground between."""
    b = rough(ny, nx, seed, relief)
    y, x = np.mgrid[:ny, :nx]
    hump = 2.0 * np.exp(-((x - nx / 3) ** 2 + (y - ny / 2) ** 2) / (0.02 * nx * ny))
    depth = np.maximum(level - b, 0) + np.where(b < level, hump, 0)
    return koski.Terrain.create(b, cell=1.0), depth.astype(np.float32)


def volume(frame) -> float:
    return float(np.asarray(frame.depth, np.float64).sum())


def run(solver, terrain, depth, seconds, **how):
    """The frame after some seconds from rest."""
    state = solver.start(terrain, depth)
    state = koski.advance(solver, state, terrain, koski.Inputs(), seconds=seconds, **how)
    return solver.frame(state, terrain)
