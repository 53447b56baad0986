"""What every rigid-body engine must do."""

import os

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from koski import pack
from koski.bodies.engine import Ground, Spec, make
from koski.bodies.mesh import Convex
from koski.bodies.shapes import Box, Capsule, Compound, Cylinder, Part, Sphere
from koski.bodies.turns import from_axis, matrix, rotate
from koski.core.errors import InputError
from koski.core.water import G

NEEDS = {"mujoco": "mujoco", "bullet": "pybullet"}
CRATE = Spec(Box((1, 1, 1)), 500.0)
FLAT = np.zeros((24, 32))


@pytest.fixture(params=NEEDS)
def new(request):
    """Makes an engine over a ground, with bodies in it."""
    pytest.importorskip(NEEDS[request.param], reason=f"{NEEDS[request.param]} is not installed")

    def made(*specs, heights=FLAT, cell=1.0, **options):
        engine = make(request.param, **options)
        if heights is not None:
            engine.ground(heights, cell)
        for spec in specs:
            engine.add(spec)
        return engine

    return made


def at(x, y, z, spec=CRATE, **more):
    fields = {name: getattr(spec, name) for name in spec.__dataclass_fields__}
    return Spec(**(fields | {"at": (x, y, z)} | more))


def run(engine, seconds, frame=0.02):
    """Step, and return the highest speed on the way."""
    fastest = 0.0
    for _ in range(round(seconds / frame)):
        engine.step(frame)
        fastest = max(fastest, np.abs(engine.motion.velocity).max())
    return fastest


def test_a_falling_body_follows_the_parabola(new):
    engine = new(at(5, 5, 100, velocity=(2, 0, 0), spin=(0, 0, 3)), heights=None)
    run(engine, 1.0)
    m = engine.motion
    assert_allclose(m.velocity[0], (2, 0, -G), atol=1e-9)
    assert_allclose(m.position[0], (7, 5, 100 - G / 2), atol=G * 0.005)  # Euler: g t dt / 2
    assert_allclose(abs(m.rotation[0] @ from_axis((0, 0, 1), 3.0)), 1, atol=1e-6)


@pytest.mark.parametrize(
    "shape, height",
    [
        (Box((1, 1, 1)), 0.5),
        (Box((9, 9, 2)), 1.0),
        (Sphere(0.4), 0.4),
        (Cylinder(0.5, 1.2), 0.6),
        (Convex([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-0.5, 0.5)]), 0.5),
    ],
    ids=lambda s: type(s).__name__ if not isinstance(s, float) else "",
)
def test_a_body_rests_on_level_ground_at_its_height(new, shape, height):
    engine = new(at(12.3, 12.2, height + 0.1, Spec(shape, 1000 * shape.volume)), cell=0.7)
    run(engine, 3.0)
    m = engine.motion
    assert abs(m.position[0, 2] - height) < 0.005  # contacts give by a millimetre or so
    assert_allclose(m.position[0, :2], (12.3, 12.2), atol=0.05)
    assert np.abs(m.velocity).max() < 0.01


def test_a_log_on_its_side_rolls_down(new):
    lying = from_axis((1, 0, 0), np.pi / 2)
    slope = np.broadcast_to(0.2 * np.arange(64)[::-1], (24, 64))
    logs = [Spec(shape, 300.0) for shape in (Capsule(0.3, 2.0), Cylinder(0.3, 2.6))]
    engine = new(
        *(at(10, y, 11.3, s, rotation=lying) for y, s in zip((6, 12), logs)), heights=slope
    )
    run(engine, 3.0)
    for speed, spin in zip(engine.motion.velocity, engine.motion.spin):
        assert speed[0] > 2.0 and abs(spin[1] * 0.3 / np.linalg.norm(speed) - 1) < 0.1


