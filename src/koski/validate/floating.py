"""Bodies at rest in a lake: do they lie as deep as Archimedes says, and does the lake rise?"""

from dataclasses import dataclass

import numpy as np

from koski.bodies.body import Body
from koski.bodies.shapes import Box, Capsule, Shape, Sphere
from koski.bodies.turns import from_axis, matrix
from koski.core.inputs import RHO
from koski.core.terrain import Terrain
from koski.solvers.pipe import Pipe
from koski.world import World

SIDE = 2.0  # of the bodies [m]
DEPTH = 5.0  # of the lake [m]
APART = 8.0  # from one body to the next [m]
SHAPES: dict[str, Shape] = {
    "box": Box((SIDE, SIDE, SIDE)),
    "sphere": Sphere(SIDE / 2),
    "capsule": Capsule(SIDE / 4, SIDE / 2),
}
LIE = {"upright": (1.0, 0.0, 0.0, 0.0), "tilted": tuple(from_axis((1.0, 0.5, 0.3), 0.5))}


@dataclass(frozen=True)
class Afloat:
    """How a body lies."""

    shape: str
    lie: str
    density: float
    displaced: float  # volume under the lake's level over that of its weight in water
    speed: float  # [m/s]
    spin: float  # [rad/s]


def lake(cells: int, kind: str, densities, lies=tuple(LIE), shapes=tuple(SHAPES)) -> tuple:
    """A lake with one body for each shape, lie and density, `cells` to a side, and their names."""
    names = [(s, lie, rho) for s in shapes for lie in lies for rho in densities]
    columns = int(np.ceil(np.sqrt(len(names))))
    n = round(columns * APART * cells / SIDE)
    world = World(
        Terrain.create(np.zeros((n, n), np.float32), cell=SIDE / cells),
        depth=DEPTH,
        solver=Pipe(),
        coupling="two-layer" if kind == "blocker" else "floaters",
    )
    for k, (shape, lie, rho) in enumerate(names):
        j, i = divmod(k, columns)
        at = ((i + 0.5) * APART + 0.13, (j + 0.5) * APART + 0.07, DEPTH + SIDE * (0.5 - rho / RHO))
        world.drop(SHAPES[shape], at=at, density=rho, rotation=LIE[lie])
    return world, names


def afloat(cells: int, kind: str, densities=(200.0, 500.0, 900.0), seconds=60.0, **which):
    """Let them come to rest; how each lies, how far the lake has risen of what it should, and the
    largest difference [m] between the surface at a body and far away."""
    world, names = lake(cells, kind, densities, **which)
    for _ in range(round(seconds)):
        world.step(1.0)
    surface = np.asarray(world.frame.surface)
    level = float(np.median(surface))
    found = [
        Afloat(
            shape,
            lie,
            density,
            displaced=below(body, level) / (body.mass / RHO),
            speed=float(np.linalg.norm(body.velocity)),
            spin=float(np.linalg.norm(body.spin)),
        )
        for (shape, lie, density), body in zip(names, world.bodies)
    ]
    width, depth = world.terrain.grid.size
    rise = sum(b.mass for b in world.bodies) / RHO / (width * depth)
    return found, (level - DEPTH) / rise, float(np.abs(surface - level).max())


def below(body: Body, level: float, points: int = 400_000) -> float:
    """The volume of a body below a level [m³], by sampling it at random."""
    p = np.random.default_rng(0).uniform(-body.shape.reach, body.shape.reach, (points, 3))
    z = p[within(body.shape, p)] @ matrix(body.rotation)[2] + body.position[2]
    return float((z < level).mean()) * body.shape.volume


def within(shape: Shape, p: np.ndarray) -> np.ndarray:
    """Which points lie in a box, sphere or capsule."""
    match shape:
        case Box(size):
            return (np.abs(p) <= np.array(size) / 2).all(1)
        case Sphere(radius):
            return (p**2).sum(1) <= radius**2
        case Capsule(radius, length):
            z = np.clip(p[:, 2], -length / 2, length / 2)
            return p[:, 0] ** 2 + p[:, 1] ** 2 + (p[:, 2] - z) ** 2 <= radius**2
    raise TypeError(shape)
