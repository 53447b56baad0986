"""Ripples, foam, wet ground and caustics."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from koski.core.edges import Edges, Periodic
from koski.core.frame import Frame
from koski.core.terrain import Terrain
from koski.render import caustics as light
from koski.render import foam, ripples
from koski.render.caustics import Caustics
from koski.render.detail import DRIES, LIFE, RIM, Detail
from koski.render.drift import PERIOD, Carried
from koski.render.foam import foam_cover, foam_hides, lace
from koski.render.noise import Tile, fractal
from koski.render.ripples import Ripples, lost
from koski.render.spot import spot

FPS = 30
slopes, pattern = jax.jit(ripples.slopes), jax.jit(foam.pattern)
caustics = jax.jit(light.caustics)


def frame(terrain: Terrain, depth=1.0, u=0.0, v=0.0) -> Frame:
    d, u, v = (jnp.broadcast_to(jnp.float32(f), terrain.grid.shape) for f in (depth, u, v))
    return Frame(d, terrain.b + d, u, v, jnp.float32(0))


def flat(ny=24, nx=32, cell=1.0, edges=None) -> Terrain:
    return Terrain.create(np.zeros((ny, nx)), cell, edges)


def run(detail: Detail, frame: Frame, terrain: Terrain, seconds: float, blocked=None) -> Detail:
    for _ in range(round(seconds * FPS)):
        detail = detail.step(frame, terrain, blocked, 1 / FPS)
    return detail


def still(shape) -> Carried:
    return Carried(jnp.zeros((2, 2, *shape)), jnp.array([0.7, 0.3]), jnp.array([0.1, 0.6]))


def square(side: float, n: int):
    at = (jnp.arange(n) + 0.5) * side / n
    return jnp.meshgrid(at, at)


# ── noise ────────────────────────────────────────────────────────────────────────────────


def test_a_tile_gives_back_its_maps_and_their_mean_from_afar():
    f, other = fractal(64, seed=1), fractal(64, seed=2)
    tile = Tile.of(np.stack([f, other]))
    x, y = square(1.0, 64)
    assert_allclose(tile.at(x, y, 2), [f, other], atol=float(tile.step))  # 8 bits
    assert_allclose(tile.seen(x, y, 0.0), f, atol=float(tile.step))
    assert_allclose(tile.seen(x, y, 0.0, layer=1), other, atol=float(tile.step))
    assert_allclose(tile.at(x + 3, y - 2, 1)[0], tile.at(x, y, 1)[0], atol=1e-3)
    assert float(jnp.abs(tile.seen(x, y, 1.0) - f.mean()).max()) < 0.15
    assert float(tile.seen(x, y, 0.1).std()) < 0.7 * f.std()


# ── ripples ──────────────────────────────────────────────────────────────────────────────


def test_ripples_are_as_steep_as_they_say_whatever_the_copies_weigh():
    sea = Ripples.create(1.0)
    x, y = square(3 * float(sea.tile), 384)
    for share in (0.0, 0.3, 0.5):
        carried = replace(still(x.shape), weight=jnp.array([1 - share, share]))
        sx, sy = slopes(carried, sea, x, y, 0.0 * x, 1.7, 2.0 + 0 * x)
        steep = float(jnp.sqrt((sx * sx + sy * sy).mean()))
        assert_allclose(steep, float(sea.strength(2.0)), rtol=0.1)  # a few tiles of chance


def test_far_ripples_vanish_into_roughness():
    sea = Ripples.create(1.0)
    x, y = square(10.0, 64)
    sx, sy = slopes(still(x.shape), sea, x, y, 20.0 + 0 * x, 0.0, 1.0 + 0 * x)
    assert_array_equal(sx, 0), assert_array_equal(sy, 0)
    assert_allclose(lost(sea, 20.0, 1.0), sea.strength(1.0))
    assert float(lost(sea, 0.0, 1.0)) == 0


def test_ripples_are_subtle_in_slow_water_and_none_in_still():
    sea = Ripples.create(1.0)
    x, y = square(10.0, 64)
    old, new = (slopes(still(x.shape), sea, x, y, 0 * x, t, 0.1 + 0 * x)[0] for t in (0.0, 0.5))
    assert float(jnp.abs(new - old).mean() / jnp.abs(old).mean()) > 0.1
    assert float(jnp.abs(old).max()) < 0.03
    assert_array_equal(slopes(still(x.shape), sea, x, y, 0 * x, 0.0, 0 * x)[0], 0)


# ── what the flow carries ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("u, v", [(1.0, 0.0), (0.0, -2.0), (3.0, 1.0)])
def test_texture_goes_with_the_flow(u, v):
    """Each copy has gone as far as the water since it began, and never both are unseen."""
    terrain = flat(edges=Edges.all(Periodic()))
    detail = run(Detail.start(terrain), frame(terrain, u=u, v=v), terrain, 0.8 * PERIOD)
    age = np.array([0.8, 0.3]) * PERIOD
    want = age[:, None] * np.array([u, v])
    shift = detail.drift.shift
    assert_allclose(shift, np.broadcast_to(want[..., None, None], shift.shape), atol=1e-3)
    carried = detail.at(spot(jnp.array([5.0]), jnp.array([7.0]), terrain.grid.shape, 1.0))
    assert_allclose(carried.weight.sum(), 1, atol=1e-5)
    assert_allclose((carried.share**2).sum(), 1, atol=1e-5)


def test_a_long_step_is_as_good_as_many():
    terrain = flat(edges=Edges.all(Periodic()))
    once = Detail.start(terrain).step(frame(terrain, u=1.0), terrain, None, 3.3 * PERIOD)
    many = run(Detail.start(terrain), frame(terrain, u=1.0), terrain, 3.3 * PERIOD)
    assert_allclose(once.drift.shift, many.drift.shift, atol=1e-2)  # of 3 m; sums of 1/30 s


# ── foam ─────────────────────────────────────────────────────────────────────────────────


def test_a_calm_lake_never_foams():
    """Even over a rough bed, with islands, bodies and the ripples of a breeze."""
    b = 1.5 * np.random.default_rng(0).uniform(-1, 1, (24, 32))
    terrain = Terrain.create(b, 1.0)
    depth = np.maximum(0.5 - b, 0)
    stir = np.random.default_rng(1).uniform(-0.2, 0.2, (2, 24, 32)) * (depth > 0)
    blocked = jnp.zeros((24, 32), bool).at[10:12, 10:12].set(True)
    detail = run(Detail.start(terrain), frame(terrain, depth, *stir), terrain, 20.0, blocked)
    assert_array_equal(detail.foam, 0)


def test_foam_is_born_where_fast_water_meets_slow_and_is_carried_on():
    terrain = flat(16, 64)
    x = np.arange(64)
    jump = np.where(x < 20, 4.0, 1.0)[None]
    deep = np.where(x < 20, 0.25, 1.0)[None]
    detail = run(Detail.start(terrain), frame(terrain, deep, jump), terrain, 10.0)
    cover = np.asarray(detail.foam).mean(0)
    assert cover[:18].max() < 0.6  # rapid, not broken
    assert 19 <= cover.argmax() <= 23 and cover.max() > 0.6
    assert cover[24] > 0.1 and cover[24] > cover[28] > cover[60]


def test_foam_forms_at_bodies_and_falls():
    terrain = flat()
    blocked = jnp.zeros(terrain.grid.shape, bool).at[12, 16].set(True)
    at_body = run(Detail.start(terrain), frame(terrain, u=1.8), terrain, 2.0, blocked)
    free = run(Detail.start(terrain), frame(terrain, u=1.8), terrain, 2.0)
    assert float(at_body.foam.max()) > 0.3 and float(free.foam.max()) == 0
    cliff = Terrain.create(np.where(np.arange(32) < 16, 3.0, 0.0) * np.ones((24, 1)), 1.0)
    falls = run(Detail.start(cliff), frame(cliff, depth=0.5, u=2.0), cliff, 2.0)
    assert float(falls.foam[12, 16]) > 0.3 and float(falls.foam[12, 8]) < 0.05


def test_foam_fades_and_dies_on_dry_ground():
    terrain = flat()
    some = replace(Detail.start(terrain), foam=jnp.full(terrain.grid.shape, 0.8))
    later = run(some, frame(terrain), terrain, LIFE)
    assert_allclose(later.foam, 0.8 * np.exp(-1), rtol=1e-3)
    dry = run(some, frame(terrain, depth=0.0), terrain, 1 / FPS)
    assert_array_equal(dry.foam, 0)


def test_foam_is_patches_not_fog():
    """Half-way foam is mostly either there or not, and covers about as much as it says."""
    x, y = square(12.0, 256)
    p = pattern(still(x.shape), lace(128), x, y, 0.02 + 0 * x, 24.0)
    last = 0.0
    for share in (0.2, 0.4, 0.6, 0.8):
        cover = foam_cover(jnp.full(x.shape, share), p)
        assert float(((cover < 0.1) | (cover > 0.9)).mean()) > 0.5
        assert abs(float(cover.mean()) - share) < 0.15 and float(cover.mean()) > last
        last = float(cover.mean())
    assert_array_equal(foam_cover(0 * x, p), 0)
    assert_allclose(foam_cover(1 + 0 * x, p), 1, atol=1e-3)


def test_thin_foam_is_a_veil_and_thick_foam_hides_what_is_below():
    p = jnp.linspace(0.0, 1.0, 50)
    hides = np.asarray(foam_hides(jnp.ones(50), p))
    assert 0.5 < hides[0] < 0.7 and hides[-1] > 0.95 and (np.diff(hides) >= 0).all()


# ── wet ground ───────────────────────────────────────────────────────────────────────────


def test_ground_is_wet_under_water_nearly_so_beside_it_and_dries():
    terrain = flat()
    pond = jnp.zeros(terrain.grid.shape).at[8:16, 8:16].set(0.5)
    wet = run(Detail.start(terrain), frame(terrain, pond), terrain, 0.5)
    assert float(wet.wet[12, 12]) == 1
    assert_allclose(wet.wet[12, 16], RIM)
    assert float(wet.wet[12, 18]) == 0
    gone = run(wet, frame(terrain, 0.0), terrain, 20.0)
    assert_allclose(gone.wet[12, 12], np.exp(-20 / DRIES), rtol=1e-3)


# ── caustics ─────────────────────────────────────────────────────────────────────────────


def test_caustics_move_light_about_and_make_none():
    loop = Caustics.create()
    for depth, octave in ((light.SHALLOW, 0), (4 * light.SHALLOW, 2)):
        side = light.TILE * 2**octave  # one tile, each texel once
        x, y = square(side, light.SIDE)
        for t in (0.0, 1.3):
            f = caustics(loop, x, y, depth + 0 * x, 0 * x, t)
            assert_allclose(float(f.mean()), 1, atol=2e-4)
            assert light.DIMMEST - 1e-3 <= float(f.min()) < 0.8  # rounding to 8 bits
            assert 1.8 < float(f.max()) <= light.BRIGHTEST + 1e-3


def test_no_caustics_in_a_film_of_water_in_the_deep_or_from_afar():
    loop = Caustics.create()
    x, y = square(8.0, 64)
    none = 0 * x
    assert_array_equal(caustics(loop, x, y, none + 0.03, none, 0.0), 1)
    assert_allclose(caustics(loop, x, y, none + 100.0, none, 0.0), 1, atol=5e-3)
    assert_allclose(caustics(loop, x, y, none + 1.0, none + 30.0, 0.0), 1, atol=0.05)
    assert_array_equal(caustics(loop, x, y, none + 1.0, none, 0.0, strength=0.0), 1)
