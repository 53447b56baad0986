"""Water on bodies: what floats, rights itself, drifts and comes to rest."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from solids import RAFT, SHAPES, cloud

from koski.bodies import turns
from koski.bodies.forces import SLOW, Motion, Props, forces
from koski.bodies.groups import pack
from koski.bodies.shapes import Box, Capsule, Compound, Cylinder, Part, Sphere
from koski.core.grid import Grid
from koski.core.inputs import RHO
from koski.core.water import G

press = jax.jit(forces, static_argnames="grid")
N = 8  # bodies at a time: one program serves all tests of a shape
SEA = Grid.create(32, 32)
TILTED = turns.from_axis(np.array([2.0, 1.0, 0.5]), 0.6)


def bodies(shape, q=turns.STILL, z=0.0, density=500.0, at=16.3, n=N):
    """Bodies at rest, spread over a cell, with their properties."""
    rng = np.random.default_rng(0)
    p = np.column_stack([at + rng.uniform(0, 1, (n, 2)), np.full(n, z)])
    zero = jnp.zeros((n, 3))
    motion = Motion(
        jnp.asarray(p, jnp.float32), jnp.tile(jnp.asarray(q, jnp.float32), (n, 1)), zero, zero
    )
    props = Props(
        jnp.full(n, density * shape.volume),
        jnp.tile(jnp.asarray(shape.centroid, jnp.float32), (n, 1)),
        jnp.tile(jnp.asarray(density * shape.inertia, jnp.float32), (n, 1, 1)),
        jnp.ones(n),
        jnp.ones(n),
    )
    return motion, props


def act(shape, motion, props, surface=0.0, ground=-100.0, u=0.0, v=0.0, dt=0.02, grid=SEA):
    groups = pack([shape] * len(motion.position), grid)
    maps = (jnp.full(grid.shape, f, jnp.float32) for f in (surface, ground, u, v))
    return press(groups, motion, props, *maps, dt, grid=grid)


@pytest.mark.parametrize("across", [2, pytest.param(4, marks=pytest.mark.long), 10])
@pytest.mark.parametrize("q", [turns.STILL, TILTED], ids=["upright", "tilted"])
@pytest.mark.parametrize("shape", [Box((1, 1, 1)), Sphere(0.5), Capsule(0.5, 1.0)], ids=type)
def test_buoyancy_is_the_weight_of_the_water_displaced(shape, q, across):
    grid = Grid.create(32, 32, 1 / across)
    points = cloud(shape, 128) @ turns.matrix(q).T
    each = shape.volume / len(points)
    motion, props = bodies(shape, q, at=16 / across)
    for share in (0.25, 0.5, 0.8):
        level = np.quantile(points[:, 2], share)  # the draft at which this share is submerged
        wrench = act(shape, motion, props, surface=float(level), grid=grid)
        assert_allclose(wrench.submerged, share * shape.volume, rtol=0.03)
        assert_allclose(wrench.force[:, 2], RHO * G * share * shape.volume, rtol=0.03)
        moment = points[points[:, 2] <= level].sum(0) * each
        torque = RHO * G * np.array([moment[1], -moment[0], 0])
        assert_allclose(wrench.torque, np.tile(torque, (N, 1)), atol=0.02 * RHO * G * shape.volume)


@pytest.mark.parametrize("shape", [*SHAPES.values(), RAFT], ids=[*SHAPES, "raft"])
def test_what_is_wholly_under_water_is_lifted_at_its_centroid(shape):
    motion, props = bodies(shape, TILTED, z=-10.0)
    wrench = act(shape, motion, props)
    lift = RHO * G * shape.volume
    assert_allclose(wrench.force, np.tile([0, 0, lift], (N, 1)), rtol=1e-4)
    assert_allclose(wrench.torque, 0, atol=1e-4 * lift)  # of a metre: rounding
    assert_allclose(wrench.submerged, shape.volume, rtol=1e-4)


def test_nothing_floats_in_air_or_where_there_is_no_water():
    motion, props = bodies(Box((2, 1, 1)), z=5.0)
    for f in jax.tree.leaves(act(Box((2, 1, 1)), motion, props)):
        assert_array_equal(f, 0)
    motion = replace(motion, position=motion.position - 5)
    for f in jax.tree.leaves(act(Box((2, 1, 1)), motion, props, surface=-np.inf)):
        assert_array_equal(f, 0)


def test_the_ground_takes_what_is_buried_from_the_water():
    motion, props = bodies(Box((2, 2, 2)))
    assert_allclose(act(Box((2, 2, 2)), motion, props, 10.0, -0.5).submerged, 6.0, rtol=1e-5)


def test_a_raft_rights_itself_and_a_ball_does_not_care():
    for angle in (0.1, -0.3):
        q = turns.from_axis(np.array([1.0, 0.0, 0.0]), angle)
        motion, props = bodies(Box((4, 4, 1)), q)
        torque = np.asarray(act(Box((4, 4, 1)), motion, props).torque)
        assert (torque[:, 0] * angle < 0).all()
        assert np.abs(torque[:, 1:]).max() < 0.05 * np.abs(torque[:, 0]).min()
        motion, props = bodies(Sphere(1.5), q)
        assert_allclose(act(Sphere(1.5), motion, props).torque, 0, atol=1.0)  # of 7e4 N


def test_a_body_weighted_below_rights_itself_where_it_is_no_raft():
    pole = Cylinder(0.5, 6.0)
    motion, props = bodies(pole, turns.from_axis(np.array([0.0, 1.0, 0.0]), 0.3))
    assert (np.asarray(act(pole, motion, props).torque)[:, 1] > 0).all()  # falls over
    props = replace(props, center=jnp.tile(jnp.array([0.0, 0.0, -2.5]), (N, 1)))
    assert (np.asarray(act(pole, motion, props).torque)[:, 1] < 0).all()


def test_the_current_pushes_along_itself():
    motion, props = bodies(Box((2, 1, 1)), z=-5.0)
    wrench = act(Box((2, 1, 1)), motion, props, u=2.0, v=-1.0)
    drag = 0.5 * RHO * 2.0 * np.sqrt(5 + SLOW**2)  # ½ C ρ w l |dv| for each of two cells
    assert_allclose(wrench.force[:, 0], 2 * drag, rtol=1e-4)
    assert_allclose(wrench.force[:, 1], -drag, rtol=1e-4)
    with_it = replace(motion, velocity=jnp.tile(jnp.array([2.0, -1.0, 0.0]), (N, 1)))
    assert_allclose(act(Box((2, 1, 1)), with_it, props, u=2.0, v=-1.0).force[:, :2], 0, atol=1e-2)


def test_water_slows_what_heaves_rolls_and_turns():
    motion, props = bodies(Box((2, 2, 1)))
    still = act(Box((2, 2, 1)), motion, props)
    heaving = replace(motion, velocity=jnp.tile(jnp.array([0.0, 0.0, 1.0]), (N, 1)))
    damping = 2 * RHO * 4 * np.sqrt(G * 0.5)
    change = act(Box((2, 2, 1)), heaving, props).force - still.force
    assert_allclose(change[:, 2], -damping, rtol=1e-3)
    for k in range(3):
        spin = jnp.zeros((N, 3)).at[:, k].set(1.0)
        change = act(Box((2, 2, 1)), replace(motion, spin=spin), props).torque - still.torque
        assert (np.asarray(change)[:, k] < -10).all()


def energy(motion, props):
    """Of motion, relative to still water."""
    turn = turns.matrix(motion.rotation)
    spin = jnp.einsum("nji,nj->ni", turn, motion.spin)
    linear = props.mass * (motion.velocity**2).sum(1)
    return np.asarray(linear + jnp.einsum("ni,nij,nj->n", spin, props.inertia, spin))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([0.001, 0.02, 1.0]),
    st.sampled_from([0.01, 1.0, 30.0]),
    st.sampled_from([1.0, 500.0]),
    st.integers(0, 2**16),
)
def test_drag_and_damping_at_most_stop_what_moves(dt, speed, density, seed):
    shape, rng = Capsule(0.3, 3.0), np.random.default_rng(seed)
    motion, props = bodies(shape, rng.normal(size=4), density=density)
    still = act(shape, motion, props, dt=dt)
    v, w = jnp.asarray(rng.normal(size=(2, N, 3)) * speed, jnp.float32)
    motion = replace(motion, velocity=v, spin=w)
    wrench = act(shape, motion, props, dt=dt)
    turn = turns.matrix(motion.rotation)
    loose = turn @ jnp.linalg.inv(props.inertia) @ turn.swapaxes(1, 2)
    force, torque = wrench.force - still.force, wrench.torque - still.torque
    later = replace(
        motion,
        velocity=v + dt * force / props.mass[:, None],
        spin=w + dt * jnp.einsum("nij,nj->ni", loose, torque),
    )
    lifted = dt * np.abs(still.force).max() / float(props.mass[0])  # of which rounding remains
    assert (energy(later, props) <= energy(motion, props) * (1 + 1e-4) + 1e-5 * lifted).all()
    straight = replace(motion, spin=jnp.zeros((N, 3)))
    change = act(shape, straight, props, dt=dt).force - still.force
    after = np.asarray(v + dt * change / props.mass[:, None])
    slack = 1e-4 * speed + 1e-6 * lifted
    assert (after * np.sign(v) >= -slack).all() and (np.abs(after) <= np.abs(v) + slack).all()


def test_a_cork_dropped_from_a_height_comes_to_rest_afloat():
    shape, dt = Box((0.5, 0.5, 0.3)), 0.02
    motion, props = bodies(shape, TILTED, z=2.0, density=250.0)
    props = replace(props, drag=jnp.full(N, 10.0))
    groups = pack([shape] * N, SEA)
    maps = [jnp.full(SEA.shape, f, jnp.float32) for f in (0.0, -100.0, 0.3, 0.0)]

    @jax.jit
    def step(_, motion):
        wrench = forces(groups, motion, props, *maps, dt, SEA)
        turn = turns.matrix(motion.rotation)
        body = jnp.einsum("nji,nj->ni", turn, wrench.torque)
        local = jnp.einsum("nij,nj->ni", jnp.linalg.inv(props.inertia), body)
        v = motion.velocity + dt * (wrench.force / props.mass[:, None] - jnp.array([0, 0, G]))
        spin = motion.spin + dt * turns.apply(turn, local)
        half = jnp.concatenate([jnp.zeros((N, 1)), 0.5 * dt * spin], 1)
        q = motion.rotation + turns.multiply(half, motion.rotation)
        q = q / jnp.linalg.norm(q, axis=1, keepdims=True)
        return Motion(motion.position + dt * v, q, v, spin)

    motion = jax.lax.fori_loop(0, 1000, step, motion)
    assert_allclose(motion.position[:, 2], 0.075, atol=1e-3)  # a quarter of it is submerged
    assert_allclose(motion.velocity, np.tile([0.3, 0, 0], (N, 1)), atol=0.02)
    assert_allclose(motion.spin, 0, atol=1e-3)
    assert_allclose(np.abs(turns.matrix(motion.rotation)[:, 2, 2]), 1, atol=1e-3)


def test_a_compound_floats_as_its_parts_do_together():
    two = Compound((Part(Box((1, 1, 1)), at=(-2, 0, 0)), Part(Box((1, 1, 1)), at=(2, 0, 0.5))))
    motion, props = bodies(two, density=500.0)
    wrench = act(two, motion, props)
    assert_allclose(wrench.submerged, 0.5, rtol=1e-4)
    assert_allclose(wrench.torque[:, 1], 2 * RHO * G * 0.5, rtol=1e-3)  # the left one is under


def test_bodies_of_no_place_or_outside_feel_nothing_and_harm_nobody():
    shape = Box((2, 1, 1))
    motion, props = bodies(shape, z=-2.0)
    good = act(shape, motion, props)
    p = motion.position.at[1].set(jnp.nan).at[2].set(-500.0).at[3].set(1e30)
    q = motion.rotation.at[4].set(jnp.nan)
    wrench = act(shape, replace(motion, position=p, rotation=q), props)
    for bad, well in zip(jax.tree.leaves(wrench), jax.tree.leaves(good)):
        assert_array_equal(bad[1:5], 0)
        assert_allclose(bad[5:], well[5:], rtol=1e-6)


def test_a_body_floats_across_a_joint():
    sea = Grid.create(32, 32, 1.0, wrap_x=True)
    motion, props = bodies(Box((2, 2, 2)), at=-0.5)
    motion = replace(motion, position=motion.position.at[:, 1].set(10.0))
    assert_allclose(act(Box((2, 2, 2)), motion, props, grid=sea).submerged, 4.0, rtol=1e-5)
    assert np.all(np.asarray(act(Box((2, 2, 2)), motion, props).submerged) < 4.0)


def test_coming_and_going_does_not_recompile():
    count = jax.jit(lambda *args: forces(*args, SEA))
    motion, props = bodies(RAFT)
    flat = jnp.zeros(SEA.shape)
    groups = pack([RAFT], SEA)
    for shapes in ([RAFT], [RAFT] * N, [None, RAFT], []):
        groups = pack(shapes, SEA, old=groups)
        wrench = count(groups, motion, props, flat, flat - 9, flat, flat, 0.02)
        there = [s is not None for s in shapes] + [False] * (N - len(shapes))
        assert_array_equal(np.asarray(wrench.submerged) > 0, there)
    assert count._cache_size() == 1
