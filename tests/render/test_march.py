"""Rays against land and water, beside a march in short steps in plain numpy."""

from functools import cache
from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import koski
from koski.core.frame import Frame
from koski.render import fields, march
from koski.render.camera import Camera, rays
from koski.render.fields import Land
from koski.render.noise import fractal
from koski.render.paint import spread

N, CELL = 48, 0.5
WIDE = N * CELL
H, W = 64, 96
BASE = -6.0
NEAR = 0.05 * CELL  # how exact a hit is [m]


@cache
def scene(seed: int, level: float = 0.0, rough: float = 1.2):
    """Hills of all sizes, and waves on a lake between them."""
    hills, waves = (fractal(64, seed + k, 2.0, 2.0)[:N, :N] for k in (0, 1))
    terrain = koski.Terrain.create(rough * hills, cell=CELL)
    surface = jnp.maximum(terrain.b, jnp.asarray(level + 0.05 * waves, jnp.float32))
    none = jnp.zeros_like(surface)
    land = Land.of(terrain)
    frame = Frame(surface - terrain.b, surface, none, none, jnp.float32(0))
    return SimpleNamespace(land=land, sea=fields.sea(frame, land))


each_scene = pytest.mark.parametrize("seed", [1, 2])
MIDDLE = WIDE / 2, WIDE / 2, 0.0


def cameras(stage):
    """From afar, from above, from the ground, and from outside along it."""
    ground = float(march.height(stage.land, stage.sea, 14.0, 9.0))
    return {
        "overview": Camera.create((12, -14, 14), MIDDLE, fov=14),
        "down": Camera.create((10.3, 13.1, 25), (10.3, 13.1, 0)),
        "low": Camera.create((14, 9, ground + 0.4), (9, 16, ground - 1), fov=20),
        "along": Camera.create((-9, 4, 2.5), (9, 14, 0), fov=14),
    }


def height(stage, x, y):
    """The higher of ground and water, in numpy."""

    def between(f):
        f = np.asarray(f, float)
        px, py = (np.clip(c / stage.land.cell - 0.5, 0, n - 1.001) for c, n in zip((x, y), f.shape))
        i, j = px.astype(int), py.astype(int)
        s, t = px - i, py - j
        near = f[j, i] * (1 - s) + f[j, i + 1] * s
        return near * (1 - t) + (f[j + 1, i] * (1 - s) + f[j + 1, i + 1] * s) * t

    if stage.sea is None:
        return between(stage.land.b)
    return np.maximum(between(stage.land.b), between(stage.sea.w))


def marched(stage, p, d, step=0.03):
    """How far rays p + t d [3, n] go to land or water, inf if they miss; where the block begins."""
    p, d = np.broadcast_to(np.asarray(p, float), d.shape), np.asarray(d, float)
    with np.errstate(all="ignore"):
        ends = np.sort([-p[:2] / d[:2], (WIDE - p[:2]) / d[:2]], 0)
    first, last = np.maximum(ends[0].max(0), 0), ends[1].min(0)
    down = (p[2] - np.asarray(stage.land.b).max() - 0.5) / np.maximum(-d[2], 1e-9)
    t = np.clip(np.maximum(first, down), None, np.maximum(first, last))  # above all there is
    found, going = np.full(d.shape[1], np.inf), first < last

    def over(t, k):
        x, y, z = p[:, k] + t * d[:, k]
        return height(stage, x, y) - z

    while going.any():
        k = np.flatnonzero(going)
        hit = over(t[k], k) >= 0
        low, high = np.maximum(t[k] - step, first[k])[hit], t[k][hit]
        for _ in range(20):
            mid = (low + high) / 2
            under = over(mid, k[hit]) >= 0
            low, high = np.where(under, low, mid), np.where(under, mid, high)
        found[k[hit]] = high
        going[k] = ~hit & (t[k] < last[k])
        t[k] = np.minimum(t[k] + step, last[k])
    return found, first


def around(f):
    """The pixel and the eight about it [H, W, 9]."""
    wide = np.pad(f, 1, mode="edge")
    return np.lib.stride_tricks.sliding_window_view(wide, (3, 3)).reshape(*f.shape, 9)


