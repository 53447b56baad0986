"""The shell people use: pour, drain, dig, push, dye, look, keep."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import koski
from everything import SOLVERS, few_solvers, rough


def pond(solver=None, level=2.0, n=24, cell=2.0, edges=None):
    terrain = koski.Terrain.create(rough(n, n, seed=3), cell=cell, edges=edges)
    return koski.World(terrain, depth=np.maximum(level - terrain.b, 0), solver=solver)


@few_solvers
def test_the_ledger_agrees_with_the_water_whatever_hands_do(solver):
    world = pond(solver, edges=koski.Edges(west=koski.Level(2.5), east=koski.Drain()))
    world.rain(2e-4)
    world.evaporate(1e-5)
    world.spring(10, 20, discharge=1.5, radius=4)
    world.spring(30, 30, discharge=-0.5, radius=4)
    for _ in range(20):
        world.pour(20, 20, volume=5.0, radius=5)
        world.drain(35, 12, volume=3.0, radius=5)
        world.push(24, 24, 2.0, -1.0, radius=8)
        world.dig(12, 30, 0.1, radius=6)
        world.raise_(30, 12, 0.1, radius=6)
        world.step(0.2)
    v = world.volume
    assert v.came > 0 and v.went > 0
    assert v.now == pytest.approx(v.start + v.came - v.went, rel=1e-6)
    assert abs(v.drift) < 1e-6


def test_what_is_poured_and_drained_is_booked_to_the_litre():
    world = pond(level=2.0)
    start = world.volume.now
    world.pour(24, 24, volume=50.0, radius=6)
    world.step(0.5)
    assert world.volume.came == pytest.approx(50.0, rel=1e-5)
    assert world.volume.now - start == pytest.approx(50.0, rel=1e-4)
    world.drain(24, 24, volume=20.0, radius=6)
    world.step(0.5)
    assert world.volume.went == pytest.approx(20.0, rel=1e-5)


def test_light_rain_on_a_deep_lake_is_not_lost_to_rounding():
    world = koski.World(koski.Terrain.create(np.zeros((8, 8))), depth=50.0)
    world.rain(1e-6)  # a step's rain is far below the lake's float32 spacing
    for _ in range(20):
        world.step(5.0)
    assert world.volume.now - world.volume.start == pytest.approx(64 * 1e-4, rel=1e-3)


def test_draining_more_than_there_is_leaves_the_ground_dry_not_negative():
    world = koski.World(koski.Terrain.create(np.zeros((8, 8))), depth=0.01)
    world.drain(4, 4, volume=1e6, radius=20)
    world.step(0.1)
    assert float(world.frame.depth.min()) >= 0
    assert world.volume.now == pytest.approx(0.64 - world.volume.went, abs=1e-6)


def test_a_push_gives_the_water_the_velocity_asked_for():
    for name, solver in SOLVERS.items():
        if "rough" in name:
            continue
        world = koski.World(koski.Terrain.create(np.zeros((32, 32))), depth=2.0, solver=solver)
        world.push(16, 16, u=0.5, v=-0.25, radius=12)
        world.step(1e-3)
        assert_allclose(world.velocity_at(16, 16), [0.5, -0.25], rtol=0.1, err_msg=name)


def test_points_are_read_at_cell_centres_and_between_them():
    b = np.arange(12.0).reshape(3, 4)
    world = koski.World(koski.Terrain.create(b, cell=2.0), depth=0.5)
    assert world.height_at(1.0, 1.0) == pytest.approx(0.5)
    assert world.height_at(7.0, 5.0) == pytest.approx(11.5)
    assert_allclose(world.height_at([2.0, 1.0], [1.0, 2.0]), [1.0, 2.5])
    assert world.depth_at(np.full((2, 3), 3.0), 1.0).shape == (2, 3)
    assert world.velocity_at([1.0, 2.0], [1.0, 2.0]).shape == (2, 2)
    normal = world.normal_at(4.0, 3.0)  # a plane rising 0.5 along x and 2 along y per metre
    assert_allclose(normal, np.array([-0.5, -2.0, 1.0]) / np.sqrt(5.25), rtol=1e-5)


def test_looking_has_no_lag():
    world = koski.World(koski.Terrain.create(np.zeros((16, 16))), depth=1.0)
    world.pour(8, 8, volume=10.0, radius=2)
    world.step(1e-3)
    assert world.height_at(8, 8) == pytest.approx(float(world.frame.surface[7:9, 7:9].mean()))


def test_an_older_frame_outlives_the_steps_after_it():
    world = pond()
    old = world.frame
    before = np.array(old.depth)
    world.pour(24, 24, 100.0, 6)
    world.step(1.0)
    assert_array_equal(old.depth, before)


def test_dug_ground_takes_the_water_down_and_raised_ground_lifts_it():
    world = koski.World(koski.Terrain.create(np.zeros((20, 20))), depth=1.0)
    world.dig(10, 10, 0.5, radius=5)
    assert world.height_at(9.5, 9.5) < 0.7
    world.step(30.0)
    assert world.depth_at(9.5, 9.5) > 1.3
    world.raise_(10, 10, 3.0, radius=5)
    world.step(60.0)
    assert world.depth_at(9.5, 9.5) == pytest.approx(0, abs=1e-3)
    steep = np.ptp(np.asarray(world.terrain.b))
    for _ in range(20):
        world.smooth(10, 10, radius=8)
    assert np.ptp(np.asarray(world.terrain.b)) < 0.8 * steep
    assert abs(world.volume.drift) < 1e-6


@few_solvers
def test_dye_is_carried_whole_and_stays_within_its_range(solver):
    world = pond(solver)
    world.spring(24, 24, discharge=2.0, radius=4, dyes={"ink": 1.0})
    world.dye(20, 28, amount=3.0, radius=4, name="salt")
    for _ in range(40):
        world.step(0.25)
    water = world.state.water
    amount = {n: float(np.asarray(m, np.float64).sum()) * 4.0 for n, m in water.dyes.items()}
    assert amount["salt"] == pytest.approx(3.0, rel=1e-6)
    assert amount["ink"] == pytest.approx(2.0 * 10.0, rel=1e-6)
    wet = np.asarray(world.frame.depth) > 1e-3
    ink = np.asarray(world.frame.dyes["ink"])[wet]
    assert ink.min() > -1e-5 and ink.max() < 1 + 1e-4


@pytest.mark.parametrize("solver", [koski.Pipe(), koski.ShallowWater(manning=0.02)])
def test_a_saved_world_goes_on_to_the_same_bits(tmp_path, solver):
    def live(world):
        world.pour(20, 20, 10.0, 4)
        world.step(0.7)

    def make():
        world = pond(solver, edges=koski.Edges(west=koski.Inflow(2.0), east=koski.Drain()))
        world.rain(1e-5)
        world.spring(10, 20, 1.0, 3, {"ink": 0.5})
        live(world)
        world.pour(24, 24, 5.0, 4)  # not yet fallen when saved
        return world

    through = make()
    make().save(tmp_path / "w.koski")
    again = koski.World.load(tmp_path / "w.koski")
    for world in (through, again):
        live(world)
    kept = jax.tree.leaves((through.state, through.terrain))
    for a, b in zip(kept, jax.tree.leaves((again.state, again.terrain)), strict=True):
        assert_array_equal(a, b)
    assert again.volume == through.volume and again.solver == through.solver


def test_a_save_that_is_killed_leaves_the_old_file_whole(tmp_path):
    path = tmp_path / "w.koski"
    pond().save(path)
    code = f"""
        import numpy as np, koski, os
        world = koski.World(koski.Terrain.create(np.zeros((600, 600))), depth=1.0)
        print("ready", flush=True)
        while True:
            world.save({str(path)!r})
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "ready\n"
    for _ in range(20):
        assert koski.World.load(path).volume.now > 0  # whole at every moment
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert koski.World.load(path).volume.now > 0


