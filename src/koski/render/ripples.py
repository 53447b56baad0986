"""Ripples too small for the grid: slopes of a sea of short waves, laid on what the solver gives.

One tile of waves, summed from a spectrum of random phases, is read at four sizes:

    S(k) ∝ k⁻⁴ cosᵖ(θ/2)          the range where short waves break: equal slope in each octave
    c² = g/k + σk/ρ               how fast waves of length 2π/k run

The four seas run across each other, each as fast as its waves do, so that none seems to slide.
"""

from __future__ import annotations

from math import cos, sin, sqrt, tau

import jax
import jax.numpy as jnp
import numpy as np

from koski.core.pytree import pytree
from koski.core.water import G
from koski.render.drift import Carried
from koski.render.noise import Array, Tile, each, numbers, smooth

SIDE = 256  # texels along a tile
LONG, SHORT = 6.0, 36.0  # waves along a tile: of the longest, and of the shortest
SEAS = ((1.0, 0.4), (0.43, -0.5), (0.17, 0.8), (0.071, -0.1))  # size of the tile, heading [rad]
WAVES = sqrt(LONG * SHORT)  # of those between
STIRRED = 0.1  # speed at which water has all the ripples of a calm one; still water has none [m/s]
TENSION = 7.3e-5  # surface tension over density [m³/s²]


@pytree
class Ripples:
    """Two maps of slopes, and how strong they are."""

    slopes: Tile  # along x and y, their root mean square 1 together
    tile: jax.Array  # side of the largest [m]
    calm: float = 0.006  # root mean square slope of water that barely moves
    fast: float = 0.13  # and of water that runs
    running: float = 1.3  # where it is half way between them [m/s]

    @staticmethod
    def create(cell: float = 1.0, seed: int = 0, **strength: float) -> Ripples:
        """Ripples for a grid of this cell: what it cannot show itself."""
        slopes = Tile.of(np.stack(slope_maps(sea(SIDE, seed))))
        return Ripples(slopes, jnp.float32(np.clip(12 * cell, 2, 60)), **strength)

    def strength(self, speed):
        """Root mean square slope of water at this speed."""
        square = speed * speed
        share = square / (square + self.running**2)
        return self.calm * stirred(speed) * (1 - share) + self.fast * share


def stirred(speed):
    """0 where water lies still as a mirror, 1 where it moves: without wind nothing else ripples."""
    return smooth(0, STIRRED, speed)


def sea(n: int, seed: int, toward: float = 0.0, power: int = 4) -> Array:
    """Complex amplitude of the waves [n, n] by their cycles per tile along x and y."""
    kx, ky = numbers(n)
    k = np.maximum(np.hypot(kx, ky), 1)
    along = np.cos((np.arctan2(ky, kx) - toward) / 2) ** power
    soft = 1 / (1 + (LONG / k) ** 8) / (1 + (k / SHORT) ** 8)
    normal = np.random.default_rng(seed).standard_normal((2, n, n))
    return (normal[0] + 1j * normal[1]) * along * soft / k**2


def slope_maps(amplitude: Array) -> tuple[Array, Array]:
    """∂z/∂x and ∂z/∂y of these waves, with a root mean square of 1 together."""
    x, y = (np.fft.ifft2(1j * k * amplitude).real for k in numbers(len(amplitude)))
    size = np.sqrt((x * x + y * y).mean())
    return x / size, y / size


def celerity(k):
    """How fast waves of wave number k [1/m] run on deep water [m/s]."""
    return jnp.sqrt(G / k + TENSION * k)


def fade(footprint, tile):
    """How much of a tile's waves pixels this wide can show: none they would only alias."""
    waves = footprint * (WAVES / tile)  # to a pixel
    return jnp.clip(1.3 - 2.2 * waves, 0, 1)


def slopes(carried: Carried, ripples: Ripples, x, y, footprint, t, speed):
    """Slopes of the ripples at (x, y), by the width of a pixel there, time and the water's speed.

    Where pixels are wide they vanish, the shortest first; `lost` tells how rough that water is.
    """

    def waves(size, heading):
        """The slopes of a sea, which are kept along its own heading and across."""
        tile, c, s = ripples.tile * size, cos(heading), sin(heading)
        run = t * celerity(tau * WAVES / tile) / tile

        def copy(k):
            px, py = carried.copy(k, x, y, ripples.tile)
            u = (c * px + s * py) * (1 / tile) - (run - jnp.floor(run))
            v = (c * py - s * px) * (1 / tile) + heading  # where unlike seas begin
            return [carried.share[k] * slope for slope in ripples.slopes.at(u, v, 2)]

        along, across = (f + g for f, g in zip(copy(0), copy(1)))
        shown = fade(footprint, tile)
        return shown * (c * along - s * across), shown * (s * along + c * across)

    strength = ripples.strength(speed) / sqrt(len(SEAS))
    sx, sy = (sum(slopes) for slopes in zip(*each(waves, *SEAS)))
    return strength * sx, strength * sy


def lost(ripples: Ripples, footprint, speed):
    """Root mean square slope of the ripples that pixels this wide do not show."""
    shown = sum(fade(footprint, ripples.tile * size) ** 2 for size, _ in SEAS) / len(SEAS)
    return ripples.strength(speed) * jnp.sqrt(jnp.maximum(1 - shown, 0))
