"""What an eye under water sees."""

from dataclasses import replace

import numpy as np
import pytest
from casting import SHAPES, Thing, unit
from numpy.testing import assert_allclose
from sights import PURE, H, N, W, exposed, ground, seen, smooth

from koski.render.camera import Camera, rays
from koski.render.light import Medium
from koski.render.renderer import Renderer
from koski.render.solids import Still

DEPTH, SIDE = 6.0, 24.0  # how deep the water is, and where its sides are [m]


@pytest.fixture
def diver() -> Renderer:
    renderer = smooth(Renderer(ground(np.zeros((N, N)))))
    renderer.see(seen(renderer.terrain, DEPTH))
    return renderer


def test_through_the_side_of_the_water_the_sky_is_seen_and_dimmed_as_beer_says(diver):
    camera = Camera.create((12, 20, 3), (12, 30, 3), fov=20)
    light = exposed(diver, camera, Medium(PURE.absorption, 0 * PURE.scattering))
    d = np.asarray(rays(camera, H, W), float)
    way = (SIDE - 20) / d[1]
    assert np.abs(way * d[[0, 2]]).max() < 3  # all rays leave through that side
    expected = diver.sky.radiance(d) * np.exp(-PURE.absorbs[:, None, None] * way)
    assert_allclose(light, expected, rtol=2e-3)


def test_things_of_every_form_are_seen_mirrored_and_shade_the_bed(diver):
    camera = Camera.create((12, 2, 3), (12, 12, 2.5), fov=90)
    bare = exposed(diver, camera, PURE)[1:]  # no red comes so far
    x = np.linspace(6, 18, len(SHAPES))
    places = np.stack([x, np.full_like(x, 10), np.full_like(x, 3)], 1)
    diver.bodies = [Still.of(Thing(make(0.1), at)) for make, at in zip(SHAPES.values(), places)]
    change = exposed(diver, camera, PURE)[1:] / bare - 1
    d = np.asarray(rays(camera, H, W))
    mirrored = places * (1, 1, -1) + (0, 0, 2 * DEPTH)
    for spots in places, mirrored:
        pixels = unit(spots.T - np.asarray(camera.eye)[:, None]).T @ d.reshape(3, -1)
        assert (np.abs(change).max(0).ravel()[pixels.argmax(1)] > 0.1).all()
    assert np.isfinite(change).all()
    below = d[2] * 8 < -2.5 * d[1]  # what is met at y = 10 is lower than all of them
    assert 0.01 < (below & (change < -0.5).all(0)).mean() < 0.2
    assert change[:, below].max() < 0.01


WITHIN, ABOVE = Camera.create((12, 20, 3), (12, 30, 3)), Camera.create((12, 4, 9), (12, 12, 6))


@pytest.mark.parametrize("camera", [WITHIN, pytest.param(ABOVE, marks=pytest.mark.long)])
def test_a_dye_tints_the_water_from_within_as_from_above(diver, camera):
    """It leaves the red that is its own."""
    dyed = Renderer(diver.terrain)
    dye = np.full((N, N), 0.1, np.float32)
    dyed.see(replace(seen(diver.terrain, DEPTH), dyes={"one": dye}))
    left = exposed(dyed, camera, PURE) / exposed(diver, camera, PURE)
    red, green, blue = left[:, H // 2, W // 2]
    assert 0.8 < red <= 1 and max(green, blue) < 0.8 * red
