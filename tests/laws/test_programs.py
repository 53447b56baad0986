"""What every solver keeps as a program: compiled once, batched, split, differentiated."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import koski
from everything import SOLVERS, each_solver, few_solvers, rough, sloshing
from koski.core.loop import run_fixed, run_stable


@each_solver
def test_changing_a_number_never_recompiles(solver):
    terrain, depth = sloshing(12, 16)
    koski.advance(solver, solver.start(terrain, depth), terrain, koski.Inputs(), seconds=0.1)
    compiled = run_stable._cache_size()
    for name, value in {"friction": 0.2, "lively": 0.7, "manning": 0.05, "cfl": 0.3}.items():
        if getattr(solver, name, None) is not None:
            solver = replace(solver, **{name: value})
    moved = replace(terrain, b=terrain.b + 1)
    koski.advance(solver, solver.start(moved, depth), moved, koski.Inputs(), seconds=0.2)
    assert run_stable._cache_size() == compiled


@few_solvers
def test_a_batch_equals_one_by_one(solver):
    worlds = [sloshing(16, 20, seed) for seed in range(3)]
    terrain = replace(worlds[0][0], b=jnp.stack([t.b for t, _ in worlds]))
    depth = jnp.stack([d for _, d in worlds])

    def run(terrain, depth):
        state = solver.start(terrain, depth)
        state = koski.advance(solver, state, terrain, koski.Inputs(), seconds=1.0)
        return solver.frame(state, terrain)

    batch = jax.vmap(run)(terrain, depth)
    for i, (t, d) in enumerate(worlds):
        alone = run(t, d)
        assert_allclose(batch.depth[i], alone.depth, atol=1e-5)  # fused otherwise, so rounded so
        assert float(batch.t[i]) == pytest.approx(float(alone.t), rel=1e-6)


def test_whatever_is_traced_a_run_is_part_of_the_program():
    terrain, depth = sloshing(12, 16)
    pipe = koski.Pipe()
    wet = jnp.asarray(depth)

    def run(pipe, terrain, seconds, **fixed):
        state = koski.advance(pipe, pipe.start(terrain, wet), terrain, seconds=seconds, **fixed)
        return (state.water.d**2).sum()

    plain = run(pipe, terrain, 0.5)
    by_time = jax.jit(lambda t: run(pipe, terrain, t))(0.5)
    by_number = jax.jit(lambda f: run(replace(pipe, friction=f), terrain, 0.5))(pipe.friction)
    by_nothing = jax.jit(lambda one: one * run(pipe, terrain, 0.5))(1.0)
    assert_allclose([by_time, by_number, by_nothing], plain, rtol=1e-5)
    slope = jax.grad(lambda f: run(replace(pipe, friction=f), terrain, 0.5, dt=0.05))
    assert float(slope(0.05)) != 0


def test_a_state_that_was_used_up_says_so():
    terrain, depth = sloshing(12, 16)
    state = koski.Pipe().start(terrain, depth)
    koski.advance(koski.Pipe(), state, terrain, seconds=0.1)
    with pytest.raises(koski.InputError, match="used up"):
        koski.advance(koski.Pipe(), state, terrain, seconds=0.1)


def test_blockers_need_a_solver_that_lets_them_block():
    terrain, depth = sloshing(12, 16)
    inputs = koski.Inputs(blockers=koski.Blockers.create(0.0, 1.0, terrain.grid))
    with pytest.raises(koski.InputError, match="TwoLayer"):
        koski.advance(koski.Pipe(), koski.Pipe().start(terrain, depth), terrain, inputs, seconds=1)


@each_solver
def test_the_same_input_gives_the_same_bits(solver):
    terrain, depth = sloshing(20, 20, seed=5)

    def run():
        state = solver.start(terrain, depth)
        state = koski.advance(solver, state, terrain, koski.Inputs(), seconds=2.0)
        return solver.frame(state, terrain)

    for a, b in zip(jax.tree.leaves(run()), jax.tree.leaves(run())):
        assert_array_equal(a, b)


@few_solvers
def test_gradients_of_a_fixed_run_are_finite_and_agree_with_finite_differences(solver):
    b = 0.3 * rough(10, 12, seed=7, relief=1.0)
    y, x = np.mgrid[:10, :12]
    bump = np.exp(-((x - 4.0) ** 2 + (y - 5.0) ** 2) / 6).astype(np.float32)

    @jax.jit  # one program for all of it: that of `Wave` takes long to compile
    def slopes(terrain, depth, where):
        def total(depth):
            state = solver.start(terrain, depth)
            state = koski.advance(solver, state, terrain, koski.Inputs(), seconds=0.6, dt=0.03)
            return jnp.sum(where * solver.frame(state, terrain).depth ** 2)

        return jax.value_and_grad(total)(depth)

    def loss(height):
        return slopes(koski.Terrain.create(b), 2.0 - b + height * bump, x >= 8)

    step = 1e-2
    difference = (loss(0.4 + step)[0] - loss(0.4 - step)[0]) / (2 * step)
    slope = float(jnp.sum(loss(0.4)[1] * bump))
    assert slope == pytest.approx(float(difference), rel=0.02)

    steep = koski.Terrain.create(10 * b)
    _, wet_and_dry = slopes(steep, jnp.maximum(1 - steep.b, 0), x >= 0)
    assert np.isfinite(wet_and_dry).all()


MESH = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import jax, numpy as np, koski
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P
from everything import SOLVERS, sloshing
assert len(jax.devices()) == 4
terrain, depth = sloshing(32, 48, seed=4)
mesh = jax.make_mesh((2, 2), ("y", "x"), axis_types=(AxisType.Auto, AxisType.Auto))
def spread(a):
    spec = P("y", "x") if a.shape == terrain.grid.shape else P()
    return jax.device_put(a, NamedSharding(mesh, spec))
for name, solver in SOLVERS.items():
    one = koski.advance(solver, solver.start(terrain, depth), terrain, koski.Inputs(), seconds=2.0)
    split = jax.tree.map(spread, (solver.start(terrain, depth), terrain))
    four = koski.advance(solver, *split, koski.Inputs(), seconds=2.0)
    assert len(four.water.d.sharding.device_set) == 4, name
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(four)):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b), err_msg=name)
print("same bits")
"""


