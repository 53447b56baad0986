import colorsys

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from koski.render.sheet import SIDE, save, sheet
from koski.render.tone import DITHER, LUMINANCE, filmic, srgb, to_bytes

LIGHTS = np.geomspace(1e-5, 1e4, 400, dtype=np.float32)


def lit(color):
    """A colour under growing light, [3, n]."""
    return jnp.asarray(color, jnp.float32)[:, None] * LIGHTS


def test_grey_stays_grey_and_grows_with_light_from_black_to_white():
    shown = np.asarray(filmic(lit((1, 1, 1))))
    assert_allclose(shown, shown[[1, 2, 0]], atol=1e-6)
    assert (np.diff(shown[0]) >= 0).all()
    assert shown[0, 0] < 1e-4
    assert shown[0, -1] == 1


@pytest.mark.parametrize(
    "color", [(0, 0, 1), (0.05, 0.3, 1), (1, 0.2, 0.02), (0.1, 1, 0.3), (1, 1, 0)]
)
def test_more_light_never_looks_darker(color):
    bright = LUMINANCE @ np.asarray(filmic(lit(color)))
    assert (np.diff(bright) > -1e-6).all()


@pytest.mark.parametrize("color", [(0.05, 0.25, 0.6), (0.02, 0.3, 0.5), (0.25, 0.45, 1.0)])
def test_blue_water_does_not_turn_purple(color):
    hues = [colorsys.rgb_to_hsv(*c) for c in np.asarray(filmic(lit(color))).T[::10]]
    seen = [h * 360 for h, s, v in hues if s > 0.1 and v > 0.02]
    assert min(seen) > 170 and max(seen) < 235  # cyan 180°, blue 240°, purple beyond


def test_odd_values_come_out_between_black_and_white():
    odd = jnp.asarray([[np.nan, np.inf, -np.inf, -1.0, 1e38, 1e-40]] * 3)
    shown = filmic(odd, 2.0)
    assert jnp.isfinite(shown).all()
    assert (shown >= 0).all() and (shown <= 1).all()


def test_exposure_is_a_factor_on_light():
    assert_allclose(filmic(lit((1, 0.5, 0.2)), 2.0), filmic(2 * lit((1, 0.5, 0.2))), rtol=1e-6)


def test_srgb_is_the_standard_curve():
    x = np.linspace(0, 1, 500)
    standard = np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)
    assert_allclose(srgb(jnp.asarray(x)), standard, atol=2e-6)


def test_black_and_white_are_exact_in_bytes_and_planes_interleave():
    c = jnp.stack([jnp.zeros((5, 9)), jnp.ones((5, 9)), jnp.full((5, 9), 0.2)])
    image = to_bytes(c)
    assert image.shape == (5, 9, 3)
    assert image.dtype == np.uint8
    assert_array_equal(np.unique(image.reshape(-1, 3), axis=0), [(0, 255, 51)])


def test_the_dither_keeps_the_mean_of_levels_between_bytes():
    shade = (100 + np.arange(0, 1, 0.1)) / 255
    for value in shade:
        image = to_bytes(jnp.full((3, 16, 16), value, jnp.float32))
        assert_allclose(image.mean(), value * 255, atol=1 / DITHER.size)
        assert np.ptp(image) <= 1


def test_a_calm_picture_is_the_same_from_frame_to_frame():
    c = jnp.asarray(np.random.default_rng(0).random((3, 33, 47)), jnp.float32)
    assert_array_equal(to_bytes(c), to_bytes(c + 0))


def test_the_sheet_shows_deeper_water_darker_and_each_water_its_own(tmp_path):
    page = sheet()
    assert page.dtype == np.uint8
    assert page.shape[2] == 3
    pure = page[8 : 8 + SIDE, 408 : 408 + SIDE].astype(int)  # c = 0.5, k = 0
    red = pure[:, :20, 0].mean(1)
    assert red[0] < 20 < 150 < red[-1]
    silt, glacier = (page[650, 100 + 200 * i].astype(int) for i in (3, 4))
    assert silt[0] > silt[1] > silt[2]
    assert glacier[2] > glacier[0] + 20 < glacier[1]
    save(str(tmp_path / "sheet.png"))
    assert (tmp_path / "sheet.png").stat().st_size > 10_000
