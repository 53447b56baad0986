"""Exact solutions of the shallow water equations, in NumPy."""

import numpy as np

from koski.core.water import G


def dam_break(x, t: float, left: float, right: float) -> np.ndarray:
    """Depth at time t after a dam at x = 0 between two still depths is gone.

    Ritter 1892 where the right is dry: d = (2 c − x/t)² / 9g between −c t and 2 c t, c = √(g left).
    Stoker 1957 where it is wet: that rarefaction, a plateau of depth m with speed
    u = 2 (c − √(g m)), and a bore of speed s = m u / (m − right), where
    u = (m − right) √(g (m + right) / (2 m right)).
    """
    x = np.asarray(x, float)
    c = np.sqrt(G * left)
    fan = (2 * c - x / t) ** 2 / (9 * G)
    if right == 0:
        return np.where(x < -c * t, left, np.where(x < 2 * c * t, fan, 0))
    m = plateau(left, right)
    u = 2 * (c - np.sqrt(G * m))
    bore = m * u / (m - right)
    fan_end = (u - np.sqrt(G * m)) * t
    inner = np.where(x < fan_end, fan, np.where(x < bore * t, m, right))
    return np.where(x < -c * t, left, inner)


def plateau(left: float, right: float) -> float:
    """The depth between rarefaction and bore, by bisection."""
    low, high = right * (1 + 1e-12), left
    for _ in range(200):
        m = 0.5 * (low + high)
        fan = 2 * (np.sqrt(G * left) - np.sqrt(G * m))
        bore = (m - right) * np.sqrt(G * (m + right) / (2 * m * right))
        low, high = (m, high) if fan > bore else (low, m)
    return m


def seiche_period(length: float, depth: float) -> float:
    """Of the slowest wave in a closed basin: 2 L / √(g d) (Merian 1828)."""
    return 2 * length / np.sqrt(G * depth)


def wave_speed(depth: float) -> float:
    """Of long waves: √(g d)."""
    return np.sqrt(G * depth)