@pytest.mark.parametrize("friction, stays", [(0.2, False), (0.7, True)])
def test_on_a_slope_friction_decides(new, friction, stays):
    slope = np.broadcast_to(0.4 * np.arange(64)[::-1], (24, 64))
    z = 0.4 * (63 - 20.5 + 0.5)
    tilt = tuple(from_axis((0, 1, 0), np.arctan(0.4)))
    engine = new(at(20.5, 12, z + 0.56, rotation=tilt, friction=friction), heights=slope)
    run(engine, 0.5)
    start, before = engine.motion.position[0, 0], engine.motion.velocity[0]
    run(engine, 1.0)
    gone, speed = engine.motion.position[0, 0] - start, engine.motion.velocity[0]
    if stays:
        assert abs(gone) < 0.005  # some creep is allowed
    else:
        wanted = G * (np.sin(np.arctan(0.4)) - friction * np.cos(np.arctan(0.4)))
        gained = np.linalg.norm(speed) - np.linalg.norm(before)
        assert 0.4 * wanted < gained < 1.1 * wanted  # Bullet's catches on the edges of triangles


def test_balls_rest_on_the_ground_where_the_map_says(new):
    rng = np.random.default_rng(3)
    y, x = np.mgrid[:40, :40] / 6.0
    heights = np.sin(x) * np.cos(y) + 200 + 0.03 * rng.normal(size=(40, 40))
    balls = [at(*(5 + 30 * rng.random(2)), 202, Spec(Sphere(0.5), 300)) for _ in range(12)]
    engine = new(*balls, heights=heights)
    run(engine, 8.0)
    ground, near = Ground(heights, 1.0), np.mgrid[-0.6:0.6:121j, -0.6:0.6:121j].reshape(2, -1)
    for x, y, z in engine.motion.position:
        dx, dy = near
        dz = z - ground.under(x + dx, y + dy)[0]
        assert abs(np.sqrt(dx * dx + dy * dy + dz * dz).min() - 0.5) < 0.02  # facets are 1 m wide


def test_a_tall_wall_of_crates_comes_to_rest(new, request):
    if "bullet" in request.node.name:
        pytest.skip("Bullet's stacks keep trembling by centimetres a second")
    engine = new(*(at(10 + 1.02 * i, 12, 0.5 + j) for j in range(5) for i in range(6)))
    run(engine, 10.0)
    assert np.abs(engine.motion.velocity).max() < 1e-3
    assert engine.motion.position[:, 2].max() > 4.48


def test_ground_that_rises_lifts_and_a_pit_lets_fall(new):
    engine = new(at(8.2, 12.1, 0.5), at(24, 12, 0.5), at(27, 12, 0.5))
    run(engine, 0.5)
    fastest, heights = 0.0, FLAT.copy()
    for _ in range(50):
        heights[:, :16] += 0.03  # 1.5 m/s
        heights[:, 16:] -= 0.1
        engine.ground(heights, 1.0)
        fastest = max(fastest, run(engine, 0.02))
    fastest = max(fastest, run(engine, 3.0))
    assert fastest < 20
    assert_allclose(engine.motion.position[:, 2], (2.0, -4.5, -4.5), atol=0.02)


def test_ground_raised_at_once_lifts_without_a_blow(new):
    engine = new(at(8, 12, 0.5), at(24, 12, 0.5))
    run(engine, 0.5)
    engine.ground(FLAT + 4.0, 1.0)
    assert run(engine, 6.0) < 20
    assert_allclose(engine.motion.position[:, 2], 4.5, atol=0.02)


def test_a_stack_is_lifted_as_it_is(new, request):
    if "bullet" in request.node.name:
        pytest.skip("Bullet's bodies are set onto new ground one by one")
    engine = new(at(12, 12, 0.5), at(12, 12, 1.5))
    engine.ground(FLAT + 2.0, 1.0)
    assert run(engine, 4.0) < 5
    assert_allclose(engine.motion.position[:, 2], (2.5, 3.5), atol=0.02)


