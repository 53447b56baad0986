"""Bodies of a user's own MuJoCo model in a world's water."""

import subprocess
import sys

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

import koski
import koski.mujoco
from koski.bodies.turns import from_axis

SIDE, CELL, DEPTH = 32, 0.25, 1.0  # one pond for most tests: it compiles once
LOOP = koski.Edges(west=koski.Periodic(), east=koski.Periodic())  # a channel without ends
LIGHT = '<geom type="box" size=".5 .4 .3" density="500" rgba="1 0 0 1"/>'


def pond(velocity=None, edges=None, **how):
    terrain = koski.Terrain.create(np.zeros((SIDE, SIDE)), CELL, edges)
    return koski.World(terrain, depth=DEPTH, velocity=velocity, **how)


def load(inside, before="", timestep=0.002):
    """A model of what is inside its worldbody."""
    option = f'<option timestep="{timestep}"/>'
    xml = f"<mujoco>{option}{before}<worldbody>{inside}</worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(xml)
    return model, mujoco.MjData(model)


def free(geoms=LIGHT, at="4 4 1", name="hull", turn="1 0 0 0"):
    return f'<body name="{name}" pos="{at}" quat="{turn}"><freejoint/>{geoms}</body>'


def run(model, data, water, seconds, before=lambda: None):
    for _ in range(round(seconds / model.opt.timestep)):
        before()
        mujoco.mj_step(model, data)
        water.step()


# ── floating ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["floater", "blocker"])
def test_a_box_half_as_dense_as_water_floats_half_under(kind):
    model, data = load(free(at="4 4 1.3"))
    water = koski.mujoco.Water(model, data, pond(), bodies=["hull"], kind=kind)
    run(model, data, water, 5)
    (body,) = water.bodies
    assert body.kind == kind and body.color == (1, 0, 0)
    assert_allclose(body.submerged, 0.5, rtol=0.03)
    assert_allclose(body.force[2], 240 * 9.81, rtol=0.03)
    assert np.abs(data.qvel).max() < 0.02
    assert_allclose(body.position, data.body("hull").xpos, atol=1e-3)  # of the last stretch


@pytest.mark.long
def test_a_model_may_lie_anywhere_beside_the_world():
    heights = []
    for x, y, z in ((0, 0, 0), (-40, 30, 7)):
        model, data = load(free(at=f"{x + 4} {y + 4} {z + 1.1}"))
        water = koski.mujoco.Water(model, data, pond(), origin=(x, y, z))
        run(model, data, water, 1)
        heights.append(data.qpos[:3] - (x, y, z))
    assert_allclose(*heights, atol=1e-4)  # the water is of float32


def buoy():
    return """<body name="buoy" pos="4 2 0"><joint name="foot" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 .5" size=".02" contype="0" conaffinity="0" mass="1"/>
        <geom type="box" pos="0 0 .5" size=".3 .3 .3" density="200"/></body>"""


def test_a_buoy_on_a_hinged_rod_stands_up():
    model, data = load(buoy())
    data.qpos[0] = 0.7
    water = koski.mujoco.Water(model, data, pond())
    run(model, data, water, 6)
    assert abs(data.qpos[0]) < 0.02
    assert_allclose(water.bodies[0].submerged, 1, rtol=1e-3)
    assert_allclose(water.bodies[0].force[2], 0.216 * 9810, rtol=0.01)


@pytest.mark.long
def test_a_current_carries_what_is_free_and_leans_on_what_is_held():
    model, data = load(free(at="4 5 1") + buoy())
    water = koski.mujoco.Water(model, data, pond(velocity=(0.5, 0.0), edges=LOOP))
    run(model, data, water, 8)
    assert_allclose(data.qvel[:2], (0.5, 0), atol=0.05)  # drag dies away as it catches up
    assert 0.02 < data.joint("foot").qpos[0] < 0.7


@pytest.mark.long
def test_a_ballasted_body_rights_itself():
    """The weight is a welded child, far below the middle of the volume, and of no shape."""
    weight = '<body pos="0 0 -.25"><geom size=".05" mass="100" contype="0" conaffinity="0"/></body>'
    turn = from_axis(np.array([0.0, 1, 0]), np.array(0.8))
    model, data = load(free(LIGHT + weight, turn=" ".join(map(str, turn))))
    water = koski.mujoco.Water(model, data, pond(), bodies="hull")
    run(model, data, water, 6)
    assert_allclose(water.bodies[0].mass, 340)
    assert_allclose(water.bodies[0].submerged, 0.34 / 0.48, rtol=0.03)
    assert data.body("hull").xmat[8] > 0.999


@pytest.mark.long
def test_a_welded_child_is_as_a_part_of_the_body():
    """MuJoCo takes forces at the centre of mass of one body, without those welded to it."""
    ends = []
    for weight in ('<geom pos=".3 .1 0" {}/>', '<body pos=".3 .1 0"><geom {}/></body>'):
        ball = weight.format('size=".05" mass="60" contype="0" conaffinity="0"')
        model, data = load(free(LIGHT + ball))
        run(model, data, koski.mujoco.Water(model, data, pond(), bodies=["hull"]), 2)
        ends.append(data.qpos.copy())
    assert abs(ends[0][5]) > 0.05  # it trims
    assert_allclose(*ends, atol=1e-3)  # the arm turns a little while the force is held


