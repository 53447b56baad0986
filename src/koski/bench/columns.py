"""`python -m koski.bench.columns`: the tables of Maes 2006 §5, beside what the paper has.

Its Table 1 is the wall time of one step of 5 ms with one cell a column and no particles, on a
Pentium 4 and on a GeForce 6600 GT.  Its frame rate fell by 60 % with two cells a column and by
80 % with three.
"""

from koski.bench.contenders import contenders
from koski.bench.rows import ROUNDS, SECONDS, asked_sizes, device, race
from koski.solvers.columns import Columns

PAPER = {64: (158, 2), 128: (665, 4), 256: (2705, 13), 512: (11055, 48)}  # ms on CPU and on GPU
LOST = {2: 0.6, 3: 0.8}  # of the frame rate, by cells a column
HEAD = ("size", "ms", "CPU 2006", "GPU 2006", "2 cells", "lost", "3 cells", "lost")


def measure(size: int, rounds: int = ROUNDS, seconds: float = SECONDS) -> list[float]:
    """Wall time [ms] of a step with 1, 2 and 3 cells a column on size × size columns."""
    field = contenders({f"{n} cells": Columns(cells=n) for n in (1, 2, 3)}, size, peers=False)
    return [1e3 * wall for wall in race(field, rounds, seconds, size, lambda _: None)]


def row(size: int, one: float, two: float, three: float) -> list[str]:
    then = [f"{ms} ms" for ms in PAPER[size]] if size in PAPER else ["", ""]
    more = [(f"{ms:.3f}", f"{1 - one / ms:.0%}") for ms in (two, three)]
    return [f"{size}²", f"{one:.3f}", *then, *more[0], *more[1]]


def main(sizes: list[int]) -> None:
    """Print the table in Markdown, of the paper's sizes or of those given."""
    chosen = sizes or list(PAPER)
    print(f"{device()}: ms a step; the paper lost {LOST[2]:.0%} and {LOST[3]:.0%}\n")
    for line in (HEAD, ["---:"] * len(HEAD), *(row(n, *measure(n)) for n in chosen)):
        print("|", " | ".join(line), "|", flush=True)


if __name__ == "__main__":
    main(asked_sizes(__doc__))
