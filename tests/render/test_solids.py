"""Rays against bodies, beside casting in plain numpy; lists by tile, beside lists of everything."""

import jax.numpy as jnp
import numpy as np
import pytest
from casting import (
    POINTS,
    SHAPES,
    SUN,
    TILES,
    H,
    Thing,
    W,
    as_many,
    bracket,
    each_shape,
    everything,
    first,
    planar,
    ring,
    some_rays,
    spun,
    unit,
)
from numpy.testing import assert_allclose, assert_array_equal

from koski.bodies.mesh import Convex
from koski.bodies.shapes import Box, Compound, Cylinder, Part, Sphere
from koski.bodies.turns import matrix
from koski.core.errors import InputError
from koski.render.camera import Camera, rays
from koski.render.materials import MATERIALS
from koski.render.solids import Solids, Still, cast, sunlit
from koski.render.tiles import CHUNK, PIXELS, put, take, tiles


@each_shape
def test_rays_meet_a_body_where_plain_casting_says(name):
    rng = np.random.default_rng(0)
    things = spun(rng, name, 1 if name == "mesh" else 3, spread=0.5)
    o, d = some_rays(rng, CHUNK * PIXELS)
    solids = Solids.of(things)
    hit = cast(solids, everything(solids), planar(o), planar(d))
    t = np.asarray(hit.t).ravel()
    some = slice(None, None, 4 if name == "mesh" else 1)
    low, high = bracket(name, things, o[:, some], d[:, some])
    assert (t[some] >= low).all() and (t[some] <= high).all()
    assert 0.3 < np.isfinite(t).mean() < 1


@each_shape
def test_a_hit_tells_the_point_and_the_normal(name):
    rng = np.random.default_rng(1)
    (thing,) = spun(rng, name, 1, spread=3)
    o, d = some_rays(rng, CHUNK * PIXELS)
    o = o + thing.position[:, None]
    solids = Solids.of([thing])
    hit = cast(solids, everything(solids), planar(o), planar(d))
    met, t, n, p, facing = (
        np.asarray(f).reshape(*f.shape[:-2], -1)
        for f in (hit.t < jnp.inf, hit.t, hit.normal, hit.point, hit.facing)
    )
    turn = matrix(np.asarray(thing.rotation))
    assert_allclose(np.linalg.norm(n, axis=0), 1, atol=1e-5)
    assert_allclose(n[:, met], (turn @ facing)[:, met], atol=1e-5)
    middle = np.asarray(solids.parts.at[:, 0])[:, None]
    assert_allclose((turn @ p + middle)[:, met], (o + t * d)[:, met], atol=1e-4)
    assert (np.abs(p[:, met]) <= np.asarray(hit.half).reshape(3, -1)[:, met] + 1e-4).all()
    from_outside = np.linalg.norm(o - thing.position[:, None], axis=0) > 3
    toward = (n * d).sum(0)[met & from_outside]
    assert (toward <= (0.5 if name == "mesh" else 1e-3)).all()  # a mesh has smoothed normals
    # a step along the normal leads out of the solid: back against it, one meets it at once
    start = o + t * d + 1e-2 * n
    with np.errstate(invalid="ignore"):
        back = first(thing.shape, thing.position, thing.rotation, start[:, met], -n[:, met])
    assert np.mean(back < 1.3e-2) > 0.95


# ── lists by tile ────────────────────────────────────────────────────────────────────────


def crowd(rng, n: int = 14) -> list[Thing]:
    names = ["box", "ball", "pill", "log", "hull"]
    spread = np.array([6, 6, 1.5])
    return [
        Thing(SHAPES[names[k % 5]](0), spread * rng.uniform(-1, 1, 3), rng.normal(size=4))
        for k in range(n)
    ]


def views(rng) -> dict[str, Camera]:
    return {
        "from afar": Camera.create((1, -16, 7), (0, 0, 0)),
        "flat": Camera.create((-14, 3, 1.8), (0, 0, 0.5)),
        "from above": Camera.create((0.5, 0, 14), (0, 0, 0)),
        "among them": Camera.create(
            rng.uniform((-3, -3, -0.5), (3, 3, 5.5)), rng.normal(size=3), fov=70
        ),
        "under water": Camera.create((-9, 1, -1.2), (0, 0, 0.3)),
        "through a lens": Camera.create((1, -12, 5), (0, 0, 0), aperture=0.3, focus=8.0),
    }


