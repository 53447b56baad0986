"""Foam: where it is born, and the lace it is made of.

Water takes in air where it is very fast and shallow, where it runs into slower water or out over
dry ground, where it falls and where it meets a body.  All of these need about a metre a second:
slower water stays clear whatever its shape (Chanson 1996), so that a calm lake has no foam, ever.
"""

from __future__ import annotations

from functools import partial

import jax.numpy as jnp
import numpy as np

from koski.core.frame import Frame
from koski.core.grid import Grid
from koski.core.stencil import above, below, left, right
from koski.core.water import G
from koski.render.drift import Carried
from koski.render.exact import exact
from koski.render.noise import Tile, crackle, each, even, fractal, smooth

FILM = 0.02  # water thinner than this is too thin for foam [m]
BROAD = 6.0  # of what breaks: a cell is not white beyond that [m]
LACE = 1.0  # side of the pattern's tile over that of the ripples'
SOFT = 0.18  # half the border of foam, as a share of the pattern's height
VEIL = 0.6  # how much the thinnest foam hides


@partial(exact, static_argnames="grid")
def birth(frame: Frame, u, v, blocked, grid: Grid):
    """How fast foam covers clear water [1/s]."""
    d, h = frame.depth, frame.surface
    speed = jnp.sqrt(u * u + v * v)
    wet = smooth(0.5 * FILM, 3 * FILM, d)
    froude = speed / jnp.sqrt(G * jnp.maximum(d, FILM))
    rapid = smooth(1.6, 3.5, froude) * smooth(1.5, 4.0, speed)

    def ahead(f, other):
        """The step of `f` to a neighbour, none at the edge or where either is dry."""
        both = (d > FILM) & (other(d, grid) > FILM)
        return jnp.where(both, other(f, grid) - f, 0)

    def between(one, other):
        """Is there water on both sides?  Beside the steps of a bank nothing breaks."""
        return (one(d, grid) > FILM) & (other(d, grid) > FILM)

    # water that catches up with slower water before it: bores, jumps, plunging jets
    closing_x = jnp.where(between(left, right), ahead(u, left) - ahead(u, right), 0)
    closing_y = jnp.where(between(below, above), ahead(v, below) - ahead(v, above), 0)
    closing = jnp.maximum(closing_x, closing_y) / 2 - 0.04 * speed
    crush = smooth(0.25, 1.2, closing) * smooth(0.4, 1.2, speed)

    def spill(w, other):
        """How fast water runs out to a dry neighbour that lies lower."""
        inside = other(jnp.ones_like(d), grid) > 0
        lower = (other(d, grid) <= FILM) & (other(h, grid) < h)
        return jnp.where(inside & lower, w, 0)

    out_x = jnp.maximum(spill(u, right), spill(-u, left))
    out_y = jnp.maximum(spill(v, above), spill(-v, below))
    front = smooth(1.0, 3.0, jnp.maximum(out_x, out_y))

    def drop(f):
        """How far `f` drops along the flow: to here, or to the next cell."""
        to_x = jnp.where(u > 0, ahead(f, left), ahead(f, right))
        to_y = jnp.where(v > 0, ahead(f, below), ahead(f, above))
        next_x = -jnp.where(u > 0, ahead(f, right), ahead(f, left))
        next_y = -jnp.where(v > 0, ahead(f, above), ahead(f, below))
        return jnp.maximum(jnp.maximum(to_x, to_y), jnp.maximum(next_x, next_y)) / grid.cell

    # over a brink the water drops with the ground; the back of a wave is no fall
    steep = jnp.minimum(drop(h), 1.5 * drop(frame.ground))
    fall = smooth(0.25, 0.9, steep) * smooth(0.7, 2.0, speed)
    rate = 0.05 * rapid + 2.0 * crush + 1.5 * front + 2.0 * fall
    if blocked is not None:
        solid = blocked.astype(jnp.float32)
        beside = jnp.maximum(
            jnp.maximum(left(solid, grid), right(solid, grid)),
            jnp.maximum(below(solid, grid), above(solid, grid)),
        )
        rate = rate + 0.8 * beside * smooth(0.7, 2.5, speed)
    return min(1.0, BROAD / grid.cell) ** 2 * wet * rate


def lace(n: int = 512, seed: int = 0) -> Tile:
    """Threads round bubbles of several sizes, spread evenly over 0 to 1."""
    large, small, tiny = (
        np.sqrt(np.maximum(crackle(n, seed + k, c, warp)[1], 0))
        for k, c, warp in ((0, 9, 0.25), (7, 23, 0.2), (13, 61, 0.15))
    )
    torn = 0.09 * fractal(n, seed + 19, 1.8, 5)
    return Tile.of(even(-np.minimum(large, 0.55 * small + 0.25) - 0.2 * small - 0.1 * tiny + torn))


def pattern(carried: Carried, lace: Tile, x, y, footprint, tile):
    """The lace at (x, y), carried by the flow: evenly spread over 0 to 1, its mean from afar."""
    side = LACE * tile
    k = 1 / side

    def copy(i):
        px, py = carried.copy(i, x, y, side)
        return carried.share[i] * (lace.seen(px * k, py * k, footprint * k) - 0.5)

    both = sum(each(copy, (0,), (1,)))
    return 0.5 + 0.5 * jnp.sin(2.2 * both)  # two high places together are no higher than 1


def foam_cover(foam, pattern):
    """How much of the water has foam on it: the highest `foam` of the pattern, softly bounded.

    A trace of it is no foam yet: it would be seen as specks.
    """
    return smooth(0.02, 0.15, foam) * smooth(-SOFT, SOFT, thickness(foam, pattern))


def foam_hides(foam, pattern):
    """How much of the water foam hides: all of it only where it is thick."""
    thick = smooth(0.0, 0.9, thickness(foam, pattern))
    return foam_cover(foam, pattern) * (VEIL + (1 - VEIL) * thick)


def thickness(foam, pattern):
    """How far the pattern stands above where foam ends."""
    return pattern - 1 + (1 + 2 * SOFT) * foam - SOFT
