"""Edges in pictures: smooth with a single sample a pixel, and never left to rounding."""

from itertools import pairwise
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sights import CELL, MIDDLE, H, N, W, ground, seen, smooth

from koski.bodies.shapes import Capsule, Sphere
from koski.render import tone
from koski.render.camera import Camera, orbit
from koski.render.paint import SKY, look_out
from koski.render.renderer import Renderer, aim
from koski.render.stage import Sight
from koski.render.water import Rays, over_land


def test_the_edges_of_the_block_of_land_do_not_jump_from_pixel_to_pixel():
    """Moved by a hundredth of a pixel, a single sample shows a small part of their contrast."""
    terrain = ground(np.zeros((N, N)))
    renderer = smooth(Renderer(terrain))
    renderer.see(seen(terrain, -1.0))

    def drawn(azimuth):
        camera = orbit((MIDDLE, MIDDLE, 0), 60, azimuth=azimuth, elevation=25, fov=30)
        return renderer.draw(camera, W, H, "draft").astype(int)

    pictures = [drawn(-70 + 0.015 * k) for k in range(40)]
    assert np.ptp(pictures[0]) > 100
    assert max(np.abs(a - b).max() for a, b in pairwise(pictures)) <= 10


def jump(renderer, camera) -> float:
    """How much a sample changes at most, moved by a hundredth of a sample [1/255]."""

    def shown(x):
        return 255 * np.asarray(tone.srgb(renderer.shoot(camera, (x, 0.7 * x), 1.0, W, H, 1)))

    return max(np.abs(shown(x + 0.01) - shown(x)).max() for x in np.linspace(-0.5, 0.5, 12))


def body(shape, position, color):
    turn = (0.94, 0.2, 0.17, 0.21)
    still = np.zeros(3)
    return SimpleNamespace(
        shape=shape, position=position, rotation=turn, color=color, velocity=still
    )


@pytest.mark.parametrize("level", [-1.0, 1.0, 2.6], ids=["over land", "in water", "afloat"])
def test_the_outlines_of_bodies_do_not_jump_from_sample_to_sample(level):
    terrain = ground(np.zeros((N, N)))
    renderer = smooth(Renderer(terrain))
    bodies = [
        body(Sphere(1.5), (MIDDLE + 5, MIDDLE, 2.5), "white"),
        body(Capsule(0.8, 3.0), (MIDDLE, MIDDLE + 4, 3.5), "white"),
    ]
    renderer.see(seen(terrain, level), bodies)
    camera = orbit((MIDDLE, MIDDLE, 1), 60, azimuth=-70, elevation=25, fov=24)
    assert jump(renderer, camera) <= 25


def test_water_ends_on_the_shore_without_a_jump():
    x = np.broadcast_to((np.arange(N) + 0.5) * CELL, (N, N))
    terrain = ground(0.1 * (x - MIDDLE))
    renderer = smooth(Renderer(terrain))
    renderer.see(seen(terrain, 0.0))
    camera = orbit((MIDDLE, MIDDLE, 0), 30, azimuth=-70, elevation=25, fov=20)
    assert jump(renderer, camera) <= 6


def test_a_block_of_water_has_no_jumps_at_its_edges_and_those_of_the_bed_in_it():
    terrain = ground(np.zeros((N, N)))
    renderer = smooth(Renderer(terrain))
    renderer.see(seen(terrain, 3.0))
    camera = orbit((MIDDLE, MIDDLE, 1), 60, azimuth=-70, elevation=25, fov=30)
    assert jump(renderer, camera) <= 10


def test_the_skyline_is_smooth_even_with_one_sample_a_pixel():
    x = np.broadcast_to((np.arange(N) + 0.5) * CELL, (N, N))
    terrain = ground(0.08 * x)  # rises to the right: its far edge is a slanted line
    camera = Camera.create((MIDDLE, -6, 4.0), (MIDDLE, MIDDLE, 1.5), fov=40)
    renderer = Renderer(terrain)
    renderer.see(seen(terrain, -5.0, 0.0))
    d = aim(camera, H, W, (H, W), (0.0, 0.0))
    pixel = np.radians(40.0) / H
    sight, kind = look_out(renderer.stage(1.0), camera, d, pixel)
    covered = np.where(np.asarray(kind) == SKY, 0, np.asarray(sight.cover)).sum(0)
    columns = np.arange(W)[W // 4 : -W // 4]
    edge = covered[columns]
    line = np.polyval(np.polyfit(columns, edge, 1), columns)
    assert np.ptp(line) > 3  # it crosses some rows
    assert np.abs(edge - line).max() < 0.15  # a staircase would be half a pixel off


def test_a_mirrored_ray_meets_a_thin_wall_just_below_its_top():
    """Looked for where it is as high as the wall, whether it is met would be left to rounding."""
    b = np.zeros((N, N), np.float32)
    b[:, 30:32] = 3.3
    terrain = ground(b)
    renderer = Renderer(terrain)
    renderer.see(seen(terrain, 1.0))
    x, end = np.meshgrid(np.linspace(1, 10, 40), np.linspace(-0.1, 0.1, 9) + 31 * CELL)
    slope, zero = 2.3 / (end - x), np.zeros_like(x)
    p = jnp.asarray(np.stack([x, zero + 7.3, zero + 1]), jnp.float32)
    d = jnp.asarray(np.stack([1 + zero, zero, slope]) / np.hypot(1, slope), jnp.float32)
    sight, mirrored = Sight(p, d, *[p[0]] * 3), Rays(d, d, d, *[p[0]] * 4)
    way, _ = jax.jit(over_land)(renderer.stage(1.0), sight, mirrored)
    assert_allclose(p[0] + way * d[0], end, atol=CELL)
