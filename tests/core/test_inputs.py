"""What enters is checked once, where it enters."""

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose

import koski
from koski.core.grid import Grid
from koski.core.stencil import Flow
from koski.core.sums import Sum, total


@pytest.mark.parametrize(
    ("b", "says"),
    [
        (np.full((4, 4), np.nan), "not finite"),
        (np.array([[0, np.inf], [0, 0]]), "not finite"),
        (np.zeros((1, 1)), "at least two cells"),
        (np.zeros((0, 5)), "at least two cells"),
        (np.zeros(5), "map of heights"),
        (np.zeros((2, 3, 4)), "map of heights"),
        ([["a", "b"], ["c", "d"]], "numbers"),
        (np.full((3, 3), 1e9), "metres"),
    ],
)
def test_a_bad_terrain_is_refused_in_one_sentence(b, says):
    with pytest.raises(koski.InputError, match=says) as e:
        koski.Terrain.create(b)
    assert "\n" not in str(e.value)


@pytest.mark.parametrize("cell", [0, -1, float("nan"), float("inf"), "wide"])
def test_a_bad_cell_size_is_refused(cell):
    with pytest.raises(koski.InputError, match="cell"):
        koski.Terrain.create(np.zeros((4, 4)), cell=cell)


def test_a_grid_that_cannot_fit_is_refused_before_it_is_allocated():
    with pytest.raises(koski.InputError, match="memory"):
        Grid.create(10**7, 10**7)


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), "long"])
def test_a_bad_time_is_refused(seconds):
    terrain, solver = koski.Terrain.create(np.zeros((4, 4))), koski.Pipe()
    with pytest.raises(koski.InputError, match="seconds"):
        koski.advance(solver, solver.start(terrain, 1.0), terrain, seconds=seconds)


def test_a_callers_arrays_outlive_the_state_made_from_them():
    b, depth = np.zeros((8, 8), np.float32), np.ones((8, 8), np.float32)
    terrain, solver = koski.Terrain.create(b), koski.Pipe()
    given = jnp.asarray(depth)
    state = koski.advance(solver, solver.start(terrain, given), terrain, seconds=1.0)
    assert_allclose(given, 1.0)
    assert_allclose(solver.frame(state, terrain).depth, 1.0)


def test_sums_in_two_floats_are_nearly_as_good_as_float64():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, (300, 400)).astype(np.float32)
    hi, lo = total(x)
    assert float(hi) + float(lo) == pytest.approx(x.sum(dtype=np.float64), rel=1e-11)
    running = Sum.zero()
    for _ in range(1000):
        running = running.add(0.1)
    assert float(running) == pytest.approx(1000 * float(np.float32(0.1)), rel=1e-10)


@pytest.mark.parametrize(
    ("solver", "inputs", "says"),
    [
        (koski.Pipe(manning=np.ones((3, 3))), {}, "manning has shape"),
        (koski.TwoLayer(base=koski.Pipe(manning=np.ones(3))), {}, "manning has shape"),
        (koski.Pipe(), {"source": np.ones((3, 3))}, "source has shape"),
        (koski.Pipe(), {"pressure": np.ones((1, 6))}, "pressure has shape"),
        (koski.Pipe(), {"dyes": {"red": np.ones(4)}}, "dye 'red' has shape"),
        (koski.Pipe(), {"push": Flow(np.ones((4, 6)), np.ones((6, 4)))}, "push has shape"),
    ],
)
def test_maps_of_another_shape_are_refused_in_one_sentence(solver, inputs, says):
    terrain = koski.Terrain.create(np.zeros((4, 6)))
    state = solver.start(terrain, 1.0)
    with pytest.raises(koski.InputError, match=says) as e:
        koski.advance(solver, state, terrain, koski.Inputs(**inputs), seconds=1)
    assert "\n" not in str(e.value)


def test_a_state_of_another_grid_is_refused():
    state = koski.Pipe().start(koski.Terrain.create(np.zeros((4, 6))), 1.0)
    with pytest.raises(koski.InputError, match="the state has shape"):
        koski.advance(koski.Pipe(), state, koski.Terrain.create(np.zeros((5, 6))), seconds=1)