@pytest.mark.parametrize("damage", ["short", "text", "empty", "missing", "npz"])
def test_a_damaged_file_is_refused_in_one_sentence(tmp_path, damage):
    path = tmp_path / "w.koski"
    pond().save(path)
    if damage == "short":
        path.write_bytes(path.read_bytes()[:-2000])
    elif damage == "text":
        path.write_text("hello")
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "missing":
        path.unlink()
    else:
        np.savez(path, tree=np.array('{"format": "koski 1", "what": {"function": "os:system"}}'))
        os.replace(str(path) + ".npz", path)
    with pytest.raises(koski.InputError) as e:
        koski.World.load(path)
    assert "\n" not in str(e.value)


def test_a_saved_file_can_name_nothing_but_koskis_own(tmp_path):
    from koski import pack

    for name in ("os:system", "koski.pack:os", "koski.world:World.save", "koski.cli:sys"):
        with pytest.raises(koski.InputError):
            pack.build({"function": name}, {})
        with pytest.raises(koski.InputError):
            pack.build({"is": name, "with": {}}, {})


@pytest.mark.parametrize(
    "act",
    [
        lambda w: w.pour(1e6, 0, 1.0),
        lambda w: w.pour(5, 5, -1.0),
        lambda w: w.pour(5, 5, float("nan")),
        lambda w: w.push(5, 5, float("inf"), 0),
        lambda w: w.dig(5, 5, "deep"),
        lambda w: w.rain(-1),
        lambda w: w.rain(np.ones((3, 3))),
        lambda w: w.rain(np.full((24, 24), np.nan)),
        lambda w: w.step(-1),
        lambda w: w.step(float("nan")),
        lambda w: list(w.frames(fps=0, seconds=1)),
        lambda w: koski.World(3),
        lambda w: koski.World("rivr"),
        lambda w: koski.World(w.terrain, depth=-1),
        lambda w: koski.World(w.terrain, depth=np.ones((3, 3))),
        lambda w: koski.World(w.terrain, depth=np.full((24, 24), np.nan)),
        lambda w: koski.World(w.terrain, depth=1, velocity=np.ones(5)),
        lambda w: koski.World(np.zeros((9, 9))),
        lambda w: koski.World(w.terrain, solver="pip"),
        lambda w: koski.World(w.terrain, solver=koski.Pipe),
        lambda w: koski.World(w.terrain, engine="newton"),
        lambda w: w.use(koski.Pipe(friction=2.0)),
        lambda w: w.use(koski.Pipe(cfl=0.0)),
        lambda w: w.use(koski.ShallowWater(manning=np.full((24, 24), np.nan))),
        lambda w: w.use(koski.TwoLayer(base=koski.Pipe(cfl=3.0))),
        lambda w: w.use(koski.Columns(cfl=0.9)),
        lambda w: w.use(koski.Wave(theta=0.0)),
        lambda w: w.rain(1e30),
        lambda w: w.rain(np.full((24, 24), -1e-3)),
        lambda w: w.dig(5, 5, 1e300),
        lambda w: w.spring(5, 5, 1, dyes={"ink": "much"}),
        lambda w: w.height_at([1, 2, 3], [1, 2]),
        lambda w: w.height_at("here", 1),
        lambda w: w.drop(koski.Box((1, 1, 1)), (5, 5, 5), path=[(0, 0, 0)]),
        lambda w: w.drop(koski.Box((1, 1, 1)), (5, 5, 5), density=0.1),
        lambda w: w.drop(koski.Box((1, 1, 1)), (5, 5, 5), velocity=(1e4, 0, 0)),
        lambda w: w.save(Path(__file__) / "w.koski"),
    ],
)
def test_a_users_mistake_is_told_in_one_sentence_and_changes_nothing(act):
    world = pond()
    before = world.volume
    with pytest.raises(koski.InputError) as e:
        act(world)
    assert "\n" not in str(e.value) and len(str(e.value)) < 300
    assert world.volume == before