def test_a_driven_body_goes_where_it_is_put_and_pushes(new):
    ram = at(8, 12, 0.5, moves="driven", mass=1.0)
    engine = new(ram, at(10, 12, 0.5), at(8, 12, 1.5))
    run(engine, 0.5)
    for i in range(100):
        engine.place(0, position=(8 + 0.03 * (i + 1), 12, 0.5))
        engine.step(0.02)
        assert_allclose(engine.motion.position[0], (8 + 0.03 * (i + 1), 12, 0.5), atol=1e-12)
        assert_allclose(engine.motion.velocity[0], (1.5, 0, 0), atol=1e-9)
    assert_allclose(engine.motion.position[1], (12, 12, 0.5), atol=0.1)  # 1 m ahead of the ram
    assert engine.motion.position[2, 0] > 10.5  # what stands on it rides along
    engine.step(0.02)
    assert_array_equal(engine.motion.velocity[0], 0)
    engine.place(0, rotation=from_axis((0, 0, 1), 0.1))
    engine.step(0.02)
    assert_allclose(engine.motion.spin[0], (0, 0, 5), atol=1e-9)


def test_a_fixed_body_holds_others_and_can_be_moved(new):
    engine = new(at(8, 12, 3, moves="fixed"), at(8, 12, 4))
    run(engine, 1.0)
    assert_allclose(engine.motion.position[:, 2], (3, 4), atol=0.005)
    engine.place(0, position=(20, 12, 3))
    run(engine, 2.0)
    assert_allclose(engine.motion.position, [(20, 12, 3), (8, 12, 0.5)], atol=0.01)


def test_removing_a_body_leaves_the_others_as_they_are(new):
    engine = new(at(8, 8, 2), at(12, 8, 3, spin=(1, 2, 3)), at(16, 8, 4))
    run(engine, 0.5)
    before = engine.motion
    engine.remove(1)
    assert engine.keys == (0, 2)
    for name in ("position", "rotation", "velocity", "spin"):
        assert_array_equal(getattr(engine.motion, name), getattr(before, name)[[0, 2]])
    assert engine.add(CRATE) == 3
    with pytest.raises(InputError, match="no body 1"):
        engine.place(1, position=(0, 0, 0))


def test_bodies_added_in_a_row_are_built_once(new, monkeypatch):
    engine, builds = new(), []
    build = engine.build
    monkeypatch.setattr(engine, "build", lambda: (builds.append(len(engine.keys)), build()))
    for i in range(20):
        engine.add(at(1 + i, 12, 0.5))
    run(engine, 0.1)
    engine.ground(FLAT + 0.01, 1.0)
    run(engine, 0.1)
    assert builds == [20]


def test_a_kept_engine_goes_on_to_the_bit(new, tmp_path):
    crates = [at(10 + 1.1 * i, 12, 1 + 1.2 * j, spin=(i, j, 1)) for i in range(3) for j in range(3)]
    first = new(*crates, at(5, 5, 1, moves="driven"))
    run(first, 1.0)
    first.push(np.full((10, 3), 50.0), np.full((10, 3), 20.0))
    first.place(9, position=(6, 5, 1))
    pack.save(tmp_path / "kept", first.keep())
    second = new(heights=None)
    second.recall(pack.load(tmp_path / "kept"))
    run(first, 1.0)
    run(second, 1.0)
    assert first.keys == second.keys
    for name in ("position", "rotation", "velocity", "spin"):
        assert_array_equal(getattr(first.motion, name), getattr(second.motion, name))


def test_a_force_moves_a_body_by_its_mass(new):
    engine = new(CRATE, at(9, 9, 9, mass=20.0), heights=None)
    engine.push([(500 * 10.0, 0, 500 * G), (0, 20 * 10.0, 20 * G)], np.zeros((2, 3)))
    run(engine, 1.0)  # held over all steps
    assert_allclose(engine.motion.velocity, [(10, 0, 0), (0, 10, 0)], atol=1e-6)


