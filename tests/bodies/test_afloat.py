"""Bodies in worlds: they float, sink, drift, are saved, and refuse nonsense."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import koski
from koski.bodies.forces import SLOW
from koski.validate.bodies import thrown
from koski.validate.floating import SHAPES, afloat


def pond(n=32, depth=3.0, cell=1.0, solver=None, **kw):
    terrain = koski.Terrain.create(np.zeros((n, n)), cell=cell)
    return koski.World(terrain, depth=depth, solver=solver or koski.Pipe(), **kw)


def river(n=24, speed=1.0, **kw):
    edges = koski.Edges(west=koski.Periodic(), east=koski.Periodic())
    terrain = koski.Terrain.create(np.zeros((n, 64)), edges=edges)
    return koski.World(
        terrain, depth=3.0, solver=koski.Pipe(friction=0.0), velocity=(speed, 0.0), **kw
    )


@pytest.mark.long
@pytest.mark.parametrize("kind, cells", [("floater", 2), ("blocker", 4)])
def test_bodies_lie_as_deep_as_archimedes_says(kind, cells):
    names = list(product(SHAPES, ["tilted"], [300.0, 800.0]))
    for name, body in zip(names, afloat(cells, kind, *names, seconds=20.0)):
        # still bobbing by a centimetre or two in each other's waves
        assert abs(body.displaced - 1) < 0.06, name
        assert kind == "floater" or abs(body.rise - 1) < 0.1


def test_a_box_that_is_half_awash_does_not_swing():
    (box,) = afloat(10, "blocker", ("box", "tilted", 900.0), seconds=20.0)
    assert abs(box.displaced - 1) < 0.03 and abs(box.rise - 1) < 0.02
    assert box.speed < 0.01 and box.spin < 0.02 and box.dent < 0.02


@pytest.mark.parametrize("kind", [pytest.param("floater", marks=pytest.mark.long), "blocker"])
def test_a_box_comes_to_rest_at_its_draught_and_the_lake_has_no_dent(kind):
    world = pond(48, depth=4.0, cell=0.5, coupling="two-layer")
    box = world.drop(koski.Box((2, 2, 2)), at=(12.1, 11.9, 4.4), density=600, kind=kind)
    for _ in range(60):
        world.step(1.0)
    level = float(np.median(world.frame.surface))
    assert np.linalg.norm(box.velocity) < 0.01 and np.linalg.norm(box.spin) < 0.02
    assert_allclose(level - (box.position[2] - 1), 2 * 0.6, rtol=0.03)
    assert_allclose(box.submerged, 0.6, rtol=0.03)
    assert np.abs(np.asarray(world.frame.surface) - level).max() < 0.02
    if kind == "blocker":
        rise = 0.6 * 8 / 24**2
        assert abs((level - 4.0) / rise - 1) < 0.02 + 2e-3 / rise  # ripples of a millimetre or two
    assert abs(world.volume.drift) < 1e-6


@pytest.mark.long
def test_what_is_denser_than_water_sinks():
    world = pond()
    stone = world.drop(koski.Sphere(0.8), at=(16, 16, 3), density=1100)
    assert stone.kind == "blocker"
    for _ in range(20):
        world.step(1.0)
    assert stone.position[2] == pytest.approx(0.8, abs=0.05)
    assert stone.submerged == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("kind", [pytest.param("floater", marks=pytest.mark.long), "blocker"])
def test_a_log_in_a_current_reaches_its_speed(kind):
    world = river()
    log = world.drop(
        koski.Capsule(0.4, 3.0),
        at=(10, 12, 3.0),
        density=600,
        kind=kind,
        rotation=(0.7071, 0, 0.7071, 0),
        drag=5.0,
    )
    for _ in range(20):
        world.step(1.0)
    assert log.velocity[0] == pytest.approx(1.0, rel=0.1)


@pytest.mark.long
def test_a_floater_drifts_from_cell_to_cell_with_few_waves_and_slows_down():
    """By v' = − ½ C v √(v² + SLOW²) / l:  v = SLOW / sinh(½ C SLOW t / l + arsinh(SLOW / v0))."""
    world = pond(32, depth=3.0)
    box = world.drop(koski.Box((4, 4, 2)), at=(12, 16, 3), density=500, velocity=(0.3, 0, 0))
    highest = 0.0
    for _ in range(200):
        world.step(0.1)
        highest = max(highest, float(np.abs(np.asarray(world.frame.surface) - 3.0).max()))
    # half of 1 m pushed at once out of each cell that it enters would be 12 cm to each neighbour
    assert 1e-3 < highest < 0.05
    v = SLOW / np.sinh(0.5 * SLOW * 20 + np.arcsinh(SLOW / 0.3))
    assert box.velocity[0] == pytest.approx(v, rel=0.1)