def test_a_stroke_acts_once_whatever_the_seconds_are_given_as():
    world = pond()
    world.pour(24, 24, 10.0, radius=5.0)
    world.step("0.5")
    world.step(0.5)
    assert world.volume.came == pytest.approx(10.0, rel=1e-5)


def test_a_brush_reaches_its_depth_wherever_it_is_put():
    for x in (24.0, 24.5, 25.3):
        world = pond()
        before = np.asarray(world.terrain.b)
        world.dig(x, 24.0, 1.0)
        assert np.min(world.terrain.b - before) == pytest.approx(-1.0, abs=1e-5)


def test_a_solver_may_be_ones_own():
    class Mine:
        cfl = 0.5

        def __getattr__(self, name):
            return getattr(koski.Pipe(), name)

        def step(self, *args):
            return koski.Pipe().step(*args)

    jax.tree_util.register_static(Mine)
    world = koski.World(pond().terrain, depth=1.0, solver=Mine())
    world.step(0.1)
    assert world.t == pytest.approx(0.1)


def test_a_solver_may_be_named():
    assert isinstance(koski.World(pond().terrain, solver="linear").solver, koski.LinearShallowWater)
    assert "Pipe" in repr(koski.World(pond().terrain, solver="pipe"))


@settings(max_examples=8, deadline=None, derandomize=True)
@given(
    strokes=st.lists(
        st.tuples(
            st.sampled_from(["pour", "drain", "dig", "raise_", "push", "dye", "smooth"]),
            st.floats(0, 48),
            st.floats(0, 48),
            st.floats(0, 50),
            st.floats(0, 30),
        ),
        max_size=12,
    )
)
def test_random_brushes_never_break_the_water(strokes):
    world = pond(koski.ShallowWater())
    for kind, x, y, amount, radius in strokes:
        if kind == "push":
            world.push(x, y, amount, -amount, radius)
        elif kind == "smooth":
            world.smooth(x, y, radius)
        else:
            getattr(world, kind)(x, y, amount, radius=radius)
        world.step(0.1)
    frame = world.frame
    assert np.isfinite(frame.surface).all() and np.isfinite(frame.velocity).all()
    assert float(frame.depth.min()) >= 0
    assert abs(world.volume.drift) < 2e-6


def test_frames_come_at_the_rate_asked_for():
    times = [float(f.t) for f in pond().frames(fps=20, seconds=0.5)]
    assert_allclose(times, np.arange(1, 11) / 20, rtol=1e-5)
