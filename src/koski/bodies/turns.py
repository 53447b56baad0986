"""Rotations as unit quaternions (w, x, y, z), for NumPy and JAX alike."""

import jax
import jax.numpy as jnp
import numpy as np

STILL = (1.0, 0.0, 0.0, 0.0)  # no rotation


def library(*arrays):
    """JAX's numpy where one of the arrays is JAX's, else numpy."""
    return jnp if any(isinstance(a, jax.Array) for a in arrays) else np


def matrix(q):
    """The rotation matrix [..., 3, 3] of a quaternion of any length but zero."""
    xp = library(q)
    q = xp.asarray(q)
    q = q / xp.sqrt(xp.maximum((q * q).sum(-1, keepdims=True), 1e-30))
    w, x, y, z = (q[..., i] for i in range(4))
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return xp.stack([xp.stack(row, -1) for row in rows], -2)


def rotate(q, v):
    """The vector v [..., 3] turned by q."""
    xp = library(q, v)
    return apply(matrix(q), xp.asarray(v))


def apply(m, v):
    """The product of matrices [..., 3, 3] with vectors [..., 3].

    Written as a sum, for some devices round the factors of a matrix product.
    """
    return (m * v[..., None, :]).sum(-1)


def product(a, b):
    """The product of matrices [..., 3, 3], likewise."""
    return (a[..., :, :, None] * b[..., None, :, :]).sum(-2)


def multiply(p, q):
    """The rotation q followed by p."""
    xp = library(p, q)
    p, q = xp.asarray(p), xp.asarray(q)
    a, b, c, d = (p[..., i] for i in range(4))
    w, x, y, z = (q[..., i] for i in range(4))
    return xp.stack(
        [
            a * w - b * x - c * y - d * z,
            a * x + b * w + c * z - d * y,
            a * y - b * z + c * w + d * x,
            a * z + b * y - c * x + d * w,
        ],
        -1,
    )


def from_axis(axis, angle):
    """The turn by an angle [rad] about an axis of any length but zero."""
    xp = library(axis, angle)
    axis, half = xp.asarray(axis), 0.5 * xp.asarray(angle)[..., None]
    axis = axis / xp.sqrt((axis * axis).sum(-1, keepdims=True))
    return xp.concatenate([xp.cos(half), xp.sin(half) * axis], -1)
