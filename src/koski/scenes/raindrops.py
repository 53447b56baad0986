"""Raindrops on a pond: rings of every age cross one another and come back from banks and stones.

Each drop fell at a time of its own: the longer ago, the wider its ring at the start.  Over the
deep middle rings run ahead (Kass 1990).
"""

import numpy as np

from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.core.water import G
from koski.landscape import smooth
from koski.scene import Scene
from koski.solvers.wave import Wave

WIDTH = 6.0  # [m]
SHALLOW, DEEP = 0.08, 0.3  # depth along the banks and in the middle [m]
STONES = ((1.2, 4.5, 0.3), (4.4, 1.1, 0.22), (4.9, 4.6, 0.16))  # x, y, radius [m]
DROPS = 16
AGE = 1.0  # of the oldest ring [s]
HEIGHT = 0.01  # of a drop as it falls [m]
RADIUS = 0.07  # of a drop [m]


def scene(size: int = 256) -> Scene:
    cell = WIDTH / size
    x, y = Grid.create(size, size, cell).centres
    still = SHALLOW + (DEEP - SHALLOW) * np.exp(-((x - 3.2) ** 2 + (y - 2.8) ** 2) / 2)
    stones = [1 - ((x - px) ** 2 + (y - py) ** 2) / r**2 for px, py, r in STONES]
    stone = np.max(stones, axis=0)
    b = np.where(stone > 0, 0.3 * stone, -still)
    swell, out = rings(x, y, still)
    wet = b < 0
    depth = np.where(wet, still + swell, 0)
    velocity = np.where(wet[..., None], out, 0)
    return Scene(
        "",
        Terrain.create(b, cell),
        depth,
        velocity,
        solver=Wave(cfl=1.0),
        seconds=0.6,
        view="eye:3.6,-1.2,0.9,3,2.8,0",
    )


def rings(x, y, still):
    """How high the rings stand, and how fast their water runs out: η √(g/D).

    A ring is a crest with a trough behind it, lower the wider it is.
    """
    rng = np.random.default_rng(4)
    swell, out = np.zeros(x.shape), np.zeros((*x.shape, 2))
    for age in np.linspace(0, AGE, DROPS):
        px, py = WIDTH * rng.uniform(0.1, 0.9, 2)
        r = np.maximum(np.hypot(x - px, y - py), 1e-6)
        far = age * np.sqrt(G * SHALLOW)
        s = (r - far) / RADIUS
        old = smooth(far / RADIUS)
        crest = HEIGHT * np.exp(-(s**2) / 2) / np.sqrt(1 + far / RADIUS)
        ring = crest * (1 + old * np.minimum(s, 0))
        speed = old * ring * np.sqrt(G / still)
        swell = swell + ring
        out = out + np.stack([speed * (x - px) / r, speed * (y - py) / r], axis=-1)
    return swell, out
