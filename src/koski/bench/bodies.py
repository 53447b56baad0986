"""How long a step of water with bodies takes: python -m koski.bench.bodies [SIZE …] [--bodies N]

Against the plain pipe step of the same run: the water part of a step alone, and the water with
raster, floaters and forces, many steps in one program or one call a step, as a world makes them.
Where an engine is installed, a whole step of 20 ms as well.
"""

import argparse
import time
from importlib.util import find_spec

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from koski.bench.contenders import Contender
from koski.bench.rows import ROUNDS, SECONDS, race
from koski.bodies import coupling
from koski.bodies.footprint import footprint
from koski.bodies.forces import Motion, Props
from koski.bodies.groups import pack
from koski.bodies.shapes import Box
from koski.core.inputs import Inputs
from koski.core.solver import advance
from koski.core.terrain import Terrain
from koski.solvers.pipe import Pipe
from koski.solvers.two_layer import TwoLayer
from koski.world import World

DEPTH, DT, CRATE = 3.0, 0.02, Box((2, 1, 1))
STEPS = 50  # per call


def afloat(n: int, count: int, terrain: Terrain) -> coupling.Bodies:
    """Crates that float about, half of them blockers."""
    rng = np.random.default_rng(0)
    place = np.c_[rng.uniform(8, n - 8, (count, 2)), np.full(count, DEPTH)]
    turn = rng.normal(size=(count, 4))
    turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    drift = np.c_[rng.normal(size=(count, 2)), np.zeros(count)]
    rows = (place, turn, drift, np.zeros((count, 3)))
    motion = Motion(*(jnp.asarray(f, jnp.float32) for f in rows))
    mass = np.full(count, 600.0 * CRATE.volume)
    inertia = mass[:, None, None] / CRATE.volume * CRATE.inertia
    numbers = (mass, np.zeros((count, 3)), inertia, np.ones(count), np.ones(count))
    props = Props(*(jnp.asarray(f, jnp.float32) for f in numbers))
    groups = pack([CRATE] * count, terrain.grid)
    yes = jnp.ones(count, bool)
    return coupling.Bodies(groups, motion, motion, motion, props, yes, ~yes)


def measure(n: int, count: int) -> dict[str, float]:
    terrain = Terrain.create(np.random.default_rng(1).uniform(0, 0.3, (n, n)))
    pipe, two, bodies = Pipe(), TwoLayer(), afloat(n, count, terrain)
    met = jax.jit(
        lambda b: footprint(b.groups, b.motion, b.blocks, terrain.b + DEPTH, terrain.grid)
    )
    inputs = Inputs(blockers=met(bodies))

    def contender(name, solver, go) -> Contender:
        def done(state, steps):
            return jax.block_until_ready(go(state, steps))

        return Contender(name, DT, lambda: solver.start(terrain, DEPTH), done, STEPS)

    def steps(solver, inputs):
        return lambda s, n: advance(solver, s, terrain, inputs, seconds=n * DT, dt=DT)

    @jax.jit
    def inside(state, steps):
        def turn(_, both):
            state, wrench = coupling.couple(two, both[0], terrain, Inputs(), bodies, DT)
            return state, both[1] + wrench.force

        return lax.fori_loop(0, steps, turn, (state, jnp.zeros((count, 3))))[0]

    def turns(state, steps):
        for _ in range(steps):
            state, _ = coupling.run(two, state, terrain, Inputs(), bodies, DT)
        return state

    field = [
        contender("pipe", pipe, steps(pipe, Inputs())),
        contender("water", two, steps(two, inputs)),
        contender("with raster and forces", two, inside),
        contender("the same, by call", two, turns),
    ]
    walls = race(field, ROUNDS, SECONDS, n, lambda _: None)
    found = {c.name: 1e3 * wall for c, wall in zip(field, walls)}
    if find_spec("mujoco"):
        found["whole step"] = whole(n, count)
    return found


def whole(n: int, count: int) -> float:
    """A world's step of 20 ms, engine and all [ms]."""
    rng = np.random.default_rng(2)
    terrain = Terrain.create(rng.uniform(0, 0.3, (n, n)))
    world = World(terrain, depth=DEPTH, solver=Pipe(), coupling="two-layer")
    for _ in range(count):
        place = (*rng.uniform(8, n - 8, 2), DEPTH + 1)
        world.drop(CRATE, at=place, density=float(rng.uniform(300, 2000)))
    world.step(10 * DT)
    start = time.perf_counter()
    world.step(STEPS * DT)
    return 1e3 * (time.perf_counter() - start) / STEPS


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sizes", nargs="*", type=int, default=[256, 512])
    parser.add_argument("--bodies", type=int, default=100)
    args = parser.parse_args()
    print(f"{jax.devices()[0].device_kind}, {args.bodies} bodies")
    for n in args.sizes:
        found = measure(n, args.bodies)
        plain = found["pipe"]
        for name, ms in found.items():
            print(f"{n:5d}²  {name:22s} {ms:8.3f} ms  {ms / plain:6.1f} × pipe", flush=True)


if __name__ == "__main__":
    main()
