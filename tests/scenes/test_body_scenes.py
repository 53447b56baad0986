"""Scenes with bodies: each does what its docstring says, in a number."""

import numpy as np
import pytest

import koski
from koski import scenes
from koski.scenes import harbour, ice_jam, lake_drop_box, logs_and_car, river_dam, sluice, tunnel

HERE = "harbour hill ice-jam lake-drop-box logs-and-car river-dam sluice tunnel"
WITH_BODIES = HERE.split()


def world_of(name: str, size: int, coupling: str | None = None) -> koski.World:
    return koski.World(scenes.load(name, size), coupling=coupling)


def sound(world: koski.World) -> None:
    """What holds of every run: finite, never negative, all water accounted for."""
    frame = world.frame
    assert np.isfinite(frame.depth).all() and np.isfinite(frame.velocity).all()
    assert np.isfinite([body.position for body in world.bodies]).all()
    assert float(frame.depth.min()) >= 0
    assert abs(world.volume.drift) < 1e-6


def places(world: koski.World) -> tuple[np.ndarray, np.ndarray]:
    grid = world.terrain.grid
    x, y = (np.arange(n) + 0.5 for n in (grid.nx, grid.ny))
    return tuple(np.meshgrid(x * grid.cell, y * grid.cell))


def test_these_are_the_scenes_with_bodies():
    assert set(WITH_BODIES) == {name for name in scenes.names() if scenes.load(name, 33).bodies}


@pytest.mark.parametrize("name", WITH_BODIES)
def test_bodies_stay_as_large_as_they_are_at_any_size(name):
    coarse, fine = (scenes.load(name, size) for size in (33, 64))
    volumes = [[body["shape"].volume for body in scene.bodies] for scene in (coarse, fine)]
    np.testing.assert_allclose(*volumes)


def discharge(coupling: str) -> tuple[float, float]:
    """What runs in the bed below the dam, and what enters the arm round it [m³/s]."""
    world = world_of("river-dam", 40, coupling)
    x, y = places(world)
    in_bed = np.abs(y - river_dam.course(x)) < river_dam.BED
    in_arm = np.abs(y - river_dam.detour(x)) < river_dam.ARM
    flow = np.zeros(2)
    world.step(38.0)
    for _ in range(4):
        world.step(2.0)
        q = np.asarray(world.frame.depth * world.frame.u) * world.terrain.grid.cell
        for k, (channel, at) in enumerate(((in_bed, 90.0), (in_arm, 54.0))):
            flow[k] += q[channel & (np.abs(x - at) < 2)].sum() / 4
    sound(world)
    return tuple(flow)


def test_a_dam_of_crates_turns_the_river_and_floaters_do_not():
    free, aside = discharge("floaters")
    bed, arm = discharge("mixed")
    assert free > 20 and aside < 0.1
    assert bed < 0.5 * free and arm > 5  # and rising; cells of 4 m leave gaps beside the crates


def test_crates_stay_where_they_fell():
    world = world_of("river-dam", 40)
    world.step(4.0)
    before = np.array([body.position for body in world.bodies])
    world.step(2.0)
    after = np.array([body.position for body in world.bodies])
    assert np.abs(after - before).max() < 0.3
    assert np.abs(after[:, 0] - river_dam.DAM).max() < 6


@pytest.mark.long
def test_water_parts_at_a_crate_on_the_hill_and_runs_on_under_a_truck():
    world = world_of("hill", 80)
    world.step(13.0)
    sound(world)
    truck = next(b for b in world.bodies if b.mass == 14000.0)
    crates = [b for b in world.bodies if b.density == pytest.approx(2200.0)]
    on_hill = [b for b in crates if np.hypot(*(b.position[:2] - 40)) < 18]
    assert float(world.depth_at(*truck.position[:2])) > 0.05 and truck.submerged < 0.1
    assert max(float(world.depth_at(*b.position[:2])) for b in on_hill) < 0.02


