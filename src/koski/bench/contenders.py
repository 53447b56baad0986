"""Who runs: koski's solvers by name, and the peers, all from the same start."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from koski.bench.peer_numba import pipe_numba
from koski.bench.peer_numpy import Run, pipe_numpy
from koski.bench.scene import hills
from koski.core.inputs import Inputs
from koski.core.solver import Solver, advance
from koski.core.terrain import Terrain
from koski.solvers import NAMED, named
from koski.solvers.pipe import Pipe

PEERS: dict[str, Callable[..., Run]] = {
    "peer:numpy": pipe_numpy,
    "peer:numba": pipe_numba,
}

CALM = 0.25  # share of the stable step that is run: long runs neither settle nor outrun it


@dataclass(frozen=True)
class Contender:
    """Anything that can be timed; `go` uses its state up and returns when the work is done."""

    name: str
    dt: float  # its own stable time step on the scene [s]
    begin: Callable[[], Any]
    go: Callable[[Any, int], Any]
    steps: int  # per call


def choose(names: list[str] | None = None) -> dict[str, Solver]:
    """The solvers of these names, or all of them."""
    return {name: named(name) for name in names or NAMED}


def contenders(solvers: dict[str, Solver], size: int, peers: bool) -> list[Contender]:
    b, depth, velocity = hills(size)
    terrain = Terrain.create(b)
    many = steps_per_call(size * size)
    field = [solver_contender(*named, terrain, depth, velocity, many) for named in solvers.items()]
    if peers:
        few = max(2, many // 16)  # NumPy needs no call to be long
        for name, make in PEERS.items():
            steps = few if make is pipe_numpy else many
            field.append(peer_contender(name, make, terrain, depth, velocity, steps))
    return field


def steps_per_call(cells: int) -> int:
    """Enough that starting a call costs nothing beside it."""
    on_cpu = jax.default_backend() == "cpu"
    return int(np.clip(2e8 / cells, 4, 500) if on_cpu else np.clip(1e10 / cells, 100, 1000))


def solver_contender(name, solver: Solver, terrain, depth, velocity, steps: int) -> Contender:
    first = solver.start(terrain, depth, velocity)
    dt = float(solver.stable_dt(first, terrain))

    def begin():
        return jax.block_until_ready(jax.tree.map(jnp.copy, first))

    def go(state, steps):
        seconds = steps * CALM * dt
        return jax.block_until_ready(
            advance(solver, state, terrain, Inputs(), seconds=seconds, dt=CALM * dt)
        )

    return Contender(name, dt, begin, go, steps)


def peer_contender(name, make, terrain: Terrain, depth, velocity, steps: int) -> Contender:
    pipe = Pipe()
    first = pipe.start(terrain, depth, velocity)
    dt = float(pipe.stable_dt(first, terrain))
    arrays = [np.asarray(a) for a in (first.water.d, first.q.x, first.q.y)]
    run = make(np.array(terrain.b), CALM * dt, terrain.grid.cell, pipe.friction)
    return Contender(name, dt, lambda: tuple(a.copy() for a in arrays), run, steps)
