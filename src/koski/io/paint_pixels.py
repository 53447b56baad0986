"""Tools of a painter in pixels: colours, light, maps on finer cells, streaks of flow."""

import numpy as np

Array = np.ndarray
SUN = np.array([-0.5, 0.5, 0.7071])  # toward the light: from the north-west, half way up


def top(values: Array, percent: float) -> float:
    return float(np.percentile(values, percent)) if values.size else 0.0


def lit(height: Array, px: float, steep: float, most: float) -> Array:
    """Brightness of a surface in the sun, 1 where level; slopes are exaggerated up to `steep`."""
    sy, sx = np.gradient(height, px)
    k = np.clip(steep / max(top(np.hypot(sx, sy), 92), 1e-9), 0.2, most)
    light = (SUN[2] - k * (sx * SUN[0] + sy * SUN[1])) / np.sqrt(1 + k * k * (sx * sx + sy * sy))
    return 0.5 + 0.5 * np.maximum(light, 0) / SUN[2]


def streaks(u: Array, v: Array, fast: float, where: Array) -> Array:
    """Noise smeared along the flow, about −2 to 2: longer streaks in faster water.

    Line integral convolution.   Cabral and Leedom 1993
    """
    h, w = u.shape
    out = np.zeros(u.shape, np.float32)
    grain = np.random.default_rng(0).standard_normal(u.shape).astype(np.float32)
    grain = resize(grain[::2, ::2], u.shape)
    y0, x0 = (i.astype(np.float32) for i in np.nonzero(where))
    if not y0.size:
        return out
    long = 1.6 / np.sqrt(fast * np.maximum(np.hypot(u, v), 0.05 * fast))  # [px] a step
    ux, uy = u * long, v * long
    total = np.zeros(y0.size, np.float32)
    for way in (1, -1):
        x, y = x0, y0
        for _ in range(16):
            at = np.clip(y + 0.5, 0, h - 1).astype(int), np.clip(x + 0.5, 0, w - 1).astype(int)
            total += grain[at]
            x, y = x + way * ux[at], y + way * uy[at]
    out[where] = total / max(float(total.std()), 1e-9)
    return np.clip(out, -2, 2)


def resize(f: Array, shape: tuple[int, int]) -> Array:
    """The map on another number of cells: means of many, cubic B-splines between few.

    The splines keep shading free of facets and never overshoot a cliff.
    """
    from PIL import Image

    fewer = tuple(min(n, m) for n, m in zip(f.shape, shape))
    if fewer != f.shape:
        box = Image.fromarray(np.ascontiguousarray(f, np.float32))
        f = np.asarray(box.resize(fewer[::-1], Image.Resampling.BOX))
    wy, wx = (splines(n, m) for n, m in zip(f.shape, shape))
    return wy @ f.astype(np.float32) @ wx.T


def splines(n: int, m: int) -> Array:
    """Weights [m, n] of n values at m points spread evenly over them."""
    t = np.abs((np.arange(m)[:, None] + 0.5) * n / m - 0.5 - np.arange(n)[None, :])
    w = np.where(t < 1, 2 / 3 - t * t * (1 - t / 2), np.maximum(2 - t, 0) ** 3 / 6)
    return (w / w.sum(1, keepdims=True)).astype(np.float32)


def edge(f: Array) -> Array:
    """1 where `f` is positive, 0 where negative, a ramp one pixel wide between."""
    gy, gx = np.gradient(f)
    return np.clip(f / np.maximum(np.hypot(gx, gy), 1e-3) + 0.5, 0, 1)


def smooth(t: Array) -> Array:
    t = np.clip(t, 0, 1)
    return t * t * (3 - 2 * t)


def rgb_of(color: str) -> Array:
    return np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)], np.float32)


def ramp(colors: tuple[str, ...], t: Array) -> Array:
    """Colours spread evenly over t from 0 to 1, blended between."""
    table = np.array([rgb_of(c) for c in colors])
    at = np.linspace(0, 1, len(colors))
    return np.stack([np.interp(t, at, c) for c in table.T], -1).astype(np.float32)