def rays_of(camera: Camera, level: float, rng, slope: float = 0.0):
    """Pairs of origins and directions [3, H, W], and where they are: seen, mirrored, refracted."""
    d = np.asarray(rays(camera, H, W), float)
    eye = np.asarray(camera.eye, float)[:, None, None]
    if camera.aperture > 0:  # points of the lens, and toward where a pinhole is as sharp
        ahead = np.asarray(camera.target, float) - np.asarray(camera.eye, float)
        ahead /= np.linalg.norm(ahead)
        sharp = eye + d * float(camera.focus) / np.tensordot(ahead, d, 1)
        spot = rng.normal(size=d.shape)
        spot -= np.tensordot(ahead, spot, 1) * ahead[:, None, None]
        eye = eye + float(camera.aperture) * spot / np.maximum(np.linalg.norm(spot, axis=0), 1)
        d = unit(sharp - eye)
    yield "seen", eye + 0 * d, d
    with np.errstate(divide="ignore"):
        t = (level - eye[2]) / d[2]
    water = np.where(t > 0, eye + np.where(t > 0, t, 0) * d, 1e6)
    n = np.stack([*rng.uniform(-slope, slope, (2, H, W)), np.ones((H, W))])
    n = unit(n) * np.where(eye[2] < level, -1, 1)
    cos = -(d * n).sum(0)
    yield "mirrored", water, d + 2 * cos * n
    ratio = 1 / 1.33 if float(camera.eye[2]) > level else 1.33
    root = 1 - ratio**2 * (1 - cos**2)
    into = unit(ratio * d + (ratio * cos - np.sqrt(np.maximum(root, 0))) * n)
    yield "refracted", np.where(root > 0, water, 1e6), into


def seen(solids, lists, o, d) -> np.ndarray:
    """How far rays [3, H, W] are free."""
    o, d = (take(jnp.asarray(f, jnp.float32), lists) for f in (o, d))
    return np.asarray(put(jnp.full((H, W), jnp.inf), lists, cast(solids, lists, o, d).t))


def in_the_sun(solids, lists, p, sun) -> np.ndarray:
    p = take(jnp.asarray(p, jnp.float32), lists)
    return np.asarray(put(jnp.ones((H, W)), lists, sunlit(solids, lists, p, sun)))


@pytest.mark.parametrize("view", views(np.random.default_rng(0)))
def test_lists_by_tile_miss_nothing(view):
    level, lowest = 0.2, -2.5
    for seed in range(4):
        rng = np.random.default_rng(seed)
        camera, things = views(rng)[view], crowd(rng)
        sun = rng.normal(size=3)
        sun = unit(np.array([*sun[:2], abs(sun[2]) + 0.2]))
        solids = Solids.of(things)
        listed = tiles(solids, camera, H, W, np.full(len(things), level), lowest, sun)
        listed = as_many(listed, TILES)
        alike(solids, listed, camera, level, lowest, sun, rng)


def alike(solids, listed, camera, level, lowest, sun, rng):
    """Whether lists by tile do for all rays that begin in them, and shadows where these end."""
    every = everything(solids, TILES)
    for kind, o, d in rays_of(camera, level, rng):
        hits = [seen(solids, lists, o, d) for lists in (listed, every)]
        assert_array_equal(*hits, kind)
        with np.errstate(divide="ignore"):
            floor = (lowest - o[2]) / d[2]
        for t in (hits[1], floor) if kind != "mirrored" else ():
            there = np.isfinite(t) & (t > 0) & (o[0] < 1e5)
            p = o + np.where(there, t, 0) * d
            p = np.where(there & (p[2] > lowest - 1e-3), p, 1e4)
            sunk = np.array([*sun[:2] / 1.33, np.sqrt(1 - (sun[0] ** 2 + sun[1] ** 2) / 1.33**2)])
            for way, q in ((sun, p), (sunk, np.where(p[2] < level, p, 1e4))):
                lit = [in_the_sun(solids, lists, q, way) for lists in (listed, every)]
                assert_allclose(*lit, atol=1e-5, err_msg=kind)


