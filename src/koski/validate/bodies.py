"""Print the tables of docs/bodies.md: waves that should not be, Archimedes, dams, lost water.

Run `python -m koski.validate.bodies`, or name some of waves, rest, block, ledger.
"""

import sys
from dataclasses import dataclass, replace

import jax.numpy as jnp
import numpy as np

from koski.bodies.body import Body
from koski.bodies.shapes import Box, Capsule, Sphere
from koski.bodies.turns import matrix
from koski.core.blockers import Blockers
from koski.core.edges import Drain, Edges, Periodic
from koski.core.inputs import RHO, Inputs
from koski.core.solver import advance
from koski.core.terrain import Terrain
from koski.core.water import G
from koski.solvers.pipe import Pipe
from koski.solvers.shallow import LinearShallowWater
from koski.solvers.two_layer import TwoLayer
from koski.validate.__main__ import row
from koski.validate.drifting import DEPTH, noise
from koski.validate.floating import LIE, SHAPES, SIDE, within
from koski.world import World

SMOOTH = Pipe(friction=0.0)
MODES = {
    "paper": TwoLayer(SMOOTH, carry=False, displace=False, even=False),
    "carry": TwoLayer(SMOOTH, displace=False, even=False),
    "carry, displace": TwoLayer(SMOOTH, even=False),
    "carry, displace, even (default)": TwoLayer(SMOOTH),
}
LAKE, DEEP = 24.0, 4.0  # side and depth [m]
LIES = ("box", "upright"), ("box", "tilted"), ("sphere", "upright"), ("capsule", "tilted")
FINE = LIES[1]  # this one also with small cells
ABOUT = "displaced", "speed [cm/s]", "spin [rad/s]", "rise", "dent [mm]"
DENSITIES = 200.0, 500.0, 900.0  # [kg/m³]
SPREAD = 1.2207440846 ** -np.arange(1, 4)  # strides that fill space evenly, of x⁴ = x + 1


# ── waves round a box that drifts with the current ───────────────────────────────────────


def waves() -> None:
    where = [(share, cells) for cells in (3, 5) for share in (8, 4, 2)]
    print(row("waves [mm]", *(f"draft d/{share}, {cells} cells" for share, cells in where)))
    print(row("---", *["---:"] * len(where)))
    for name, two in MODES.items():
        found = [noise(two, DEPTH / share, cells, shape=(48, 96)) for share, cells in where]
        print(row(name, *(f"{f:.1f}" for f in found)), flush=True)
    for kind in ("blocker", "floater"):
        found = [adrift(kind, DEPTH / share, cells) for share, cells in where]
        print(row(f"a free {kind}", *(f"{f:.1f}" for f in found)), flush=True)


def adrift(kind: str, draft: float, cells: int, shape=(48, 96)) -> float:
    """The same [mm] for a box that is free to move, half as dense as water, in a world."""
    edges = Edges(west=Periodic(), east=Periodic())
    terrain = Terrain.create(np.zeros(shape, np.float32), edges=edges)
    world = World(terrain, DEPTH, SMOOTH, velocity=(1.0, 0.0), coupling="two-layer")
    box, at = Box((cells, cells, 2 * draft)), (20.0, shape[0] / 2 + 0.01, DEPTH)
    world.drop(box, at, density=RHO / 2, kind=kind, velocity=(1.0, 0.0, 0.0))
    world.step(10.0)
    squares = []
    for _ in range(50):
        world.step(0.2)
        s = np.asarray(world.frame.surface)
        squares.append(np.mean((s - np.median(s)) ** 2))
    return 1000 * float(np.sqrt(np.mean(squares)))


# ── one body at rest in a lake ───────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Rest:
    """How a body lies after a minute, and the lake with it."""

    displaced: float  # volume under the lake's level over that of its weight in water
    speed: float  # the largest within the last two seconds [m/s]
    spin: float  # and that [rad/s]
    rise: float  # of the lake [m]
    should: float  # rise by the body's weight in water
    dent: float  # largest difference of the surface from level [m]