# ── blocking ─────────────────────────────────────────────────────────────────────────────


def test_a_blocker_raises_the_lake_by_what_it_displaces():
    """By V / A.  Its sides lie along the cells', which it would else block more or less of."""
    model, data = load(free('<geom type="box" size=".5 .5 .3" density="500"/>', at="4 4 1.01"))
    world = pond()
    water = koski.mujoco.Water(model, data, world, kind="blocker")
    run(model, data, water, 6)
    levels = []
    for _ in range(40):  # it still bobs by millimetres
        run(model, data, water, 0.1)
        levels.append(np.asarray(world.frame.depth)[np.isinf(world.state.top)].mean())
    assert_allclose(np.mean(levels) - DEPTH, 0.3 / (SIDE * CELL) ** 2, rtol=0.02)
    assert abs(world.volume.drift) < 1e-6


@pytest.mark.long
def test_what_is_welded_to_the_models_world_stands_in_the_waters_way():
    model, data = load(f'<body name="pier" pos="4 4 1">{LIGHT}</body>')
    water = koski.mujoco.Water(model, data, pond(), bodies=["pier"])
    run(model, data, water, 0.1)
    assert water.bodies[0].kind == "blocker"
    assert_allclose(water.bodies[0].submerged, 0.5, rtol=0.03)


# ── keeping in step with the model ───────────────────────────────────────────────────────


@pytest.mark.long
def test_the_water_follows_the_models_clock():
    for timestep in (0.002, 0.003, 0.02):
        model, data = load(free(), timestep=timestep)
        world = pond()
        water = koski.mujoco.Water(model, data, world)
        run(model, data, water, 0.3)
        assert 0 <= data.time - world.t + 1e-6 < 0.02
        before = world.t
        mujoco.mj_resetData(model, data)
        run(model, data, water, 0.1)
        assert 0.07 < world.t - before < 0.11  # time that went back is no time


def test_velocities_are_those_of_the_centres_of_mass():
    arm = f"""<body name="arm" pos="1 .2 0"><joint axis="1 2 3"/>{LIGHT}
        <body pos="0 .5 0" euler="20 30 40"><geom size=".3" mass="80"/></body></body>"""
    model, data = load(free(LIGHT + arm))
    rng = np.random.default_rng(0)
    data.qvel[:] = rng.normal(size=model.nv)
    data.qpos[3:] += rng.normal(size=model.nq - 3)
    water = koski.mujoco.Water(model, data, pond(), bodies=["arm"])
    pose, speed = water.look()
    mujoco.mj_forward(model, data)
    seen = np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, 2, seen, 0)
    spin, velocity = seen[:3], seen[3:] + np.cross(seen[:3], data.subtree_com[2] - data.xpos[2])
    assert_allclose(pose[0, :3], data.subtree_com[2], atol=1e-12)
    assert_allclose(speed[0], [*velocity, *spin], atol=1e-12)


def test_mass_and_inertia_are_the_models():
    child = (
        '<body pos="1 2 .5" euler="40 20 10"><geom type="capsule" size=".2 .4" mass="7"/></body>'
    )
    model, data = load(free(LIGHT + child))
    water = koski.mujoco.Water(model, data, pond(), bodies=["hull"])
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    shape, c = water.bodies[0].shape, data.subtree_com[1] - data.xpos[1]
    about = full[3:, 3:] - 247 * (c @ c * np.eye(3) - np.outer(c, c))
    assert_allclose(shape.centroid, c, atol=1e-12)
    assert_allclose(247 / shape.volume * shape.inertia, about, atol=1e-9)


def test_the_users_own_forces_survive():
    model, data = load(free())
    water = koski.mujoco.Water(model, data, pond(), drag=0)
    hull = data.body("hull")
    data.xfrc_applied[1, 0] = 30.0  # once, and left there
    run(model, data, water, 1)
    assert_allclose(hull.xfrc_applied[0], 30)
    assert_allclose(data.qvel[0], 30 / 240 * 1.0, rtol=0.02)  # no drag, and little slope

    def push():
        hull.xfrc_applied[:] = 0, 20, 0, 0, 0, 0  # anew each time, all of it

    def hang():
        mujoco.mj_step(model, data)
        push()
        water.step()
        assert_allclose(hull.xfrc_applied[:2], (0, 20), atol=1e-2)
        assert_allclose(hull.xfrc_applied[2], water.bodies[0].force[2])

    for _ in range(40):
        hang()
    assert_allclose(hull.xfrc_applied[2], 240 * 9.81, rtol=0.1)
    water.close()
    assert_allclose(hull.xfrc_applied, (0, 20, 0, 0, 0, 0))
    assert water.world.bodies == ()