def test_two_by_two_devices_give_the_same_bits_as_one():
    tests = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", MESH], cwd=tests, capture_output=True, text=True, timeout=600
    )
    assert done.stdout.strip().endswith("same bits"), done.stderr[-2000:]


def test_a_fixed_dt_gives_a_fixed_number_of_equal_steps():
    terrain, depth = sloshing(8, 8)
    solver = SOLVERS["pipe"]
    state = koski.advance(
        solver, solver.start(terrain, depth), terrain, koski.Inputs(), seconds=1.0, dt=0.03
    )
    assert int(state.water.steps) == 34 and float(state.water.t) == pytest.approx(1.0)
    assert run_fixed._cache_size() > 0


@each_solver
def test_a_bound_on_steps_makes_the_water_lag_but_not_blow_up(solver):
    terrain, depth = sloshing(16, 16)
    state = koski.advance(
        solver, solver.start(terrain, depth), terrain, koski.Inputs(), seconds=1e4, max_steps=50
    )
    frame = solver.frame(state, terrain)
    assert int(state.water.steps) == 50 and 0 < float(frame.t) < 100
    assert np.isfinite(frame.depth).all()


def test_time_is_kept_over_a_million_seconds():
    terrain = koski.Terrain.create(np.zeros((2, 2)), cell=1000.0)
    solver, t = koski.Pipe(), 0.0
    state = solver.start(terrain, 1e-3)
    for _ in range(50):
        state = koski.advance(solver, state, terrain, koski.Inputs(), seconds=20_000.1)
        t += float(np.float32(20_000.1))
    assert float(state.water.t) == pytest.approx(t, rel=1e-7)
