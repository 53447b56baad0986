"""The rules of the four sides, sources and series."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import koski
from everything import few_solvers

SIDES = {"west": (slice(None), 0), "east": (slice(None), -1), "south": 0, "north": -1}
each_side = pytest.mark.parametrize("side", SIDES)


def run(solver, edges, depth=1.0, seconds=60.0, inputs=None, n=24, b=None):
    terrain = koski.Terrain.create(np.zeros((n, n)) if b is None else b, edges=edges)
    state = solver.start(terrain, depth)
    state = koski.advance(solver, state, terrain, inputs, seconds=seconds)
    return state, solver.frame(state, terrain)


@few_solvers
@each_side
def test_a_drain_empties_the_grid_and_books_it(solver, side):
    state, frame = run(solver, koski.Edges(**{side: koski.Drain()}))
    assert_array_equal(np.asarray(frame.depth)[SIDES[side]], 0)
    left = float(np.asarray(frame.depth, np.float64).sum())
    assert left < 0.5 * 24 * 24
    assert float(state.water.went) == pytest.approx(24 * 24 - left, rel=1e-6)


@few_solvers
@each_side
def test_a_level_fills_the_grid_to_its_height(solver, side):
    state, frame = run(solver, koski.Edges(**{side: koski.Level(2.0)}), seconds=400.0)
    assert_allclose(np.asarray(frame.surface)[SIDES[side]], 2.0)
    assert np.asarray(frame.depth).mean() == pytest.approx(2.0, abs=0.25)
    came, went = float(state.water.came), float(state.water.went)
    now = float(np.asarray(frame.depth, np.float64).sum())
    assert 24 * 24 + came - went == pytest.approx(now, rel=1e-6)


def test_a_level_follows_its_series_in_time():
    tide = koski.Series.create([0, 50, 100], [1.0, 3.0, 2.0])
    for seconds, level in ((25.0, 2.0), (50.0, 3.0), (75.0, 2.5), (200.0, 2.0)):
        _, frame = run(koski.Pipe(), koski.Edges(north=koski.Level(tide)), seconds=seconds)
        assert_allclose(np.asarray(frame.surface)[-1], level, rtol=2e-2)


@few_solvers
@each_side
def test_an_inflow_brings_just_its_discharge(solver, side):
    edges = koski.Edges(**{side: koski.Inflow(3.0)})
    state, frame = run(solver, edges, depth=0.0, seconds=40.0)
    assert float(state.water.came) == pytest.approx(120.0, rel=1e-5)
    assert np.asarray(frame.depth, np.float64).sum() == pytest.approx(120.0, rel=1e-4)
    assert float(frame.depth.max()) < 1.5  # it spreads, and does not pile up where it enters


def test_an_inflow_enters_where_the_side_is_lowest():
    b = np.abs(np.arange(24) - 8.0)[:, None].repeat(24, 1)
    edges = koski.Edges(west=koski.Inflow(1.0), east=koski.Drain())
    _, frame = run(koski.ShallowWater(manning=0.03), edges, depth=0.0, seconds=60.0, b=b)
    depth = np.asarray(frame.depth)
    assert depth[8].min() >= 0 and depth[8, :-1].min() > 0.05 and depth[12:].max() == 0


@few_solvers
@pytest.mark.parametrize("sides", [("west", "east"), ("south", "north")])
def test_a_wave_on_a_periodic_grid_comes_round(solver, sides):
    edges = koski.Edges(**{s: koski.Periodic() for s in sides})
    terrain = koski.Terrain.create(np.zeros((24, 24)), edges=edges)
    hump = np.exp(-((np.arange(24) - 11.5) ** 2) / 8)
    depth = 1 + 0.05 * (hump[None, :] if sides[0] == "west" else hump[:, None]) * np.ones((24, 24))
    shifted = np.roll(depth, 12, axis=1 if sides[0] == "west" else 0)
    results = []
    for d in (depth, shifted):
        state = koski.advance(solver, solver.start(terrain, d), terrain, seconds=6.0, dt=0.05)
        results.append(np.asarray(solver.frame(state, terrain).depth))
    moved = np.roll(results[0], 12, axis=1 if sides[0] == "west" else 0)
    assert_allclose(results[1], moved, atol=2e-6)
    assert abs(results[0].sum(dtype=float) - depth.sum()) < 1e-3


@few_solvers
@each_side
def test_an_absorbing_layer_reflects_little_of_a_wave(solver, side):
    """A ring from the middle; what is left after it had time to leave, against a wall's echo."""
    y, x = np.mgrid[:80, :80]
    depth = 2 + 0.2 * np.exp(-((x - 39.5) ** 2 + (y - 39.5) ** 2) / 30)
    heights = {}
    for name, edge in (("wall", koski.Wall()), ("open", koski.Absorbing(2.0, width=20))):
        _, frame = run(solver, koski.Edges.all(edge), depth, seconds=30.0, n=80)
        middle = np.asarray(frame.surface)[25:55, 25:55]
        heights[name] = float(np.sqrt(((middle - 2) ** 2).mean()))
    assert heights["open"] < 0.15 * heights["wall"], side


