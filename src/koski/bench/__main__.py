"""`python -m koski.bench`: the benchmark where only jax and numpy are installed."""

import json
import sys
from argparse import ArgumentParser

from koski.bench.contenders import choose
from koski.bench.report import table, text, to_json
from koski.bench.rows import check_size, measure
from koski.core.errors import InputError
from koski.solvers import NAMED


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 2 with one sentence where the arguments make no sense."""
    parser = ArgumentParser(prog="python -m koski.bench", description="Time koski's solvers.")
    parser.add_argument("--size", action="extend", nargs="+", help="cells along a side")
    parser.add_argument("--solver", action="extend", nargs="+", help=", ".join(NAMED))
    parser.add_argument("--peers", action="store_true", help="time NumPy and Numba as well")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args(arguments)
    try:
        run(asked.solver, asked.size, asked.peers, asked.json)
    except InputError as e:
        print(e, file=sys.stderr)
        return 2
    return 0


def run(solvers: list[str] | None, sizes: list | None, peers: bool, as_json: bool) -> None:
    """Measure, then print JSON, or a table as good as what is installed allows."""
    bench = measure(choose(solvers), [check_size(n) for n in sizes or []] or None, peers, say)
    if as_json:
        print(json.dumps(to_json(bench)))
        return
    try:
        from rich.console import Console
    except ImportError:
        print(text(bench))
    else:
        screen = Console()
        screen.print(table(bench), width=max(screen.width, 90))


def say(line: str) -> None:
    """Show where the run is, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r{line:<60}\r", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