def test_a_body_that_is_nowhere_and_none_at_all_are_not_seen():
    camera = Camera.create((0, -9, 4), (0, 0, 0))
    lost = Thing(Sphere(0.4), (np.nan, 0, 0))
    for things in ([], [lost], [lost, Thing(Sphere(0.5), (0, 0, 0))]):
        solids = Solids.of(things)
        listed = tiles(solids, camera, H, W, 0.1, -1.0, SUN)
        d = rays(camera, H, W)
        hit = cast(solids, listed, jnp.asarray(camera.eye)[:, None, None], take(d, listed))
        assert (int(jnp.isfinite(hit.t).sum()) > 0) == (len(things) == 2)
        assert all(np.isfinite(f).all() for f in (hit.normal, hit.point, hit.color, hit.half))
        lit = sunlit(solids, listed, take(d, listed), SUN)
        assert np.isfinite(lit).all()


def test_many_bodies_get_long_lists_only_where_they_are():
    rng = np.random.default_rng(2)
    places = rng.uniform(-40, 40, (1500, 2))
    things = [Thing(Box((0.8, 0.8, 0.8)), (*p, 0.4), rng.normal(size=4)) for p in places]
    camera = Camera.create((0, -60, 30), (0, 0, 0))
    listed = tiles(Solids.of(things), camera, 544, 960, 0.2, 0.0, SUN)
    assert int(listed.count[0].max()) < 100


