"""How flat textures are laid on the ground: as cloth on hills, not as light from above.

From above, a cliff is a line, and what is painted there a streak.  So textures are read at places
U(x, y) of their own, where slopes have their true length:

    ∇U = 1 + (√(1 + s²) − 1) ŝ ŝᵀ        for a slope s

No cloth lies so on every hill; the one nearest to it, by least squares, solves Poisson's equation.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.scipy.fft import dctn, idctn

from koski.core.pytree import pytree, static
from koski.render.spot import spot

FINEST = 1024  # cells along the longer side, at most


@pytree
class Drape:
    """How far textures are shifted."""

    x: jax.Array  # [m]
    y: jax.Array
    cell: float = static(default=1.0)  # side of a cell of these maps [m]

    def at(self, x, y):
        """Where on the textures points are."""
        here = spot(x, y, self.x.shape, self.cell)
        return x + here.of(self.x), y + here.of(self.y)


def drape(b, cell: float) -> Drape:
    """Lay textures on ground of height b."""
    times = -(-max(b.shape) // FINEST)
    ny, nx = (max(n // times, 2) for n in b.shape)
    b, cell = jax.image.resize(b, (ny, nx), "linear"), cell * times
    sy, sx = jnp.gradient(b, cell)
    more = 1 / (1 + jnp.sqrt(1 + sx * sx + sy * sy))

    def shift(slope):
        """What grows by more · slope · s, as nearly as can be."""
        x, y = more * slope * sx, more * slope * sy
        return cell * poisson(into(x, 1) + into(y, 0))

    return Drape(shift(sx), shift(sy), cell)


def into(f, axis: int):
    """What a flow of f along an axis leaves in each cell; none goes through the edge."""
    f = jnp.moveaxis(f, axis, 0)
    through = jnp.pad(0.5 * (f[1:] + f[:-1]), ((1, 1), (0, 0)))
    return jnp.moveaxis(jnp.diff(through, axis=0), 0, axis)


def poisson(f):
    """The map, about zero, whose neighbours differ from it by f in all; none beyond the edge."""
    ny, nx = f.shape
    y, x = (2 * jnp.cos(jnp.pi * jnp.arange(n) / n) - 2 for n in (ny, nx))
    whole = (x + y[:, None]).at[0, 0].set(1.0)
    return idctn((dctn(f) / whole).at[0, 0].set(0.0))
