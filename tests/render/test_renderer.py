"""Pictures held against physics: Snell, Fresnel, Beer; no light from nothing, and no flicker.

All pictures are of one size and all worlds of one grid, so that their programs are compiled once.
"""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sights import CELL, MIDDLE, PURE, H, N, W, exposed, ground, seen, smooth, tank

import koski
from koski.render.camera import Camera, orbit, overview, rays
from koski.render.light import MEDIA, OUT_OF_WATER, Medium, medium, schlick
from koski.render.noise import fractal
from koski.render.paint import GLASS, GROUND, SKY, SOIL, WATER, look_out
from koski.render.renderer import Look, Renderer, aim, blurred
from koski.render.stage import hazed
from koski.render.tone import srgb, to_bytes


def slanted(angle: float, level: float, far=9.0, fov=25.0) -> Camera:
    """Look at the middle of the water at an angle from the vertical."""
    return orbit((MIDDLE, MIDDLE, level), far, azimuth=-70, elevation=90 - angle, fov=fov)


def snell(camera: Camera, level: float, shift=(0.0, 0.0), index=OUT_OF_WATER):
    """Where rays of a picture meet the floor at z = 0, and how long they are in the water."""
    d = np.asarray(rays(camera, H, W, shift=shift), float)
    eye = np.asarray(camera.eye, float)
    above = (level - eye[2]) / d[2]
    sin = np.hypot(d[0], d[1]) / index
    cos = np.sqrt(1 - sin * sin)
    x, y = (eye[k] + above * d[k] + level / cos * d[k] / index for k in range(2))
    return x, y, level / cos


