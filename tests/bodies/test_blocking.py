"""Water in two layers round bodies that stand, move and go."""

import jax
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import koski
from everything import rough, sloshing
from koski.validate.bodies import MODES, OURS, adrift
from koski.validate.drifting import noise

BASES = {"pipe": koski.Pipe(), "linear": koski.LinearShallowWater()}
each_base = pytest.mark.parametrize(
    "base",
    [BASES["pipe"], pytest.param(BASES["linear"], marks=pytest.mark.long)],
    ids=["pipe", "linear"],
)


def nothing(terrain):
    nan = np.full(terrain.grid.shape, np.nan, np.float32)
    return koski.Blockers.create(nan, nan, terrain.grid)


def block(terrain, where, bottom, top, **moves):
    low, high = (np.where(where, z, np.nan).astype(np.float32) for z in (bottom, top))
    return koski.Blockers.create(low, high, terrain.grid, **moves)


def sums(state):
    """Water, and what is owed of it [m]."""
    d, under, owed, lent = (np.asarray(f, np.float64).sum() for f in (state.water.d, *state.aside))
    return d + under + owed + lent, owed + lent


def run(two, state, terrain, seconds, **inputs):
    return koski.advance(two, state, terrain, koski.Inputs(**inputs), seconds=seconds)


@pytest.mark.parametrize("there", [False, True], ids=["no bodies", "none in the water"])
def test_without_bodies_the_bits_are_those_of_the_pipes(there):
    terrain, depth = sloshing(40, 56, seed=1)
    pipe, two = koski.Pipe(), koski.TwoLayer()
    inputs = {"blockers": nothing(terrain)} if there else {}
    a = run(pipe, pipe.start(terrain, depth), terrain, 5.0)
    b = run(two, two.start(terrain, depth), terrain, 5.0, **inputs)
    assert_array_equal(a.water.d, b.water.d)
    assert_array_equal(a.q.x, b.upper.x)


@pytest.mark.parametrize("base, seed", [(BASES["pipe"], 0), (BASES["linear"], 1)])
def test_no_water_is_ever_inside_a_body_nor_lost(base, seed):
    rng = np.random.default_rng(seed)
    b = rough(20, 24, seed)
    terrain = koski.Terrain.create(b)
    two = koski.TwoLayer(base=base)
    state = two.start(terrain, np.maximum(2.0 - b, 0))
    start, _ = sums(state)
    y, x = np.mgrid[:20, :24] + 0.5
    where = np.zeros_like(b, bool)
    for n in range(1000):
        if n % 3 == 0:  # it jumps about, as fast as anything can
            cx, cy, rx, ry = *rng.uniform(0, 24, 2), *rng.uniform(0, 5, 2)
            where = (np.abs(x - cx) < rx) & (np.abs(y - cy) < ry)
            low, high = np.sort(rng.uniform(-1, 5, 2))
        u = np.float32(rng.uniform(-50, 50))
        met = block(terrain, where, np.float32(low), np.float32(high), u=u, v=-u)
        state = run(two, state, terrain, float(rng.choice([0.005, 0.02, 0.2])), blockers=met)
        bottom, top = np.asarray(state.bottom), np.asarray(state.top)
        room = np.where(top > -np.inf, bottom - b, 0)
        under, d = np.asarray(state.under), np.asarray(state.water.d)
        assert (under <= room).all() and (under >= 0).all() and (d >= 0).all()
        assert all(np.isfinite(f).all() for f in (d, under, state.upper.x, state.lower.y))
    assert abs(sums(state)[0] / start - 1) < 1e-6


@pytest.mark.parametrize(
    "base, dt", [(BASES["pipe"], 0.001), (BASES["linear"], 0.5), (BASES["pipe"], 20.0)]
)
def test_any_time_step_is_survived(base, dt):
    terrain, depth = sloshing(20, 24, seed=3)
    two = koski.TwoLayer(base=base)
    met = block(terrain, np.asarray(terrain.b) < 1.0, np.float32(1.2), np.float32(4.0), u=3.0)
    state = two.start(terrain, depth)
    start, _ = sums(state)
    inputs = koski.Inputs(blockers=met)
    state = koski.advance(two, state, terrain, inputs, seconds=60 * dt, dt=dt)
    frame = two.frame(state, terrain)
    assert np.isfinite(frame.surface).all() and np.isfinite(frame.velocity).all()
    assert frame.depth.min() >= 0
    assert abs(sums(state)[0] / start - 1) < 1e-5


