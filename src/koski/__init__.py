"""koski: interactive water for Python."""

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
from koski.scene import Scene, Spring
from koski.solvers.advection import conserving, maccormack, semi_lagrangian
from koski.solvers.columns import Columns
from koski.solvers.kass import HistoryWave
from koski.solvers.pipe import Pipe, mean_section, upwind_section
from koski.solvers.shallow import LinearShallowWater, ShallowWater
from koski.solvers.wave import Wave
from koski.world import Volume, World

__all__ = [
    "Absorbing",
    "Columns",
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
    "Periodic",
    "Pipe",
    "Scene",
    "Series",
    "ShallowWater",
    "Solver",
    "Spring",
    "Terrain",
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
