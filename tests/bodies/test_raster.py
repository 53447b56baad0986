"""Bodies on the grid: the right cells, the right heights, and no way through a thin wall."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from solids import RAFT, SHAPES, inside, mesh_box

from koski.bodies import turns
from koski.bodies.groups import NOBODY, bucket, pack
from koski.bodies.raster import raster
from koski.bodies.shapes import Box, Capsule, Compound, Cylinder, Part, Sphere
from koski.core.grid import Grid

each_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=list(SHAPES))
UP = np.array([0.0, 0.0, 1.0])
ROUND = "sphere", "capsule"


@partial(jax.jit, static_argnums=3)
def draw(group, position, rotation, grid, level=0.0):
    return raster(group, position, rotation, jnp.full(grid.shape, level), grid)


def maps(shapes, position, rotation, grid):
    """Bottom and top of all bodies together, as maps, and all windows."""
    position = jnp.asarray(np.reshape(position, (-1, 3)), jnp.float32)
    rotation = jnp.asarray(np.reshape(rotation, (-1, 4)), jnp.float32)
    windows = [draw(group, position, rotation, grid) for group in pack(shapes, grid)]
    low, high = np.full(grid.cells + 1, np.inf), np.full(grid.cells + 1, -np.inf)
    for w in windows:
        np.minimum.at(low, np.asarray(w.cells), np.asarray(w.low))
        np.maximum.at(high, np.asarray(w.cells), np.asarray(w.high))
    return low[:-1].reshape(grid.shape), high[:-1].reshape(grid.shape), windows


def reaches(blocked, start) -> np.ndarray:
    """All cells that water gets to from one, through the faces of free cells."""
    wet = np.zeros_like(blocked)
    wet[start] = True
    while True:
        near = np.pad(wet, 1)
        near = near[2:, 1:-1] | near[:-2, 1:-1] | near[1:-1, 2:] | near[1:-1, :-2]
        new = (wet | near) & ~blocked
        if (new == wet).all():
            return wet
        wet = new


def in_one_piece(hit) -> bool:
    """Whether cells hang together, by faces or corners."""
    wet = np.zeros_like(hit)
    wet[tuple(np.argwhere(hit)[0])] = True
    for _ in range(hit.size):
        near = np.pad(wet, 1)
        near = near[2:] | near[1:-1] | near[:-2]
        new = (near[:, 2:] | near[:, 1:-1] | near[:, :-2]) & hit
        if (new == wet).all():
            break
        wet = new
    return bool((wet == hit).all())


@pytest.mark.parametrize("shape", [SHAPES[name] for name in SHAPES if name not in ROUND])
def test_extents_are_those_of_points_inside(shape):
    grid = Grid.create(24, 24, 0.4)
    j, i, z = np.meshgrid(np.arange(24), np.arange(24), np.linspace(-4, 4, 801), indexing="ij")
    points = np.stack([(i + 0.5) * 0.4, (j + 0.5) * 0.4, z], -1)
    z, rng = z[0, 0], np.random.default_rng(2)
    for q in [np.array(turns.STILL), *rng.normal(size=(7, 4))]:
        p = np.array([*rng.uniform(4, 5, 2), rng.uniform(-0.5, 0.5)])
        low, high, _ = maps([shape], p, q, grid)
        solid = inside(shape, (points - p) @ turns.matrix(q))
        many = solid.sum(-1) > 20  # a line that grazes is a matter of rounding
        assert_allclose(low[many], z[solid[many].argmax(-1)], atol=0.011)  # one step of z
        assert_allclose(high[many], z[800 - solid[many][:, ::-1].argmax(-1)], atol=0.011)
        missed = ~solid.any(-1)
        assert (high[missed] - low[missed] < 0.1).all()


def test_a_cube_of_triangles_is_a_box():
    grid, rng = Grid.create(32, 32, 0.5), np.random.default_rng(3)
    for q in [np.array(turns.STILL), *rng.normal(size=(10, 4))]:
        p = rng.uniform(6, 10, 3)
        a, b = (maps([s], p, q, grid) for s in (Box((3, 2, 4)), mesh_box((3, 2, 4))))
        same = (a[1] - a[0] > 1e-3) | (b[1] - b[0] > 1e-3)
        assert_allclose(a[0][same], b[0][same], atol=2e-3)  # a triangle's edge is a little wide
        assert_allclose(a[1][same], b[1][same], atol=2e-3)


@each_shape
def test_the_volume_over_the_cells_nears_the_true_one(shape):
    rng = np.random.default_rng(4)
    q, p = rng.normal(size=(20, 4)), rng.uniform(5, 6, (20, 3))
    worst = []
    for n in (20, 100):
        group = pack([shape] * 20, grid := Grid.create(n, n, 10 / n))[0]
        w = draw(group, jnp.asarray(p, jnp.float32), jnp.asarray(q, jnp.float32), grid)
        volume = np.where(w.low < w.high, w.high - w.low, 0).sum((1, 2))[:20] * grid.area
        worst.append(np.abs(volume / shape.volume - 1).max())
    assert worst[1] < 0.02 and worst[1] < 0.4 * worst[0]


@pytest.mark.parametrize("shape", [Sphere(1.0), Capsule(0.5, 1.0)], ids=ROUND)
def test_what_is_round_and_of_few_cells_displaces_what_it_should(shape):
    grid, rng = Grid.create(16, 16, 0.5), np.random.default_rng(6)
    points = rng.uniform(-1, 1, (100_000, 3))
    points = points[inside(shape, points)]
    group = pack([shape] * 40, grid)[0]
    q, p = rng.normal(size=(40, 4)), np.c_[rng.uniform(3, 5, (40, 2)), rng.uniform(-0.6, 0.6, 40)]
    w = draw(group, jnp.asarray(p, jnp.float32), jnp.asarray(q, jnp.float32), grid)
    wet = np.where(w.low < w.high, np.clip(0 - w.low, 0, w.high - w.low), 0).sum((1, 2))[:40]
    true = [((points @ turns.matrix(r).T)[:, 2] + at[2] < 0).mean() for r, at in zip(q, p)]
    # 4 cells a side, 2 of the capsule's: whole cells would be wrong by up to a quarter
    assert_allclose(wet * grid.area / shape.volume, true, atol=0.04)


@settings(max_examples=60, deadline=None)
@given(st.floats(0, np.pi), st.floats(9, 11), st.floats(9, 11))
def test_a_thin_wall_lets_nothing_through(yaw, x, y):
    grid = Grid.create(20, 20)
    low, _, _ = maps([Box((40, 0.2, 3))], (x, y, 1.0), turns.from_axis(UP, yaw), grid)
    blocked = np.isfinite(low)
    j, i = np.mgrid[:20, :20]
    side = np.where(blocked, 0, np.cos(yaw) * (j + 0.5 - y) - np.sin(yaw) * (i + 0.5 - x))
    start = np.unravel_index(side.argmax(), side.shape)
    assert not (reaches(blocked, start) & (side < 0)).any()
    assert blocked.sum() < 60  # and it is no thicker than it need be


@settings(max_examples=60, deadline=None)
@given(st.floats(0, np.pi), st.floats(-0.5, 0.5), st.floats(9, 11), st.floats(9, 11))
def test_a_thin_plank_is_whole_and_as_tall_as_it_is(yaw, tilt, x, y):
    grid = Grid.create(20, 20)
    q = turns.multiply(turns.from_axis(UP, yaw), turns.from_axis(np.array([1.0, 0, 0]), tilt))
    low, high, _ = maps([Box((10, 0.2, 3))], (x, y, 1.0), q, grid)
    hit = np.isfinite(low)
    assert in_one_piece(hit) and hit.sum() >= 7  # 10 m along a diagonal
    top = 1.5 * np.cos(tilt) + 0.1 * np.abs(np.sin(tilt))
    assert high.max() <= 1 + top + 1e-5 and low.min() >= 1 - top - 1e-5


@settings(max_examples=100, deadline=None)
@given(st.floats(0, np.pi), st.floats(8, 12), st.floats(8, 12))
def test_a_thin_log_is_a_chain_and_a_small_ball_a_cell(yaw, x, y):
    grid = Grid.create(20, 20)
    q = turns.multiply(turns.from_axis(UP, yaw), turns.from_axis(np.array([1.0, 0, 0]), np.pi / 2))
    for log in (Capsule(0.2, 6), Cylinder(0.2, 6.4)):
        low, high, _ = maps([log], (x, y, 1.0), q, grid)
        hit = np.isfinite(low)
        assert in_one_piece(hit) and hit.sum() >= 4
        assert_allclose([low.min(), high.max()], [0.8, 1.2], atol=1e-4)
    for small in (Sphere(0.1), Box((0.1, 0.1, 0.2)), mesh_box((0.1, 0.1, 0.2))):
        low, high, _ = maps([small], (x, y, 1.0), turns.from_axis(UP, yaw), grid)
        assert 1 <= np.isfinite(low).sum() <= 4
        assert low.min() >= 0.9 - 1e-4 and high.max() <= 1.1 + 1e-4


def test_bodies_come_move_and_go_without_a_new_compilation():
    grid = Grid.create(64, 64)
    rng = np.random.default_rng(5)
    count = jax.jit(
        lambda groups, p, q: [raster(g, p, q, jnp.zeros(grid.shape), grid).low for g in groups]
    )
    shapes = [*SHAPES.values(), RAFT] * 3
    groups = pack(shapes, grid)
    for now in (shapes, shapes[4:], [None, *shapes, RAFT], [*shapes[:9], None, *shapes[9:]], []):
        groups = pack(now, grid, old=groups)
        p = jnp.asarray(rng.uniform(0, 64, (40, 3)), jnp.float32)
        count(groups, p, jnp.asarray(rng.normal(size=(40, 4)), jnp.float32))
    assert count._cache_size() == 1
    assert len(pack([Sphere(1.0)] * 9, grid, old=pack([Sphere(1.0)] * 8, grid))[0].body) == 16


def test_parts_stand_where_their_body_does():
    grid = Grid.create(32, 32, 0.5)
    q = turns.from_axis(UP, 0.7)
    table = Compound((Part(Box((4, 4, 0.5)), at=(0, 0, 2)), Part(Cylinder(0.5, 2), at=(1, 0, 1))))
    low, high, _ = maps([None, table], [(0, 0, 0), (8, 8, 10)], [turns.STILL, q], grid)
    leg = (8 + np.cos(0.7)) / 0.5, (8 + np.sin(0.7)) / 0.5
    assert low[int(leg[1]), int(leg[0])] == pytest.approx(10, abs=1e-4)
    assert low[16, 14] == pytest.approx(11.75, abs=1e-4)
    assert high.max() == pytest.approx(12.25, abs=1e-4)


@pytest.mark.parametrize("shape", [*SHAPES.values(), Sphere(0.02), Box((5.0, 0.1, 0.1))])
def test_a_window_has_a_free_ring_round_its_part(shape):
    rng = np.random.default_rng(6)
    p, q = rng.uniform(20, 40, (50, 3)), rng.normal(size=(50, 4))
    _, _, (w,) = maps([shape] * 50, p, q, Grid.create(64, 64))
    hit = np.isfinite(w.low)
    assert not (hit[:, [0, -1]].any() or hit[:, :, [0, -1]].any())


def test_what_is_beyond_the_grid_has_no_cell():
    grid = Grid.create(10, 14)
    low, _, (w,) = maps([Box((4, 4, 1))], (0.5, 5.0, 0.0), turns.STILL, grid)
    assert set(np.argwhere(np.isfinite(low))[:, 1]) == {0, 1, 2}  # two more stand outside
    assert np.isfinite(w.low).sum() > np.isfinite(low).sum()
    cells = np.asarray(w.cells)
    assert (cells[w.low < np.inf] == grid.cells).any() and cells.min() >= 0


@pytest.mark.parametrize("wrap", [(True, False), (False, True), (True, True)])
def test_a_body_stands_on_both_sides_of_a_joint(wrap):
    grid = Grid.create(10, 14, 1.0, wrap_x=wrap[0], wrap_y=wrap[1])
    low, _, (w,) = maps([Box((4, 4, 1))], (14.1, -0.1, 0.0), turns.STILL, grid)
    columns = {12, 13, 0, 1} if wrap[0] else {12, 13}
    rows = {8, 9, 0, 1} if wrap[1] else {0, 1}
    hit = np.argwhere(np.isfinite(low))
    assert set(hit[:, 1]) == columns and set(hit[:, 0]) == rows
    cells = np.asarray(w.cells)[0]
    cells = cells[cells < grid.cells]
    assert len(np.unique(cells)) == len(cells)


@pytest.mark.parametrize("wrap", [False, True])
def test_a_body_larger_than_the_world_covers_it(wrap):
    grid = Grid.create(10, 14, 1.0, wrap_x=wrap, wrap_y=wrap)
    low, high, (w,) = maps([Box((500, 500, 2))], (40.0, -30.0, 1.0), turns.STILL, grid)
    assert w.low.shape[1] == bucket(14)
    assert_array_equal(low, 0)
    assert_array_equal(high, 2)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30, -1e30])
def test_a_pose_that_is_none_is_nowhere(bad):
    grid = Grid.create(12, 12)
    for shape in SHAPES.values():
        for k in range(3):
            p, q = np.full(3, 6.0), np.array(turns.STILL)
            p[k] = bad
            if k < 2 or not np.isfinite(bad):
                low, high, windows = maps([shape], p, q, grid)
                assert not np.isfinite(low).any() and not np.isfinite(high).any()
                assert not any(np.isnan(f).any() for w in windows for f in (w.low, w.high))
        low, high, _ = maps([shape], (6, 6, 0), [bad, 0, 0, np.nan], grid)
        assert np.all(low == np.inf) and np.all(high == -np.inf)


def test_far_from_the_origin_bodies_keep_their_shape():
    near, far = Grid.create(64, 64), Grid.create(64, 8192)
    q = np.random.default_rng(7).normal(size=4)
    for shape in (SHAPES["box"], SHAPES["capsule"], SHAPES["mesh"]):
        a = maps([shape], (32.25, 32.5, 0.0), q, near)
        b = maps([shape], (8032.25, 32.5, 0.0), q, far)
        assert_allclose(a[0], b[0][:, 8000:8064], atol=1e-3)  # rounding of the position, made steep
        assert_allclose(a[1], b[1][:, 8000:8064], atol=1e-3)


def test_padding_belongs_to_nobody():
    (group,) = pack([Sphere(1.0), None, Sphere(1.0)], Grid.create(20, 20))
    assert_array_equal(group.body, [0, 2] + [NOBODY] * 6)
    sides = [bucket(n) for n in (3, 6.1, 8, 8.1, 13, 17, 25, 33, 100)]
    assert sides == [6, 8, 8, 12, 16, 24, 32, 48, 128]