def test_a_lone_periodic_side_is_refused():
    with pytest.raises(koski.InputError, match="opposite"):
        koski.Terrain.create(np.zeros((4, 4)), edges=koski.Edges(west=koski.Periodic()))


@pytest.mark.parametrize(
    "edge",
    [
        koski.Inflow(-1.0),
        koski.Inflow(koski.Series.create([0, 1], [1, -1])),
        koski.Level(np.nan),
        koski.Level("high"),
        koski.Absorbing(np.inf),
        koski.Drain,
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(edge):
    with pytest.raises(koski.InputError, match="east"):
        koski.Terrain.create(np.zeros((4, 4)), 1.0, koski.Edges(east=edge))


def test_edges_are_edges():
    with pytest.raises(koski.InputError, match="Edges"):
        koski.Terrain.create(np.zeros((4, 4)), 1.0, "walls")
    with pytest.raises(koski.InputError, match="finite"):
        koski.Series.create([0, 1], [np.nan, 1])


def test_a_series_must_rise_in_time():
    with pytest.raises(koski.InputError):
        koski.Series.create([0, 2, 1], [1, 2, 3])
    with pytest.raises(koski.InputError):
        koski.Series.create([0, 1], [1, 2, 3])


@few_solvers
def test_rain_by_number_and_by_map_is_the_same(solver):
    by_number = koski.Inputs(source=1e-3)
    by_map = koski.Inputs(source=np.full((24, 24), 1e-3, np.float32))
    frames = [run(solver, koski.Edges(), 0.5, 20.0, i) for i in (by_number, by_map)]
    assert_allclose(frames[0][1].depth, frames[1][1].depth, atol=1e-6)
    assert float(frames[0][0].water.came) == pytest.approx(24 * 24 * 0.02, rel=1e-6)
    assert_allclose(frames[0][1].depth, 0.52, atol=1e-5)


@few_solvers
def test_evaporation_leaves_dye_behind_and_a_sink_takes_it(solver):
    terrain = koski.Terrain.create(np.zeros((12, 12)))
    for inputs, amount, depth in (
        (koski.Inputs(evaporation=0.01), 144 * 1.0, 0.5),
        (koski.Inputs(sink=0.01), 144 * 0.5, 0.5),
    ):
        state = solver.start(terrain, 1.0)
        dye = koski.Inputs(dyes={"ink": np.ones((12, 12), np.float32)})
        state = koski.advance(solver, state, terrain, dye, seconds=1.0)
        state = koski.advance(solver, state, terrain, inputs, seconds=50.0)
        assert_allclose(solver.frame(state, terrain).depth, depth, rtol=1e-4)
        assert float(state.water.dyes["ink"].sum()) == pytest.approx(amount, rel=1e-3)


@few_solvers
def test_a_dry_start_with_a_strong_source_takes_small_steps(solver):
    spring = np.zeros((24, 24), np.float32)
    spring[12, 12] = 5.0
    state, frame = run(solver, koski.Edges(), 0.0, 30.0, koski.Inputs(source=spring))
    assert int(state.water.steps) > 100
    assert float(frame.depth.max()) < 3 * 150 / 24**2 + 1.5
