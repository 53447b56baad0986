"""The implicit wave equation: what Kass 1990 promises, and what the paper's text does not keep."""

import numpy as np
import pytest

import koski
from everything import volume
from koski.core.water import G
from koski.validate import drop, measure
from koski.validate.energy import energy


def tank():
    """Deep water with a hump, between walls."""
    y, x = np.mgrid[:48, :64]
    return np.zeros((48, 64)), 10 + 2 * np.exp(-((x - 20) ** 2 + (y - 24) ** 2) / 50)


def beach():
    """A hump that runs up a wavy shore."""
    y, x = np.mgrid[:48, :64]
    b = np.clip(0.15 * (x - 40) + 0.3 * np.sin(y / 5), -4, 3)
    sea = np.maximum(-b, 0)
    return b, sea + np.where(sea > 0, np.exp(-((x - 15) ** 2 + (y - 24) ** 2) / 50), 0)


@pytest.mark.parametrize("theta", [0.55, 1.0])
@pytest.mark.parametrize("cfl", [0.5, 5, 50])
@pytest.mark.parametrize("place", [tank, beach])
def test_energy_only_falls(place, cfl, theta):
    b, depth = place()
    terrain, solver = koski.Terrain.create(b), koski.Wave(theta=theta)
    state = solver.start(terrain, depth)
    dt = float(cfl / np.sqrt(G * depth.max()))
    energies = [energy(state, terrain)]
    for _ in range(100):
        state = koski.advance(solver, state, terrain, seconds=20 * dt, dt=dt)
        energies.append(energy(state, terrain))
    assert int(state.water.steps) == 2000
    e = np.array(energies)
    assert e.max() == e[0]
    rise = max(e[i : i + 6].max() - e[i] for i in range(95))  # within any 100 steps
    assert rise <= 0.01 * (e[0] - e.min())


@pytest.mark.parametrize("along", ["x", "y"])
def test_waves_run_at_the_right_speed(along):
    assert abs(measure.wave_speed_error(koski.Wave(cfl=0.5), along)) < 0.02
    assert abs(measure.seiche_period_error(koski.Wave(cfl=0.5), along)) < 0.01


@pytest.mark.parametrize(("cfl", "sigma", "radius"), [(0.5, 1, 50), (2, 4, 60), (10, 20, 120)])
def test_a_round_drop_stays_round(cfl, sigma, radius):
    dt = cfl / np.sqrt(G)
    assert abs(drop.roundness(koski.Wave(), sigma, radius, dt)) < 0.03


def test_each_puddle_keeps_its_water_while_others_join_and_part():
    x = np.broadcast_to(np.arange(60), (32, 60))
    b = np.full((32, 60), 5.0)
    b[4:14, 4:16] = 0.1 * (x[4:14, 4:16] - 4)  # two that stay alone, one of them sloping
    b[18:28, 4:16] = 1.0
    b[4:28, 22:56] = 0.0
    b[4:28, 38:40] = 1.0  # and two with a low bank between
    depth = np.where(b < 5, np.maximum(0.9 - b, 0.1), 0.0)
    depth += np.where((b < 5) & (x % 19 < 3), 0.6, 0.0)  # all slosh
    pools = [np.s_[:16, :19], np.s_[16:, :19], np.s_[:, 19:]]
    terrain, solver = koski.Terrain.create(b), koski.Wave()
    state = solver.start(terrain, depth)
    start = [np.asarray(state.water.d, float)[p].sum() for p in pools]
    parted = set()
    for _ in range(100):
        state = koski.advance(solver, state, terrain, seconds=10.0, dt=0.1)
        d = np.asarray(solver.frame(state, terrain).depth, float)
        parted.add(bool((d[4:28, 38:40] > 1e-4).any()))
        for pool, was in zip(pools, start):
            assert abs(d[pool].sum() / was - 1) < 1e-6
    assert int(state.water.steps) == 10_000 and parted == {True, False}


@pytest.mark.parametrize("depth", [0.01, 1.0, 100.0, 10_000.0])
def test_a_frame_is_one_stable_step_at_any_depth(depth):
    y, x = np.mgrid[:40, :40]
    hump = 0.1 * depth * np.exp(-((x - 15) ** 2 + (y - 20) ** 2) / 20)
    terrain, solver = koski.Terrain.create(np.zeros((40, 40))), koski.Wave()
    state = solver.start(terrain, depth + hump)
    before = energy(state, terrain)
    for _ in range(10):
        state = koski.advance(solver, state, terrain, seconds=5.0, dt=1 / 24)
        after = energy(state, terrain)
        assert after < before * (1 + 1e-6)  # rounding of the sum
        before = after
    frame = solver.frame(state, terrain)
    assert abs(float(frame.depth.max()) / depth - 1) < 0.1
    assert volume(frame) == pytest.approx(float((depth + hump).sum()), rel=1e-6)


def test_water_may_run_many_cells_in_one_step():
    terrain, solver = koski.Terrain.create(np.zeros((1, 200))), koski.Wave()
    depth = np.where(np.arange(200) < 60, 4.0, 0.5)[None]
    state = solver.start(terrain, depth)
    state = koski.advance(solver, state, terrain, seconds=8.0, dt=2.0)  # 12 cells a step
    d = np.asarray(solver.frame(state, terrain).depth)[0]
    assert d[75] > 0.7  # four steps, and it is far more than four cells from the dam at 60


def test_tau_takes_motion_away():
    terrain = koski.Terrain.create(np.zeros((1, 64)))
    left = {}
    for tau in (0.0, 0.3):
        solver = koski.Wave(tau=tau, cfl=0.5)
        state = solver.start(terrain, 1 + 0.1 * np.cos(np.arange(64) * np.pi / 32)[None])
        state = koski.advance(solver, state, terrain, seconds=20.0)
        left[tau] = energy(state, terrain) - 0.5 * G * 64
    assert 0 < left[0.3] < 0.1 * left[0.0]


def test_x_and_y_take_turns_and_the_steeper_begins():
    y, x = np.mgrid[:16, :16]
    terrain, solver = koski.Terrain.create(np.zeros((16, 16))), koski.Wave()
    assert bool(solver.start(terrain, 1 + 0.1 * np.sin(x)).x_first)
    state = solver.start(terrain, 1 + 0.1 * np.sin(y))
    assert not bool(state.x_first)
    state = koski.advance(solver, state, terrain, seconds=0.1, dt=0.1)
    assert bool(state.x_first)
