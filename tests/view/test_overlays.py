"""What overlays show: the water as bodies press on it, in their cells and nowhere else."""

import numpy as np
import pytest

from koski import Box, Pipe, Terrain, World
from koski.core.inputs import RHO
from koski.core.water import G
from koski.render.detail import Detail
from koski.view.overlays import OVERLAYS, seen

CELLS, SIDE, DEPTH, BELOW = 24, 6, 4.0, 1.0  # of a pond, a box in it, and the water below that


def maps(world):
    none = Detail.start(world.terrain, painted=False)
    found, _ = seen(world.solver, world.state, world.terrain, none, 0.02)
    return {name: np.asarray(found[name]) for name in OVERLAYS}


@pytest.mark.parametrize(
    "coupling", ["two-layer", pytest.param("one-layer", marks=pytest.mark.long)]
)
def test_a_box_presses_its_draught_and_takes_its_share(coupling):
    world = World(Terrain.create(np.zeros((CELLS, CELLS))), depth=DEPTH, coupling=coupling)
    at = (CELLS / 2, CELLS / 2, BELOW + SIDE / 2)
    world.drop(Box((SIDE,) * 3), at=at, kind="blocker", fixed=True)
    world.step(4.0)
    shown = maps(world)
    under = np.zeros((CELLS, CELLS), bool)
    under[9:15, 9:15] = True
    level = (CELLS**2 * DEPTH - SIDE**2 * BELOW) / (CELLS**2 - SIDE**2)
    draught, wave = level - BELOW, 0.06  # [m]
    assert np.abs(shown["pressure"][under] / (RHO * G) - draught).max() < wave
    assert np.abs(shown["raw"][under] + draught).max() < wave
    assert np.abs(shown["blocked"][under] - draught / level).max() < wave / level
    assert all((f[~under] == 0).all() for f in shown.values())


def test_water_without_bodies_is_not_pressed():
    world = World(Terrain.create(np.zeros((16, 16))), depth=1.0, solver=Pipe())
    assert all((f == 0).all() for f in maps(world).values())
