"""Print the tables of docs/bodies.md: waves that should not be, Archimedes, dams, lost water.

Run `python -m koski.validate.bodies`, or name some of waves, rest, block, ledger.
"""

from argparse import ArgumentParser
from dataclasses import replace

import jax.numpy as jnp
import numpy as np

from koski.bodies.shapes import Box, Capsule, Sphere
from koski.core.blockers import Blockers
from koski.core.edges import Drain, Edges, Periodic
from koski.core.errors import nearest
from koski.core.inputs import RHO, Inputs
from koski.core.solver import advance
from koski.core.terrain import Terrain
from koski.core.water import G
from koski.solvers.pipe import Pipe
from koski.solvers.shallow import LinearShallowWater
from koski.solvers.two_layer import TwoLayer
from koski.validate.__main__ import row
from koski.validate.drifting import CALMING, DEPTH, noise, set_off
from koski.validate.floating import at_rest
from koski.world import World

SMOOTH = Pipe(friction=0.0)
OURS = "carry, displace, even (default)"
MODES = {
    "paper": TwoLayer(SMOOTH, carry=False, displace=False, even=False),
    "carry": TwoLayer(SMOOTH, displace=False, even=False),
    "carry, displace": TwoLayer(SMOOTH, even=False),
    OURS: TwoLayer(SMOOTH),
}
FREE = {  # rows for bodies left to themselves: their kind, and in which mode
    "a free blocker, paper": ("blocker", "paper"),
    "a free blocker": ("blocker", OURS),
    "a free floater": ("floater", OURS),
}


# ── waves round a box that drifts with the current ───────────────────────────────────────


def waves() -> None:
    where = [(share, cells) for cells in (3, 5) for share in (8, 4, 2)]
    print(row("waves [mm]", *(f"draft d/{share}, {cells} cells" for share, cells in where)))
    print(row("---", *["---:"] * len(where)))
    for name, two in MODES.items():
        found = [noise(two, DEPTH / share, cells, shape=(48, 96)) for share, cells in where]
        print(row(name, *(f"{f:.1f}" for f in found)), flush=True)
    for name, (kind, mode) in FREE.items():
        found = [adrift(MODES[mode], kind, DEPTH / share, cells) for share, cells in where]
        print(row(name, *(f"{f:.1f}" for f in found)), flush=True)


def adrift(two: TwoLayer, kind: str, draft: float, cells: int, shape=(48, 96)) -> float:
    """The same [mm] for a box that is free to move, half as dense as water, in a world."""
    edges = Edges(west=Periodic(), east=Periodic())
    terrain = Terrain.create(np.zeros(shape, np.float32), edges=edges)
    world = World(terrain, DEPTH, replace(two, base=CALMING))
    box, at = Box((cells, cells, 2 * draft)), (20.0, shape[0] / 2 + 0.01, DEPTH)
    body = world.drop(box, at, density=RHO / 2, kind=kind)
    world.step(60.0)
    world.solver, world.state = two, set_off(world.state, 1.0, terrain.grid)
    body.place(velocity=(1.0, 0.0, 0.0))
    world.step(10.0)
    squares = []
    for _ in range(50):
        world.step(0.2)
        s = np.asarray(world.frame.surface)
        squares.append(np.mean((s - np.median(s)) ** 2))
    return 1000 * float(np.sqrt(np.mean(squares)))


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
    for high, low in ((3.0, 1.5), (5.0, 3.0), (6.0, 2.0)):
        *found, debt = tunnel(TwoLayer(Pipe(friction=1 - 0.999**50)), high, low)
        apart, waves, rough = (f"{1000 * f:.2f} mm" for f in found)
        print(f"tunnel, {high:g} m and {low:g} m: levels {apart} apart, waves {waves}, ", end="")
        print(f"from cell to cell {rough}, owed {debt:.1e}")


# ── water that comes from nowhere ────────────────────────────────────────────────────────


def ledger() -> None:
    """Bodies are thrown about for 10,000 steps of the water, then rest for 60 s."""
    world, most = thrown(10_000)
    print(f"thrown about: drift {world.volume.drift:.1e}, owed at most {most:.1e}")
    for body in world.bodies:
        body.place(velocity=(0, 0, 0), spin=(0, 0, 0))
    for _ in range(60):
        world.step(1.0)
    print(f"at rest: drift {world.volume.drift:.1e}, owed {owed(world.state):.1e}")


def thrown(steps: int) -> tuple[World, float]:
    """Six bodies that are never left alone, after so many steps; the most that was ever owed."""
    terrain = Terrain.create(np.zeros((32, 32)))
    world = World(terrain, depth=2.0, solver=Pipe(), coupling="two-layer")
    rng = np.random.default_rng(1)
    for shape in [Box((2, 2, 1)), Sphere(1.0), Capsule(0.5, 2.0)] * 2:
        world.drop(shape, (*rng.uniform(6, 26, 2), 3), rng.uniform(300, 2000))
    most = 0.0
    while int(world.state.water.steps) < steps:
        for body in world.bodies:
            body.place(velocity=rng.uniform(-20, 20, 3), spin=rng.uniform(-5, 5, 3))
        world.step(0.1)
        most = max(most, abs(owed(world.state)))
    return world, most


PARTS = {"waves": waves, "rest": at_rest, "block": blocking, "ledger": ledger}

if __name__ == "__main__":
    parser = ArgumentParser(description="Print the tables of docs/bodies.md.")
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    asked = parser.parse_args().parts
    for part in set(asked) - set(PARTS):
        parser.error(f"there is no part {part!r}: {nearest(part, PARTS)}")
    for part in asked or PARTS:
        PARTS[part]()
