"""Small worlds for the tests of the live view."""

import numpy as np

from koski.bodies.shapes import Box
from koski.core.terrain import Terrain
from koski.scene import Scene
from koski.solvers.pipe import Pipe
from koski.view.messages import Touch
from koski.view.sandbox import Origin

CRATE = {"shape": Box((2, 2, 2)), "at": (8.0, 12.0, 3.0), "density": 600.0}
GATE = {"shape": Box((1, 2, 2)), "at": (24.0, 12.0, 2.0), "fixed": True, "kind": "blocker"}


def pond(*bodies) -> Origin:
    """A metre of still water over a bowl of 24 × 32 cells."""
    y, x = np.mgrid[:24, :32] + 0.5
    b = 0.02 * ((x - 16) ** 2 + (y - 12) ** 2) ** 0.5
    scene = Scene("pond", Terrain.create(b), 1.5 - b, solver=Pipe(), bodies=bodies)
    return Origin("pond", scene)


def touch(tool, phase="down", x=16.0, y=12.0, z=0.0, radius=3.0, strength=1.0, body=None) -> Touch:
    return Touch(tool, phase, x, y, z, radius, strength, body)
