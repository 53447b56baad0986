"""How long a step takes: solvers and peers timed side by side in one run.

    rtkc = cells / 1000 · (time step simulated / wall time of the step)      Kellomäki 2015 §6.2

Machines are noisy, so contenders take turns, round after round, and each keeps its best call: what
slows one round slows all of them alike, and ratios stay fair.
"""

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from os import cpu_count, environ
from time import perf_counter

import jax

from koski.bench.bandwidth import copy_bandwidth
from koski.bench.contenders import Contender, choose, contenders
from koski.core.errors import InputError
from koski.core.solver import Solver

STEP_BYTES = 28  # per cell: read ground, depth, two flows; write depth, two flows
SECONDS = 0.15  # of work in a turn, at least
ROUNDS = 8
LARGEST = 2**15  # cells a side

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Row:
    name: str
    size: int  # cells along a side
    ms: float  # wall time of a step, the best seen
    mcells: float  # million cells stepped per second
    rtkc: float  # thousand cells that run in real time
    bandwidth_share: float  # of the copy bandwidth, if a step moved no byte twice


@dataclass(frozen=True)
class Bench:
    device: str
    copy_bytes: float  # per second, read and written
    rows: tuple[Row, ...]


def default_sizes() -> list[int]:
    return [256, 512, 1024] if jax.default_backend() == "cpu" else [1024, 4096, 8192]


def check_size(size) -> int:
    """A number of cells along a side that can be timed."""
    try:
        n = int(size)
    except (TypeError, ValueError):
        n = 0
    if not 8 <= n <= LARGEST:
        raise InputError(f"a size is a number of cells from 8 to {LARGEST}, not {size!r}")
    return n


def asked_sizes(about: str | None) -> list[int]:
    """The sizes on the command line of a benchmark that takes nothing else."""
    parser = ArgumentParser(description=(about or "").splitlines()[0])
    parser.add_argument("sizes", nargs="*", help="cells along a side")
    try:
        return [check_size(n) for n in parser.parse_args().sizes]
    except InputError as e:
        parser.error(str(e))


def measure(
    solvers: dict[str, Solver] | None = None,
    sizes: list[int] | None = None,
    peers: bool = False,
    progress: Progress | None = None,
    *,
    rounds: int = ROUNDS,
    seconds: float = SECONDS,
) -> Bench:
    """Time a step of each solver, and of the peers if wanted, on each size of the scene."""
    say = progress or (lambda _: None)
    solvers = choose() if solvers is None else solvers
    sizes = [check_size(n) for n in (default_sizes() if sizes is None else sizes)]
    rows: list[Row] = []
    say("copy bandwidth")
    speed = copy_bandwidth()
    for size in sizes:
        field = contenders(solvers, size, peers)
        for c, seconds_a_step in zip(field, race(field, rounds, seconds, size, say)):
            rows.append(row(c, size, seconds_a_step, speed))
    return Bench(device(), speed, tuple(rows))


def row(c: Contender, size: int, wall: float, speed: float) -> Row:
    cells = size * size
    share = STEP_BYTES * cells / wall / speed
    return Row(c.name, size, 1e3 * wall, cells / wall / 1e6, cells / 1e3 * c.dt / wall, share)


def race(field: list[Contender], rounds: int, seconds: float, size: int, say: Progress):
    """The best wall time of a step of each, taking turns."""
    calls = []
    for c in field:
        say(f"{size}² {c.name}: warm up")
        c.go(c.begin(), c.steps)  # compiles
        calls.append(max(1, ceil(seconds / best_call(c, 1))))
    best = [float("inf")] * len(field)
    for n in range(rounds):
        say(f"{size}² round {n + 1} of {rounds}")
        best = [min(t, best_call(c, k) / c.steps) for t, c, k in zip(best, field, calls)]
    return best


def best_call(c: Contender, calls: int) -> float:
    """Wall time of the quickest of some calls, one after the other from the start of the scene."""
    state, best = c.begin(), float("inf")
    for _ in range(calls):
        before = perf_counter()
        state = c.go(state, c.steps)
        best = min(best, perf_counter() - before)
    return best


def device() -> str:
    """The device in words."""
    first = jax.devices()[0]
    if first.platform != "cpu":
        return first.device_kind
    told = f", {threads} of its threads" if (threads := environ.get("PJRT_NPROC")) else ""
    return f"cpu, {cpu_count()} cores{told}"
