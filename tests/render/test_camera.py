"""Cameras: what lies where in a picture, and how they move."""

import json

import jax
import numpy as np
import pytest
from numpy.testing import assert_allclose

import koski
from koski import landscape
from koski.render import camera as cameras
from koski.render.camera import Camera, clear_of, orbit, overview
from koski.render.moves import circle, flight, follow, parse

rays = jax.jit(cameras.rays, static_argnums=(1, 2, 3))
project = jax.jit(cameras.project)
HILLS = landscape.hills((30, 40), cell=5.0, relief=30.0, seed=2)


def test_a_ray_through_a_pixel_goes_to_what_is_projected_there():
    camera = Camera.create((3, -4, 9), (10, 20, 1), fov=55)
    d = rays(camera, 30, 50)
    assert d.shape == (3, 30, 50)
    assert_allclose(np.linalg.norm(d, axis=0), 1, atol=1e-6)
    column, row, far = project(camera, camera.eye[:, None, None] + 7 * d, 30, 50)
    assert_allclose(column, np.broadcast_to(np.arange(50) + 0.5, (30, 50)), atol=1e-3)
    assert_allclose(row, np.broadcast_to(np.arange(30)[:, None] + 0.5, (30, 50)), atol=1e-3)
    assert float(far.min()) > 0
    assert project(camera, np.array([3.0, -9.0, 9.0]), 30, 50)[2] < 0  # behind


def test_the_middle_looks_at_the_target_and_the_fov_spans_the_height():
    camera = Camera.create((0, 0, 0), (0, 10, 0), fov=60)
    d = np.asarray(rays(camera, 101, 201))
    assert_allclose(d[:, 50, 100], [0, 1, 0], atol=1e-6)
    assert d[2, 0, 100] > 0 > d[2, -1, 100]  # row 0 is at the top
    assert d[0, 50, 0] < 0 < d[0, 50, -1]  # east is on the right, looking north
    top = np.rad2deg(np.arctan2(d[2, 0, 100], d[1, 0, 100]))
    assert top == pytest.approx(30, rel=0.02)
    padded = np.asarray(rays(camera, 101, 201, (112, 208)))
    assert padded.shape == (3, 112, 208)
    assert_allclose(padded[:, :101, :201], d, atol=1e-6)
    fine = np.asarray(rays(camera, 202, 402))  # four samples a pixel see the same picture
    assert_allclose(fine.reshape(3, 101, 2, 201, 2).mean((2, 4)), d, atol=1e-4)


@pytest.mark.parametrize("side", [2, 4])
def test_no_two_samples_of_a_pixel_share_a_row_or_a_column(side):
    camera = Camera.create((0, 0, 0), (0, 10, 0), fov=60)
    high, wide = 5, 8
    d = rays(camera, high * side, wide * side, side=side)
    column, row, _ = project(camera, camera.eye[:, None, None] + d, high, wide)
    for f in (column, row):
        f = np.asarray(f).reshape(high, side, wide, side).transpose(0, 2, 1, 3)
        within = np.sort(f.reshape(high, wide, -1) % 1)
        even = (np.arange(side**2) + 0.5) / side**2
        assert_allclose(within, np.broadcast_to(even, within.shape), atol=1e-4)


def test_straight_down_north_is_up():
    d = np.asarray(rays(Camera.create((5, 5, 10), (5, 5, 0)), 11, 11))
    assert np.isfinite(d).all()
    assert d[1, 0, 5] > 0 and d[0, 5, 10] > 0


def test_a_camera_is_an_argument_of_compiled_programs():
    programs = rays._cache_size()
    for x in range(3):
        rays(orbit((x, 0, 0), 10, azimuth=30 * x), 4, 6)
    assert rays._cache_size() == programs + 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"eye": (1, 2, 3)},
        {"eye": (np.nan, 0, 0)},
        {"eye": (1, 2)},
        {"eye": "here"},
        {"target": (0, np.inf, 0)},
        {"fov": 0},
        {"fov": 180},
        {"fov": np.nan},
        {"aperture": -1},
        {"focus": 0},
        {"shutter": 2},
    ],
)
def test_a_camera_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(koski.InputError):
        Camera.create(**{"eye": (9, 9, 9), "target": (1, 2, 3), **wrong})


def test_under_the_ground_is_refused_and_under_water_is_not():
    terrain = koski.Terrain.create(np.full((8, 8), 10.0))
    with pytest.raises(koski.InputError, match="under the ground"):
        clear_of(Camera.create((4, 4, 9), (0, 0, 20)), terrain)
    clear_of(Camera.create((4, 4, 10.5), (0, 0, 20)), terrain)
    clear_of(Camera.create((-4, 4, 10.5), (0, 0, 20)), terrain)


@pytest.mark.parametrize("azimuth", [-90, 0, 130])
@pytest.mark.parametrize("aspect", [16 / 9, 1.0, 0.5])
def test_an_overview_shows_all_land_and_some_sky(azimuth, aspect):
    for terrain in (
        HILLS,
        koski.Terrain.create(np.zeros((4, 400))),
        koski.Terrain.create(np.linspace(0, 500, 900).reshape(30, 30), cell=0.1),
    ):
        height, width = 600, round(600 * aspect)
        camera = overview(terrain, aspect, azimuth)
        column, row, far = project(camera, cameras.outline(terrain), height, width)
        assert far.min() > 0
        assert column.min() > 0 and column.max() < width
        assert row.min() > 0.14 * height and row.max() < height
        clear_of(camera, terrain)