@pytest.mark.long
def test_logs_go_downstream_and_the_car_hits_some():
    world = world_of("logs-and-car", 60)
    car, *logs = world.bodies
    before = np.array([log.position for log in logs])
    hit = 0.0
    for _ in range(20):
        world.step(0.5)
        hit = max(hit, *(abs(log.velocity[1]) for log in logs))
    sound(world)
    moved = np.array([log.position for log in logs]) - before
    assert np.median(moved[:, 0]) > 0.7 * logs_and_car.SPEED * 10
    assert car.position[1] > 40  # beyond the middle
    assert hit > 2  # the river alone takes them across at less than 1 m/s


@pytest.mark.long
def test_a_box_sends_a_ring_over_the_lake_and_floats_up_again():
    world = world_of("lake-drop-box", 64)
    x, y = places(world)
    lake = np.asarray(world.frame.depth) > 2
    level = float(np.asarray(world.frame.surface)[lake].mean())
    far = np.hypot(x - lake_drop_box.PLACE[0], y - lake_drop_box.PLACE[1])
    ring = lake & (far > 10) & (far < 25)
    highest = 0.0
    for _ in range(6):
        world.step(0.7)
        highest = max(highest, float((np.asarray(world.frame.surface) - level)[ring].max()))
    sound(world)
    assert highest > 0.1
    assert world.bodies[0].position[2] > level - lake_drop_box.BOX.size[2] / 2


@pytest.mark.long
def test_the_levels_on_both_sides_of_the_tunnel_even_out_and_come_to_rest():
    world = world_of("tunnel", 48)
    x, _ = places(world)
    middle, half = tunnel.LENGTH / 2, tunnel.BLOCK.size[0] / 2

    def basins():
        depth = np.asarray(world.frame.depth, float)
        return depth[x < middle - half], depth[x > middle + half]

    def apart():
        west, east = basins()
        return float(west.mean() - east.mean())

    first = apart()
    assert first == pytest.approx(tunnel.LEVELS[0] - tunnel.LEVELS[1], abs=1e-5)
    world.step(10.0)
    assert 0 < apart() < 0.8 * first
    world.step(110.0)
    sound(world)
    assert abs(apart()) < 0.01
    assert max(basin.std() for basin in basins()) < 1e-3


@pytest.mark.long
def test_a_sluice_lets_water_out_once_its_gate_lifts():
    world = world_of("sluice", 100)
    x, _ = places(world)
    out = x > sluice.DAM + sluice.THICK + 1

    def escaped():
        return float(np.asarray(world.frame.depth)[out].sum()) * world.terrain.grid.area

    world.step(sluice.TIMES[0])
    shut = escaped()
    world.step(3.0)
    sound(world)
    assert shut < 0.1 and escaped() > 20


@pytest.mark.long
def test_ice_jams_at_the_bridge_and_the_river_backs_up():
    world = world_of("ice-jam", 60)
    floes = world.bodies[ice_jam.PIERS :]
    start = float(world.height_at(60.0, 30.0))
    world.step(8.0)
    sound(world)
    held = sum(40 < body.position[0] < ice_jam.BRIDGE for body in floes)
    assert held > len(floes) / 2
    assert float(world.height_at(60.0, 30.0)) > start + 0.1


@pytest.mark.long
def test_boats_rest_at_a_sane_draught_and_stir_less_behind_the_breakwater():
    world = world_of("harbour", 80)
    heave = []
    for _ in range(30):
        world.step(0.5)
        heave.append([body.position[2] for body in world.bodies])
    sound(world)
    stir = np.std(heave[10:], axis=0)
    moored = len(harbour.MOORED)
    assert np.median(stir[:moored]) < 0.5 * np.median(stir[moored:])
    assert all(0.2 < body.submerged < 0.5 for body in world.bodies)
    assert all(body.kind == "floater" for body in world.bodies)
