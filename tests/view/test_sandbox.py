import numpy as np
import pytest
from ponds import CRATE, GATE, pond, touch

from koski import scenes
from koski.core import edges as rules
from koski.core.errors import InputError
from koski.core.loop import run_stable
from koski.view import facts
from koski.view import messages as m
from koski.view.sandbox import Origin, Sandbox

DT = 1 / 30


@pytest.fixture
def box():
    return Sandbox(pond())


def hold(box, tool, ticks=5, **where):
    """Hold a tool down for some ticks."""
    box.obey(touch(tool, **where))
    for _ in range(ticks):
        box.act(DT, DT)
        box.step(DT)
    box.obey(touch(tool, "up", **where))
    box.act(DT, DT)


def ground(box):
    return np.asarray(box.world.terrain.b)


def test_pouring_adds_water_where_the_hand_is(box):
    hold(box, "pour")
    v = box.world.volume
    assert v.came > 1 and v.now == pytest.approx(v.start + v.came, rel=1e-6)
    assert box.world.depth_at(16, 12) > box.world.depth_at(2, 2) + 0.05


def test_draining_takes_water_away(box):
    hold(box, "drain")
    assert box.world.volume.went > 1


def test_raining_pours_gently(box):
    hold(box, "rain")
    assert 0.1 < box.world.volume.came < 3


def test_dye_colours_the_water_there(box):
    hold(box, "dye")
    dye = np.asarray(box.world.frame.dyes["dye"])
    assert dye[12, 16] > 0.05 and dye[0, 0] == 0


def test_pushing_moves_the_water_along_with_the_hand(box):
    box.obey(touch("push", x=10))
    for x in (11.0, 12.0, 13.0):
        box.obey(touch("push", "move", x=x))
        box.act(DT, DT)
        box.step(DT)
    u, v = box.world.velocity_at(13, 12)
    assert u > 0.1 and abs(v) < 0.1 * u


@pytest.mark.parametrize(("tool", "sign"), [("dig", -1), ("raise", 1)])
def test_digging_and_raising_move_the_ground_until_undone(box, tool, sign):
    before = ground(box)
    hold(box, tool)
    after = ground(box)
    assert sign * (after - before)[12, 16] > 0.1 and (after == before)[0].all()
    box.obey(m.Undo())
    assert (ground(box) == before).all()
    box.obey(m.Redo())
    assert (ground(box) == after).all()
    with pytest.raises(InputError, match="nothing to do again"):
        box.obey(m.Redo())


def test_smoothing_takes_the_edge_off(box):
    hold(box, "raise", x=16.5, y=12.5, radius=2.0)
    rough = ground(box)
    hold(box, "smooth", x=16.5, y=12.5, radius=4.0)
    assert np.abs(np.diff(ground(box)[12])).max() < 0.8 * np.abs(np.diff(rough[12])).max()


def test_a_stroke_is_one_edit_and_old_ones_are_forgotten(box, monkeypatch):
    monkeypatch.setattr("koski.view.undo.MEMORY", 1000)
    for k in range(6):
        hold(box, "dig", ticks=2, x=6.0 + 3 * k)
    assert 1 < len(box.edits.done) < 6 and box.edits.size <= 1000


def test_a_tap_shorter_than_a_tick_acts_once(box):
    box.obey(touch("raise"))
    box.obey(touch("raise", "up"))
    before = ground(box)
    for _ in range(3):
        box.act(DT, DT)
    once = ground(box) - before
    assert once.max() > 0 and box.grip is None and len(box.edits.done) == 1


def test_many_messages_pour_no_more_than_one(box):
    def poured(moves):
        other = Sandbox(pond())
        other.obey(touch("pour"))
        for _ in range(3):
            for _ in range(moves):
                other.obey(touch("pour", "move"))
            other.act(DT, DT)
            other.step(DT)
        return other.world.volume.came

    assert poured(20) == pytest.approx(poured(0), rel=1e-5)


def test_nobody_digs_for_ever(box):
    low, high = box.limits
    box.obey(touch("dig", strength=10.0))
    for _ in range(300):
        box.act(DT, DT)
    assert ground(box).min() >= low and low < 0 < high


def test_a_hand_outside_the_world_does_nothing(box):
    hold(box, "pour", x=-50.0)
    assert box.world.volume.came == 0
    with pytest.raises(InputError, match="outside"):
        box.obey(m.Drop("crate", -5, 5, 1, 0))


def test_of_springs_that_overlap_the_one_is_removed_that_a_place_is_deepest_in(box):
    for x, radius in ((10, 6), (14, 2.0), (24, 0.5)):
        box.obey(m.Spring(x, 12, 1.0, radius))
    left = []
    for x in (13.5, 13.5, 25.9):  # the last is beside a spring, but within two cells of it
        box.obey(m.Unspring(x, 12))
        left.append([spring.x for spring in box.world.springs])
    assert left == [[10, 24], [24], []]


