"""What every solver keeps, whatever the terrain."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import koski
from everything import each_solver, rough, run, sloshing, volume

some = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


@each_solver
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.long) for k in (2, 3))])
def test_a_lake_at_rest_with_dry_islands_stays_at_rest(solver, seed):
    b = rough(24, 32, seed) + 100 * (seed % 2)  # high ground must not cost digits
    level = np.float32(b.min() + 1.6)
    terrain = koski.Terrain.create(b)
    depth = np.maximum(level - b, 0)
    assert (depth == 0).any() and (depth > 0).any()
    frame = run(solver, terrain, depth, seconds=20.0)
    rounding = 8 * np.spacing(np.float32(level))  # the start is an ulp off level; ripples add up
    assert_allclose(frame.surface, np.maximum(b, level), atol=rounding)
    assert_array_equal(np.asarray(frame.depth) > 0, depth > 0)
    assert np.abs(frame.velocity).max() < 1e-5


@each_solver
def test_water_is_conserved_over_ten_thousand_steps(solver):
    terrain, depth = sloshing(40, 56, seed=1)
    state = solver.start(terrain, depth)
    start = volume(solver.frame(state, terrain))
    state = koski.advance(solver, state, terrain, koski.Inputs(), seconds=200.0, dt=0.02)
    assert int(state.water.steps) == 10_000
    assert abs(volume(solver.frame(state, terrain)) / start - 1) < 1e-6


@each_solver
@some
@given(
    seed=st.integers(0, 1000),
    relief=st.sampled_from([0.01, 1.0, 30.0, 2000.0]),
    level=st.sampled_from([1e-4, 0.5, 30.0]),
    dt=st.sampled_from([None, 0.01, 0.5, 10.0]),
)
def test_depth_is_never_negative_nor_anything_not_finite(solver, seed, relief, level, dt):
    terrain, depth = sloshing(16, 20, seed, relief, level)
    frame = run(solver, terrain, depth, seconds=3.0 if dt is None else 60 * dt, dt=dt)
    assert frame.depth.min() >= 0
    assert np.isfinite(frame.depth).all() and np.isfinite(frame.velocity).all()
    assert abs(volume(frame) - depth.sum(dtype=float)) <= 1e-5 * depth.sum(dtype=float)


@each_solver
@pytest.mark.parametrize("turn", ["mirror x", "mirror y", "transpose"])
def test_x_and_y_and_their_mirror_images_are_alike(solver, turn):
    terrain, depth = sloshing(24, 24, seed=2)
    change = {
        "mirror x": lambda f: np.asarray(f)[:, ::-1],
        "mirror y": lambda f: np.asarray(f)[::-1],
        "transpose": lambda f: np.asarray(f).T,
    }[turn]
    straight = run(solver, terrain, depth, seconds=4.0, dt=0.02)
    turned = run(solver, koski.Terrain.create(change(terrain.b)), change(depth), 4.0, dt=0.02)
    u, v = (straight.v, straight.u) if turn == "transpose" else (straight.u, straight.v)
    u = -np.asarray(u) if turn == "mirror x" else u
    v = -np.asarray(v) if turn == "mirror y" else v
    # not bit for bit: the compiler may fuse multiply and add differently along x and y
    assert_allclose(turned.depth, change(straight.depth), atol=2e-5)
    assert_allclose(turned.u, change(u), atol=2e-3)
    assert_allclose(turned.v, change(v), atol=2e-3)


@each_solver
def test_water_leaves_the_brink_of_a_cliff(solver):
    b = np.where(np.arange(40) < 20, 10.0, 0.0)[None].repeat(3, 0)
    depth = np.where(np.arange(40) < 20, 0.5, 0.0)[None].repeat(3, 0)
    frame = run(solver, koski.Terrain.create(b), depth, seconds=150.0)
    fallen = np.asarray(frame.depth)[:, 20:].sum() / depth.sum()
    assert fallen > 0.9  # nearly all of it: the plateau drains over its brink


@each_solver
def test_water_overtops_a_wall_but_only_above_its_crest(solver):
    x = np.arange(60)
    b = np.where(x == 30, 2.0, 0.0)[None].repeat(3, 0)
    terrain = koski.Terrain.create(b)
    below = run(solver, terrain, np.where(x < 30, 1.9, 0.0)[None].repeat(3, 0), seconds=30.0)
    assert np.asarray(below.depth)[:, 31:].max() == 0
    above = run(solver, terrain, np.where(x < 30, 2.6, 0.0)[None].repeat(3, 0), seconds=120.0)
    behind = np.asarray(above.depth)[1]
    assert behind[31:].sum() > 0.8 * 30 * 0.6  # what stood above the crest went over it
    assert 1.8 < behind[:30].mean() < 2.1  # down to the crest, or less where it sloshed over


@each_solver
def test_a_profile_of_one_row_runs(solver):
    b = rough(24, 48, seed=3)[12:13]
    frame = run(solver, koski.Terrain.create(b), np.maximum(2 - b, 0) + 0.3 * (b < 1), seconds=5.0)
    assert np.isfinite(frame.depth).all() and frame.depth.shape == (1, 48)