def rest(shape: str, lie: str, rho: float, cells: int, kind: str, seconds=60.0) -> Rest:
    """Let one body, `cells` to a side, down into a lake at its draught and wait."""
    cell = SIDE / cells
    n = round(LAKE / cell)
    terrain = Terrain.create(np.zeros((n, n), np.float32), cell)
    world = World(terrain, depth=DEEP, solver=Pipe(), coupling="two-layer")
    at = 12.13, 12.07, DEEP + SIDE * (0.5 - rho / RHO)
    body = world.drop(SHAPES[shape], at, rho, kind=kind, rotation=LIE[lie])
    for _ in range(round(seconds - 2)):
        world.step(1.0)
    fast, turns = zip(*(moving(world, body) for _ in range(20)))
    surface = np.asarray(world.frame.surface, float)
    level = surface.mean()
    return Rest(
        displaced=below(body, level) / (body.mass / RHO),
        speed=max(fast),
        spin=max(turns),
        rise=level - DEEP,
        should=body.mass / RHO / LAKE**2,
        dent=float(np.abs(surface - level).max()),
    )


def below(body: Body, level: float) -> float:
    """The volume of a body below a level [m³], by points that fill it evenly: right to 5e-4."""
    p = (np.arange(1_000_000)[:, None] * SPREAD % 1 * 2 - 1) * body.shape.reach
    z = p[within(body.shape, p)] @ matrix(body.rotation)[2] + body.position[2]
    return float((z < level).mean()) * body.shape.volume


def moving(world: World, body: Body) -> tuple[float, float]:
    world.step(0.1)
    return float(np.linalg.norm(body.velocity)), float(np.linalg.norm(body.spin))


def at_rest() -> None:
    """A row for each body, a number for each resolution; bold what has not come to rest."""
    print(row("kind", "body", "kg/m³", *ABOUT))
    print(row("---", "---", *["---:"] * (1 + len(ABOUT))))
    for kind in ("blocker", "floater"):
        for shape, lie in LIES:
            sizes = (2, 4, 10) if (shape, lie) == FINE else (2, 4)
            for rho in DENSITIES:
                told = zip(*(tell(rest(shape, lie, rho, cells, kind)) for cells in sizes))
                words = map(" · ".join, told)
                print(row(kind, f"{shape}, {lie}", f"{rho:.0f}", *words), flush=True)


def tell(r: Rest) -> tuple[str, ...]:
    speed = f"{100 * r.speed:.1f}" if r.speed < 0.01 else f"**{100 * r.speed:.1f}**"
    spin = f"{r.spin:.3f}" if r.spin < 0.02 else f"**{r.spin:.3f}**"
    return f"{r.displaced:.3f}", speed, spin, f"{r.rise / r.should:.2f}", f"{1000 * r.dent:.1f}"


# ── dams, gates, tunnels ─────────────────────────────────────────────────────────────────


def block(terrain: Terrain, where, bottom, top) -> Inputs:
    low, high = np.where(where, bottom, np.nan), np.where(where, top, np.nan)
    return Inputs(blockers=Blockers.create(low, high, terrain.grid))


def owed(state) -> float:
    """What bodies took and have not given back, as a share of all water."""
    under, *debts = (float(np.asarray(f, float).sum()) for f in state.aside)
    return sum(debts) / (float(np.asarray(state.water.d, float).sum()) + under + sum(debts))


def dam(two: TwoLayer) -> tuple[float, float]:
    """How far above its crest [m] a river stands when it first runs over a dam; what is owed.

    The dam stands on the highest bump of a rough bed: there are gaps of up to 2 cm below it.
    """
    y, x = np.mgrid[:24, :64] + 0.5
    b = -0.01 * x + np.where(np.abs(y - 12) > 8, 20.0, 0.0)
    b = b + np.random.default_rng(0).uniform(-0.01, 0.01, b.shape)
    terrain = Terrain.create(b, edges=Edges(east=Drain()))
    where = (np.abs(y - 12) <= 8) & (np.abs(x - 33) < 1)
    foot = np.asarray(terrain.b)[where].max()
    spring = np.where((np.abs(y - 12) < 4) & (np.abs(x - 2) < 1), 0.5, 0).astype(np.float32)
    inputs = replace(block(terrain, where, foot, foot + 1.5), source=jnp.asarray(spring))
    state = two.start(terrain, 0.0)
    level = np.nan
    for _ in range(100):
        state = advance(two, state, terrain, inputs, seconds=2.0)
        frame = two.frame(state, terrain)
        level = float(np.asarray(frame.surface)[where.any(1), 31].max())
        if np.asarray(frame.depth)[:, 34:].max() > 1e-3:
            break
    return level - (foot + 1.5), owed(state)


