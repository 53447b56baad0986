"""Blocking bodies with one depth per cell: what Kellomäki 2013 promises, and what we mended."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import koski
from everything import rough, run, sloshing
from koski.core.blockers import Blockers
from koski.core.patch import Patch
from koski.solvers.one_layer import OneLayer, even_section

ONE = OneLayer()


def block(terrain, where, bottom, top) -> Blockers:
    """One body in these cells."""
    return Blockers.create(
        np.where(where, bottom, np.nan), np.where(where, top, np.nan), terrain.grid
    )


def go(state, terrain, blockers, seconds, **inputs):
    inputs = koski.Inputs(blockers=blockers, **inputs)
    return koski.advance(ONE, state, terrain, inputs, seconds=seconds)


def water(state) -> float:
    """Depths and what is owed."""
    return sum(np.asarray(f, np.float64).sum() for f in (state.water.d, *state.aside))


def channel(length: int = 60):
    """A level channel of three rows, and x of its cells."""
    x = np.arange(length)[None].repeat(3, 0)
    return koski.Terrain.create(np.zeros(x.shape)), x


def pond():
    """A level square, and the cells of a box seven wide in its middle."""
    y, x = np.mgrid[:32, :32]
    return koski.Terrain.create(np.zeros((32, 32))), (abs(x - 16) <= 3) & (abs(y - 16) <= 3)


def test_without_bodies_it_is_the_pipe_method():
    terrain, depth = sloshing(24, 32, seed=1)
    mine, pipe = (run(solver, terrain, depth, 5.0, dt=0.02) for solver in (ONE, koski.Pipe()))
    # the same numbers, but for how the compiler pairs multiplications with additions
    assert_allclose(mine.depth, pipe.depth, atol=2e-5)
    assert_allclose(mine.surface, pipe.surface, atol=2e-5)
    assert_allclose(mine.velocity, pipe.velocity, atol=2e-3)


@pytest.mark.parametrize("top", [1.8, 4.0], ids=["submerged", "floating"])
def test_a_lake_at_rest_with_a_body_in_it_stays_at_rest(top):
    b, level = rough(24, 32, seed=3), np.float32(2.5)
    terrain = koski.Terrain.create(b)
    y, x = np.mgrid[:24, :32]
    where = (abs(y - 11) < 4) & (abs(x - 15) < 6)
    assert (b[where] > level).any() and (b[where] < 1.0).any()  # aground here, afloat there
    body = block(terrain, where, 1.3, top)
    state = ONE.start(terrain, np.maximum(level - b, 0))
    state = ONE.meet(state, terrain, koski.Inputs(blockers=body))
    assert float(state.owed.sum()) > 5  # what it pushed away is not to come back here
    state = replace(state, owed=jnp.zeros_like(state.owed))
    depth = np.asarray(state.water.d)
    state = go(state, terrain, body, 20.0)
    frame = ONE.frame(state, terrain)
    rounding = 8 * np.spacing(level)  # the start is an ulp off level; ripples add up
    assert_allclose(frame.surface, np.maximum(b, level), atol=rounding)
    assert_allclose(frame.depth, depth, atol=rounding)
    assert np.abs(frame.velocity).max() < 1e-5


def boxes(seed, grid, t) -> Blockers:
    """Eight boxes that wander and bob, on the ground and far above it, through each other."""
    y, x = jnp.mgrid[: grid.ny, : grid.nx]
    bottom, top = jnp.full(grid.shape, jnp.inf), jnp.full(grid.shape, -jnp.inf)
    for r in np.random.default_rng(seed).uniform(size=(8, 8)):
        i, j = (r[0] + 0.1 * t * (r[1] - 0.5)) * grid.nx, (r[2] + 0.1 * t * (r[3] - 0.5)) * grid.ny
        z = 4 * r[4] - 1 + jnp.sin((1 + 3 * r[5]) * t + 6 * r[6])
        on = (abs(x - i % grid.nx) < 1 + 3 * r[7]) & (abs(y - j % grid.ny) < 1 + 3 * r[5])
        bottom = jnp.where(on, jnp.minimum(bottom, z), bottom)
        top = jnp.where(on, jnp.maximum(top, z + 0.2 + 2 * r[6]), top)
    return Blockers.create(bottom, top, grid)


def jostle(solver, seed, dt, steps, edit=0.0):
    """Boxes that move every step, in water over ground that may move as well."""
    terrain, depth = sloshing(24, 32, seed)
    grid, start = terrain.grid, solver.start(terrain, depth)
    wave = 0.5 * np.arange(grid.nx)

    def step(s, i):
        inputs = koski.Inputs(blockers=boxes(seed, grid, 0.02 * i))
        ground = replace(terrain, b=terrain.b + edit * jnp.sin(0.1 * i + wave))
        s = solver.step(solver.meet(s, ground, inputs), ground, inputs, dt)
        frame = solver.frame(s, ground)
        shown = jnp.stack([frame.surface, frame.u, frame.v, s.owed])
        return s, (s.water.d.min(), jnp.isfinite(shown).all(), s.water.d.max())

    end, seen = jax.jit(lambda s: jax.lax.scan(step, s, jnp.arange(steps)))(start)
    return water(start), water(end), seen


@pytest.mark.parametrize("edit", [0.0, 0.5], ids=["firm ground", "moving ground"])
def test_water_is_conserved_while_bodies_move_every_step(edit):
    before, after, (least, finite, most) = jostle(ONE, 1, 0.02, 2000, edit)
    assert abs(after / before - 1) < 1e-6  # float32 over 2000 steps: 1e-7 was seen
    assert least.min() >= 0 and finite.all()
    assert most.max() < 6.0  # half as deep again as it could be at the start: nothing blows up


EVEN = OneLayer(section=even_section)


@pytest.mark.parametrize("solver, dt", [(ONE, 1e-4), (ONE, 0.5), (ONE, 20.0), (EVEN, 0.5)])
def test_no_time_step_makes_a_depth_negative_or_anything_not_finite(solver, dt):
    before, after, (least, finite, _) = jostle(solver, 2, dt, 200, edit=0.5)
    assert least.min() >= 0 and finite.all()
    assert abs(after / before - 1) < 1e-5  # emptied cells are rounded up to dry, as in any solver


def test_a_body_on_the_ground_dams_a_channel_up_to_its_crest_and_no_higher():
    terrain, x = channel()
    dam = block(terrain, (x >= 30) & (x < 32), 0.03, 2.0)  # 3 cm above the bed: sealed
    state = go(ONE.start(terrain, np.where(x < 30, 1.95, 0.0)), terrain, dam, 60.0)
    assert float(ONE.frame(state, terrain).depth[:, 32:].max()) < 1e-3
    state = go(ONE.start(terrain, np.where(x < 30, 2.6, 0.0)), terrain, dam, 60.0)
    frame = ONE.frame(state, terrain)
    assert float(frame.surface[:, :30].max()) < 2.2  # what stands higher goes over
    assert float(frame.depth[:, 32:].mean()) > 0.8 * 0.6 * 30 / 28  # most of it, into 28 cells
    assert float(frame.depth[:, :30].mean()) > 1.9  # and little of what does not


def test_a_gate_lets_water_under_it():
    terrain, x = channel()
    gate = block(terrain, (x >= 30) & (x < 32), 0.5, 3.0)
    state = go(ONE.start(terrain, np.where(x < 30, 2.0, 0.0)), terrain, gate, 5.0)
    assert float(ONE.frame(state, terrain).u[1, 33]) > 0.5  # a stream comes out, well above ripples
    state = go(state, terrain, gate, 115.0)
    behind = np.asarray(ONE.frame(state, terrain).depth)[:, 32:]
    # up to its bottom: one layer knows no pressure.  Ripples of a few centimetres last.
    assert behind.mean() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("how", ["gone", "far away"])
def test_a_body_that_is_removed_lets_the_water_in(how):
    terrain, x = channel()
    dam = block(terrain, (x >= 30) & (x < 32), 0.0, 3.0)
    state = go(ONE.start(terrain, np.where(x < 30, 2.0, 0.0)), terrain, dam, 1.0)
    if how == "gone":
        other = block(terrain, x < 0, 0.0, 1.0)
    else:  # what is met next is in a patch that does not hold the old one's cells
        patch = Patch.create(jnp.array([3, 4, 5], jnp.int32), terrain.grid)
        still = jnp.zeros(3)
        other = Blockers(patch, still + 50.0, still + 51.0, still, still)
    state = go(state, terrain, other, 200.0)
    assert_array_equal(np.asarray(state.top)[:, 30:32], -np.inf)
    assert_allclose(state.water.d, 1.0, atol=0.1)  # 5 % of the drop still sloshes
    assert water(state) == pytest.approx(180.0, rel=1e-6)


def test_whatever_stands_in_the_water_stays_while_nothing_is_said_of_it():
    terrain, x = channel()
    dam = block(terrain, (x >= 30) & (x < 32), 0.0, 3.0)
    state = go(ONE.start(terrain, np.where(x < 30, 2.0, 0.0)), terrain, dam, 1.0)
    state = go(state, terrain, None, 20.0)
    assert float(state.water.d[:, 30:].max()) == 0


@pytest.mark.parametrize("bottom", [0.0, 1.0], ids=["aground", "afloat"])
def test_what_a_body_displaces_comes_back_around_it(bottom):
    terrain, box = pond()
    state = go(ONE.start(terrain, 2.0), terrain, block(terrain, box, bottom, 3.0), 60.0)
    level = 2 + (2 - bottom) * box.sum() / (~box).sum()
    depth = np.asarray(state.water.d)
    assert depth[~box].mean() == pytest.approx(level, abs=1e-4)
    assert_allclose(depth[box], bottom, atol=1e-5)  # full up to the body
    assert abs(float(state.owed.sum())) < 1e-6 * water(state)  # all given back but for rounding


def test_the_surface_over_a_floating_box_has_no_dent():
    terrain, box = pond()
    depth = np.where(box, 1.0, 2.0)
    state = go(ONE.start(terrain, depth), terrain, block(terrain, box, 1.0, 3.0), 1.0)
    assert_allclose(ONE.frame(state, terrain).surface, 2.0, atol=1e-5)  # float32 rounding
    once = replace(ONE, reach=1).frame(state, terrain)  # the paper looks at neighbours once
    assert float(once.surface[16, 16]) == pytest.approx(1.0, abs=1e-5)


def test_a_body_beside_a_dry_cliff_is_not_drawn_on_top_of_it():
    _, x = channel()
    terrain = koski.Terrain.create(np.where(x > 30, 9.0, 0.0))
    body = block(terrain, (x >= 28) & (x < 31), 1.0, 3.0)
    state = ONE.start(terrain, np.where(x > 30, 0.0, np.where(x < 28, 2.0, 1.0)))
    state = go(state, terrain, body, 1.0)
    assert_allclose(ONE.frame(state, terrain).surface[:, :31], 2.0, atol=1e-5)  # rounding


def test_bodies_feel_the_water_around_them_and_none_where_it_is_dry():
    terrain, x = channel()
    where = (x >= 10) & (x < 16)
    depth = np.where(x >= 40, 5e-4, np.where(where, 1.0, 2.0))
    wall = (x >= 38) & (x < 40)
    depth[wall] = 0
    bottom, top = np.where(wall, 0.0, 1.0), np.where(wall, 9.0, 3.0)
    both = block(terrain, where | wall, bottom, top)
    flow = np.stack([np.where(where | (x >= 37), 0.0, 0.5), np.zeros(x.shape)], -1)
    state = ONE.start(terrain, depth, flow)
    state = ONE.meet(state, terrain, koski.Inputs(blockers=both))
    surface, u, v = (np.asarray(f) for f in ONE.feel(state, terrain, koski.Inputs()))
    assert_allclose(surface[:, :38], 2.0, atol=1e-5)
    assert_array_equal(surface[:, 40:], -np.inf)  # half a millimetre is none
    frame = ONE.frame(state, terrain)
    assert float(frame.u[1, 12]) == 0 and u[1, 12] > 0.2  # the stream beside it
    assert_array_equal(v, 0)


def test_an_edge_that_holds_a_level_does_not_flood_the_dam_across_it():
    edges = koski.Edges(south=koski.Level(1.0))
    terrain = koski.Terrain.create(np.zeros((6, 20)), edges=edges)
    x = np.arange(20)[None].repeat(6, 0)
    dam = block(terrain, (x >= 9) & (x < 11), 0.0, 2.0)
    state = ONE.start(terrain, np.where((x >= 9) & (x < 11), 0.0, 1.0))
    for _ in range(5):
        state = go(state, terrain, dam, 0.5)
    assert float(state.water.d[:, 9:11].max()) == 0
    assert_allclose(state.water.d[:, :9], 1.0, atol=0.03)  # ripples of what it first pushed away


def test_dye_goes_round_bodies_and_none_is_lost():
    terrain, box = pond()
    red = jnp.asarray(np.where(np.arange(32) < 8, 1.0, 0.0)[None].repeat(32, 0), jnp.float32)
    state, start = ONE.start(terrain, 2.0, (0.5, 0.0)), 0.5 * float(red.sum())
    for i, z in enumerate(np.linspace(3.0, 0.5, 20)):
        dyes = {"red": red if i == 0 else 0 * red}
        state = go(state, terrain, block(terrain, box, z, z + 1), 0.5, dyes=dyes)
    left = np.asarray(state.water.dyes["red"], np.float64)
    assert left.min() >= 0 and left.sum() == pytest.approx(start, rel=1e-6)
    assert left[:, 8:].sum() > 0.01 * start  # it went somewhere