def test_taking_tiles_out_and_putting_them_back_changes_nothing():
    solids = Solids.of([Thing(Sphere(1), (0, 0, 0))])
    listed = tiles(solids, Camera.create((0, -9, 4), (0, 0, 0)), H, W, sun=SUN)
    image = jnp.arange(2.0 * H * W).reshape(2, H, W)
    assert 0 < int(listed.used) < (H // 16) * (W // 16)
    assert_array_equal(put(image, listed, take(image, listed)), image)
    marked = put(jnp.zeros((H, W)), listed, jnp.ones((len(listed.index), PIXELS)))
    assert marked.sum() == int(listed.used) * PIXELS


# ── shadows ──────────────────────────────────────────────────────────────────────────────


@each_shape
def test_a_shadow_is_where_plain_casting_says(name):
    rng = np.random.default_rng(3)
    things = spun(rng, name, 1)
    solids = Solids.of(things)
    p = rng.uniform(-2, 2, (3, CHUNK * PIXELS)) - 6 * SUN[:, None]
    lit = np.asarray(sunlit(solids, everything(solids), planar(p), SUN, 1e-6)).ravel()
    some = slice(None, None, 4 if name == "mesh" else 1)
    d = np.broadcast_to(SUN[:, None], p.shape)
    low, high = bracket(name, things, p[:, some], d[:, some])
    blocked, free = high < np.inf, low == np.inf
    assert (lit[some][blocked] == 0).all() and (lit[some][free] == 1).all()
    assert 0.1 < blocked.mean() < 0.9 and (blocked | free).mean() > 0.99


@each_shape
def test_a_body_keeps_no_light_from_its_sunny_side(name):
    rng = np.random.default_rng(4)
    (thing,) = spun(rng, name, 1)
    solids = Solids.of([thing])
    # the mesh is a ring, which shades itself: of that only what is seen from the sun is sunny
    o = rng.normal(size=(3, CHUNK * PIXELS)) + 40 * SUN[:, None]
    o, d = planar(o), planar(np.broadcast_to(-SUN[:, None], o.shape))
    hit = cast(solids, everything(solids), o, d)
    p = o + jnp.where(hit.t < jnp.inf, hit.t, 0) * d
    lit = sunlit(solids, everything(solids), p, SUN)
    sunny = np.asarray((hit.t < jnp.inf) & (jnp.tensordot(SUN, hit.normal, 1) > 0.02))
    edge = 0.02 if name == "mesh" else 0  # of a ring there is a penumbra on itself
    assert sunny.mean() > 0.1 and (np.asarray(lit)[sunny] < 1).mean() <= edge


def test_a_penumbra_widens_with_the_distance_to_what_casts_it():
    x = np.linspace(-1, 1, PIXELS * CHUNK)
    widths = []
    for high in (4, 8, 16):
        solids = Solids.of([Thing(Box((4, 4, 1)), (2, 0, high + 0.5))])
        p = planar(np.stack([x, 0 * x, 0 * x]))
        lit = np.asarray(sunlit(solids, everything(solids), p, (0, 0, 1), 0.005)).ravel()
        assert (np.diff(lit) <= 1e-6).all() and lit[0] == 1 and lit[-1] == 0
        assert_allclose(np.interp(0.5, lit[::-1], x[::-1]), 0, atol=1e-3)
        widths.append(np.ptp(x[(lit > 0) & (lit < 1)]))
    assert_allclose(widths, 2 * 0.005 * (np.array([4, 8, 16]) + 0.5), rtol=0.08)


def test_two_bodies_side_by_side_leave_no_gap_of_light():
    crates = [Thing(Box((1, 1, 1)), (x, 0, 20)) for x in (-0.5, 0.5)]
    solids = Solids.of(crates)
    x = np.linspace(-0.3, 0.3, PIXELS * CHUNK)
    p = planar(np.stack([x, 0 * x, 0 * x]))
    assert (np.asarray(sunlit(solids, everything(solids), p, (0, 0, 1))) < 0.02).all()


# ── bodies ───────────────────────────────────────────────────────────────────────────────


def test_bodies_between_two_moments_are_on_the_way():
    turned = (np.cos(np.pi / 4), 0, 0, np.sin(np.pi / 4))  # a quarter about z
    thing = Thing(Box((2, 1, 1)), (0.0, 0.0, 0.0))
    was = [Still.of(thing)]
    thing.position, thing.rotation = (1.0, 0.0, 2.0), tuple(-np.array(turned))
    half = Solids.of([thing], 0.5, was)
    assert_allclose(half.parts.at[:, 0], (0.5, 0, 1))
    assert_allclose(half.parts.turn[:, 0, 0], np.array([1, 1, 0]) / np.sqrt(2), atol=1e-6)
    assert_allclose(Solids.of([thing], 1.0, was).parts.at[:, 0], (1, 0, 2))
    thing.position = (90.0, 0.0, 0.0)  # round the edge of a world that repeats
    assert_allclose(Solids.of([thing], 0.5, was).parts.at[:, 0], (90, 0, 0))
    assert Solids.of([thing], 0.5, []).parts.at[0, 0] == 90  # was not there before


def test_parts_of_a_compound_lie_where_its_shape_says():
    turn = (1, 1, 0, 0)
    shape = Compound((Part(Box((1, 1, 1)), (1, 0, 0)), Part(Cylinder(0.3, 2), (0, 0, 1), turn)))
    parts = Solids.of([Thing(shape, (5, 6, 7), (0, 0, 0, 1))]).parts  # half a turn about z
    assert_allclose(parts.at[:, :2], np.array([(4, 6, 7), (5, 6, 8)]).T, atol=1e-6)
    assert_allclose(parts.turn[:, 2, 1], (0, 1, 0), atol=1e-6)
    assert_array_equal(parts.body[:3], (0, 0, -1))


@pytest.mark.parametrize(
    "thing, material",
    [
        (Thing(Box((1, 1, 1)), (0, 0, 0)), "crate"),
        (Thing(Box((1, 1, 1)), (0, 0, 0), density=2600.0), "stone"),
        (Thing(Box((1, 1, 1)), (0, 0, 0), color="red"), "paint"),
        (Thing(Box((1, 1, 1)), (0, 0, 0), color=(0, 1, 0), material="metal"), "metal"),
        (Thing(Cylinder(0.2, 3), (0, 0, 0)), "wood"),
        (Thing(Convex(POINTS), (0, 0, 0)), "wood"),
        (Thing(ring(0), (0, 0, 0)), "metal"),
        (Thing(Sphere(1), (0, 0, 0)), "paint"),
    ],
)
def test_a_body_is_made_of_what_such_things_are_made_of(thing, material):
    assert int(Solids.of([thing]).parts.material[0]) == MATERIALS[material]


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(InputError, match="there is no material 'wod': did you mean 'wood'"):
        Solids.of([Thing(Sphere(1), (0, 0, 0), material="wod")])
    with pytest.raises(InputError, match="has a shape"):
        Solids.of(["a box"])