def gate(two: TwoLayer) -> tuple[float, float, float]:
    """Most that flows over a gate [m³/s]; how fast it flows under [m/s], and how fast it could.

    Torricelli: √(2 g h), for a reservoir that stands h above the middle of the opening.
    """
    terrain = Terrain.create(np.zeros((16, 64), np.float32), edges=Edges(east=Drain()))
    x = np.mgrid[:16, :64][1]
    inputs = block(terrain, (x == 32) | (x == 33), 0.5, 8.0)
    state = two.start(terrain, np.where(x < 32, 4.0, 0.0))
    over = 0.0
    for _ in range(10):
        state = advance(two, state, terrain, inputs, seconds=1.0)
        over = max(over, float(np.abs(np.asarray(state.upper.x)[:, 31:34]).max()))
    under = np.asarray(state.lower.x)[:, 32].mean() / 0.5
    behind = np.asarray(state.water.d)[:, :32].mean()
    return over, float(under), float(np.sqrt(2 * G * (behind - 0.25)))


def tunnel(two: TwoLayer, high: float, low: float) -> tuple[float, float, float, float]:
    """Two basins after 2 min: by how much their levels, the cells of each and neighbours in it
    differ [m]; what is owed."""
    terrain = Terrain.create(np.zeros((24, 64)))
    x = np.mgrid[:24, :64][1]
    hill = (x >= 28) & (x < 36)
    state = two.start(terrain, np.where(x < 28, high, np.where(hill, 1.0, low)))
    state = advance(two, state, terrain, block(terrain, hill, 1.0, 12.0), seconds=120.0)
    d = np.asarray(state.water.d, float)
    both = d[:, :28], d[:, 36:]
    apart = abs(both[0].mean() - both[1].mean())
    rough = max(np.diff(f, axis=axis).std() for f in both for axis in (0, 1))
    return apart, max(f.std() for f in both), rough, owed(state)


def blocking() -> None:
    for name, base in (("pipe", Pipe()), ("linear", LinearShallowWater())):
        level, debt = dam(TwoLayer(base))
        print(f"dam, {name}: runs over {100 * level:+.1f} cm above its crest, owed {debt:.1e}")
    over, fast, most = gate(TwoLayer())
    print(f"gate: over it {over:.1e} m³/s, under it {fast:.1f} m/s, Torricelli {most:.1f} m/s")
    for high, low in ((3.0, 1.5), (6.0, 2.0)):
        *found, debt = tunnel(TwoLayer(Pipe(friction=1 - 0.999**50)), high, low)
        apart, waves, rough = (f"{1000 * f:.2f} mm" for f in found)
        print(f"tunnel, {high:g} m and {low:g} m: levels {apart} apart, waves {waves}, ", end="")
        print(f"from cell to cell {rough}, owed {debt:.1e}")


# ── water that comes from nowhere ────────────────────────────────────────────────────────


def ledger() -> None:
    """Bodies are thrown about for 10 s, then rest for 60 s."""
    terrain = Terrain.create(np.zeros((32, 32)))
    world = World(terrain, depth=2.0, solver=Pipe(), coupling="two-layer")
    rng = np.random.default_rng(1)
    shapes = [Box((2, 2, 1)), Sphere(1.0), Capsule(0.5, 2.0)] * 2
    for shape in shapes:
        world.drop(shape, (*rng.uniform(6, 26, 2), 3), rng.uniform(300, 2000))
    most = 0.0
    for _ in range(100):
        for body in world.bodies:
            body.place(velocity=rng.uniform(-20, 20, 3), spin=rng.uniform(-5, 5, 3))
        world.step(0.1)
        most = max(most, abs(owed(world.state)))
    print(f"thrown about: drift {world.volume.drift:.1e}, owed at most {most:.1e}")
    for body in world.bodies:
        body.place(velocity=(0, 0, 0), spin=(0, 0, 0))
    for _ in range(60):
        world.step(1.0)
    print(f"at rest: drift {world.volume.drift:.1e}, owed {owed(world.state):.1e}")


PARTS = {"waves": waves, "rest": at_rest, "block": blocking, "ledger": ledger}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
