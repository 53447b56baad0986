"""Textures lie on slopes at their true length."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose

from koski import landscape
from koski.render.drape import drape, poisson

CELL = 0.5


def laid(b, cell=CELL):
    """Where textures are read in each cell, along x and along y."""
    ny, nx = b.shape
    x, y = np.meshgrid((np.arange(nx) + 0.5) * cell, (np.arange(ny) + 0.5) * cell)
    cloth = jax.jit(drape, static_argnums=1)(jnp.asarray(b, jnp.float32), cell)
    return tuple(np.asarray(f, float) for f in cloth.at(jnp.asarray(x), jnp.asarray(y)))


def test_flat_ground_is_seen_from_above():
    u, v = laid(np.full((24, 32), 7.0))
    assert_allclose(u, np.broadcast_to((np.arange(32) + 0.5) * CELL, u.shape), atol=1e-4)
    assert_allclose(v.T, np.broadcast_to((np.arange(24) + 0.5) * CELL, v.T.shape), atol=1e-4)


@pytest.mark.parametrize("steep", [0.3, 2.0, 8.0])
def test_a_cliff_has_its_true_length(steep):
    x = np.broadcast_to(np.arange(64.0), (24, 64)) * CELL
    b = steep * np.clip(x - 12, 0, 8)
    turned = tuple(f.T for f in laid(b.T))[::-1]
    for u, v in (laid(b), turned):
        length = np.diff(u, axis=1) / CELL
        assert_allclose(length[:, 28:36], np.hypot(1, steep), rtol=2e-3)
        assert_allclose(length[:, 5:18], 1, rtol=5e-3)
        assert_allclose(np.diff(v, axis=0) / CELL, 1, atol=1e-3)


def test_on_hills_nothing_is_folded_and_slopes_have_about_their_length():
    b = np.asarray(landscape.hills(128, relief=60.0, seed=4).b, float)
    u, v = laid(b, 1.0)
    (uy, ux), (vy, vx), (sy, sx) = map(np.gradient, (u, v, b))
    assert (ux * vy - uy * vx).min() > 0.2
    steep = np.hypot(sx, sy)
    up = np.hypot(ux * sx + uy * sy, vx * sx + vy * sy) / steep
    cliff = steep > 1
    assert cliff.sum() > 50
    assert np.median(np.abs(up / np.hypot(1, steep) - 1)[cliff]) < 0.2


def test_poisson_finds_the_map_whose_differences_are_given():
    f = np.random.default_rng(0).normal(size=(17, 24))
    f -= f.mean()
    p = np.pad(np.asarray(poisson(jnp.asarray(f, jnp.float32)), float), 1, mode="edge")
    found = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * p[1:-1, 1:-1]
    assert_allclose(found, f, atol=1e-4)
