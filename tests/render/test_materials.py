"""What ground and bodies are made of."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose

from koski import landscape
from koski.core.terrain import Terrain
from koski.render import materials
from koski.render.materials import MATERIALS, Site, above_water, noise

N = 128
ground, bump, body = (jax.jit(f) for f in (materials.ground, materials.bump, materials.body))


@pytest.fixture(scope="module")
def tile():
    return noise(n=256)


def square(side: float):
    at = (jnp.arange(N) + 0.5) * side / N
    return jnp.meshgrid(at, at)


def site(relief=40.0, scale=1.0) -> Site:
    return Site(jnp.float32(0), jnp.float32(relief), jnp.float32(scale))


def mean(c):
    return np.asarray(c).reshape(3, -1).mean(1)


def test_grass_is_green_sand_yellow_and_rock_grey(tile):
    x, y = square(60.0)
    grass, sand, rock = (
        mean(ground(tile, site(), x, y, 10 + 0 * x, steep + 0 * x, 0 * x, 0.5, above + 0 * x))
        for steep, above in ((0.05, 20.0), (0.05, -0.2), (2.0, 20.0))
    )
    assert grass[1] > grass[0] > grass[2]
    assert sand[0] > sand[1] > sand[2] and sand.sum() > 2 * grass.sum()
    assert np.ptp(rock) < 0.35 * rock.mean()


def test_only_high_mountains_have_snow(tile):
    x, y = square(60.0)

    def top(relief):
        z = relief + 0 * x
        return mean(ground(tile, site(relief, 30.0), x, y, z, 0 * x, 0 * x, 1.0, z)).mean()

    assert top(3000.0) > 0.5 > 0.25 > top(300.0)


def test_wet_ground_is_darker_and_deeper_in_colour(tile):
    x, y = square(20.0)
    dry, wet = (ground(tile, site(), x, y, 0 * x, 0 * x, w + 0 * x, 0.2, 0 * x) for w in (0.0, 1.0))
    assert bool((wet <= dry).all())
    assert mean(wet)[0] / mean(wet)[2] > 1.1 * mean(dry)[0] / mean(dry)[2]
    assert mean(wet)[0] < 0.75 * mean(dry)[0]


@pytest.mark.parametrize("scale", [0.05, 2.0, 80.0])
def test_ground_looks_alike_at_every_scale_and_calms_down_from_afar(tile, scale):
    """Contrast from pixel to pixel, not counting what is under a pixel."""
    x, y = square(40 * scale)
    wild, calm = (
        np.asarray(
            ground(tile, site(500 * scale, scale), x, y, 0 * x, 0 * x, 0 * x, f, 1e3 + 0 * x)
        )
        for f in (0.1 * scale, 60 * scale)
    )
    assert 0.05 < wild[1].std() / wild[1].mean() < 0.6
    assert np.abs(np.diff(calm[1])).max() < 0.15 * calm[1].mean()
    assert np.isfinite(wild).all() and wild.min() >= 0 and wild.max() <= 0.9


def test_points_that_touch_look_alike(tile):
    """A point found in one texel and read from the next would be a speck, one in a million."""
    x, y = np.random.default_rng(0).uniform(0, 60, (2, 1_000_000)).astype(np.float32)
    near = np.nextafter(x, np.float32(0))
    one, other = (
        np.asarray(
            ground(tile, site(), jnp.asarray(x), jnp.asarray(y), 10 + 0 * x, 0 * x, 0 * x, 0.05)
        )
        for x in (x, near)
    )
    assert np.abs(one - other).max() < 2e-3


def test_bumps_have_no_slope_of_their_own_and_vanish_from_afar(tile):
    x, y = square(113.0)
    sx, sy = bump(tile, x, y, 0.05, 1.0)
    assert abs(float(sx.mean())) < 0.02 and abs(float(sy.mean())) < 0.02
    assert 0.03 < float(sx.std()) < 0.4
    far, _ = bump(tile, x, y, 50.0, 1.0)
    assert float(jnp.abs(far).max()) < 0.03


def test_sand_lies_by_the_lake_and_in_the_river_bed():
    basin = landscape.basin(64, cell=2.0)
    b = np.asarray(basin.b)
    above = np.asarray(above_water(basin, np.maximum(-b, 0)))
    deep, dry = b < -0.02 * basin.grid.cell, b >= 0  # shallower water might be rain that runs off
    assert (above[deep] < 0).all() and (above[dry] >= 0).all() and above[~dry].max() < 0.05
    rain = np.asarray(above_water(basin, np.maximum(-b, 0.01)))
    assert np.median(rain[b > 2] - above[b > 2]) == 0  # wet hills are no beach
    valley = landscape.valley(128, cell=2.0, seed=3)
    above = np.asarray(above_water(valley)) / float(Site.of(valley).shore)
    lowest = np.asarray(valley.b).argmin(0)
    assert np.median(above[lowest, np.arange(128)]) < 0.5
    assert (above > 1.5).mean() > 0.7


def test_a_plain_has_no_sand_but_a_tank_does(tile):
    slope = Terrain.create(np.linspace(0, 20, 64)[None] * np.ones((64, 1)), 2.0)
    inside = above_water(slope)[8:-8, 8:-8]  # its lowest edge could be a bank
    assert float(inside.min() / Site.of(slope).shore) > 1.5
    assert float(Site.of(Terrain.create(np.zeros((16, 16)), 0.1)).bare) == 1
    assert float(Site.of(slope).bare) == 0


@pytest.mark.parametrize("name", MATERIALS)
def test_bodies_are_coloured_and_finite_on_every_face(tile, name):
    p = jax.random.uniform(jax.random.PRNGKey(0), (3, 4096), minval=-1.0)
    n = p / jnp.linalg.norm(p, axis=0)
    size = jnp.broadcast_to(jnp.array([1.0, 0.5, 0.3])[:, None], p.shape)
    material = jnp.full(4096, MATERIALS[name])
    tint = jnp.broadcast_to(jnp.array([0.8, 0.4, 0.2])[:, None], p.shape)
    albedo, shine = body(tile, material, p * size, n, size, tint)
    assert bool(jnp.isfinite(albedo).all()) and 0 < float(albedo.min()) <= float(albedo.max()) < 1
    assert float(shine.min()) >= 0 and float(shine.max()) < 1
    plain, _ = body(tile, material, p * size, n, size, jnp.ones_like(tint))
    assert_allclose(mean(albedo) / mean(plain), tint[:, 0], rtol=0.1)  # paint is bounded


def test_a_crate_has_dark_gaps_between_its_planks(tile):
    v = jnp.linspace(-0.75, 0.75, 400)
    p = jnp.stack([jnp.full(400, 1.0), jnp.full(400, 0.75), v])
    n = jnp.broadcast_to(jnp.array([1.0, 0.0, 0.0])[:, None], p.shape)
    albedo, _ = body(tile, jnp.full(400, MATERIALS["crate"]), p, n, jnp.ones((3, 400)), 1.0)
    light = np.asarray(albedo[1])
    dark = light < 0.6 * np.median(light)
    assert 4 <= (np.diff(dark.astype(int)) == 1).sum() <= 8


@pytest.mark.parametrize("hu", [1.0, 1.7])
def test_planks_of_a_crate_meet_in_seams_that_are_as_dark_on_both_sides(hu):
    fine, few = np.linspace(-1, 1, 20001)[:, None], np.linspace(-0.99, 0.99, 41)
    for u, v in ((fine, few), (few, fine)):
        *_, bright = materials.boards(jnp.asarray(hu * u), jnp.asarray(v), hu, 1.0)
        assert np.ptp(bright) > 0.5
        assert np.abs(np.diff(bright, axis=0)).max() < 0.02  # a seam fades over hundreds of steps
