"""Print the tables of docs/validation.md: every solver against every exact solution."""

import numpy as np

from koski.solvers import NAMED
from koski.validate import measure


def row(*cells) -> str:
    return "| " + " | ".join(str(c) for c in cells) + " |"


def main() -> None:
    own = {name: s for name, s in NAMED.items() if not hasattr(s, "meet")}  # others: Pipe's bits
    solvers = {name: measure.exactly(s) for name, s in own.items()}
    print(row("solver", *(f"{b}, {n}" for b in ("wet", "dry") for n in (200, 400, 800))))
    print(row("---", *["---:"] * 6))
    for name, s in solvers.items():
        errors = [measure.dam_break_error(s, b, n) for b in (0.1, 0.0) for n in (200, 400, 800)]
        print(row(name, *(f"{e:.4f}" for e in errors)))
    print()
    print(row("solver", "x wet", "y wet", "diagonal wet", "x dry", "y dry", "diagonal dry"))
    print(row("---", *["---:"] * 6))
    for name, s in solvers.items():
        errors = [
            measure.dam_break_error(s, b, 400, a) for b in (0.1, 0) for a in ("x", "y", "diagonal")
        ]
        print(row(name, *(f"{e:.4f}" for e in errors)))
    print()
    print(row("solver", "wave speed", "seiche period", "front, wet", "front, dry", "depth, wet"))
    print(row("---", *["---:"] * 5))
    for name, s in solvers.items():
        wet = measure.radial_dam_break(s, 1.0)
        dry = measure.radial_dam_break(s, 0.0)
        fronts = [
            measure.front(r, a, o) / measure.front(r, g, o) - 1
            for (r, a, g), o in ((wet, 1.0), (dry, 0.0))
        ]
        shape = np.abs(wet[1] - wet[2]).sum() / wet[1].sum()
        numbers = measure.wave_speed_error(s), measure.seiche_period_error(s), *fronts
        print(row(name, *(f"{100 * e:+.2f} %" for e in numbers), f"{100 * shape:.2f} %"))


if __name__ == "__main__":
    main()
