"""What one thread makes of a small grid, beside what several make of it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import koski
from everything import each_solver, sloshing
from koski.core import alone, loop, solver
from koski.core.stencil import Flow

SHAPE = (20, 28)
EDGES = {"walls": koski.Edges(), "periodic": koski.Edges.all(koski.Periodic())}
INPUTS = {
    "pushes": koski.Inputs(push=Flow(jnp.full(SHAPE, 0.1), jnp.zeros(SHAPE))),
    "pressure": koski.Inputs(pressure=jnp.zeros(SHAPE).at[8:11, 8:11].set(500.0)),
    "dye": koski.Inputs(dyes={"red": jnp.zeros(SHAPE).at[4, 5].set(1.0)}),
}


def both(method, edges, inputs):
    """Water by one thread, and by all of them."""
    terrain, depth = sloshing(*SHAPE)
    terrain = koski.Terrain.create(terrain.b, cell=terrain.grid.cell, edges=edges)
    state = loop.ready(method, method.start(terrain, depth), terrain, inputs)
    step = jax.make_jaxpr(lambda state: method.step(state, terrain, inputs, 0.01))(state)
    assert alone.parts(step.jaxpr) <= set(alone.PLAIN.split())  # it is one kernel
    return [
        loop.run_stable(method, method.start(terrain, depth), terrain, inputs, 2.0, 1000, lone)
        for lone in (True, False)
    ]


def same(one, many):
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(many)):
        assert_allclose(a, b, rtol=1e-4, atol=2e-5)  # they may round otherwise


TWO = {"pipe": koski.Pipe(manning=0.03), "shallow": koski.ShallowWater()}


@pytest.mark.parametrize("edges", EDGES.values(), ids=EDGES)
@pytest.mark.parametrize("method", TWO.values(), ids=TWO)
def test_one_thread_computes_what_several_do_at_closed_edges(method, edges):
    same(*both(method, edges, koski.Inputs()))


@pytest.mark.parametrize("inputs", INPUTS.values(), ids=INPUTS)
@pytest.mark.parametrize("method", TWO.values(), ids=TWO)
def test_one_thread_computes_what_several_do_in_water_that_is_driven(method, inputs):
    same(*both(method, koski.Edges(), inputs))


@each_solver
def test_one_thread_computes_what_several_do(solver):
    same(*both(solver, koski.Edges(), koski.Inputs()))


def test_small_grids_of_a_cpu_are_left_to_one_thread():
    state = koski.Pipe().start(koski.Terrain.create(np.zeros((16, 16))), 1.0)
    assert solver.small(state)
    wide = koski.Pipe().start(koski.Terrain.create(np.zeros((512, 512))), 1.0)
    assert not solver.small(wide)


def test_what_does_not_fit_in_one_kernel_is_not_put_there():
    """XLA has no scatter there, and must not be asked for one."""

    def scatter(more, x):
        return x.at[jnp.array([3, 1])].add(more)

    args = 2.0, jnp.zeros(8)
    assert "scatter-add" in alone.parts(jax.make_jaxpr(scatter)(*args).jaxpr)
    assert_array_equal(jax.jit(alone.alone(scatter))(*args), scatter(*args))


def test_the_ledger_misses_nothing_on_small_grids():
    """A plain sum over as many cells in float32 is wrong in the third digit."""
    terrain, pipe = koski.Terrain.create(np.zeros((256, 256))), koski.Pipe()
    rain = koski.Inputs(source=1e-4)
    state = koski.advance(pipe, pipe.start(terrain, 1.0), terrain, rain, seconds=1.0)
    assert float(state.water.came) == pytest.approx(1e-4 * terrain.grid.cells, rel=1e-6)


def test_what_is_given_and_not_needed_does_no_harm():
    """Here the clock is: XLA would give up on it, and take Python with it."""
    terrain, depth = sloshing(*SHAPE)
    pipe = koski.Pipe()

    @jax.jit
    def some(state, n):
        return loop.repeat(pipe, state, terrain, koski.Inputs(), 0.01, n, True)

    known = loop.run_fixed(pipe, pipe.start(terrain, depth), terrain, koski.Inputs(), 0.01, 5)
    same(some(pipe.start(terrain, depth), 5), known)
