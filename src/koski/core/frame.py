"""What an outsider may see of the water at one moment."""

from dataclasses import field

import jax
import jax.numpy as jnp

from koski.core.pytree import pytree


@pytree
class Frame:
    """The same for every solver: bodies, viewers and writers never learn which one runs."""

    depth: jax.Array  # [m]
    surface: jax.Array  # height of the water, of the ground where dry [m]
    u: jax.Array  # velocity along x, per cell [m/s]
    v: jax.Array  # velocity along y, per cell [m/s]
    t: jax.Array  # time [s]
    dyes: dict[str, jax.Array] = field(default_factory=dict)  # concentration [amount/m³]

    @property
    def velocity(self) -> jax.Array:
        """The velocity as [ny, nx, 2]."""
        return jnp.stack([self.u, self.v], axis=-1)

    @property
    def speed(self) -> jax.Array:
        return jnp.hypot(self.u, self.v)

    @property
    def ground(self) -> jax.Array:
        return self.surface - self.depth