def channel(rng=None):
    """A channel with high walls, that falls by 1 m in 100."""
    y, x = np.mgrid[:24, :64] + 0.5
    b = -0.01 * x + np.where(np.abs(y - 12) > 8, 20.0, 0.0)
    b = b + (0 if rng is None else rng.uniform(-0.01, 0.01, b.shape))
    return koski.Terrain.create(b, edges=koski.Edges(east=koski.Drain())), y, x


@each_base
def test_a_dam_of_crates_holds_until_the_river_reaches_its_crest(base):
    terrain, y, x = channel(np.random.default_rng(0))
    b = np.asarray(terrain.b)
    dam = (np.abs(y - 12) <= 8) & (np.abs(x - 33) < 1)
    foot = b[dam].max()
    crest = foot + 1.5
    met = block(terrain, dam, foot, crest)  # stands on the highest bump: gaps of up to 2 cm
    spring = np.where((np.abs(y - 12) < 4) & (np.abs(x - 2) < 1), 0.5, 0).astype(np.float32)
    two = koski.TwoLayer(base=base)
    state = two.start(terrain, 0.0)
    for _ in range(100):
        state = run(two, state, terrain, 2.0, blockers=met, source=spring)
        frame = two.frame(state, terrain)
        level = np.asarray(frame.surface)[dam.any(1), 31].max()
        behind = np.asarray(frame.depth)[:, 34:].max()
        if behind > 1e-3:
            break
    assert -0.05 < level - crest < 0.2  # waves slosh a little over it
    assert abs(sums(state)[1]) < 1e-3 * sums(state)[0]


def test_a_gate_lets_water_under_it_only():
    b = np.zeros((16, 64), np.float32)
    terrain = koski.Terrain.create(b, edges=koski.Edges(east=koski.Drain()))
    x = np.mgrid[:16, :64][1]
    two = koski.TwoLayer()
    state = two.start(terrain, np.where(x < 32, 4.0, 0.0))
    met = block(terrain, (x == 32) | (x == 33), np.float32(0.5), np.float32(8.0))
    for _ in range(10):
        state = run(two, state, terrain, 1.0, blockers=met)
        assert np.abs(np.asarray(state.upper.x)[:, 31:34]).max() < 1e-4
    assert np.asarray(state.lower.x)[:, 32].min() > 0.5
    assert np.asarray(state.water.d)[:, 40].mean() > 0.2


def test_two_basins_joined_by_a_tunnel_level_out():
    x = np.mgrid[:24, :64][1]
    terrain = koski.Terrain.create(np.zeros((24, 64)))
    hill = (x >= 28) & (x < 36)
    two = koski.TwoLayer(base=koski.Pipe(friction=1 - 0.999**50))
    state = two.start(terrain, np.where(x < 28, 3.0, np.where(hill, 1.0, 1.5)))
    met = block(terrain, hill, np.float32(1.0), np.float32(12.0))
    state = run(two, state, terrain, 120.0, blockers=met)
    d = np.asarray(state.water.d)
    left, right = d[:, :28], d[:, 36:]
    assert abs(left.mean() - right.mean()) < 0.01
    roughness = [np.diff(d, axis=axis).std() for d in (left, right) for axis in (0, 1)]
    assert max(roughness) < 1e-3  # from cell to cell; the basins still swing by some millimetres
    assert abs(sums(state)[1]) < 1e-3 * sums(state)[0]


def test_a_lake_with_bodies_in_it_stays_at_rest():
    b = rough(24, 32, 5)
    terrain = koski.Terrain.create(b)
    y, x = np.mgrid[:24, :32]
    where = (np.abs(x - 16) < 3) & (np.abs(y - 12) < 3)
    low = np.maximum(b, 1.2).astype(np.float32)
    depth = np.where(where, np.minimum(low, 2.0) - b, np.maximum(2.0 - b, 0)).clip(0)
    two = koski.TwoLayer(base=koski.Pipe(friction=0.9))  # the effective surface takes a moment
    met = block(terrain, where, low, low + 3)
    state = run(two, two.start(terrain, depth), terrain, 60.0, blockers=met)
    free = (np.asarray(state.top) == -np.inf) & (depth > 0)
    assert_allclose(np.asarray(two.frame(state, terrain).surface)[free], 2.0, atol=2e-3)
    assert np.abs(two.frame(state, terrain).velocity).max() < 0.02


