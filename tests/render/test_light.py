from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from koski.render import light
from koski.render.light import MEDIA, Medium

PURE = MEDIA["pure"]
UP = jnp.asarray((0.0, 0.0, 1.0))
EVEN = jnp.ones(3)
each_medium = pytest.mark.parametrize("medium", MEDIA.values(), ids=list(MEDIA))


def slanted(degrees):
    """A ray that goes down at an angle from the vertical."""
    a = np.radians(degrees)
    return jnp.asarray((np.sin(a), 0.0, -np.cos(a)), jnp.float32)


def by_steps(medium: Medium, length, start, end, light, n=20_000):
    """The integral of `scattered` as a sum of `n` midpoints, in float64."""
    kappa = np.float64(medium.takes)[:, None]
    s = (np.arange(n) + 0.5) / n * length
    h = start + (end - start) * s / length
    along = np.exp(-kappa * (h + s)).sum(1) * length / n
    return np.float64(medium.scattering) / (4 * np.pi) * light * along


def test_two_percent_are_mirrored_at_normal_incidence_and_all_at_grazing():
    assert_allclose(light.schlick(jnp.asarray((1.0, 0.0))), (0.02, 1.0))


def test_an_even_sky_is_mirrored_as_its_mean_over_the_hemisphere():
    cos = (np.arange(4000) + 0.5) / 4000
    mean = np.mean(2 * cos * np.asarray(light.schlick(cos)))
    assert_allclose(light.SKY_MIRRORED, mean, rtol=1e-4)


def test_a_mirrored_ray_keeps_its_slope_and_goes_up():
    assert_allclose(
        light.reflect(slanted(30), UP), slanted(30) * jnp.asarray((1, 1, -1)), atol=1e-6
    )


@pytest.mark.parametrize("degrees", [0, 30, 60, 85])
def test_a_ray_bends_by_snells_law(degrees):
    ray, total = light.refract(slanted(degrees), UP)
    assert not total
    assert_allclose(ray[0], np.sin(np.radians(degrees)) / 1.33, atol=1e-6)
    assert_allclose(light.dot(ray, ray), 1.0, rtol=1e-6)


def test_bending_out_of_the_water_undoes_bending_in():
    inside, _ = light.refract(slanted(60), UP)
    outside, total = light.refract(-inside, -UP, light.OUT_OF_WATER)
    assert not total
    assert_allclose(outside, -slanted(60), atol=1e-6)


def test_beyond_the_critical_angle_no_ray_leaves_the_water():
    rays = -jnp.stack([slanted(d) for d in (48, 49.5, 80)], axis=1)  # critical: 48.75°
    bent, total = light.refract(rays, -UP[:, None], light.OUT_OF_WATER)
    assert_array_equal(total, (False, True, True))
    assert (bent[2] * jnp.where(total, -1, 1) > 0).all()
    assert_allclose(light.dot(bent, bent), 1.0, rtol=1e-5)


@pytest.mark.parametrize("depth", [1.0, 5.0, 10.0])
def test_white_sand_has_the_colour_of_beers_law_both_ways(depth):
    seen = light.bed_light(PURE, depth, EVEN, 0 * EVEN) * light.through(PURE, depth)
    expected = 0.98 * 10.0 ** (-2 * depth * np.array((0.648, 0.053, 0.036)))
    assert_allclose(seen, expected, rtol=1e-4)  # float32 exponents; asked for is 1 %


def test_the_bed_gets_sun_and_sky_less_what_each_loses_at_the_surface():
    lit = light.bed_light(PURE, 0.0, 2 * EVEN, EVEN, cos=0.5)
    assert_allclose(lit, 2 * 0.5 * (0.98 * (1 - 0.5**5)) + 1 - light.SKY_MIRRORED, rtol=1e-6)


def test_a_sun_below_the_horizon_gives_the_bed_nothing():
    assert_array_equal(light.entering(EVEN, 0 * EVEN, jnp.asarray(-0.3)), 0)


@each_medium
def test_without_scattering_there_is_beers_law_alone_to_the_last_bit(medium):
    clear = replace(medium, scattering=np.zeros(3, np.float32))
    length = jnp.linspace(0, 30, 50)
    assert_array_equal(light.through(clear, length), light.beer(clear, length))
    assert_array_equal(light.scattered(clear, length, length, EVEN), 0)


@each_medium
@pytest.mark.parametrize(
    "length, start, end",
    [
        (1, 0, 1),
        (5, 0, 3),
        (10, 0, 0.1),
        (0.01, 0, 0.01),
        (4, 6, 2),
        (3, 2, 5),
        (2, 2, 2),
        (40, 0, 30),
    ],
)
def test_scattered_light_is_the_integral_along_the_ray(medium, length, start, end):
    seen = light.scattered(medium, length, end, EVEN, start)
    assert_allclose(seen, by_steps(medium, length, start, end, 1.0), rtol=1e-4, atol=1e-9)


@each_medium
def test_water_gives_back_no_more_light_than_came_in(medium):
    mu = jnp.linspace(0.02, 1, 60)[:, None]  # of the view, straight down at 1
    depth = jnp.geomspace(1e-3, 1e3, 40)
    seen = light.scattered(medium, depth / mu, depth, EVEN)
    assert (seen >= 0).all()
    assert (jnp.pi * seen <= 1).all()
    upward = 2 * jnp.pi * jnp.trapezoid(seen * mu, mu[:, 0], axis=1)
    bed = light.through(medium, depth)
    assert (upward + bed <= 1).all()


@each_medium
def test_nothing_is_nan_negative_or_brighter_than_its_source(medium):
    odd = jnp.asarray((0.0, 1e-30, 1e-6, 1.0, 1e4, 1e30))
    length, depth = odd[:, None], odd[None, :]
    for seen in (
        light.beer(medium, length),
        light.through(medium, length),
        light.bed_light(medium, depth, EVEN / 2, EVEN / 2),
        jnp.pi
        * light.scattered(medium, jnp.minimum(length, 1e6), jnp.minimum(depth, length), EVEN),
    ):
        assert jnp.isfinite(seen).all()
        assert (seen >= 0).all()
        assert (seen <= 1).all()


def test_a_medium_may_differ_from_place_to_place():
    depth = jnp.asarray(((1.0, 2.0), (3.0, 4.0)))
    here = replace(PURE, absorption=jnp.broadcast_to(PURE.absorption[:, None, None], (3, 2, 2)))
    assert_allclose(light.beer(here, depth), light.beer(PURE, depth))
    assert_allclose(
        light.scattered(replace(here, scattering=0.1 * jnp.ones((3, 2, 2))), depth, depth, EVEN),
        light.scattered(replace(PURE, scattering=0.1 * jnp.ones(3)), depth, depth, EVEN),
        rtol=1e-6,
    )


def test_a_change_of_the_water_compiles_nothing():
    f = jax.jit(light.scattered)
    for medium in MEDIA.values():
        f(medium, 1.0, 1.0, EVEN)
    assert f._cache_size() == 1
