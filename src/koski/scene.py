"""A scene: a terrain, the water on it, and what feeds it."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from koski.core.pytree import pytree
from koski.core.solver import Solver
from koski.core.terrain import Terrain
from koski.solvers import named
from koski.solvers.shallow import ShallowWater

CLOUDBURST = 0.2 / 3600  # 200 mm an hour [m/s]


@pytree
class Spring:
    """Water that comes up at a place, or sinks there where the discharge is negative."""

    x: float  # [m] from the corner of the grid
    y: float
    discharge: float  # [m³/s]
    radius: float = 1.0  # [m]
    dyes: dict[str, float] = field(default_factory=dict)  # concentration [amount/m³]


@dataclass(frozen=True)
class Scene:
    """Everything that a World starts from."""

    name: str
    terrain: Terrain
    depth: Any = 0.0  # of the water at the start [m], a number or a map
    velocity: Any = None  # of the water at the start [m/s]
    solver: Solver = ShallowWater()
    rain: Any = None  # [m/s], a number or a map
    evaporation: Any = None  # [m/s], a number or a map
    springs: tuple[Spring, ...] = ()
    held: Any = None  # map of columns that hold their surface [m], NaN where it is free
    bodies: tuple[dict, ...] = ()  # what is dropped at the start: arguments of `World.drop`
    coupling: str = "mixed"  # how bodies and water meet
    seconds: float = 60.0  # how long it takes to see what there is to see
    view: str | None = None  # the camera that sees it best, such as "orbit:azimuth=30"

    def with_solver(self, name: str) -> "Scene":
        """The same scene with another solver, which keeps the roughness of the bed."""
        manning = getattr(self.solver, "manning", None)
        return replace(self, solver=named(name, manning=manning))


def downpour(name: str, terrain: Terrain) -> Scene:
    """A cloudburst over a terrain."""
    return Scene(name, terrain, solver=ShallowWater(manning=0.03), rain=CLOUDBURST, seconds=600.0)


def lowest(terrain: Terrain, where: float) -> tuple[float, float]:
    """The lowest point of the column at this share of the way east [m]."""
    grid = terrain.grid
    i = int(where * grid.nx)
    j = int(np.argmin(np.asarray(terrain.b)[:, i]))
    return (i + 0.5) * grid.cell, (j + 0.5) * grid.cell
