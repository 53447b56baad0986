"""The scene that is timed: hills half under water that moves, the same at every size."""

import numpy as np

WAVES = (16, 24, 40, 64, 100, 160)  # lengths of the hills [cells]


def hills(size: int, seed: int = 7) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ground and depth [m] of size × size cells, and the velocity [m/s] of the water as [y, x, 2].

    Ridges and valleys of many lengths, about a third of them dry; the surface is wavy and the water
    swirls, so that no term of any solver is zero where there is water.
    """
    rng = np.random.default_rng(seed)
    at = np.arange(size, dtype=np.float32)
    y, x = at[:, None], at[None, :]
    b = np.zeros((size, size), np.float32)
    velocity = np.zeros((size, size, 2), np.float32)
    for wave in WAVES:
        k = np.float32(2 * np.pi / wave)
        p = rng.uniform(0, 2 * np.pi, 6).astype(np.float32)
        b += np.sin(k * y + p[0]) * np.sin(0.8 * k * x + p[1])
        velocity[..., 0] += 0.3 * np.sin(k * y + p[2]) * np.sin(k * x + p[3])
        velocity[..., 1] += 0.3 * np.sin(k * y + p[4]) * np.sin(k * x + p[5])
    level = 0.4 + 0.3 * np.sin(x / 9) * np.sin(y / 7)
    return b, np.maximum(level - b, 0).astype(np.float32), velocity