@pytest.mark.long
@pytest.mark.parametrize("kind", [pytest.param("floater", marks=pytest.mark.long), "blocker"])
def test_a_body_dropped_from_five_metres_makes_a_ring_of_waves(kind):
    world = pond(64, depth=4.0)
    world.drop(koski.Box((3, 3, 3)), at=(32, 32, 9.0 + 1.5), density=700, kind=kind)
    highest = 0.0
    for _ in range(30):
        world.step(0.1)
        s = np.asarray(world.frame.surface) - 4.0
        ring = s[:, 32 - 12], s[:, 32 + 12], s[32 - 12], s[32 + 12]
        highest = max(highest, float(np.max(ring)))
    assert highest > (0.02 if kind == "blocker" else 0.005)  # a floater pushes half of it aside


@pytest.mark.long
def test_bodies_thinner_than_a_cell_float_and_block():
    world = pond(32, depth=2.0)
    plank = world.drop(koski.Box((4, 0.1, 0.3)), at=(16, 16, 2.2), density=500, kind="blocker")
    ball = world.drop(koski.Sphere(0.1), at=(8.4, 8.6, 2.2), density=500, kind="blocker")
    for _ in range(20):
        world.step(0.5)
    for body in (plank, ball):
        assert 0.3 < body.submerged < 0.7
        assert abs(body.position[2] - 2.0) < 0.2


@pytest.mark.long
def test_a_thin_wall_across_a_channel_holds_the_water():
    terrain = koski.Terrain.create(np.zeros((16, 40)))
    x = np.mgrid[:16, :40][1]
    world = koski.World(terrain, depth=np.where(x < 19, 2.0, 0.0), solver=koski.Pipe())
    wall = koski.Box((0.2, 18, 6))
    world.drop(wall, at=(20.2, 8, 3), density=2500, fixed=True)
    world.step(10.0)
    assert np.asarray(world.frame.depth)[:, 22:].max() < 1e-3


@pytest.mark.long
def test_ground_edited_under_a_body_drops_or_lifts_it():
    world = pond(32, depth=1.0)
    crate = world.drop(koski.Box((2, 2, 2)), at=(16, 16, 1.0), density=2500)
    world.step(2.0)
    before = crate.position[2]
    world.raise_(16, 16, 2.0, radius=5)
    fastest = 0.0
    for _ in range(40):
        world.step(0.1)
        fastest = max(fastest, float(np.linalg.norm(crate.velocity)))
    assert crate.position[2] > before + 1.0
    world.dig(16, 16, 3.0, radius=6)
    for _ in range(40):
        world.step(0.1)
        fastest = max(fastest, float(np.linalg.norm(crate.velocity)))
    assert crate.position[2] < before + 1.0
    assert fastest < 20.0
    assert np.isfinite(world.frame.surface).all() and abs(world.volume.drift) < 1e-6


def test_what_is_fixed_or_led_blocks_and_a_path_is_kept_however_fast():
    world = pond(32, depth=2.0)
    wall = world.drop(koski.Box((1, 8, 6)), at=(8, 16, 2), fixed=True)
    leap = koski.Path((0.0, 0.1, 0.11), ((16, 16, 1), (16, 16, 1), (26, 16, 1)))
    led = world.drop(koski.Box((2, 2, 2)), at=(0, 0, 0), path=leap)
    light = world.drop(koski.Box((2, 2, 2)), at=(16, 8, 3))
    world.step(0.4)
    assert (wall.kind, led.kind, light.kind) == ("blocker", "blocker", "floater")
    assert np.allclose(led.position, (26, 16, 1))


