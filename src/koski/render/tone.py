"""From light to bytes: a film's curve, the display's, and a dither against banding."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

# Mixes the channels before the curve and parts them after it: what is too bright for its colour
# goes to white through its own hue, so that blue water does not turn purple nor the sun green.
MIX = 0.12
TOGETHER = (1 - MIX) * np.eye(3, dtype=np.float32) + MIX / 3
APART = np.linalg.inv(TOGETHER)
LUMINANCE = np.array((0.2126, 0.7152, 0.0722), np.float32)  # of Rec. 709


def mixed(m, c):
    """The matrix `m` applied to the channels of `c` [3, ...]."""
    return jnp.stack([m[i, 0] * c[0] + m[i, 1] * c[1] + m[i, 2] * c[2] for i in range(3)])


def curve(x):
    """A toe, a straight part and a shoulder.      Narkowicz 2015, with a softer toe"""
    return x * (2.51 * x + 0.12) / (x * (2.43 * x + 0.70) + 0.20)


@jax.jit
def filmic(c, exposure=1.0):
    """Radiance of any brightness [3, ...] as a film shows it, linear in 0..1."""
    c = jnp.clip(jnp.nan_to_num(c * exposure), 0, 1e4)
    return jnp.clip(mixed(APART, curve(mixed(TOGETHER, c))), 0, 1)


@jax.jit
def srgb(c):
    """Linear light 0..1 as the values that a display wants, 0..1.      IEC 61966-2-1"""
    bent = 1.055 * jnp.exp2(jnp.log2(jnp.maximum(c, 0.003)) / 2.4) - 0.055
    return jnp.where(c > 0.0031308, bent, 12.92 * c)


def bayer(n: int) -> np.ndarray:
    """An ordered dither, 2ⁿ × 2ⁿ: each of the thresholds between 0 and 1 once."""
    m = np.zeros((1, 1))
    for _ in range(n):
        m = np.block([[4 * m, 4 * m + 2], [4 * m + 3, 4 * m + 1]])
    return ((m + 0.5) / m.size).astype(np.float32)


DITHER = bayer(3)


@partial(jax.jit, static_argnames="interleaved")
def levels(c, interleaved: bool = False):
    """Display values [3, H, W] in 0..1 as bytes, by a dither that stays where it is."""
    h, w = c.shape[1:]
    tiles = jnp.tile(DITHER, (-(-h // 8), -(-w // 8)))[:h, :w]
    planes = jnp.floor(jnp.clip(c, 0, 1) * 255 + tiles).astype(jnp.uint8)
    return jnp.moveaxis(planes, 0, -1) if interleaved else planes


def to_bytes(c) -> np.ndarray:
    """Display values [3, H, W] in 0..1, from `srgb`, as an image [H, W, 3] of bytes."""
    if jax.default_backend() != "cpu":
        return np.asarray(levels(c, interleaved=True))
    planes = np.asarray(levels(c))  # interleaving is slow within XLA on the CPU
    image = np.empty((*planes.shape[1:], 3), np.uint8)
    for i, plane in enumerate(planes):
        image[..., i] = plane
    return image
