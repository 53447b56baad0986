"""Shadows of the land, beside what a ray to the sun meets in plain numpy."""

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose

import koski
from koski.render import shadows
from koski.render.fields import Land
from koski.render.noise import fractal

N, CELL = 48, 0.5
WIDE = N * CELL


def sun(elevation, azimuth=0.0):
    e, a = np.radians([elevation, azimuth])
    return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])


def wall(height=2.0):
    """A wall across level ground, its sunny side at x = 18 m."""
    x = np.broadcast_to((np.arange(N) + 0.5) * CELL, (N, N))
    return Land.of(koski.Terrain.create(height * ((x > 16) & (x < 18)), cell=CELL))


def shine(land, toward, x, y=12.0, z=0.0, soft=1e-3):
    """The share of the sun along a line."""
    at = land.spot(jnp.asarray(x, jnp.float32), jnp.full(np.shape(x), y, jnp.float32))
    return np.asarray(shadows.lit(shadows.cast(land, toward), at, z, soft))


def between(f, x, y, cell):
    px, py = (np.clip(c / cell - 0.5, 0, n - 1.001) for c, n in zip((x, y), f.shape))
    i, j = px.astype(int), py.astype(int)
    s, t = px - i, py - j
    near = f[j, i] * (1 - s) + f[j, i + 1] * s
    return near * (1 - t) + (f[j + 1, i] * (1 - s) + f[j + 1, i + 1] * s) * t


def reach(land, toward, steep):
    """max over s > 0 of b(p + s e) − s tan θ, in short steps, and where it is."""
    b, cell = np.asarray(land.b, float), land.cell
    ex, ey = toward[:2] / np.hypot(*toward[:2])
    y, x = (np.mgrid[: b.shape[0], : b.shape[1]] + 0.5) * cell
    most = between(b, x + cell * ex, y + cell * ey, cell) - cell * steep
    far = np.full_like(b, cell)
    for s in np.arange(1.5 * cell, 1.5 * WIDE, cell / 2):
        px, py = x + s * ex, y + s * ey
        inside = (px > 0) & (px < WIDE) & (py > 0) & (py < WIDE)
        new = between(b, px, py, cell) - s * steep
        higher = inside & (new > most)
        most, far = np.where(higher, new, most), np.where(higher, s, far)
    return most, far


@pytest.mark.parametrize("elevation, azimuth", [(8, 0), (20, 90), (36, 200), (15, 315)])
def test_shadows_reach_as_high_as_a_ray_to_the_sun_says(elevation, azimuth):
    land = Land.of(koski.Terrain.create(fractal(64, 1, 2.0, 2.0)[:N, :N], cell=CELL))
    toward = sun(elevation, azimuth)
    shade = shadows.cast(land, toward)
    none, all_ = np.asarray(shade.none), np.asarray(shade.all)
    assert (none > all_).all()
    lower, upper = (np.tan(np.radians(elevation + k * shadows.SUN)) for k in (-1, 1))
    true, far = reach(land, toward, lower)
    off = np.abs(none - true)
    assert (true > np.asarray(land.b) + 0.05).mean() > 0.05  # there is shadow
    assert np.quantile(off, 0.99) < 0.1 * CELL and off.max() < 0.5 * CELL
    assert np.quantile(np.abs((none - all_) / (upper - lower) - far), 0.9) < CELL


def test_nothing_lies_in_shadow_on_level_ground():
    land = Land.of(koski.Terrain.create(np.zeros((N, N)), cell=CELL))
    assert_allclose(shine(land, sun(5, 30), np.linspace(0, WIDE, 200)), 1)


@pytest.mark.parametrize("elevation", [10, 20, 45])
def test_the_shadow_of_a_wall_is_as_long_as_it_should_be(elevation):
    """h / tan θ: the sun stands at +x, so that it falls toward −x."""
    x, land = np.linspace(0, 15, 3000), wall()
    lit = shine(land, sun(elevation), x)
    end = x[lit < 0.5].min()
    ridge = np.asarray(land.b)[100]
    tops = (np.arange(ridge.size) + 0.5) * land.cell - ridge / np.tan(np.radians(elevation))
    assert_allclose(end, tops[ridge > 1].min(), atol=land.cell)
    assert_allclose(16 - end, 2 / np.tan(np.radians(elevation)), atol=CELL)  # edges are round
    assert (lit[x < end] >= 0.5).all() and (lit[(x > end) & (x < 15)] < 0.5).all()


def test_penumbras_widen_with_the_distance():
    """The width of one is 2 r s / sin² θ at a distance s, r the sun's radius."""

    def width(height):
        x = np.linspace(0, 16, 6000)
        lit = shine(wall(height), sun(15), x)
        return np.ptp(x[(lit > 0.02) & (lit < 0.98)])

    narrow, wide = width(1.0), width(3.0)
    expected = 2 * np.radians(shadows.SUN) * 1.0 / np.sin(np.radians(15)) ** 2
    assert_allclose(narrow, expected, rtol=0.25)
    assert_allclose(wide / narrow, 3.0, rtol=0.25)


def test_higher_points_see_the_sun_first():
    lit = np.array([shine(wall(), sun(20), np.array([13.0]), z=z)[0] for z in (0, 0.5, 1, 1.5, 3)])
    assert lit[0] == 0 and lit[-1] == 1 and (np.diff(lit) >= 0).all()
