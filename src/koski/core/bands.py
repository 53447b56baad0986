"""Long runs by several threads of the CPU, each with rows of its own.

XLA hands the parts of each loop over the cells to whichever thread is free, and most of the time
may go into carrying them from one core's cache to another's, or from memory.  So the grid is cut
into bands of rows that caches can hold, and each is stepped `alone` by one thread, several times
before the next has its turn.  A band borrows as many rows of its neighbours as news travels in
the steps between two exchanges: the bits are those of the whole grid.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial, reduce
from itertools import pairwise
from math import ceil, isqrt
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from koski.core.grid import Grid
from koski.core.inputs import Inputs
from koski.core.loop import CODE, longest, portion, ready, repeat, ticked
from koski.core.terrain import Terrain

PAUSE = 2**18  # cells that could be stepped in the time that an exchange of rows takes
SHORTEST = 4  # steps between two exchanges
CACHED = 10 * 2**20  # bytes that a step of a band works on at most, where it borrows little beside
FEWEST = 8  # steps that pay for cutting the grid and joining it again …
WORK = 2**23  # … and cells stepped, over all of them


class Local(NamedTuple):
    """What a solver tells whose step looks at neighbours alone."""

    reach: int  # rows that news crosses in a step
    maps: int  # that a step works on: the ground, all that moves, and what it makes on the way


@dataclass(frozen=True)
class Band:
    """Rows `low` to `high` of a grid, and how many it borrows to the south and to the north."""

    low: int
    high: int
    south: int
    north: int
    turn: int  # steps for which they are enough

    @property
    def rows(self) -> int:
        return self.south + self.high - self.low + self.north

    @cached_property
    def alike(self) -> "Band":
        """What all bands have in common that differ only in where they lie."""
        return replace(self, low=0, high=self.high - self.low)

    def cut(self, whole):
        """What it starts from, of a map of the whole grid."""
        return whole[self.low - self.south : self.high + self.north]

    def own(self, f):
        """Its own rows, without those that it borrows."""
        return f[self.south : self.rows - self.north]

    def renewed(self, f, south, north):
        """Its rows with those borrowed anew."""
        f = lax.dynamic_update_slice(f, south, (0, 0)) if self.south else f
        return lax.dynamic_update_slice(f, north, (self.rows - self.north, 0)) if self.north else f


@dataclass(frozen=True, eq=False)
class Form:
    """How a world is made of its leaves.  Equal is only the same one: quick to look up."""

    tree: Any  # of solver, state, terrain and inputs
    moving: tuple[int, ...]  # which leaves are maps of the state

    @property
    def still(self) -> tuple[int, ...]:
        """Which are not."""
        return tuple(i for i in range(self.tree.num_leaves) if i not in self.moving)

    def world(self, moving: list, still: list, rows: int):
        """Solver, state, terrain and inputs, on so many rows."""
        leaves = dict(zip(self.moving, moving)) | dict(zip(self.still, still))
        world = jax.tree.unflatten(self.tree, [leaves[i] for i in sorted(leaves)])
        solver, state, terrain, inputs = world
        return solver, state, replace(terrain, grid=replace(terrain.grid, ny=rows)), inputs


class Share(NamedTuple):
    """What a thread has of a world."""

    moving: list  # maps of the state
    still: list  # all else that a step needs
    first: list  # rows of the maps that the band to the south borrows
    last: list  # … to the north


def bands(grid: Grid, local: Local, threads: int) -> tuple[Band, ...]:
    """Cut a grid into the same number of bands for each thread, small enough for the caches.

    Into fewer where they would borrow more than half as much as they own, and into less than one
    for each where they would borrow more than they own.
    """
    turn = best_turn(grid, local.reach, threads)
    borrowed = local.reach * turn
    wanted = ceil(4 * local.maps * grid.cells / threads / CACHED)
    each = min(wanted, grid.ny // (4 * borrowed * threads))
    count = threads * each or max(min(threads, grid.ny // (2 * borrowed)), 1)
    cuts = [grid.ny * i // count for i in range(count + 1)]
    return tuple(
        Band(low, high, borrowed if low else 0, borrowed if high < grid.ny else 0, turn)
        for low, high in pairwise(cuts)
    )


def best_turn(grid: Grid, reach: int, threads: int) -> int:
    """How many steps to make between two exchanges: T where these cost as much as borrowed rows.

    PAUSE / T = T reach nx, but no more than leaves each thread as much of its own as it borrows.
    """
    few = isqrt(PAUSE // (reach * grid.nx))
    return max(min(few, grid.ny // (2 * reach * threads)), SHORTEST)


def cut_for(solver, terrain: Terrain, inputs: Inputs) -> tuple[Band, ...]:
    """The bands that the threads of the CPU may step; none, where they cannot.

    Water that comes and goes is summed up over all cells, and bodies that block it are not in rows.
    """
    outside = inputs.source, inputs.sink, inputs.evaporation, inputs.held, inputs.blockers
    closed = not terrain.edges.open and all(x is None for x in outside)
    default = jax.default_backend() == "cpu"  # what threads of ours would compute on, unasked
    local = getattr(solver, "local", None)
    if local is None or not (closed and default) or terrain.grid.wrap_y:
        return ()
    return bands(terrain.grid, local, threads())


def threads() -> int:
    """How many threads XLA computes on."""
    told = os.environ.get("PJRT_NPROC", "")
    if told.isdigit():
        return int(told)
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def pays(steps: float, grid: Grid) -> bool:
    """Whether so many steps are worth cutting the grid for."""
    return steps >= FEWEST and steps * grid.cells >= WORK


def run_fixed(parts: tuple[Band, ...], solver, state, terrain, inputs, dt, steps: int):
    """A known number of steps."""
    state = ready(solver, state, terrain, inputs)
    form, shares = dealt(parts, solver, state, terrain, inputs)
    shares = stretch(form, parts, shares, dt, steps)
    return join(parts, shares, state, tick(state.water.clock, dt, steps))


def run_stable(parts: tuple[Band, ...], solver, state, terrain, inputs, seconds, max_steps):
    """Substeps of equal, stable length until the time is up or the steps are."""
    state = ready(solver, state, terrain, inputs)
    left, steps = jnp.float32(seconds), jnp.int32(max_steps)
    clock, dts = state.water.clock, [bearable(solver, state, terrain, inputs)]
    form, shares = dealt(parts, solver, state, terrain, inputs)
    while left > 0 and steps > 0:
        n, dt, left, steps = plan(left, steps, dts)
        clock = tick(clock, dt, n)
        shares = stretch(form, parts, shares, dt, int(n))
        own = [(form, b.alike, s.moving, s.still) for b, s in zip(parts, shares)]
        dts = together(bearable_own, own)
    return join(parts, shares, state, clock)


def dealt(parts: tuple[Band, ...], solver, state, *setting) -> tuple[Form, list[Share]]:
    """To each band its share."""
    leaves, tree = jax.tree.flatten((solver, state, *setting))
    before, own = len(jax.tree.leaves(solver)), jax.tree.leaves(state)
    form = formed(tree, tuple(before + i for i, f in enumerate(own) if f.ndim == 2))
    return form, cut(form, parts, leaves)


@cache
def formed(tree, moving: tuple[int, ...]) -> Form:
    """The one form of all worlds that are made alike."""
    return Form(tree, moving)


@partial(jax.jit, static_argnums=(0, 1))
def cut(form: Form, parts: tuple[Band, ...], leaves: list) -> list[Share]:
    """The rows of each band, and all that is no map."""

    def share(band: Band) -> Share:
        mine = [band.cut(f) if jnp.ndim(f) == 2 else f for f in leaves]
        moving = [mine[i] for i in form.moving]
        return Share(moving, [mine[i] for i in form.still], *lent(band, moving))

    return [share(band) for band in parts]


def lent(band: Band, maps: list) -> tuple[list, list]:
    """The first and the last of its own rows, as many as it borrows there itself."""
    end = band.rows - band.north
    first = [f[band.south : 2 * band.south] for f in maps]
    return first, [f[end - band.north : end] for f in maps]


def stretch(form: Form, parts: tuple[Band, ...], shares: list[Share], dt, steps: int):
    """Let all make so many steps, and exchange rows before each turn."""
    turn = parts[0].turn
    for done in range(0, steps, turn):
        souths, norths = [shares[0], *shares[:-1]], [*shares[1:], shares[-1]]
        n = min(turn, steps - done)
        work = [
            (form, band.alike, share.moving, share.still, south.last, north.first, dt, n)
            for band, share, south, north in zip(parts, shares, souths, norths)
        ]
        made = together(step, work)
        shares = [Share(new, share.still, *rows) for share, (new, *rows) in zip(shares, made)]
    return shares


@partial(jax.jit, static_argnums=(0, 1), donate_argnums=2, compiler_options=CODE)
def step(form: Form, band: Band, moving, still, south, north, dt, n):
    """n steps of a band with the rows that it borrows; its maps then, and rows to lend."""
    moving = [band.renewed(f, s, n) for f, s, n in zip(moving, south, north)]
    solver, state, terrain, inputs = form.world(moving, still, band.rows)
    state = repeat(solver, state, terrain, inputs, dt, n, lone=True)
    moving = [f for f in jax.tree.leaves(state) if f.ndim == 2]
    return moving, *lent(band, moving)


@partial(jax.jit, static_argnums=(0, 1))
def bearable_own(form: Form, band: Band, moving, still):
    """The longest step that is stable now in its own rows."""
    moving = [band.own(f) for f in moving]
    still = [band.own(f) if jnp.ndim(f) == 2 else f for f in still]
    return longest(*form.world(moving, still, band.high - band.low))


@jax.jit
def plan(left, steps, dts: list):
    """The next portion of steps, as long as all can bear."""
    return portion(left, steps, reduce(jnp.minimum, dts))


@partial(jax.jit, static_argnums=0, donate_argnums=2, keep_unused=True)
def join(parts: tuple[Band, ...], shares: list[Share], old, clock):
    """The state of the whole grid at a time, in the memory of the old one."""
    maps = zip(*(map(band.own, share.moving) for band, share in zip(parts, shares)))

    def whole(f):
        return jnp.concatenate(next(maps)) if f.ndim == 2 else f

    state = jax.tree.map(whole, old)
    return replace(state, water=state.water.at(clock))


def together(f: Callable, work: list[tuple]) -> list:
    """f for each, by this thread and others.

    XLA does one after the other what is asked for by one thread.
    """
    at = [len(work) * i // threads() for i in range(threads() + 1)]
    mine, *others = [work[low:high] for low, high in pairwise(at)]

    def all_of(some):
        return [f(*args) for args in some]

    rest = [hand(i).submit(all_of, some) for i, some in enumerate(others) if some]
    made = all_of(mine)
    for one in rest:
        made += one.result()
    return made


@cache
def hand(_: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "koski-band")


bearable = jax.jit(longest)
tick = jax.jit(ticked)
