import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from koski.core.errors import InputError
from koski.render.sky import Sky

ELEVATIONS = [-12, -4, -2, -0.3, 0, 0.3, 2, 10, 30, 60, 90]
each_elevation = pytest.mark.parametrize("elevation", ELEVATIONS)


def toward(elevation, azimuth=0.0):
    """Unit vectors [3, ...] from angles in degrees."""
    e, a = np.broadcast_arrays(np.radians(elevation), np.radians(azimuth))
    d = np.stack([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    return jnp.asarray(d, jnp.float32)


def everywhere(n=200):
    """Directions that cover the sphere evenly, and the solid angle of each."""
    z = (np.arange(n) + 0.5) / n * 2 - 1
    a = (np.arange(2 * n) + 0.5) / n * np.pi
    z, a = np.meshgrid(z, a)
    r = np.sqrt(1 - z * z)
    d = np.stack([r * np.cos(a), r * np.sin(a), z])
    return jnp.asarray(d, jnp.float32), 4 * np.pi / z.size


@each_elevation
def test_all_light_is_finite_and_positive(elevation):
    sky = Sky.create(elevation, 70.0)
    d, _ = everywhere(60)
    edges = jnp.stack([toward(x) for x in (90, -90, 0, 1e-6)], axis=1)
    for light in (
        sky.radiance(d),
        sky.radiance(edges),
        sky.disc(d, 0.1),
        sky.sunlight,
        sky.ambient,
    ):
        assert jnp.isfinite(light).all()
        assert (light >= 0).all()


def test_the_sun_overhead_gives_an_irradiance_of_about_pi():
    assert_allclose(Sky.create(90).sunlight / np.pi, 1.0, atol=0.12)


def test_the_sun_stands_where_it_was_put():
    assert_allclose(Sky.create(30, 90).sun, (0, np.cos(np.pi / 6), 0.5), atol=1e-6)
    assert_allclose(Sky.create(0, 180).sun, (-1, 0, 0), atol=1e-6)


def test_the_zenith_is_blue_and_the_horizon_pale():
    sky = Sky.create(40)
    zenith, horizon = sky.radiance(toward(90)), sky.radiance(toward(0, 135 + 90))
    assert zenith[2] > 1.5 * zenith[1] > 1.5 * zenith[0]
    assert horizon.min() > 0.6 * horizon.max()
    assert horizon.sum() > 2 * zenith.sum()


def test_a_low_sun_is_warm_and_weaker():
    high, low = Sky.create(60).sunlight, Sky.create(3).sunlight
    assert low[0] > 2 * low[1] > 4 * low[2]
    assert (low < high).all()


def test_light_falls_steadily_as_the_sun_sets():
    level = [
        float((s.ambient + s.sunlight * jnp.maximum(s.sun[2], 0)).sum())
        for s in map(Sky.create, ELEVATIONS)
    ]
    assert (np.diff(level) > 0).all()


def test_a_set_sun_sends_no_light_but_the_sky_glows_where_it_went():
    sky = Sky.create(-2, 0)
    assert_array_equal(sky.sunlight, 0)
    assert sky.radiance(toward(1, 0)).sum() > 1.5 * sky.radiance(toward(1, 180)).sum() > 0


@each_elevation
def test_the_sky_is_continuous_at_the_horizon(elevation):
    sky, azimuth = Sky.create(elevation, 0), np.linspace(0, 360, 24)
    above, below = sky.radiance(toward(1e-4, azimuth)), sky.radiance(toward(-1e-4, azimuth))
    assert_allclose(above, below, rtol=0.01)


def test_the_sky_has_no_seam_around():
    sky = Sky.create(20, 50)
    turn = sky.radiance(toward(15, np.arange(0, 361, 1.0)))
    assert jnp.abs(jnp.diff(turn)).max() < 0.06 * turn.max()
    assert_allclose(turn[:, 0], turn[:, -1], rtol=1e-4)


def test_turning_the_sun_turns_the_sky():
    a, b = Sky.create(25, 0), Sky.create(25, 110)
    where = np.arange(5, 360, 10.0)
    assert_allclose(
        a.radiance(toward(20, where)), b.radiance(toward(20, where + 110)), rtol=2e-3, atol=1e-4
    )


@each_elevation
def test_ambient_light_is_the_sky_summed_over_the_hemisphere(elevation):
    sky = Sky.create(elevation, 30)
    d, solid = everywhere()
    total = (sky.radiance(d) * jnp.maximum(d[2], 0)).sum((1, 2)) * solid
    assert_allclose(sky.ambient, total, rtol=0.01)  # two quadratures of a peaked sky


@pytest.mark.parametrize("blur", [0.05, 0.2, 1.0])
def test_a_widened_sun_keeps_its_energy(blur):
    sky = Sky.create(50, 20)
    d, solid = everywhere(400)
    assert_allclose(sky.disc(d, blur).sum((1, 2)) * solid, sky.sunlight, rtol=2e-3)


def test_the_bare_disc_keeps_its_energy_too():
    sky = Sky.create(90)
    angle = (np.arange(4000) + 0.5) / 4000 * 0.05
    ring = 2 * np.pi * np.sin(angle) * 0.05 / 4000
    total = (sky.disc(toward(90 - np.degrees(angle))) * ring).sum(1)
    assert_allclose(total, sky.sunlight, rtol=2e-3)


def test_a_picture_under_a_low_sun_is_exposed_longer():
    noon, evening = Sky.create(60).exposure, Sky.create(5).exposure
    assert 1 < noon < 2 < evening < 10


@pytest.mark.parametrize("elevation", [-20, 91, float("nan"), "high"])
def test_a_sun_that_cannot_be_is_refused(elevation):
    with pytest.raises(InputError, match="sun's elevation"):
        Sky.create(elevation)