def test_raised_or_dug_ground_under_a_body_loses_no_water():
    terrain = koski.Terrain.create(np.zeros((16, 16)))
    x = np.mgrid[:16, :16][1]
    two = koski.TwoLayer()
    met = block(terrain, np.abs(x - 8) < 3, np.float32(1.0), np.float32(3.0))
    state = run(two, two.start(terrain, 2.0), terrain, 1.0, blockers=met)
    start, _ = sums(state)
    for ground in (1.5, -2.0, 5.0, 0.0):
        terrain = koski.Terrain.create(np.where(np.abs(x - 8) < 2, ground, 0.0))
        state = run(two, state, terrain, 2.0, blockers=met)
        room = np.where(np.asarray(state.top) > -np.inf, state.bottom - terrain.b, 0)
        assert (np.asarray(state.under) <= np.maximum(room, 0)).all()
        assert np.isfinite(np.asarray(two.frame(state, terrain).surface)).all()
    assert abs(sums(state)[0] / start - 1) < 1e-6


@pytest.mark.long
def test_dye_passes_below_a_body_and_none_is_lost():
    terrain = koski.Terrain.create(np.zeros((8, 32)))
    x = np.mgrid[:8, :32][1]
    two = koski.TwoLayer()
    state = two.start(terrain, np.where(x < 14, 3.0, 1.0))
    met = block(terrain, np.abs(x - 15) < 2, np.float32(0.6), np.float32(5.0))
    dye = {"dye": np.where(x < 13, 1.0, 0.0).astype(np.float32)}
    state = run(two, state, terrain, 0.1, blockers=met, dyes=dye)
    start = np.asarray(state.water.dyes["dye"], np.float64).sum()
    state = run(two, state, terrain, 30.0, blockers=met)
    now = np.asarray(state.water.dyes["dye"], np.float64)
    assert abs(now.sum() / start - 1) < 1e-5
    assert now[:, 17:].sum() > 0.05 * start


@pytest.mark.parametrize("draft, cells", [pytest.param(0.5, 3, marks=pytest.mark.long), (1.0, 5)])
def test_a_box_that_drifts_with_the_current_makes_a_quarter_of_the_papers_waves(draft, cells):
    assert noise(MODES[OURS], draft, cells) <= 0.25 * noise(MODES["paper"], draft, cells)


@pytest.mark.long
def test_so_does_a_box_that_is_free_to_move():
    ours, theirs = (adrift(MODES[mode], "blocker", 1.0, 5) for mode in (OURS, "paper"))
    assert ours <= 0.25 * theirs


@pytest.mark.parametrize(
    "solver, side",
    [
        (koski.TwoLayer(), 31),
        pytest.param(koski.TwoLayer(), 20, marks=pytest.mark.long),
        pytest.param(koski.OneLayer(), 20, marks=pytest.mark.long),
    ],
)
def test_a_wide_plate_that_sinks_gives_all_its_water_back(solver, side):
    world = koski.World(koski.Terrain.create(np.zeros((32, 32))), depth=2.0, solver=solver)
    plate = world.drop(koski.Box((side, side, 1)), at=(16, 16, 4), density=3000)
    world.step(20.0)
    assert_allclose(plate.position[2], 0.5, atol=0.02)
    assert abs(float(np.asarray(world.state.owed, float).sum())) < 1e-3 * world.volume.now
    assert abs(world.volume.drift) < 1e-6


def test_a_patch_of_cells_gives_what_the_whole_grid_gives():
    terrain, depth = sloshing(24, 32, seed=4)
    grid = terrain.grid
    y, x = np.mgrid[:24, :32]
    body = (np.abs(x - 12) < 3) & (np.abs(y - 10) < 2)
    ring = (np.abs(x - 12) < 4) & (np.abs(y - 10) < 3)
    whole = block(terrain, body, np.float32(1.0), np.float32(5.0))
    cells = np.append(np.flatnonzero(ring), [grid.cells] * 7).astype(np.int32)
    patch = koski.core.patch.Patch.create(jax.numpy.asarray(cells), grid)
    part = koski.Blockers(
        patch,
        *(
            patch.take(f.reshape(grid.shape), fill)
            for f, fill in (
                (whole.bottom, np.inf),
                (whole.top, -np.inf),
                (whole.u, 0.0),
                (whole.v, 0.0),
            )
        ),
    )
    two = koski.TwoLayer()
    a = run(two, two.start(terrain, depth), terrain, 5.0, blockers=whole)
    b = run(two, two.start(terrain, depth), terrain, 5.0, blockers=part)
    assert_allclose(a.water.d, b.water.d, atol=1e-5)  # compiled differently
    assert_allclose(a.under, b.under, atol=1e-5)
