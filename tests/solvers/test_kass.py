"""Kass's own form: what it keeps, and the damping that the split form was made to avoid."""

from collections import deque

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import koski
from everything import rough, run, sloshing, volume
from koski.core.grid import Grid
from koski.core.water import G
from koski.solvers.regions import label, sums
from koski.validate import measure


def flood_fill(wet, wrap_x: bool):
    """The lowest index in the region of each wet cell, one cell at a time."""
    ny, nx = wet.shape
    found = np.full(wet.shape, wet.size)
    for start in np.argwhere(wet):
        if found[tuple(start)] < wet.size:
            continue
        number, queue = start[0] * nx + start[1], deque([tuple(start)])
        found[tuple(start)] = number
        while queue:
            j, i = queue.popleft()
            for a, b in ((j - 1, i), (j + 1, i), (j, i - 1), (j, i + 1)):
                b = b % nx if wrap_x else b
                if 0 <= a < ny and 0 <= b < nx and wet[a, b] and found[a, b] == wet.size:
                    found[a, b] = number
                    queue.append((a, b))
    return found


@pytest.mark.parametrize("wrap_x", [False, True])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_regions_are_the_connected_ones(share, wrap_x):
    wet = np.random.default_rng(int(10 * share)).random((40, 56)) < share
    grid = Grid(40, 56, 1.0, wrap_x=wrap_x)
    labels = np.asarray(label(jnp.asarray(wet), grid))
    assert_array_equal(labels, flood_fill(wet, wrap_x))
    sizes = np.asarray(sums(jnp.asarray(wet, jnp.float32), jnp.asarray(labels), grid))
    one = labels[tuple(np.argwhere(wet)[0])]
    assert (sizes[labels == one] == (labels == one).sum()).all()


def test_a_spiral_is_one_region():
    wet = np.zeros((33, 33), bool)
    for k in range(0, 16, 2):
        wet[k, k : 33 - k] = wet[32 - k, k : 33 - k] = True
        wet[k : 33 - k, k] = wet[k : 33 - k, 32 - k] = True
        wet[k + 1, k] = False
        wet[k + 2, k + 1] = True
    labels = np.asarray(label(jnp.asarray(wet), Grid(33, 33, 1.0)))
    assert_array_equal(labels, flood_fill(wet, False))


def test_waves_run_at_the_right_speed_but_die_out():
    solver = koski.HistoryWave(cfl=0.5)
    assert abs(measure.wave_speed_error(solver)) < 0.02
    n = 20
    ripple = np.cos(2 * np.pi * (np.arange(n) + 0.5) / n)[None]
    sides = koski.Edges(west=koski.Periodic(), east=koski.Periodic())
    terrain = koski.Terrain.create(np.zeros((1, n)), 1.0, sides)
    heights = {}
    for wave in (solver, koski.Wave(cfl=0.5)):
        state = wave.start(terrain, 1 + 1e-3 * ripple)
        state = koski.advance(wave, state, terrain, seconds=n / np.sqrt(G), dt=0.5 / np.sqrt(G))
        left = np.asarray(wave.frame(state, terrain).depth, float) - 1
        heights[type(wave)] = 1e3 * np.abs(np.fft.rfft(left)[0, 1]) / (n / 2)
    assert 0.5 < heights[koski.HistoryWave] < 0.7  # 0.62 a period, without the split
    assert heights[koski.Wave] > 0.93


@pytest.mark.parametrize("seed", range(3))
def test_a_lake_with_islands_stays_at_rest(seed):
    b = rough(24, 32, seed)
    level = np.float32(b.min() + 1.6)
    depth = np.maximum(level - b, 0)
    frame = run(koski.HistoryWave(), koski.Terrain.create(b), depth, seconds=20.0)
    assert_allclose(frame.surface, np.maximum(b, level), atol=4e-6)  # some ulp of the level


@pytest.mark.parametrize("dt", [0.02, 1.0])
def test_every_pool_keeps_its_volume(dt):
    terrain, depth = sloshing(24, 64, seed=1)
    b = np.array(terrain.b)
    b[:, 30:33] = 50.0  # a wall between two pools
    depth[:, 30:33] = 0
    terrain = koski.Terrain.create(b)
    frame = run(koski.HistoryWave(), terrain, depth, seconds=1000 * dt, dt=dt)
    for pool in (np.s_[:, :30], np.s_[:, 33:]):
        assert np.asarray(frame.depth, float)[pool].sum() == pytest.approx(
            depth[pool].sum(dtype=float), rel=1e-6
        )
    assert float(frame.depth.min()) >= 0 and np.isfinite(frame.velocity).all()


def test_dye_and_pressure_and_rain_reach_it():
    terrain, depth = sloshing(24, 32, seed=3)
    world = koski.World(terrain, depth, koski.HistoryWave())
    world.dye(16.0, 12.0, 5.0, radius=3.0)
    world.press(10.0, 12.0, 2000.0, radius=4.0)
    world.rain(1e-3)
    world.step(2.0)
    assert world.volume.came == pytest.approx(2e-3 * 24 * 32, rel=1e-5)
    assert abs(world.volume.drift) < 1e-6
    amount = sum(float(m.sum()) for m in world.state.water.dyes.values())
    assert amount == pytest.approx(5.0, rel=1e-5)
    assert volume(world.frame) > depth.sum()
