from collections import deque

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import koski
from koski import landscape

ROUGH = [landscape.hills, landscape.valley, landscape.island, landscape.basin]
EVERY = [*ROUGH, landscape.steps]


def heights(make, *args, **kwargs):
    return np.asarray(make(*args, **kwargs).b)


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("size", [48, (24, 96), (1, 60), (64, 7)])
def test_a_landscape_is_finite_and_of_the_size_asked_for(make, size):
    terrain = make(size, cell=2.0)
    assert terrain.grid.shape == (size if isinstance(size, tuple) else (size, size))
    assert terrain.grid.cell == 2.0
    assert terrain.b.dtype == jnp.float32
    assert np.isfinite(terrain.b).all()


@pytest.mark.parametrize("make", ROUGH)
def test_the_same_seed_gives_the_same_bits_and_another_seed_another_landscape(make):
    assert_array_equal(heights(make, 40, seed=5), heights(make, 40, seed=5))
    assert np.abs(heights(make, 40, seed=5) - heights(make, 40, seed=6)).max() > 1


@pytest.mark.parametrize("make", ROUGH)
@pytest.mark.parametrize("seed", [0, 3])
def test_more_cells_only_add_detail(make, seed):
    coarse = heights(make, 64, cell=4.0, seed=seed)
    fine = heights(make, 256, cell=1.0, seed=seed).reshape(64, 4, 64, 4).mean((1, 3))
    # finer octaves, the curvature within a cell, and extremes that coarse cells miss
    assert_allclose(coarse, fine, atol=0.06 * np.ptp(fine))
    assert np.abs(coarse - fine).mean() < 0.015 * np.ptp(fine)


def test_a_landscape_does_not_depend_on_how_it_is_cut_for_evaluation(monkeypatch):
    whole = heights(landscape.hills, 50)
    monkeypatch.setattr(landscape, "SLAB", 300)
    assert_array_equal(heights(landscape.hills, 50), whole)


def test_hills_reach_from_zero_to_their_relief():
    b = heights(landscape.hills, 64, relief=17.0, seed=3)
    assert b.min() == 0
    assert b.max() == 17


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("size", [24, (32, 200), 96])
def test_a_river_can_run_down_the_valley_without_ever_climbing(seed, size):
    b = heights(landscape.valley, size, seed=seed)
    assert (np.diff(b.min(axis=0)) < 0).all()
    y = int(b[:, 0].argmin())
    seen, ways = {(y, 0)}, deque([(y, 0)])
    while ways:
        y, x = ways.popleft()
        for j, i in ((y, x + 1), (y, x - 1), (y + 1, x), (y - 1, x)):
            inside = 0 <= j < b.shape[0] and 0 <= i < b.shape[1]
            if inside and (j, i) not in seen and b[j, i] <= b[y, x]:
                seen.add((j, i))
                ways.append((j, i))
    assert max(x for _, x in seen) == b.shape[1] - 1


def test_the_valley_rises_on_both_sides_of_its_river():
    b = heights(landscape.valley, 128, relief=40.0)
    sides = np.stack([b[0], b[-1]])
    assert (sides > b.min(axis=0) + 8).all()
    assert sides.mean() > b[50:78].mean() + 15


def test_a_spring_at_the_head_of_the_valley_reaches_its_end():
    terrain = landscape.valley(
        (24, 40), cell=4.0, slope=0.02, edges=koski.Edges(west=koski.Inflow(20.0))
    )
    solver = koski.Pipe()
    state = solver.start(terrain, 0.0)
    state = koski.advance(solver, state, terrain, seconds=150, dt=0.25)
    assert solver.frame(state, terrain).depth[:, -1].max() > 0.5


@pytest.mark.parametrize("size", [64, (60, 100)])
def test_an_island_has_its_peak_and_lies_in_a_sea_of_one_depth(size):
    b = heights(landscape.island, size, peak=12.0, sea=5.0, seed=4)
    assert_allclose(b.max(), 12, rtol=1e-6)
    border = np.concatenate([b[0], b[-1], b[:, 0], b[:, -1]])
    assert_allclose(border, -5, rtol=1e-6)
    assert 0.1 < (b > 0).mean() < 0.6


@pytest.mark.parametrize("seed", range(6))
def test_a_basin_filled_to_height_zero_does_not_spill(seed):
    b = heights(landscape.basin, 64, depth=8.0, seed=seed)
    assert_allclose(b.min(), -8, rtol=1e-6)
    y, x = np.unravel_index(b.argmin(), b.shape)
    assert np.hypot(y - 31.5, x - 31.5) < 16
    assert np.concatenate([b[0], b[-1], b[:, 0], b[:, -1]]).min() > 0


def test_steps_have_as_many_drops_as_asked_for():
    b = heights(landscape.steps, (32, 120), drop=1.5, count=5)
    fall = -np.diff(b[16])
    assert_allclose(fall[fall > 0], [1.5] * 5)
    assert (fall >= 0).all()
    assert (b[0] > b[16] + 1).all() and (b[-1] > b[16] + 1).all()


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("size", [10**7, 0, -4, (8,), (3, 4, 5), 2.5, "large", (8, "wide")])
def test_a_size_that_makes_no_sense_is_refused_before_anything_is_allocated(make, size):
    with pytest.raises(koski.InputError):
        make(size)


@pytest.mark.parametrize(
    "make, wrong",
    [
        (landscape.hills, {"seed": -1}),
        (landscape.hills, {"seed": 0.5}),
        (landscape.hills, {"relief": float("nan")}),
        (landscape.valley, {"slope": -0.1}),
        (landscape.island, {"peak": "high"}),
        (landscape.basin, {"cell": 0.0}),
        (landscape.steps, {"count": 99}),
        (landscape.steps, {"width": 2.0}),
    ],
)
def test_a_number_out_of_range_is_named(make, wrong):
    with pytest.raises(koski.InputError, match=next(iter(wrong))):
        make(16, **wrong)
