"""Columns with eight neighbours: what Maes 2006 promises, and what we added to keep it."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose

import koski
from everything import sloshing, volume
from koski.core.inputs import RHO
from koski.core.stencil import Flow
from koski.core.water import G
from koski.scenes import collapse
from koski.solvers.columns import Columns
from koski.validate import columns as measured
from koski.validate import drop
from koski.validate.measure import wave_speed_error

SMOOTH = Columns(friction=0.0)


def run(solver, terrain, depth, seconds, inputs=None, velocity=None):
    state = solver.start(terrain, depth, velocity)
    return koski.advance(solver, state, terrain, inputs or koski.Inputs(), seconds=seconds)


@pytest.mark.parametrize("along", ["x", "diagonal", "row"])
def test_a_metre_of_brink_passes_what_a_weir_does(along):
    """(2/3) √(2g) h^(3/2); at 45° the second row of columns, a little deeper, adds 0.3 %."""
    assert abs(measured.brink_discharge_error(Columns(), along)) < 0.01


def test_the_ring_of_a_drop_is_round():
    """Crest on the diagonal against the axis: 0.7 % here, 23 % with four neighbours."""
    assert abs(drop.evenness(SMOOTH, 2, 60)) < 0.03
    assert drop.evenness(koski.Pipe(friction=0.0), 2, 60) > 0.15


@pytest.mark.parametrize("along", ["x", "y"])
def test_waves_in_one_row_run_at_the_root_of_g_d(along):
    """The pairs across are all walled in there, and without their width waves run at 0.81."""
    assert abs(wave_speed_error(SMOOTH, along)) < 0.01


def test_water_runs_down_a_slope_no_faster_than_it_falls():
    """A column that can give no more must not gather speed for it (24 m/s here, where 5.4 fall)."""
    x = (np.arange(60) + 0.5) * 0.5
    head, drop = 0.5, 1.0
    ground = np.broadcast_to(drop * np.clip((15 - x) / 3 + 0.5, 0, 1), (8, 60))
    held = np.full(ground.shape, np.nan)
    held[:, 0], held[:, -1] = drop + head, 0.3
    scene = koski.Scene("", koski.Terrain.create(ground, 0.5), solver=Columns(), held=held)
    world = koski.World(scene)
    fastest = [np.abs(frame.velocity).max() for frame in world.frames(fps=2, seconds=30)]
    assert max(fastest) < 1.3 * np.sqrt(2 * G * (drop + head))


def test_a_diagonal_dam_of_one_cell_does_not_leak():
    assert measured.dam_leak(SMOOTH) == 0


def test_weirs_leave_small_waves_alone():
    assert abs(measured.weir_damping(Columns(), steep=0.05)) < 0.01


@pytest.mark.parametrize("cells", [2, 3])
def test_more_cells_a_column_move_the_same_water_and_always_fill_it(cells):
    terrain, depth = sloshing(24, 32, seed=1)
    one, many = Columns(), Columns(cells=cells)
    whole, split = one.start(terrain, depth), many.start(terrain, depth)
    for _ in range(10):
        whole = koski.advance(one, whole, terrain, seconds=1.0)
        split = koski.advance(many, split, terrain, seconds=1.0)
        frame, layers = many.frame(split, terrain), many.layers(split, terrain)
        assert_allclose(frame.depth, one.frame(whole, terrain).depth, atol=1e-6)  # fused otherwise
        assert len(layers) == cells and min(float(l.depth.min()) for l in layers) >= 0
        assert_allclose(sum(l.depth for l in layers), frame.depth, rtol=1e-6)  # one rounding each
        assert_allclose(layers[-1].surface, frame.surface, rtol=1e-6)
    assert max(float(jnp.ptp(l.depth)) for l in layers) > 0.1  # and they have moved


def test_the_lower_cell_stays_behind_at_a_step_that_the_upper_one_passes():
    b = np.where(np.arange(40) < 20, 0.0, 1.0)[None].repeat(3, 0)
    terrain = koski.Terrain.create(b, edges=koski.Edges(east=koski.Drain()))
    solver = Columns(cells=2)
    state = run(solver, terrain, 2.0 - b, 10.0)
    low, high = solver.layers(state, terrain)
    whole = np.asarray(solver.frame(state, terrain).u)[1]
    assert whole[19] > 0.3
    assert_allclose([high.u[1, 10], low.u[1, 10], high.u[1, 19]], whole[[10, 10, 19]], rtol=1e-5)
    assert float(low.u[1, 19]) < 0.7 * whole[19]  # at one of its two faces it meets the step


def test_a_column_has_a_cell():
    with pytest.raises(koski.InputError, match="at least one cell"):
        Columns(cells=0).start(koski.Terrain.create(np.zeros((4, 4))), 1.0)


def test_dye_is_kept_and_its_concentration_stays_in_its_old_range():
    terrain, depth = sloshing(24, 32, seed=4)
    solver = Columns()
    state = solver.start(terrain, depth)
    ink = jnp.where(jnp.arange(32) < 16, 1.0, 0.25) * state.water.d
    before = np.asarray(ink, np.float64).sum()
    state = replace(state, water=replace(state.water, dyes={"ink": ink}))
    state = koski.advance(solver, state, terrain, seconds=20.0)
    ink, d = np.asarray(state.water.dyes["ink"]), np.asarray(state.water.d)
    assert ink.sum(dtype=np.float64) == pytest.approx(before, rel=1e-6)
    thick = ink[d > 1e-4] / d[d > 1e-4]
    assert thick.min() > 0.25 - 1e-4 and thick.max() < 1 + 1e-4  # rounding, over 180 steps
    assert ((thick > 0.3) & (thick < 0.95)).mean() > 0.2  # and it has mixed


def test_a_plate_holds_the_water_under_it_down_though_its_sides_are_high():
    """A head of 0.6 m, sharp at its sides: what is pressed down is no weir to pour into."""
    at = np.abs(np.arange(40) - 19.5) < 5
    plate = np.where(at[None] & at[:, None], 0.6 * RHO * G, 0)
    terrain = koski.Terrain.create(np.zeros((40, 40)))
    inputs = koski.Inputs(pressure=jnp.asarray(plate, jnp.float32))
    state = run(Columns(friction=0.5), terrain, 1.0, 100.0, inputs)
    head = np.asarray(state.water.d) + plate / (RHO * G)
    assert np.ptp(head) < 0.01


@pytest.mark.parametrize("angle", [0, 30, 45, 90, 135])
def test_a_push_any_way_makes_mannings_flow_that_way(angle):
    """u = d^(2/3) √S / n, the push g S standing for a slope S."""
    n, slope, way = 0.03, 1e-3, np.exp(1j * np.radians(angle))
    terrain = koski.Terrain.create(np.zeros((6, 6)), edges=koski.Edges.all(koski.Periodic()))
    ones = jnp.ones((6, 6), jnp.float32)
    push = Flow(G * slope * way.real * ones, G * slope * way.imag * ones)
    solver = Columns(friction=0.0, manning=n)
    frame = solver.frame(run(solver, terrain, 1.0, 1500.0, koski.Inputs(push=push)), terrain)
    u = np.asarray(frame.u) + 1j * np.asarray(frame.v)
    assert_allclose(u, np.sqrt(slope) / n * way, rtol=3e-3)  # 1500 s are 13 times to settle in


def test_a_stream_is_as_fast_along_its_banks_as_in_the_middle():
    joined = koski.Edges(west=koski.Periodic(), east=koski.Periodic())
    banks = np.where((np.arange(9) == 0) | (np.arange(9) == 8), 5.0, 0.0)[:, None].repeat(8, 1)
    for b, wet in ((np.zeros((6, 8)), slice(None)), (banks, slice(1, 8))):
        terrain = koski.Terrain.create(b, edges=joined)
        frame = SMOOTH.frame(
            run(SMOOTH, terrain, np.maximum(1 - b, 0), 5.0, None, (0.5, 0)), terrain
        )
        assert_allclose(frame.u[wet], 0.5, rtol=1e-4)


def test_the_papers_collapse_is_stable_at_its_step_of_5_ms():
    scene = collapse.scene(64)
    state = scene.solver.start(scene.terrain, scene.depth)
    assert float(scene.solver.stable_dt(state, scene.terrain)) > 0.005
    before = volume(scene.solver.frame(state, scene.terrain))
    state = koski.advance(scene.solver, state, scene.terrain, seconds=5.0, dt=0.005)
    frame = scene.solver.frame(state, scene.terrain)
    assert volume(frame) == pytest.approx(before, 1e-6)
    assert np.ptp(frame.depth) < 0.05  # from 0.13 m, and calming
