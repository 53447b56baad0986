"""`python -m koski.bench.implicit`: from which time step on the implicit wave equation pays.

Explicit solvers take the longest steps that they are stable at, as they do in a World; the implicit
one takes steps of CFL 1 to 50, run at that length.  What counts is rtkc, cells simulated in real
time: the break-even is where the implicit one draws level with the fastest of the others.
"""

from dataclasses import dataclass, replace

import jax

from koski.bench.contenders import CALM, contenders
from koski.bench.rows import ROUNDS, SECONDS, asked_sizes, device, race
from koski.core.solver import Solver
from koski.solvers import named
from koski.solvers.wave import Wave

EXPLICIT = ("pipe", "linear", "shallow", "columns")
CFLS = (1, 2, 5, 10, 20, 50)


@dataclass(frozen=True)
class Race:
    size: int
    steps: dict[str, float]  # wall time of a step [ms]
    rtkc: dict[str, float]

    @property
    def best(self) -> str:
        """The fastest of the explicit solvers."""
        return max(EXPLICIT, key=lambda name: self.rtkc[name])

    @property
    def break_even(self) -> float:
        """The CFL at which the implicit one draws level with it: its rtkc is linear in it."""
        slope = max(self.rtkc[f"wave, CFL {cfl}"] / cfl for cfl in CFLS)
        return self.rtkc[self.best] / slope


def measure(size: int, rounds: int = ROUNDS, seconds: float = SECONDS) -> Race:
    explicit: dict[str, Solver] = {name: named(name) for name in EXPLICIT}
    implicit: dict[str, Solver] = {f"wave, CFL {cfl}": Wave(cfl=cfl / CALM) for cfl in CFLS}
    field = contenders(explicit | implicit, size, peers=False)
    if jax.default_backend() != "cpu":  # whose calls are made long for steps that are short
        field = [replace(c, steps=c.steps // 16) if c.name in implicit else c for c in field]
    walls = race(field, rounds, seconds, size, lambda _: None)
    rtkc = {
        c.name: size**2 / 1e3 * c.dt * (1 if c.name in EXPLICIT else CALM) / wall
        for c, wall in zip(field, walls)
    }
    return Race(size, {c.name: 1e3 * wall for c, wall in zip(field, walls)}, rtkc)


def table(r: Race) -> str:
    lines = [f"| {r.size}² | ms a step | pipe steps | rtkc | × {r.best} |"]
    lines.append("|---|---:|---:|---:|---:|")
    for name, rtkc in r.rtkc.items():
        ms = r.steps[name]
        times = f"{ms / r.steps['pipe']:.1f} | {rtkc:.0f} | {rtkc / r.rtkc[r.best]:.2f}"
        lines.append(f"| {name} | {ms:.3f} | {times} |")
    return "\n".join([*lines, "", f"Break-even at CFL {r.break_even:.1f}."])


def main(sizes: list[int]) -> None:
    """Print a table in Markdown for each size."""
    print(f"{device()}\n")
    for size in sizes or [1024]:
        print(table(measure(size)), flush=True)


if __name__ == "__main__":
    main(asked_sizes(__doc__))