def test_bodies_of_the_world_float_beside_those_of_the_model(tmp_path):
    world = pond()
    raft = world.drop(koski.Box((1.0, 0.8, 0.6)), at=(2, 2, 1.1))
    model, data = load(free(at="6 6 1.1"))
    water = koski.mujoco.Water(model, data, world)
    run(model, data, water, 3)
    assert world.bodies == (raft, *water.bodies)
    assert_allclose([raft.submerged, water.bodies[0].submerged], 0.5, rtol=0.03)
    world.save(tmp_path / "world.npz")
    again = koski.World.load(tmp_path / "world.npz")
    assert_allclose(again.bodies[1].position, water.bodies[0].position)


# ── shapes ───────────────────────────────────────────────────────────────────────────────

MESHES = """<asset><mesh name="wedge" vertex="0 0 0  2 0 0  0 1 0  0 0 1"/>
    <mesh name="ball" builtin="sphere" params="2"/><mesh name="fine" builtin="sphere" params="4"/>
    <mesh name="open" vertex="0 0 0  2 0 0  0 1 0  0 0 1" face="0 2 1  0 1 3  0 3 2"
          inertia="convex"/></asset>"""


@pytest.mark.parametrize(
    "geom",
    [
        'type="box" size=".5 .4 .3"',
        'type="sphere" size=".5"',
        'type="capsule" size=".2 .5"',
        'type="cylinder" size=".2 .5"',
        'type="ellipsoid" size=".2 .3 .5"',
        *(f'type="mesh" mesh="{name}"' for name in ("wedge", "ball", "fine", "open")),
    ],
)
def test_a_shape_is_its_geom(geom):
    model, _ = load(free(f'<geom {geom} density="500" pos=".1 0 0" euler="20 30 40"/>'), MESHES)
    shape, mass = koski.mujoco.laden(model, 1)
    solid = koski.Compound(shape.members)
    assert_allclose(solid.volume, mass / 500, rtol=1e-3)
    assert_allclose(solid.centroid, shape.centroid, atol=0.01)
    assert_allclose(solid.inertia, shape.inertia, atol=0.02 * np.trace(shape.inertia))


def test_geoms_that_touch_nothing_are_left_out_unless_there_are_no_others():
    seen = '<geom type="sphere" size="2" contype="0" conaffinity="0" mass="0"/>'
    model, _ = load(free(LIGHT + seen))
    assert_allclose(koski.mujoco.laden(model, 1)[0].volume, 0.48)
    model, _ = load(free(seen + seen.replace('mass="0"', 'mass="1"')))
    assert len(koski.mujoco.laden(model, 1)[0].members) == 2


def test_the_ground_of_a_world_is_that_of_the_model():
    b = np.random.default_rng(0).uniform(1, 3, (5, 7))
    world = koski.World(koski.Terrain.create(b, cell=0.5))
    spec = mujoco.MjSpec()
    koski.mujoco.ground(spec, world, origin=(1, 2, 3))
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    hit, down = np.zeros(1, np.int32), np.array([0.0, 0, -1])
    for j, i in np.ndindex(b.shape):
        eye = np.array([1.250001 + 0.5 * i, 2.250001 + 0.5 * j, 20])
        far = mujoco.mj_ray(model, data, eye, down, None, 1, -1, hit)
        assert_allclose(20 - far - 3, b[j, i], atol=1e-4)


# ── mistakes ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("inside", "how", "words"),
    [
        (free(), {"bodies": ["hul"]}, "no body 'hul': did you mean 'hull'"),
        (free(), {"bodies": []}, "at least one body"),
        (free(), {"bodies": ["hull", "hull"]}, "are one body to the water"),
        (free(), {"kind": "boat"}, "'hull': a body is a floater, a blocker or auto"),
        (free(), {"every": 1.0}, "every must be a number from 0.0001 to 0.02"),
        (free(), {"origin": (100, 0, 0)}, "'hull': a body at .* is outside the world"),
        ('<body name="tag"/>', {"bodies": ["tag"]}, "'tag' has no geoms"),
        ('<body name="tag"/>', {}, "no body of the model moves"),
    ],
)
def test_mistakes_are_told_in_one_sentence(inside, how, words):
    with pytest.raises(koski.InputError, match=words):
        koski.mujoco.Water(*load(inside), pond(), **how)


def test_a_world_has_one_water_at_a_time():
    model, data = load(free())
    world = pond()
    first = koski.mujoco.Water(model, data, world)
    with pytest.raises(koski.InputError, match="already"):
        koski.mujoco.Water(model, data, world)
    first.close()
    assert koski.mujoco.Water(model, data, world).bodies


def test_other_mistakes_are_told_too():
    model, data = load(free())
    with pytest.raises(koski.InputError, match="data must be a MjData"):
        koski.mujoco.Water(model, model, pond())
    with pytest.raises(koski.InputError, match="engine is 'mujoco', not 'bullet'"):
        koski.mujoco.Water(model, data, pond(engine="bullet"))
    water = koski.mujoco.Water(model, data, pond())
    data.qpos[2], data.time = np.nan, 1.0
    with pytest.raises(koski.InputError, match="'hull' has no pose"):
        water.step()


def test_without_mujoco_it_says_what_to_install():
    code = "import sys; sys.modules['mujoco'] = None; import koski.mujoco"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "this needs mujoco: run  pip install 'koski[bodies]'" in done.stderr