def test_a_torque_turns_a_lopsided_body_about_its_centre_of_mass(new):
    shape = Compound((Part(Box((1, 2, 0.5))), Part(Sphere(0.4), at=(2, 1, 0.5))))
    turn = from_axis((1, 2, 3), 0.7)
    spec = Spec(shape, 100.0, at=(5, 5, 5), rotation=tuple(turn))
    engine = new(spec, heights=None)
    engine.push([(0, 0, 100 * G)], [(3.0, -2.0, 1.0)])
    centre = engine.motion.position[0] + rotate(turn, shape.centroid)
    engine.step(0.02)
    inertia = matrix(turn) @ spec.inertia @ matrix(turn).T
    wanted = 0.02 * np.linalg.solve(inertia, (3.0, -2.0, 1.0))
    assert_allclose(engine.motion.spin[0], wanted, rtol=1e-3)
    run(engine, 2.0)
    m = engine.motion
    assert_allclose(m.position[0] + rotate(m.rotation[0], shape.centroid), centre, atol=1e-6)
    assert_allclose(m.velocity[0], 0, atol=1e-6)
    L = matrix(m.rotation[0]) @ spec.inertia @ matrix(m.rotation[0]).T @ m.spin[0]
    assert_allclose(L, 2.02 * np.array((3.0, -2.0, 1.0)), rtol=0.02)  # Euler's error


@pytest.mark.parametrize("shape", [Box((0.4, 0.4, 0.4)), Sphere(0.2)])
def test_a_fast_body_does_not_go_through_the_ground(new, shape):
    y, x = np.mgrid[:24, :32]
    engine = new(
        *(at(6.3 * k, 5.1 * k, 10, Spec(shape, 50.0), velocity=(0, 0, -50)) for k in (1, 2, 3)),
        heights=0.3 * np.sin(x) * np.cos(y),
    )
    run(engine, 3.0)
    position = engine.motion.position
    over = position[:, 2] - Ground(0.3 * np.sin(x) * np.cos(y), 1.0).under(*position[:, :2].T)[0]
    assert (over > 0.1).all() and (over < 3).all()


def test_walls_keep_bodies_in_unless_told_otherwise(new):
    inside = new(at(30, 12, 0.5, velocity=(20, 0, 0), friction=0.0))
    run(inside, 2.0)
    assert 20 < inside.motion.position[0, 0] < 32 and inside.motion.position[0, 2] > 0.4
    open_ = new(at(30, 12, 0.5, velocity=(20, 0, 0), friction=0.0), walls=False)
    run(open_, 2.0)
    assert open_.motion.position[0, 2] < -5


def test_a_bouncy_ball_comes_up_again(new):
    balls = [at(8 * k, 12, 1.3, Spec(Sphere(0.3), 50.0, bounce=e)) for k, e in ((1, 0.0), (2, 0.7))]
    engine, top = new(*balls), np.zeros(2)
    run(engine, 0.46)  # to the ground
    for _ in range(60):
        engine.step(0.02)
        top = np.maximum(top, engine.motion.position[:, 2] - 0.3)
    assert top[0] < 0.1
    assert 0.3 < top[1] < 0.7  # e² of a metre, nearly


def test_one_broken_body_does_not_take_the_others_with_it(new, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    engine = new(at(8, 12, 0.5), at(20, 12, 0.5), at(1e5, 12, 0.5))
    run(engine, 1.0)
    before = engine.motion
    engine.push([(1e300, 0, 0), (0, 0, 0), (0, 0, 0)], np.zeros((3, 3)))
    run(engine, 0.1)
    engine.push(np.zeros((3, 3)), np.zeros((3, 3)))
    run(engine, 0.5)
    assert np.isfinite(engine.motion.position).all()
    assert_allclose(engine.motion.position[1], before.position[1], atol=0.1)
    assert not os.listdir(tmp_path)  # and no log is written


def test_mistakes_are_told(new):
    engine = new(CRATE)
    with pytest.raises(InputError, match="force on body 0 is not finite"):
        engine.push([(0, 0, np.nan)], np.zeros((1, 3)))
    with pytest.raises(InputError, match=r"torque must have the shape \(1, 3\)"):
        engine.push(np.zeros((1, 3)), np.zeros(3))
    with pytest.raises(InputError, match="position"):
        engine.place(0, position=(0, 0, np.inf))
    with pytest.raises(InputError, match="ground"):
        engine.ground([[0, np.nan]], 1.0)
    with pytest.raises(InputError, match="free, fixed or driven"):
        Spec(Box((1, 1, 1)), 1.0, moves="loose")
    with pytest.raises(InputError, match="did you mean 'mujoco'"):
        make("mujocoo")
