"""What the outside does reaches the water of every solver."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

import koski
from everything import each_solver
from koski.core.inputs import RHO
from koski.core.water import G


@each_solver
def test_water_under_pressure_stands_lower_by_its_head(solver):
    x = np.arange(40)
    pressed = RHO * G * 0.2 * np.exp(-(((x - 20) / 6.0) ** 2))  # a head of 0.2 m
    terrain = koski.Terrain.create(np.zeros((3, 40)))
    rubbed = {"manning": 0.3} if hasattr(solver, "manning") else {"friction": 0.5}
    calmed = replace(solver, **rubbed)  # a bed rough enough that the water comes to rest
    state = calmed.start(terrain, 2.0)
    inputs = koski.Inputs(pressure=jnp.asarray(pressed[None].repeat(3, 0), jnp.float32))
    state = koski.advance(calmed, state, terrain, inputs, seconds=300.0)
    depths = []
    for _ in range(90):  # several swings of what still sloshes
        state = koski.advance(calmed, state, terrain, inputs, seconds=1.0)
        depths.append(np.asarray(calmed.frame(state, terrain).depth)[1])
    depth = np.mean(depths, axis=0)
    head = depth + pressed / (RHO * G)
    assert np.ptp(head) < 2e-3  # 1 % of the head that presses
    assert depth[20] == pytest.approx(head.mean() - 0.2, abs=2e-3)


@each_solver
def test_columns_that_are_held_feed_and_drain_and_the_ledger_agrees(solver):
    b = np.linspace(2.0, 0.0, 40, dtype=np.float32)[None].repeat(5, 0)
    held = np.full((5, 40), np.nan, np.float32)
    held[:, 3], held[:, 36] = 2.5, b[:, 36]
    world = koski.World(koski.Scene("", koski.Terrain.create(b), solver=solver, held=held))
    world.step(60.0)
    depth = np.asarray(world.frame.depth)
    np.testing.assert_allclose(depth[:, 3], 2.5 - b[:, 3], rtol=1e-6)
    assert depth[:, 36].max() == 0 and depth[:, 20].min() > 0.01
    assert world.volume.came > world.volume.went > 0
    assert abs(world.volume.drift) < 1e-6
    world.release()
    world.step(60.0)
    assert depth[0, 3] > float(world.frame.depth[0, 3])


def test_hands_press_and_hold():
    world = koski.World(koski.Terrain.create(np.zeros((20, 20))), depth=1.0)
    world.press(10.0, 10.0, 5000.0, radius=4.0)
    world.step(0.3)
    assert world.depth_at(10.0, 10.0) < 0.95
    world.hold(3.0, 3.0, 2.0, radius=1.5)
    world.step(0.3)
    assert float(world.height_at(3.0, 3.0)) == 2.0
    assert abs(world.volume.drift) < 1e-6
