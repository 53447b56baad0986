"""koski: interactive water for Python."""

from importlib.metadata import PackageNotFoundError, version

from koski.bodies.body import Body
from koski.bodies.mesh import Convex, Mesh
from koski.bodies.path import Path
from koski.bodies.shapes import Box, Capsule, Compound, Cylinder, Part, Sphere
from koski.core.blockers import Blockers
from koski.core.edges import (
    Absorbing,
    Drain,
    Edges,
    Inflow,
    Level,
    Periodic,
    Series,
    Wall,
)
from koski.core.errors import InputError
from koski.core.frame import Frame
from koski.core.grid import Grid
from koski.core.inputs import Inputs
from koski.core.solver import Solver, advance
from koski.core.stencil import Flow
from koski.core.terrain import Terrain
from koski.ledger import Volume
from koski.scene import Scene, Spring
from koski.solvers.advection import conserving, maccormack, semi_lagrangian
from koski.solvers.columns import Columns
from koski.solvers.kass import HistoryWave
from koski.solvers.one_layer import OneLayer
from koski.solvers.pipe import Pipe, mean_section, upwind_section
from koski.solvers.shallow import LinearShallowWater, ShallowWater
from koski.solvers.two_layer import TwoLayer
from koski.solvers.wave import Wave
from koski.world import World

try:
    __version__ = version("koski")
except PackageNotFoundError:  # run from its source
    __version__ = "0"

__all__ = [
    "Absorbing",
    "Blockers",
    "Body",
    "Box",
    "Capsule",
    "Columns",
    "Compound",
    "Convex",
    "Cylinder",
    "Drain",
    "Edges",
    "Flow",
    "Frame",
    "Grid",
    "HistoryWave",
    "Inflow",
    "InputError",
    "Inputs",
    "Level",
    "LinearShallowWater",
    "Mesh",
    "OneLayer",
    "Part",
    "Path",
    "Periodic",
    "Pipe",
    "Scene",
    "Series",
    "ShallowWater",
    "Solver",
    "Sphere",
    "Spring",
    "Terrain",
    "TwoLayer",
    "Volume",
    "Wall",
    "Wave",
    "World",
    "advance",
    "conserving",
    "maccormack",
    "mean_section",
    "semi_lagrangian",
    "upwind_section",
]