def test_no_water_is_inside_bodies_that_race_about_nor_comes_from_nowhere():
    world = pond(32, depth=2.0, coupling="two-layer")
    rng = np.random.default_rng(1)
    shapes = [koski.Box((2, 2, 1)), koski.Sphere(1.0), koski.Capsule(0.5, 2.0)]
    bodies = [
        world.drop(s, at=(*rng.uniform(6, 26, 2), 3), density=rng.uniform(300, 2000))
        for s in shapes * 2
    ]
    for n in range(1000):
        if n % 25 == 0:
            for body in bodies:
                body.place(velocity=rng.uniform(-50, 50, 3), spin=rng.uniform(-10, 10, 3))
        world.step(0.02)
        state, b = world.state, np.asarray(world.terrain.b)
        room = np.where(np.asarray(state.top) > -np.inf, np.asarray(state.bottom) - b, 0)
        under, d = np.asarray(state.under), np.asarray(state.water.d)
        assert (under <= room).all() and min(under.min(), d.min()) >= 0
        assert np.isfinite(d).all() and np.isfinite(np.asarray(state.s)).all()
    assert abs(world.volume.drift) < 1e-6
    for body in bodies:
        body.place(velocity=(0, 0, 0), spin=(0, 0, 0))
    for _ in range(60):
        world.step(1.0)
    _, owed, lent = (float(np.asarray(f, float).sum()) for f in world.state.aside)
    assert abs(owed + lent) < 1e-3 * world.volume.now


@pytest.mark.long
def test_no_water_is_lost_in_ten_thousand_steps_with_bodies_thrown_about():
    world, most = thrown(10_000)
    assert int(world.state.water.steps) >= 10_000
    assert 1e-3 < most < 0.1  # they do stir the account
    assert abs(world.volume.drift) < 1e-6


def test_a_world_with_bodies_goes_on_from_its_file_to_the_same_bits(tmp_path):
    world = pond(32, coupling="two-layer")
    world.drop(koski.Box((2, 1, 1)), at=(16, 16, 4), density=600, spin=(1, 0, 0))
    gate = koski.Path((0.0, 2.0), ((6, 6, 1.5), (6, 6, 3.5)))
    world.drop(koski.Box((1, 4, 3)), at=(6, 6, 1.5), path=gate)
    world.step(1.0)
    world.save(tmp_path / "w.koski")
    again = koski.World.load(tmp_path / "w.koski")
    for w in (world, again):
        w.step(1.0)
    assert_array_equal(world.frame.surface, again.frame.surface)
    for a, b in zip(world.bodies, again.bodies, strict=True):
        assert_array_equal(a.position, b.position)
        assert_array_equal(a.rotation, b.rotation)
        assert_array_equal(a.force, b.force)


@pytest.mark.long
def test_a_removed_body_is_gone_and_its_hole_fills():
    world = pond(32)
    box = world.drop(koski.Box((4, 4, 4)), at=(16, 16, 2), density=2500)
    world.step(2.0)
    box.remove()
    assert world.bodies == ()
    for _ in range(30):
        world.step(1.0)
    assert np.asarray(world.frame.depth).min() > 2.5
    assert abs(world.volume.drift) < 1e-6
    with pytest.raises(koski.InputError, match="removed"):
        box.position  # noqa: B018


@pytest.mark.long
def test_bodies_within_capacity_compile_nothing_anew():
    from koski.bodies import coupling

    world = pond(32)
    first = world.drop(koski.Box((2, 1, 1)), at=(16, 16, 4), density=1500)
    world.step(0.1)
    programs = coupling.run._cache_size()
    for k in range(4):
        world.drop(koski.Box((1 + 0.2 * k, 1, 1)), at=(6 + k, 8, 4), density=1500)
    world.step(0.1)
    first.remove()
    world.step(0.1)
    assert coupling.run._cache_size() == programs


@pytest.mark.parametrize(
    "what, why",
    [
        ({"density": 0}, "density"),
        ({"mass": -1.0}, "mass"),
        ({"mass": 1.0, "density": 1.0}, "not both"),
        ({"at": (100, 5, 1)}, "outside the world"),
        ({"at": (np.nan, 5, 1)}, "at"),
        ({"shape": koski.Box((300, 300, 1))}, "bigger than the world"),
        ({"shape": "box"}, "shape"),
        ({"kind": "sinker"}, "floater, a blocker or auto"),
        ({"rotation": (0, 0, 0, 0)}, "rotation"),
        ({"drag": -1}, "drag"),
    ],
)
def test_bad_bodies_are_refused_in_one_sentence(what, why):
    about = {"shape": koski.Box((2, 1, 1)), "at": (12, 12, 4)} | what
    with pytest.raises(koski.InputError, match=why):
        pond(32).drop(**about)


def test_too_many_bodies_are_refused_in_one_sentence(monkeypatch):
    monkeypatch.setattr("koski.bodies.fleet.MOST", 3)
    world = pond(32)
    with pytest.raises(koski.InputError, match="at most 3 bodies"):
        for _ in range(4):
            world.drop(koski.Sphere(0.5), at=(16, 16, 4))


def test_an_unknown_coupling_is_refused():
    with pytest.raises(koski.InputError, match="two-layer"):
        pond(32, coupling="two-layers")
