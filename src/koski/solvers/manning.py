"""Bed friction after Manning, taken implicitly so that a thin film slows but never reverses.

∂u/∂t = − g n² |u| u / d^(4/3)
"""

import jax.numpy as jnp

from koski.core.stencil import Flow, above, right
from koski.core.water import G

THIN = 1e-4  # depths below this rub as if they were this deep [m]


def rub(u: Flow, depth: Flow, n, dt, grid) -> Flow:
    """Slow each face velocity by its bed; `n` is one number, a map, or None for a smooth bed."""
    if n is None:
        return u
    n = jnp.asarray(n, jnp.float32)
    ny = 0.5 * (n + above(n, grid)) if n.ndim else n
    nx = 0.5 * (n + right(n, grid)) if n.ndim else n

    return Flow(slow(u.x, jnp.abs(u.x), depth.x, nx, dt), slow(u.y, jnp.abs(u.y), depth.y, ny, dt))


def slow(u, speed, d, n, dt):
    """u / (1 + dt g n² |u| / d^(4/3))."""
    drag = jnp.exp(-4 / 3 * jnp.log(jnp.maximum(d, THIN)))  # far quicker than a power
    return u / (1 + dt * G * n * n * drag * speed)