# ── water ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("angle", [0, 30, 60])
def test_edges_under_water_are_where_snell_says(angle):
    level, side = 3.0, 2  # cells along a square
    renderer, camera = tank(level), slanted(angle, level)
    j, i = np.mgrid[:N, :N] // side
    dark, light = -0.010, 0.0  # silt and sand, by how far they are below the shore [m]
    renderer.above = jnp.asarray(np.where((i + j) % 2, light, dark), jnp.float32)
    checkers = exposed(renderer, camera, PURE).sum(0)
    renderer.above = jnp.full((N, N), (dark + light) / 2)
    found = checkers > exposed(renderer, camera, PURE).sum(0)  # half way between them on the edges

    def squares(shift=(0.0, 0.0), **other):
        x, y, _ = snell(camera, level, shift, **other)
        return (x // (side * CELL) + y // (side * CELL)) % 2 == 1

    half = [squares((a, b)) for a in (-0.5, 0, 0.5) for b in (-0.5, 0, 0.5)]
    sure = np.all(half, 0) | ~np.any(half, 0)  # no edge is within half a pixel
    assert 0.5 < sure.mean() < 0.97
    assert_array_equal(found[sure], squares()[sure])
    assert (found != squares(index=1.15))[sure].mean() > 0.01


def test_water_seen_from_above_mirrors_a_fiftieth():
    level = 3.0
    renderer, ink = tank(level), medium((500.0,) * 3, (0.0,) * 3)
    renderer.sky = Renderer(renderer.terrain).sky
    stage = renderer.stage(1.0)
    for angle in (0, 60):
        camera = slanted(angle, level, fov=5)
        d = rays(camera, H, W)
        up = jnp.stack([d[0], d[1], -d[2]])
        far = (level - camera.eye[2]) / d[2]
        mirrored = schlick(-d[2]) * stage.sky.radiance(up)
        assert_allclose(exposed(renderer, camera, ink), hazed(stage, mirrored, d, far), rtol=5e-3)
    assert schlick(1.0) == pytest.approx(0.02)


@pytest.mark.parametrize("depth", [1, 5, 10])
@pytest.mark.parametrize("angle", [0, 45])
def test_water_dims_the_floor_both_ways_as_beer_says(depth, angle):
    """10^(−a (d + l)): down to a depth d, and back along a view ray of length l."""
    renderer, camera = tank(depth), slanted(angle, depth, fov=12)
    seen = exposed(renderer, camera, PURE) / exposed(renderer, camera, clear())
    _, _, length = snell(camera, depth)
    a = np.asarray(PURE.absorption, float)[:, None, None]
    assert_allclose(seen, 10 ** (-a * (depth + length)), rtol=0.01)


def clear() -> Medium:
    return medium((0.0,) * 3, (0.0,) * 3)


def test_without_scattering_nor_absorption_water_is_plain():
    renderer, camera = tank(5.0), slanted(30, 5.0)
    plain = exposed(renderer, camera, clear())
    assert (plain > 0.01).all()
    for other in (replace(PURE, concentration=0.0), medium((0.0,) * 3, (1e-7,) * 3)):
        assert_allclose(exposed(renderer, camera, other), plain, rtol=1e-5)
    shallow, deep = (exposed(tank(z), slanted(0, z), clear())[:, 48, 64] for z in (1.0, 10.0))
    assert_allclose(shallow, deep, rtol=1e-3)
    silty = exposed(renderer, camera, replace(MEDIA["silt"], scattering=np.zeros(3, np.float32)))
    dimmed = exposed(renderer, camera, MEDIA["silt"])
    assert (dimmed > silty).all()  # what it scatters, one sees


# ── no light from nothing ────────────────────────────────────────────────────────────────


def hills(seed: int):
    """Land and running water of all sorts."""
    b, waves, u, v = (fractal(64, 7 * seed + k, 2.0, 2.0)[:N, :N] for k in range(4))
    terrain = ground(1.3 * b)
    return terrain, seen(terrain, 0.1 * waves, u=u, v=v)


def valley():
    """A narrow one, with a brook."""
    x = (np.arange(N) + 0.5) * CELL
    terrain = ground(np.broadcast_to(np.minimum(3 * np.abs(x - MIDDLE) - 2, 8), (N, N)))
    return terrain, seen(terrain, -0.7, v=1.5)


def views(terrain, frame):
    mid = N // 2
    top, bed = float(frame.surface[mid, mid]), float(terrain.b[mid, mid])
    far = 2.5 * N * CELL
    return {
        "overview": overview(terrain, W / H),
        "down": Camera.create((MIDDLE, MIDDLE, 30), (MIDDLE, MIDDLE, 0)),
        "low": Camera.create((MIDDLE, MIDDLE, top + 0.3), (MIDDLE + 1, 2 * MIDDLE, top)),
        "wet": Camera.create((MIDDLE, MIDDLE, 0.5 * (top + bed) + 1e-3), (MIDDLE, 0, top + 1)),
        "side": Camera.create((MIDDLE + 3, -far, 1), (MIDDLE, MIDDLE, 0), fov=15),
        "sunward": orbit((MIDDLE, MIDDLE, top), 15, azimuth=20, elevation=36),
        "up": Camera.create((MIDDLE, MIDDLE, top + 0.3), (MIDDLE - 9, MIDDLE - 3, top + 8)),
    }


@pytest.mark.parametrize("scene", [1, pytest.param(2, marks=pytest.mark.long), "valley"])
def test_no_pixel_is_brighter_than_its_sources(scene):
    terrain, frame = valley() if scene == "valley" else hills(scene)
    renderer = Renderer(terrain)
    renderer.see(frame)
    renderer.see(replace(frame, t=jnp.float32(0.5)))  # with some foam
    sky = renderer.sky
    even = replace(sky, table=0 * sky.table + 1, ambient=0 * sky.ambient + np.pi,
                   ground=0 * sky.ground + 1, sunlight=0 * sky.sunlight)  # fmt: skip
    white = (sky.sunlight + sky.ambient) / np.pi + sky.table.max(1)
    for name, camera in views(terrain, frame).items():
        renderer.sky = sky
        light = exposed(renderer, camera)
        assert np.isfinite(light).all() and (light >= 0).all(), name
        most = sky.table.max() + sky.disc(sky.sun[:, None], 0.004).max()
        assert light.max() <= most, name
        d = aim(camera, H, W, (H, W), (0.0, 0.0))
        _, kind = look_out(renderer.stage(1.0), camera, d, 1e-3)
        dull = (np.asarray(kind) == GROUND) | (np.asarray(kind) == SOIL)
        if name != "wet":
            assert (light <= np.asarray(white)[:, None, None])[:, dull].all(), name
        renderer.sky = even  # in an even light of 1 nothing is brighter than 1
        light = exposed(renderer, camera)
        assert np.isfinite(light).all() and (light >= 0).all(), name
        assert light.max() <= 1 + 1e-3, name


def test_views_show_what_they_are_meant_to():
    terrain, frame = hills(1)
    renderer = Renderer(terrain)
    renderer.see(frame)
    kinds = {}
    for name, camera in views(terrain, frame).items():
        d = aim(camera, H, W, (H, W), (0.0, 0.0))
        kinds[name] = set(np.unique(look_out(renderer.stage(1.0), camera, d, 1e-3)[1]).tolist())
    assert {SKY, GROUND, WATER, SOIL} <= kinds["overview"] | kinds["side"]
    assert GLASS in kinds["side"] and {GROUND, WATER} <= kinds["down"]


# ── frames ───────────────────────────────────────────────────────────────────────────────


def bowl(level=0.0, t=0.0, **flow):
    y, x = (np.mgrid[:N, :N] + 0.5) * CELL - MIDDLE
    terrain = ground((x * x + y * y) / 30 - 1.5)
    return terrain, seen(terrain, level, t, **flow)


CLOSE = Camera.create((9, 8, 1.2), (12, 12, -0.3))
GLINT = Camera.create((20, 14, 2.5), (12, 11.8, 0))
WET = Camera.create((12, 8, -0.7), (12, 16, -0.5))


def test_a_calm_lake_does_not_flicker():
    terrain, _ = bowl()
    renderer, rng = Renderer(terrain), np.random.default_rng(0)
    was = None
    for k in range(43, 49):  # within these times one texture takes over from another
        stir = 1e-3 * rng.normal(size=(2, N, N))  # [m/s]
        renderer.see(bowl(t=k / 30, u=stir[0], v=stir[1])[1])
        now = np.stack([renderer.draw(camera, W, H, "draft") for camera in (CLOSE, GLINT, WET)])
        if was is not None:
            assert np.abs(now.astype(int) - was).max() < 2
        was = now
    assert now.std() > 10


def test_a_picture_has_the_same_bits_again():
    terrain, frame = hills(1)

    def drawn():
        renderer = Renderer(terrain)
        renderer.see(frame)
        renderer.see(replace(frame, t=jnp.float32(0.1)))
        return renderer.draw(overview(terrain, W / H), W, H, "draft")

    assert_array_equal(drawn(), drawn())


def test_between_two_moments_the_first_turns_into_the_second():
    terrain, before = bowl(0.0)
    renderer = smooth(Renderer(terrain))
    renderer.see(before)
    first = renderer.draw(CLOSE, W, H, "draft").astype(int)
    renderer.see(bowl(-0.2, t=1 / 30)[1])
    last = renderer.draw(CLOSE, W, H, "draft")
    assert np.abs(renderer.draw(CLOSE, W, H, "draft", between=0.0) - first).max() <= 1  # dry a bit
    assert_array_equal(renderer.draw(CLOSE, W, H, "draft", between=1.0), last)
    w = [np.asarray(renderer.stage(share).sea.w) for share in (0.0, 0.5, 1.0)]
    assert_allclose(w[1], (w[0] + w[2]) / 2, atol=1e-5)
    assert np.abs(last - first).max() > 10


def test_a_renderer_goes_on_from_what_it_kept():
    terrain, frame = hills(2)
    camera = overview(terrain, W / H)
    frames = [replace(frame, t=jnp.float32(k / 10)) for k in range(4)]
    first, again = Renderer(terrain), Renderer(terrain)
    for f in frames[:3]:
        first.see(f)
    again.recall(first.keep())
    assert_array_equal(again.draw(camera, W, H, "draft"), first.draw(camera, W, H, "draft"))
    for renderer in (first, again):
        renderer.see(frames[3])
    assert_array_equal(again.draw(camera, W, H, "draft"), first.draw(camera, W, H, "draft"))


def test_a_lens_blurs_what_is_out_of_focus_and_adds_no_light():
    terrain, frame = hills(1)
    renderer = Renderer(terrain)
    renderer.see(frame)
    sharp = overview(terrain, W / H)
    open_ = replace(sharp, aperture=np.float32(2.0), shutter=np.float32(0.5))
    one, soft = (renderer.draw(c, W, H, "draft").astype(float) for c in (sharp, open_))
    shots = [renderer.shoot(*shot, W, H, 1) for shot in blurred(open_, 1.0, 4)]
    assert_array_equal(soft, to_bytes(srgb(sum(shots) / 4)))
    assert abs(soft.mean() - one.mean()) < 2
    assert np.abs(np.diff(soft, axis=1)).mean() < 0.8 * np.abs(np.diff(one, axis=1)).mean()


def test_an_open_shutter_blurs_along_the_way_of_the_camera():
    terrain, frame = hills(1)
    renderer = Renderer(terrain)
    renderer.see(frame)
    camera = replace(overview(terrain, W / H), shutter=np.float32(0.5))
    aside = np.float32([6, 0, 0])
    before = replace(camera, eye=camera.eye - aside, target=camera.target - aside)
    still = renderer.draw(camera, W, H, "draft").astype(float)
    moving = renderer.draw(camera, W, H, "draft", before=before).astype(float)
    across, along = (
        np.abs(np.diff(moving, axis=k)).mean() / np.abs(np.diff(still, axis=k)).mean()
        for k in (0, 1)
    )
    assert along < 0.9 * across  # streaks lie along the motion
    assert [float(shot[0].eye[0]) for shot in blurred(camera, 1.0, 2, before)] == pytest.approx(
        camera.eye[0] - np.array([0.125, 0.375]) * 6, abs=1e-3
    )


@pytest.mark.parametrize("what, why", [
    ({"quality": "god"}, "good"),
    ({}, "see a frame"),
])  # fmt: skip
def test_what_cannot_be_drawn_is_refused(what, why):
    terrain, _ = bowl()
    with pytest.raises(koski.InputError, match=why):
        Renderer(terrain).draw(CLOSE, W, H, **what)


def test_unknown_water_is_refused():
    with pytest.raises(koski.InputError, match="glacier"):
        Look(water="glacial")


# ── bodies ───────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def afloat():
    """A lake with a box that has come to rest."""
    world = koski.World(ground(np.zeros((N, N))), depth=4.0, coupling="two-layer")
    world.drop(koski.Box((2, 2, 2)), at=(12.1, 11.9, 3.8), density=600, kind="blocker")
    for _ in range(30):
        world.step(1.0)
    return world


@pytest.mark.parametrize("azimuth", [-90, -40])
def test_the_waterline_of_a_floating_box_has_no_gap(afloat, azimuth):
    box = afloat.bodies[0]
    renderer = Renderer(afloat.terrain)
    renderer.see(afloat.frame, afloat.bodies)
    level = float(np.median(afloat.frame.surface))
    at = (*box.position[:2], level)
    camera = orbit(at, 14, azimuth=azimuth, elevation=25, fov=40 / 4)
    sight, kind, hit = met(renderer, camera)
    body = hit < np.asarray(sight.far)
    assert 0.05 < body.mean() < 0.6
    assert (np.asarray(kind)[~body] == WATER).all()  # neither ground nor sky beside it
    z = np.asarray(sight.p[2])
    assert np.abs(z[~body] - level).max() < 0.02
    # right below the box, down each column, its side ends where the water begins
    d = np.asarray(rays(camera, H, W), float)
    side = np.asarray(camera.eye)[:, None, None] + np.where(body, hit, 0) * d
    for i in np.flatnonzero(body.any(0))[3:-3]:  # beyond them a leaning edge ends in the air
        j = np.flatnonzero(body[:, i]).max()
        pixel = 14 * np.radians(10) / H
        assert abs(side[2, j, i] - level) < 0.02 + 2 * pixel
        below = np.asarray(sight.p)[:, j + 1, i]
        assert np.linalg.norm(below - side[:, j, i]) < 0.05 + 4 * pixel


def met(renderer, camera):
    """What the rays of a picture meet: land and water, their kinds, and how far bodies are."""
    from koski.render.tiles import put, take

    d = aim(camera, H, W, (H, W), (0.0, 0.0))
    sight, kind = look_out(renderer.stage(1.0), camera, d, 1e-3)
    crowd = renderer.crowd(camera, W, H, 1.0)
    hit = crowd.cast(jnp.asarray(camera.eye)[:, None, None], take(d, crowd.tiles))
    return sight, kind, np.asarray(put(jnp.full((H, W), jnp.inf), crowd.tiles, hit.t))


def test_a_world_pictures_itself():
    world = koski.World(ground(np.zeros((N, N))), depth=1.0)
    image, again = (world.picture(None, (W, H), "draft", water="glacier") for _ in range(2))
    assert image.shape == (H, W, 3) and image.dtype == np.uint8
    assert image.std() > 10
    assert_array_equal(image, again)
    assert np.abs(image.astype(int) - world.picture(None, (W, H), "draft")).max() > 10


@pytest.mark.long
@pytest.mark.parametrize("height", [3.0, -2.0])
def test_bodies_shine_no_brighter_than_the_light_on_them(afloat, height):
    """From above, and from under water."""
    renderer = Renderer(afloat.terrain)
    renderer.see(afloat.frame, afloat.bodies)
    sky = renderer.sky
    camera = Camera.create((12, 4, 4 + height), (12, 12, 4))
    light = exposed(renderer, camera)
    assert np.isfinite(light).all() and (light >= 0).all()
    bare = Renderer(afloat.terrain)
    bare.see(afloat.frame)
    assert (exposed(bare, camera) != light).any()
    white = (sky.sunlight + sky.ambient) / np.pi + sky.table.max(1)
    body = met(renderer, camera)[2] < 1e3
    assert body.any() and (light <= np.asarray(white)[:, None, None])[:, body].all()
