"""What threads make of a grid in bands of rows, beside what one makes of the whole."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from news import reach
from numpy.testing import assert_array_equal

import koski
from everything import SOLVERS, rough
from koski.core import bands, loop, solver
from koski.core.stencil import Flow

APART = {name: s for name, s in SOLVERS.items() if getattr(s, "local", None)}
each = pytest.mark.parametrize("method", APART.values(), ids=APART)


def lakes(ny: int, seed: int = 0, edges: koski.Edges | None = None):
    """Rough ground with islands and falling water, of few cells across."""
    b = 3 * rough(ny, 12, seed=seed, relief=1.0)
    rng = np.random.default_rng(seed)
    depth = np.maximum(1.0 - b, 0) + np.repeat(rng.random((ny // 8, 12)) > 0.7, 8, axis=0)
    return koski.Terrain.create(b, cell=2.0, edges=edges), depth.astype(np.float32)


def same(whole, parts):
    """The same bits in all maps; the clock may round its sum otherwise."""
    for a, b in zip(jax.tree.leaves(whole), jax.tree.leaves(parts)):
        assert_array_equal(a, b) if a.ndim else np.testing.assert_allclose(a, b, 1e-6, 1e-6)


def test_solvers_that_look_at_neighbours_alone_are_stepped_in_bands():
    assert set(SOLVERS) - set(APART) == {"wave"}


@each
def test_a_solver_knows_how_far_news_travels_in_a_step(method):
    terrain, depth = lakes(40)
    args = method.start(terrain, depth), terrain
    assert (
        reach(lambda s, t: method.step(s, t, koski.Inputs(), 0.1), args, 20) == method.local.reach
    )


@each
def test_a_solver_knows_how_many_maps_a_step_works_on(method):
    """As many as XLA needs."""
    terrain, depth = lakes(400)
    reach = method.local.reach
    parts = bands.Band(0, 200, 0, reach, 1), bands.Band(200, 400, reach, 0, 1)
    state = loop.ready(method, method.start(terrain, depth), terrain, koski.Inputs())
    form, (a, b) = bands.dealt(parts, method, state, terrain, koski.Inputs())
    args = a.moving, a.still, a.first, b.first, 0.05, 4
    needs = bands.step.lower(form, parts[0].alike, *args).compile().memory_analysis()
    count = (needs.argument_size_in_bytes + needs.temp_size_in_bytes) / a.moving[0].nbytes
    assert count == pytest.approx(method.local.maps, rel=0.15)


@each
@pytest.mark.parametrize("count", [pytest.param(2, marks=pytest.mark.long), 3])
def test_bands_have_the_bits_of_the_whole_grid(method, count):
    terrain, depth = lakes(40 * count)
    parts = bands.bands(terrain.grid, method.local, count)
    assert len(parts) == count and parts[0].low == 0 and parts[-1].high == terrain.grid.ny

    def world():
        return method, method.start(terrain, depth), terrain, koski.Inputs()

    same(loop.run_stable(*world(), 4.0, 1000, True), bands.run_stable(parts, *world(), 4.0, 1000))
    same(loop.run_fixed(*world(), 0.05, 37, True), bands.run_fixed(parts, *world(), 0.05, 37))


@pytest.mark.parametrize("shape", [(1024, 1024), (4096, 512), (8192, 8192), (300, 300), (90, 9)])
@pytest.mark.parametrize("threads", [2, 3, 16])
def test_bands_fit_caches_unless_they_would_borrow_too_much(shape, threads):
    ny, nx = shape
    parts = bands.bands(koski.core.grid.Grid(ny, nx, 1.0), bands.Local(3, 7), threads)
    assert [p.low for p in parts[1:]] == [p.high for p in parts[:-1]]
    assert parts[0].low == 0 and parts[-1].high == ny
    own, borrowed = min(p.high - p.low for p in parts), parts[0].north
    assert borrowed == 3 * parts[0].turn and own >= borrowed
    if len(parts) > threads:
        assert len(parts) % threads == 0 and own >= 2 * borrowed
        larger = ny / (len(parts) - threads)  # with one less for each thread
        assert 7 * 4 * larger * nx > bands.CACHED


def test_one_thread_may_have_several_bands(monkeypatch):
    monkeypatch.setattr(bands, "threads", lambda: 2)
    terrain, depth = lakes(200)
    pipe = koski.Pipe()

    def world():
        return pipe, pipe.start(terrain, depth), terrain, koski.Inputs()

    parts = bands.bands(terrain.grid, pipe.local, 5)
    assert len(parts) == 5
    same(loop.run_stable(*world(), 4.0, 1000, True), bands.run_stable(parts, *world(), 4.0, 1000))


def test_whatever_drives_the_water_is_cut_with_it():
    edges = koski.Edges(west=koski.Periodic(), east=koski.Periodic())
    terrain, depth = lakes(200, 1, edges)
    rng = np.random.default_rng(2)
    n = jnp.asarray(0.02 + 0.02 * rng.random(terrain.grid.shape), jnp.float32)
    wind = Flow(jnp.full(terrain.grid.shape, 0.2), jnp.asarray(rng.random(terrain.grid.shape)))
    inputs = koski.Inputs(dyes={"red": jnp.abs(wind.y)}, push=wind, pressure=1000 * wind.y)
    pipe = koski.Pipe(manning=n)

    def world():
        return pipe, pipe.start(terrain, depth, (0.1, 0.2)), terrain, inputs

    parts = bands.bands(terrain.grid, pipe.local, 2)
    same(loop.run_stable(*world(), 4.0, 1000, True), bands.run_stable(parts, *world(), 4.0, 1000))


def test_a_bound_on_steps_holds_in_bands():
    terrain, depth = lakes(128)
    pipe = koski.Pipe()
    state = pipe.start(terrain, depth), terrain, koski.Inputs()
    end = bands.run_stable(bands.bands(terrain.grid, pipe.local, 2), pipe, *state, 1e4, 40)
    assert int(end.water.steps) == 40 and 0 < float(end.water.t) < 100


OUTSIDE = {
    "rain": (koski.Edges(), koski.Inputs(source=1e-4)),
    "a held column": (koski.Edges(), koski.Inputs(held=jnp.full((1024, 1024), jnp.nan))),
    "a drain": (koski.Edges(east=koski.Drain()), koski.Inputs()),
    "joined ends": (koski.Edges.all(koski.Periodic()), koski.Inputs()),
}


def test_closed_water_is_cut_for_all_threads(monkeypatch):
    monkeypatch.setattr(bands, "threads", lambda: 3)
    terrain, _ = lakes(256)
    assert len(bands.cut_for(koski.Pipe(), terrain, koski.Inputs())) == 3
    assert not bands.cut_for(koski.Wave(), terrain, koski.Inputs())
    low, _ = lakes(16)
    assert len(bands.cut_for(koski.Pipe(), low, koski.Inputs())) == 1
    odd = koski.ShallowWater(advection=lambda u, q, d, dt, grid: u)
    assert not bands.cut_for(odd, terrain, koski.Inputs())


@pytest.mark.parametrize("edges, inputs", OUTSIDE.values(), ids=OUTSIDE)
@pytest.mark.parametrize("count", [1, 3])
def test_water_that_comes_and_goes_is_not_cut(monkeypatch, edges, inputs, count):
    monkeypatch.setattr(bands, "threads", lambda: count)
    large = np.zeros((1024, 1024), np.float32)
    assert bands.cut_for(koski.Pipe(), koski.Terrain.create(large), koski.Inputs())
    terrain = koski.Terrain.create(large, edges=edges)
    assert not bands.cut_for(koski.Pipe(), terrain, inputs)


@pytest.mark.parametrize("dt", [None, 0.02])
def test_a_long_run_on_a_large_grid_is_made_in_bands(monkeypatch, dt):
    made = []
    for name in ("run_fixed", "run_stable"):
        run = getattr(bands, name)
        monkeypatch.setattr(bands, name, lambda *a, run=run: made.append(len(a[0])) or run(*a))
    monkeypatch.setattr(bands, "threads", lambda: 2)
    monkeypatch.setattr(bands, "WORK", 1)
    monkeypatch.setattr(solver, "SMALL", 1)
    terrain, depth = lakes(128)
    pipe = koski.Pipe()
    short = koski.advance(pipe, pipe.start(terrain, depth), terrain, seconds=0.1, dt=dt)
    assert not made
    state = koski.advance(pipe, short, terrain, seconds=2.0, dt=dt)
    assert made == [2] and float(state.water.t) == pytest.approx(2.1)
    with pytest.raises(koski.InputError, match="used up"):
        koski.advance(pipe, short, terrain, seconds=2.0, dt=dt)


def test_water_that_is_not_a_number_is_left_so():
    terrain, depth = lakes(128)
    pipe = koski.Pipe()
    state = pipe.start(terrain, depth)
    state = replace(state, water=replace(state.water, d=state.water.d.at[3, 3].set(jnp.nan)))
    state = koski.advance(pipe, state, terrain, seconds=1.0)
    assert np.isnan(state.water.d).any()