@each_scene
@pytest.mark.parametrize("view", ["overview", "down", "low", "along"])
def test_a_picture_sees_the_first_land_or_water_on_each_ray(view, seed):
    stage = scene(seed)
    camera = cameras(stage)[view]
    d, eye = rays(camera, H, W), jnp.asarray(camera.eye)
    fan = march.fan(stage.land, stage.sea, eye, *spread(stage, camera, H, W), W)
    t, _ = march.first_hit(fan, stage.land, stage.sea, eye, d)
    true, first = marched(stage, camera.eye[:, None], np.asarray(d).reshape(3, -1))
    t, true, first = (np.asarray(f, float).reshape(H, W) for f in (t, true, first))
    true = np.minimum(true, march.FAR)
    into = true > first + 1e-6  # the others meet the cut side of the land
    near = around(true).min(-1), around(true).max(-1)
    edge = near[1] - near[0] > CELL  # of a hill before another or before the sky
    good = np.abs(t - true) < NEAR
    assert (into & ~edge & (true < march.FAR)).mean() > 0.2
    assert good[into & ~edge].mean() >= 0.999
    assert good[into].mean() >= 0.99
    # and at an edge it sees what is there within a pixel
    sees = (np.abs(around(true) - t[..., None]) < CELL).any(-1)
    assert sees[into].mean() >= 0.999
    lost = (t >= march.FAR) & (near[1] < march.FAR)
    assert not (lost & into).any()


@each_scene
def test_rays_in_the_water_end_on_the_bed(seed):
    stage, rng = scene(seed), np.random.default_rng(seed)
    x, y = rng.uniform(1, WIDE - 1, (2, 2000)).astype(np.float32)
    at = stage.land.spot(x, y)
    b, w = np.asarray(at.of(stage.land.b)), np.asarray(at.of(stage.sea.w))
    p = np.stack([x, y, w])[:, w > b]
    turn, down = rng.uniform(0, 2 * np.pi, p.shape[1]), rng.uniform(0.67, 1, p.shape[1])
    flat = np.sqrt(1 - down * down)
    d = np.stack([flat * np.cos(turn), flat * np.sin(turn), -down]).astype(np.float32)
    _, leave = march.entry(stage.land, p, d)
    way = np.linspace(0, 12, 97, dtype=np.float32)[1:, None]
    way = np.minimum(way, np.asarray(leave))
    t = np.asarray(march.along(stage.land, *map(jnp.asarray, (p, d, way)))[0], float)
    true, _ = marched(SimpleNamespace(land=stage.land, sea=None), p, d)
    assert len(t) > 300 and (true < 12).mean() > 0.9
    hit = true < 12 - CELL
    assert (np.abs(t - true)[hit] < NEAR).mean() >= 0.999
    assert (t[true == np.inf] >= march.FAR).all()


def test_from_outside_the_cut_sides_are_where_they_are():
    stage, rng = scene(1), np.random.default_rng(3)
    eye = np.array([-7.0, 3.0, 1.5], np.float32)
    d = np.stack([np.ones(4000), rng.uniform(-1, 2.5, 4000), rng.uniform(-1.5, 0.5, 4000)])
    d = (d / np.linalg.norm(d, axis=0)).astype(np.float32)
    t = np.asarray(march.side(stage.land, stage.sea, jnp.asarray(eye), jnp.asarray(d), BASE))
    west, south = -eye[0] / d[0], np.where(d[1] > 0, -eye[1] / d[1], -np.inf)
    true = np.maximum(west, south)
    x, y, z = (eye[:, None] + true * d).astype(float)
    over = (x > -1e-4) & (x < WIDE) & (y > -1e-4) & (y < WIDE)
    hit = over & (z > BASE) & (z < height(stage, x, y))
    near = np.abs(z - height(stage, x, y)) < 1e-4
    assert 500 < hit.sum() < 3500
    assert_array_equal((t < march.FAR)[~near], hit[~near])
    assert_allclose(t[hit & ~near], true[hit & ~near], rtol=1e-5)
    below = np.asarray(march.passes_below(stage.land, jnp.asarray(eye), jnp.asarray(d), BASE))
    sure = over & (np.abs(z - BASE) > 1e-4)
    assert_array_equal(below[sure], (z < BASE)[sure])


def test_a_ray_to_the_very_lower_edge_of_the_block_passes_below():
    """It meets no side there, and must not meet the ground inside."""
    stage, eye = scene(1), np.array([-4.0, 3.0, BASE + 2], np.float32)
    d = np.array([[4.0], [0.0], [-2.0]], np.float32)
    assert march.side(stage.land, stage.sea, eye, d, BASE)[0] == march.FAR
    assert march.passes_below(stage.land, eye, d, BASE)[0]
