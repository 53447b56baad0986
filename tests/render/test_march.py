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
        "overview": Camera.create((12, -14, 14), MIDDLE),
        "down": Camera.create((10.3, 13.1, 25), (10.3, 13.1, 0)),
        "low": Camera.create((14, 9, ground + 0.4), (9, 16, ground)),
        "along": Camera.create((-9, 4, 2.5), (9, 14, 0)),
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


def marched(stage, p, d, step=0.02):
    """How far rays p + t d [3, n] go to land or water within the block, inf if they miss."""
    p, d = np.broadcast_to(np.asarray(p, float), d.shape), np.asarray(d, float)
    with np.errstate(all="ignore"):
        ends = np.sort([-p[:2] / d[:2], (WIDE - p[:2]) / d[:2]], 0)
    first, last = np.maximum(ends[0].max(0), 0), ends[1].min(0)
    found, t, going = np.full(d.shape[1], np.inf), first.copy(), first < last

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
        t[k] += step
        going[k] = ~hit & (t[k] < last[k])
    return found, first


def beside(mask):
    """Where the mask or one of the eight pixels about is true."""
    wide = np.pad(mask, 1)
    return np.lib.stride_tricks.sliding_window_view(wide, (3, 3)).any((2, 3))


@each_scene
@pytest.mark.parametrize("view", ["overview", "down", "low", "along"])
def test_a_picture_sees_the_first_land_or_water_on_each_ray(view, seed):
    stage = scene(seed)
    camera = cameras(stage)[view]
    d = rays(camera, H, W)
    fan, eye = spread(stage, camera, H, W), jnp.asarray(camera.eye)
    t = march.first_hit(fan, stage.land, stage.sea, eye, d)
    true, first = marched(stage, camera.eye[:, None], np.asarray(d).reshape(3, -1))
    t, true, first = (np.asarray(f, float).reshape(H, W) for f in (t, true, first))
    open_ = true > first + 1e-6  # the others meet the cut side of the land
    land = true < np.inf
    assert (land & open_).mean() > 0.2
    off = np.abs(np.where(land, t - true, 0))
    assert (off[open_ & land] < NEAR).mean() >= 0.999
    lost = open_ & land & (t >= march.FAR)
    assert not (lost & ~beside(~land)).any()
    made_up = open_ & ~land & (t < march.FAR)
    assert not (made_up & ~beside(land)).any()


@each_scene
def test_rays_in_the_water_end_on_the_bed(seed):
    stage, rng = scene(seed), np.random.default_rng(seed)
    n = 2000
    x, y = rng.uniform(1, WIDE - 1, (2, n)).astype(np.float32)
    at = stage.land.spot(x, y)
    p = np.stack([x, y, at.of(stage.sea.w)])[:, np.asarray(at.of(stage.sea.w) > at.of(stage.land.b))]
    turn, down = rng.uniform(0, 2 * np.pi, p.shape[1]), rng.uniform(0.67, 1, p.shape[1])
    flat = np.sqrt(1 - down * down)
    d = np.stack([flat * np.cos(turn), flat * np.sin(turn), -down]).astype(np.float32)
    way = np.linspace(0, 1, 33)[1:, None].astype(np.float32) * np.full(p.shape[1], 12, np.float32)
    t = np.asarray(march.along(stage.land, jnp.asarray(p), jnp.asarray(d), jnp.asarray(way)), float)
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
    assert_array_equal(below[over & (np.abs(z - BASE) > 1e-4)], (z < BASE)[over & (np.abs(z - BASE) > 1e-4)])
