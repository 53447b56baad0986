"""Virtual volume: water that bodies took away, or left missing, until its surroundings settle it.

Kellomäki 2013 §4.2, 2014 §3.3.  The papers let it spread anywhere, and it crosses dams onto dry
ground.  What leaves the account is what the depth gained after rounding: Σ (d + owed) is exact.
"""

import jax.numpy as jnp

from koski.core.stencil import Flow, above, div, right

STEP = 0.02  # the shares that the papers give are per step of this length [s]
WET = 1e-3  # shallower water is given nothing to settle [m]
COVER = 0.03  # water on a body is open water if it is deeper [m]
LEAST = 1e-5  # less than this is settled at once [m]: a share of it would be lost in rounding


def shift(owed, blocked, d, tau, dt, grid) -> Flow:
    """What each cell passes on to its neighbours, to those that are wet or blocked."""
    takes = jnp.where((d > WET) | blocked, tau * jnp.minimum(dt / STEP, 1), 0.0)
    return Flow(
        owed * right(takes, grid) - right(owed, grid) * takes,
        owed * above(takes, grid) - above(owed, grid) * takes,
    )


def settle(owed, closed, d, passed: Flow, alpha, dt, grid):
    """The depth once cells that are not closed have settled a share, and what is owed still."""
    owed = owed - div(passed, grid)
    share = jnp.where(jnp.abs(owed) < LEAST, 1.0, 1 - (1 - alpha) ** (dt / STEP))
    new = jnp.where(closed, d, jnp.maximum(d + share * owed, 0))
    return new, owed - (new - d)
