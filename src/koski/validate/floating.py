"""Bodies at rest in a lake: do they lie as deep as Archimedes says, and does the lake rise?"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from koski.bodies.body import Body
from koski.bodies.shapes import Box, Capsule, Shape, Sphere
from koski.bodies.turns import from_axis, matrix
from koski.core.inputs import RHO
from koski.core.terrain import Terrain
from koski.solvers.pipe import Pipe
from koski.validate.__main__ import row
from koski.world import World

SIDE = 2.0  # of the bodies [m]
DEPTH = 4.0  # of the lake [m]
APART = 8.0  # from one body to the next [m]
ALONE = 24.0  # side of the lake for one of them [m]
SHAPES: dict[str, Shape] = {
    "box": Box((SIDE, SIDE, SIDE)),
    "sphere": Sphere(SIDE / 2),
    "capsule": Capsule(SIDE / 4, SIDE / 2),
}
LIE = {"upright": (1.0, 0.0, 0.0, 0.0), "tilted": tuple(from_axis((1.0, 0.5, 0.3), 0.5))}
DENSITIES = 200.0, 500.0, 900.0  # [kg/m³]
SIZES = 2, 4, 10  # cells a side
SPREAD = 1.2207440846 ** -np.arange(1, 4)  # strides that fill space evenly, of x⁴ = x + 1
ABOUT = "displaced", "speed [cm/s]", "spin [rad/s]", "rise", "dent [mm]"


@dataclass(frozen=True)
class Afloat:
    """How a body lies, and the lake with it."""

    displaced: float  # volume under the lake's level over that of its weight in water
    speed: float  # the largest of the last two seconds [m/s]
    spin: float  # and that [rad/s]
    rise: float  # of the lake, over what it should be by the volume that all bodies displace
    dent: float  # largest difference of the surface from level [m]


def lake(cells: int, kind: str, *names, friction=0.05) -> World:
    """A lake with bodies, each named by shape, lie and density, let down at their draughts."""
    columns = int(np.ceil(np.sqrt(len(names))))
    apart = ALONE if len(names) == 1 else APART
    n = round(columns * apart * cells / SIDE)
    terrain = Terrain.create(np.zeros((n, n), np.float32), cell=SIDE / cells)
    world = World(terrain, DEPTH, Pipe(friction=friction), coupling="two-layer")
    for k, (shape, lie, rho) in enumerate(names):
        j, i = divmod(k, columns)
        z = DEPTH + SIDE * (0.5 - rho / RHO)
        at = (i + 0.5) * apart + 0.13, (j + 0.5) * apart + 0.07, z
        world.drop(SHAPES[shape], at, rho, rotation=LIE[lie], kind=kind)
    return world


def afloat(cells: int, kind: str, *names, seconds=60.0, friction=0.05) -> list[Afloat]:
    """Let bodies come to rest in a lake; how each lies."""
    world = lake(cells, kind, *names, friction=friction)
    for _ in range(round(seconds - 2)):
        world.step(1.0)
    fast, turns = np.max([moving(world) for _ in range(20)], axis=0)
    surface = np.asarray(world.frame.surface, float)
    level = surface.mean()
    width, depth = world.terrain.grid.size
    volumes = [below(body, level) for body in world.bodies]
    should = sum(volumes) / (width * depth)
    return [
        Afloat(
            displaced=volume / (body.mass / RHO),
            speed=float(v),
            spin=float(w),
            rise=(level - DEPTH) / should,
            dent=float(np.abs(surface - level).max()),
        )
        for body, volume, v, w in zip(world.bodies, volumes, fast, turns)
    ]


def moving(world: World) -> tuple[np.ndarray, np.ndarray]:
    """How fast bodies move and spin after a moment."""
    world.step(0.1)
    v, w = (np.array([getattr(b, f) for b in world.bodies]) for f in ("velocity", "spin"))
    return np.linalg.norm(v, axis=1), np.linalg.norm(w, axis=1)


def sunk(cells: int, kind: str) -> tuple[int, int]:
    """How many bodies a little denser than water lie on the ground in the end, and of how many."""
    world = lake(cells, kind, *product(SHAPES, LIE, [1100.0]))
    for _ in range(30):
        world.step(1.0)
    return sum(heights(b).min() < 0.05 for b in world.bodies), len(world.bodies)


def below(body: Body, level: float) -> float:
    """The volume of a body below a level [m³]: right to 5e-4."""
    return float((heights(body) < level).mean()) * body.shape.volume


def heights(body: Body) -> np.ndarray:
    """Of points that fill a body evenly [m]."""
    p = (np.arange(1_000_000)[:, None] * SPREAD % 1 * 2 - 1) * body.shape.reach
    return p[within(body.shape, p)] @ matrix(body.rotation)[2] + body.position[2]


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


# ── the table ────────────────────────────────────────────────────────────────────────────


def at_rest(kinds=("blocker", "floater")) -> None:
    """A row for each body, a number for each resolution; bold what has not come to rest."""
    print(row("kind", "body", "kg/m³", *ABOUT))
    print(row("---", "---", *["---:"] * (1 + len(ABOUT))))
    for kind, *name in product(kinds, SHAPES, LIE, DENSITIES):
        told = zip(*(tell(*afloat(cells, kind, name)) for cells in SIZES))
        shape, lie, rho = name
        print(row(kind, f"{shape}, {lie}", f"{rho:.0f}", *map(" · ".join, told)), flush=True)
    for kind, cells in product(kinds, SIZES):
        down, all_ = sunk(cells, kind)
        print(f"{kind}s of 1100 kg/m³, {cells} cells: {down} of {all_} sink", flush=True)


def tell(a: Afloat) -> tuple[str, ...]:
    speed = f"{100 * a.speed:.1f}" if a.speed < 0.01 else f"**{100 * a.speed:.1f}**"
    spin = f"{a.spin:.3f}" if a.spin < 0.02 else f"**{a.spin:.3f}**"
    return f"{a.displaced:.3f}", speed, spin, f"{a.rise:z.2f}", f"{1000 * a.dent:.1f}"