def test_a_second_click_removes_no_other_spring(box):
    for x in (8, 20):
        box.obey(m.Spring(x, 12, 1.0, 2.0))
    box.obey(m.Unspring(8, 12))
    with pytest.raises(InputError, match="nothing here to remove"):
        box.obey(m.Unspring(8, 12))
    assert [spring.x for spring in box.world.springs] == [20]


def test_springs_rain_and_edges_last_until_they_are_changed(box):
    box.obey(m.Spring(16, 12, 30.0, 2.0))
    box.obey(m.Rain(3600.0))
    box.step(DT)
    rate = 30.0 + 0.001 * 24 * 32
    assert box.world.volume.came == pytest.approx(rate * DT, rel=1e-4)
    box.obey(m.Unspring(17, 12))
    box.obey(m.Rain(0.0))
    box.step(DT)
    assert box.world.volume.came == pytest.approx(rate * DT, rel=1e-4)
    box.obey(m.Edge("west", "periodic", 0))
    assert isinstance(box.world.terrain.edges.east, rules.Periodic)
    box.obey(m.Edge("east", "level", 2.0))
    assert isinstance(box.world.terrain.edges.west, rules.Wall)
    assert box.info(1).edges[1] == m.EdgeInfo("east", "level", 2.0)


def test_a_knob_acts_and_never_compiles(box):
    box.step(DT)
    programs = run_stable._cache_size()
    box.obey(m.Knob("friction", 0.9))
    box.obey(m.Knob("manning", 0.1))
    hold(box, "pour", ticks=1)
    assert run_stable._cache_size() == programs
    assert box.world.solver.friction == 0.9 and box.world.solver.manning == 0.1
    with pytest.raises(InputError, match="friction must be"):
        box.obey(m.Knob("friction", 2.0))
    with pytest.raises(InputError, match="no number"):
        box.obey(m.Knob("fiction", 0.2))


@pytest.mark.parametrize("prop", ["crate", "log", "boulder", "ball", "car", "gate"])
def test_each_thing_comes_down_above_what_is_there(box, prop):
    box.obey(m.Drop(prop, 10, 10, 1, 0.3))
    (body,) = box.world.bodies
    lowest = box.world.height_at(10, 10) if prop != "gate" else ground(box)[10, 10]
    assert body.position[2] > lowest
    assert body.kind == ("floater" if prop in ("crate", "log", "ball") else "blocker")
    box.obey(m.Drop(prop, 10, 10, 1, 0.3))
    if prop != "gate":
        assert box.world.bodies[1].position[2] > body.position[2]
    box.obey(m.Unbody(body.key))
    box.obey(m.Clean())
    assert not box.world.bodies


def test_clean_leaves_what_belongs_to_the_scene():
    box = Sandbox(pond(CRATE))
    box.obey(m.Drop("ball", 10, 10, 1, 0))
    box.obey(m.Clean())
    assert [body.key for body in box.world.bodies] == [0]


def test_hands_drag_bodies_and_lift_gates_and_a_new_solver_keeps_the_water():
    box = Sandbox(pond(CRATE, GATE))
    crate, gate = box.world.bodies
    assert (crate.kind, gate.kind) == ("floater", "blocker")
    box.obey(touch("grab", x=8, z=4, body=0))
    box.obey(touch("grab", "move", x=14, z=4, body=0))
    for _ in range(20):
        box.act(DT, DT)
        box.step(DT)
    assert crate.position[0] > 11
    box.obey(touch("lift", z=2, body=1))
    box.obey(touch("lift", "move", z=3.5, body=1))
    for _ in range(40):
        box.act(DT, DT)
        box.step(DT)
    box.obey(touch("lift", "up", z=3.5, body=1))
    box.act(DT, DT)
    box.step(DT)
    assert gate.position[2] == pytest.approx(3.5, abs=0.01)
    before = box.world.volume
    for message in (m.Coupling("one-layer"), m.Solver("pipe"), m.Coupling("floaters")):
        box.obey(message)
        after = box.world.volume
        assert after.now == pytest.approx(before.now, rel=1e-6)
        assert abs(after.drift) < 1e-6
    assert {body.kind for body in box.world.bodies} == {"floater"}
    box.obey(m.Coupling("mixed"))
    assert (crate.kind, gate.kind) == ("floater", "blocker")
    with pytest.raises(InputError, match="drag it"):
        box.obey(touch("lift", body=0))
        box.act(DT, DT)
    with pytest.raises(InputError, match="no such body"):
        box.obey(touch("grab", body=77))


@pytest.mark.long
@pytest.mark.parametrize("name", scenes.names())
def test_every_scene_can_be_told_to_a_page(name):
    box = Sandbox(Origin.named(name, 32))
    world = box.world
    told = [box.info(1), m.Bodies(1, 1, facts.bodies_told(world.bodies))]
    told.append(m.Springs(facts.springs_told(world.springs)))
    assert all(m.write(message) for message in told)
    assert len(world.poses) == len(world.bodies)
