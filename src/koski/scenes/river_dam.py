"""Crates fall into a river between two piers: a dam, and the river takes its old arm round it.

Look for the pond that grows behind the crates, spills over the sill of the dry arm and runs back
to the valley through it (Kellomäki 2014, figs. 11 to 13).  With floaters water passes through.
"""

import numpy as np

from koski import landscape
from koski.bodies.shapes import Box
from koski.core.edges import Drain, Edges, Inflow
from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.landscape import smooth
from koski.scene import Scene
from koski.solvers.shallow import LinearShallowWater

LENGTH = 160.0  # [m]
SLOPE, ROUGH = 0.008, 0.035  # of the bed; Manning's n [s/m^⅓]
BED, ARM = 12.0, 9.0  # width of the bed, and of the dry arm's [m]
BANK = 5.0  # height of the plain above the bed [m]
SILL = 1.2  # of the arm above the bed, where it leaves [m]
DEPTH = 1.0  # of the river [m]
SPEED = DEPTH ** (2 / 3) * SLOPE**0.5 / ROUGH  # of a wide stream   Manning [m/s]
DAM = 64.0  # where it is, along x [m]
MIDDLE = 35.2  # of the river there, along y [m]
OPENING = 12.0  # between the piers [m]
CRATE = Box((3.0, 2.9, 3.2))
PIER = Box((5.0, 8.0, 12.0))
FALLS = ((0, -1.5), (0, 1.5), (0, -0.5), (0, 0.5), (1, -1), (1, 0), (1, 1))  # row, place in it


def scene(size: int = 160) -> Scene:
    cell = LENGTH / size
    shape = max(5 * size // 8, 2), size
    x, y = Grid.create(*shape, cell).centres
    river, arm = off(x, y, course), off(x, y, detour)
    far = np.minimum(river - BED / 2, arm - ARM / 2)
    hills = np.asarray(landscape.hills(shape, cell, relief=7.0, seed=4).b) * smooth((far - 3) / 25)
    trench = BANK * smooth((river - BED / 2) / 4)
    ditch = SILL + (BANK - SILL) * smooth((arm - ARM / 2) / 4)
    b = SLOPE * (LENGTH - x) + np.minimum(trench, ditch) + hills
    edges = Edges(west=Inflow(DEPTH * BED * SPEED), east=Drain())
    depth = np.maximum(DEPTH - trench, 0)
    bow = (course(x + 0.5) - course(x - 0.5))[..., None]
    along = np.concatenate([np.ones_like(bow), bow], -1) / np.hypot(1, bow)
    velocity = SPEED * along * (depth > 0)[..., None]
    return Scene(
        "",
        Terrain.create(b, cell, edges),
        depth,
        velocity,
        solver=LinearShallowWater(manning=ROUGH),
        bodies=(*piers(), *crates()),
        seconds=75.0,
        view="eye:24,27,12,66,43,2",
    )


def course(x):
    """The river's middle, straight where the dam will be."""
    return MIDDLE + 7 * smooth((40 - x) / 40) - 12 * smooth((x - 85) / 75)


def detour(x):
    """The arm's middle: it leaves the river above the dam."""
    return course(x) + 40 * smooth((x - 22) / 55)


def off(x, y, middle):
    """How far a point is from a middle line [m]."""
    bow = middle(x + 0.5) - middle(x - 0.5)
    return np.abs(y - middle(x)) / np.hypot(1, bow)


def piers() -> list[dict]:
    """What is left of a bridge: between its piers four crates fit."""
    bed = SLOPE * (LENGTH - DAM)
    apart = (OPENING + PIER.size[1]) / 2
    places = ((DAM, MIDDLE + side * apart, bed) for side in (-1, 1))
    return [
        {"shape": PIER, "at": at, "fixed": True, "kind": "blocker", "material": "stone"}
        for at in places
    ]


def crates() -> list[dict]:
    """Filled with stones, one after the other; a second row upstream closes the joints."""
    return [
        {
            "shape": CRATE,
            "at": (DAM - 3.1 * row, MIDDLE + 3.0 * place, 6.0 + 0.5 * k + 6.0 * row),
            "density": 2500.0,
            "friction": 1.0,
            "material": "crate",
        }
        for k, (row, place) in enumerate(FALLS)
    ]