def test_an_orbit_turns_at_its_pace():
    move = circle((10, 20, 3), 5.0, azimuth=0, elevation=30, turn=90)
    assert_allclose(move(0.0).eye, [10 + 5 * np.cos(np.pi / 6), 20, 5.5], atol=1e-5)
    assert_allclose(move(1.0).eye, [10, 20 + 5 * np.cos(np.pi / 6), 5.5], atol=1e-5)


def test_a_flight_passes_its_keys_smoothly():
    keys = [
        {"t": 0, "eye": [0, 0, 10], "target": [0, 9, 0]},
        {"t": 1, "eye": [5, 0, 10], "target": [5, 9, 0], "fov": 60},
        {"t": 4, "eye": [9, 6, 12], "target": [5, 9, 0]},
    ]
    move = flight(keys)
    for key in keys:
        assert_allclose(move(key["t"]).eye, key["eye"], atol=1e-5)
    assert float(move(1.0).fov) == pytest.approx(60)
    assert_allclose(move(-1.0).eye, [0, 0, 10])
    assert_allclose(move(9.0).eye, [9, 6, 12])
    path = np.array([move(t).eye for t in np.arange(0, 4, 0.01)])
    speed = np.diff(path, axis=0) / 0.01
    assert np.abs(np.diff(speed, axis=0)).max() < 0.2  # no jerk at a key
    assert_allclose(flight(keys[:1])(3.0).eye, [0, 0, 10])


class Drifter:
    shape = koski.Box((2, 2, 2))
    position, velocity = np.array([20.0, 50.0, 40.0]), np.array([3.0, 0.0, 0.0])


def test_a_follower_stays_behind_and_above_and_is_not_shaken():
    body, before = Drifter(), None
    move = follow(body, HILLS, distance=10, height=4)
    assert_allclose(move(0.0).target, body.position)
    eyes = []
    for t in np.arange(0, 20, 0.1):
        shake = 0.3 * np.sin(40 * t)
        body.position = np.array([20 + 3 * t, 50 + shake, 40.0])
        camera = move(t, before)
        before = t, camera
        eyes.append(camera.eye)
    assert camera.eye[0] < camera.target[0] - 5  # behind: it goes east
    assert camera.eye[2] > body.position[2] + 2
    assert np.abs(np.diff(np.array(eyes)[50:, 1])).max() < 0.1
    body.position = np.array([100.0, 50.0, -500.0])
    clear_of(move(21.0, before), HILLS)


def test_cameras_are_written_in_one_line(tmp_path):
    path = tmp_path / "keys.json"
    path.write_text(json.dumps([{"t": 0, "eye": [1, 2, 90], "target": [5, 5, 0]}]))
    bodies = (Drifter(), Drifter())
    assert_allclose(parse("eye:1,2,90,5,5,0", HILLS)(3.0).eye, [1, 2, 90])
    assert float(parse("eye:1,2,90,5,5,0,70", HILLS)(0.0).fov) == 70
    assert_allclose(parse(f"fly:{path}", HILLS)(3.0).eye, [1, 2, 90])
    assert float(parse(f"fly:{path},shutter=0.5", HILLS)(3.0).shutter) == 0.5
    assert_allclose(parse("follow:1", HILLS, bodies)(0.0).target, bodies[1].position)
    around = parse("orbit:azimuth=0,elevation=0,distance=500,turn=0,aperture=2", HILLS)(9.0)
    assert_allclose(around.eye[:2], [600, 75], atol=1e-3)
    assert float(around.aperture) == 2
    clear_of(parse("orbit", HILLS)(0.0), HILLS)
    clear_of(parse(None, HILLS)(0.0), HILLS)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "orbti",
        "orbit:30",
        "orbit:azimut=30",
        "orbit:azimuth=north",
        "orbit:distance=0",
        "orbit:elevation=nan",
        "eye:1,2,3",
        "eye:1,2,3,1,2,3",
        "eye:1,2,3,4,5,six",
        "eye:1,2,3,4,5,6,7,8",
        "fly",
        "fly:nowhere.json",
        "fly:{words}",
        "fly:{empty}",
        "fly:{back}",
        "fly:{odd}",
        "follow",
        "follow:2",
        "follow:-1",
        "follow:0,up=3",
    ],
)
def test_a_camera_that_is_written_wrongly_gets_one_sentence(text, tmp_path):
    key = {"t": 0, "eye": [1, 2, 90], "target": [5, 5, 0]}
    files = {"words": "hello", "empty": "[]", "back": json.dumps([key, key]), "odd": '[{"t": 0}]'}
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(koski.InputError) as e:
        parse(text.format(**{name: tmp_path / name for name in files}), HILLS, (Drifter(),) * 2)
    assert "\n" not in str(e.value)


def test_there_is_no_body_to_follow_where_there_is_none():
    with pytest.raises(koski.InputError, match="no body to follow"):
        parse("follow:0", HILLS)
