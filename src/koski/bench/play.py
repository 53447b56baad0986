"""Does the live view keep up?  python -m koski.bench.play [--cells N] [--bodies N] [--seconds S]

What a tick takes by part, then how fast the water runs with one viewer that takes every frame.
"""

import argparse
import time

import jax
import numpy as np

from koski import cache
from koski.bodies.shapes import Box, Capsule
from koski.core.edges import Drain, Edges, Inflow
from koski.core.terrain import Terrain
from koski.render.detail import Detail
from koski.scene import Scene
from koski.solvers.shallow import LinearShallowWater
from koski.view.frames import Press
from koski.view.game import RATE, Game
from koski.view.overlays import OVERLAYS, least, seen
from koski.view.sandbox import Origin, Sandbox
from koski.view.viewer import Viewer

ROUNDS = 40


def river(cells: int, bodies: int) -> Origin:
    """A river through hills, half of its crates and logs in the water's way."""
    y, x = np.mgrid[:cells, :cells] + 0.5
    bed = np.abs(y - cells / 2 - cells / 10 * np.sin(x / cells * 7)) / cells
    b = 0.01 * (cells - x) + 40 * np.clip(bed - 0.12, 0, 0.2) + 0.3 * np.sin(x / 3) * np.sin(y / 4)
    rng = np.random.default_rng(0)
    things = []
    for k in range(bodies):
        px, py = rng.uniform(0.1, 0.9) * cells, rng.uniform(0.42, 0.58) * cells
        shape = Box((2, 2, 2)) if k % 4 else Capsule(0.4, 4)
        things.append({"shape": shape, "at": (px, py, 8.0), "density": 600.0 if k % 2 else 2000.0})
    depth = np.where(bed < 0.14, 1.5, 0.0)
    terrain = Terrain.create(b, 1.0, Edges(west=Inflow(60.0), east=Drain()))
    flow = LinearShallowWater(manning=0.03)
    return Origin("river", Scene("river", terrain, depth, solver=flow, bodies=tuple(things)))


def parts(box: Sandbox) -> dict[str, list[float]]:
    """Times of the parts of some ticks [ms]."""
    world, press, viewer = box.world, Press(), Viewer("bench")
    detail = Detail.start(world.terrain, painted=False)
    game = Game(lambda: box.origin)
    game.open(box.origin)
    spent: dict[str, list[float]] = {"water and bodies": [], "maps": [], "packing": [], "frame": []}

    def timed(name, run):
        start = time.perf_counter()
        result = jax.block_until_ready(run())
        spent[name].append(1e3 * (time.perf_counter() - start))
        return result

    def look(detail):
        return seen(world.solver, world.state, world.terrain, detail, 1 / RATE)

    def step():
        box.step(1 / RATE)
        return world.state

    for tick in range(1, ROUNDS + 1):
        timed("water and bodies", step)
        maps, detail = timed("maps", lambda detail=detail: look(detail))
        maps = {name: f for name, f in maps.items() if name not in OVERLAYS}
        limits = least(maps, world.terrain.grid.cell, {})
        timed(
            "packing", lambda maps=maps, limits=limits, tick=tick: press.sheets(maps, limits, tick)
        )
        game._show(1 / RATE)
        timed("frame", lambda: sent(viewer, game))
        viewer.ack(game.tick)
    return spent


def sent(viewer: Viewer, game: Game) -> bytes | None:
    """The frame that a viewer is sent, after what it is told first."""
    snap = game.snapshot
    list(viewer.texts(snap, 1, True, True))
    return viewer.frame(snap)


def pace(origin: Origin, seconds: float) -> tuple[float, float]:
    """Seconds of water per second, and frames a second, with one viewer."""
    game, viewer = Game(lambda: origin), Viewer("bench")
    game.start()
    while game.snapshot is None or game.snapshot.t == 0:
        time.sleep(0.05)
    time.sleep(1.0)
    t, start, frames = game.snapshot.t, time.perf_counter(), 0
    while time.perf_counter() < start + seconds:
        if sent(viewer, game) is not None:
            viewer.ack(viewer.tick)
            frames += 1
        time.sleep(0.004)
    spent = time.perf_counter() - start
    factor = (game.snapshot.t - t) / spent
    game.stop()
    return factor, frames / spent


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--cells", type=int, default=256)
    args.add_argument("--bodies", type=int, default=50)
    args.add_argument("--seconds", type=float, default=10.0)
    asked = args.parse_args()
    cache.enable()
    origin = river(asked.cells, asked.bodies)
    print(f"{asked.cells}² cells, {asked.bodies} bodies, a tick of {1e3 / RATE:.1f} ms:")
    for name, times in parts(Sandbox(origin)).items():
        late = times[ROUNDS // 4 :]  # compiled by then
        print(f"  {name:18s} {np.median(late):6.1f} ms   (best {min(late):.1f})")
    factor, fps = pace(origin, asked.seconds)
    print(f"  one viewer: {factor:.2f} × real time, {fps:.0f} frames a second")


if __name__ == "__main__":
    main()
