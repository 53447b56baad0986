"""Caustics: light that waves have gathered on the bed.

Rays through each point of a wavy surface land, after a depth H of water, at

    x − (1 − 1/n) H ∇z          for small slopes, with n the index of refraction

so that a rain of them, counted on the bed, gives its brightness.  Counted once for a loop of
moments.  Waves of length λ focus at a depth of about λ / slope: at twice the depth the pattern
is twice as large, and moves as the longer waves do.
"""

from __future__ import annotations

from math import tau

import jax.numpy as jnp
import numpy as np

from koski.core.pytree import pytree
from koski.core.water import G
from koski.render.noise import Array, Tile, each, numbers, smooth
from koski.render.ripples import sea

SIDE = 256  # texels along a tile
RAYS = 2  # along each side of a texel
MOMENTS = 24  # in the loop
PACE = 0.5  # of the waves: as fast as they are, shallow light would flicker
DIMMEST, BRIGHTEST = 0.4, 4.0
SHALLOW, OCTAVES = 0.35, 5  # depth of the smallest pattern [m], and how often it doubles
TILE = 2.4  # side of the smallest pattern [m]
FOCUS = 0.8  # how far light has gone on to where waves of the usual curvature gather it
FADES = 5.0  # depth over which the pattern fades to a third [m]


@pytree
class Caustics:
    """A loop of patterns, each of mean 1."""

    moments: Tile  # one behind the other
    loop: float = 3.2  # of the smallest pattern [s]

    @staticmethod
    def create(seed: int = 0) -> Caustics:
        waves = sea(RAYS * SIDE, seed, power=2)
        kx, ky = numbers(RAYS * SIDE)
        k = np.maximum(np.hypot(kx, ky), 1)
        waves = waves * np.exp(-((k / 13) ** 2))  # shorter ones blur what these gather
        turns = np.rint(PACE * np.sqrt(G * tau * k / TILE) * Caustics.loop / tau)
        moments = [
            gathered(waves * np.exp(-1j * tau * turns * m / MOMENTS)) for m in range(MOMENTS)
        ]
        return Caustics(Tile.of(np.stack(moments)))


def gathered(waves: Array) -> Array:
    """How bright the bed is under these waves: mean 1, within bounds."""
    n = len(waves)
    kx, ky = numbers(n)
    x, y = (np.fft.ifft2(1j * k * waves).real for k in (kx, ky))
    bend = np.fft.ifft2((kx * kx + ky * ky) * waves).real
    far = FOCUS / bend.std() * n / tau
    at = np.arange(n) + 0.5
    x, y = (at[None, :] - far * x) / RAYS, (at[:, None] - far * y) / RAYS
    light = rain(x - 0.5, y - 0.5) / RAYS**2
    for _ in range(8):  # cut what is too bright, and give it back to all
        light = np.minimum(light, 1 + (BRIGHTEST - 1) / (1 - DIMMEST))
        light = light / light.mean()
    return 1 + (1 - DIMMEST) * (light - 1)


def rain(x: Array, y: Array) -> Array:
    """Count drops on the texels of a tile, each shared by the four texels about it."""
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    fx, fy = x - i, y - j
    count = np.zeros(SIDE * SIDE)
    for di, wx in ((0, 1 - fx), (1, fx)):
        for dj, wy in ((0, 1 - fy), (1, fy)):
            cell = (j + dj) % SIDE * SIDE + (i + di) % SIDE
            count += np.bincount(cell.ravel(), (wx * wy).ravel(), SIDE * SIDE)
    return count.reshape(SIDE, SIDE)


def caustics(loop: Caustics, x, y, depth, footprint, t, strength=1.0):
    """How bright the sun makes the bed at (x, y) below `depth` of water, 1 without waves.

    Nothing in a film of water, and less and less where the waves that would focus are so long
    that sun and turbid water blur them.  `strength` is less where foam or silt scatter the light.
    """
    octave = jnp.clip(jnp.log2(jnp.maximum(depth, 1e-3) / SHALLOW), 0, OCTAVES - 1.001)
    lower = jnp.floor(octave)

    def pattern(next_octave, next_moment):
        k = lower + next_octave
        size = TILE * jnp.exp2(k)
        time = t / loop.loop * jnp.exp2(-0.5 * k) + 0.3 * k
        moment = (time - jnp.floor(time)) * MOMENTS
        m = jnp.floor(moment) + next_moment
        share = (1 - jnp.abs(k - octave)) * (1 - jnp.abs(m - moment))
        u, v = x / size + 0.37 * k, y / size + 0.71 * k
        light = loop.moments.seen(u, v, footprint / size, m.astype(jnp.int32) % MOMENTS)
        return share * (light - 1)

    light = sum(each(pattern, (0, 0), (0, 1), (1, 0), (1, 1)))
    shown = smooth(0.04, 0.25, depth) * jnp.exp(-depth / FADES)
    return 1 + jnp.clip(strength, 0, 1) * shown * light
