"""Every number of every solver as something to turn: its range, step, unit, and what it does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from koski.core.errors import InputError, nearest, number
from koski.view.messages import KnobInfo


class About(NamedTuple):
    label: str
    low: float
    high: float
    step: float
    unit: str
    tip: str


FRICTION = About("friction", 0, 0.95, 0.01, "1/s", "Share of the flow that is lost each second.")
LIVELY = About("liveliness", 0.1, 2, 0.05, "×", "Width of the pipes; less looks more viscous.")
MANNING = About(
    "bed roughness", 0, 0.2, 0.005, "s/m^⅓", "Manning's n: 0.01 glass, 0.03 a stream, 0.1 a forest."
)
CFL = About(
    "step length", 0.1, 0.6, 0.05, "cells", "Cells that a wave may cross in a step; less is finer."
)
DAMPING = About("damping", 0, 0.95, 0.01, "1/s", "Share of the motion that is lost each second.")
SPREAD = About(
    "spread", 0, 0.24, 0.01, "/20 ms", "Share of displaced water that each neighbour takes over."
)
SEAL = About("seal", 0, 0.5, 0.01, "m", "A gap below a body lower than this is closed.")
RETURN = About(
    "return", 0.001, 0.2, 0.001, "/20 ms", "Share of displaced water that free cells give back."
)
KNOBS: dict[tuple[str, str], About] = {
    ("Pipe", "friction"): FRICTION,
    ("Pipe", "lively"): LIVELY,
    ("Pipe", "manning"): MANNING,
    ("Pipe", "cfl"): CFL,
    ("ShallowWater", "manning"): MANNING,
    ("ShallowWater", "cfl"): CFL,
    ("LinearShallowWater", "manning"): MANNING,
    ("LinearShallowWater", "cfl"): CFL,
    ("Wave", "theta"): About(
        "weight of the new", 0.5, 1, 0.01, "", "1 damps waves most, towards 0.5 less and less."
    ),
    ("Wave", "tau"): DAMPING,
    ("Wave", "manning"): MANNING,
    ("Wave", "cfl"): CFL._replace(high=8, step=0.1),
    ("HistoryWave", "tau"): DAMPING,
    ("HistoryWave", "cfl"): CFL._replace(high=8, step=0.1),
    ("Columns", "friction"): FRICTION,
    ("Columns", "weir"): About(
        "weir", 0, 2, 0.05, "×", "Factor on the flow over edges that face air."
    ),
    ("Columns", "manning"): MANNING,
    ("Columns", "cfl"): CFL._replace(high=0.75),
    ("TwoLayer", "alpha"): RETURN,
    ("TwoLayer", "tau"): SPREAD,
    ("TwoLayer", "kappa"): About(
        "inertia of the surface", 0, 0.95, 0.05, "", "How much of itself the surface drawn keeps."
    ),
    ("TwoLayer", "seal"): SEAL,
    ("TwoLayer", "air"): About(
        "air", 0, 2, 0.05, "m", "Below a gap of air higher than this water bears no pressure."
    ),
    ("OneLayer", "friction"): FRICTION,
    ("OneLayer", "lively"): LIVELY,
    ("OneLayer", "manning"): MANNING,
    ("OneLayer", "alpha"): RETURN,
    ("OneLayer", "tau"): SPREAD,
    ("OneLayer", "seal"): SEAL,
    ("OneLayer", "eps"): About(
        "touch", 0, 0.5, 0.01, "m", "A body this near to the water below it presses it down."
    ),
    ("OneLayer", "cfl"): CFL,
}


def leaves(solver: Any, before: str = "") -> Iterator[tuple[str, str, str, Any]]:
    """The numbers of a solver, also of one inside it: path, class, name and value."""
    for f in fields(solver):
        value = getattr(solver, f.name)
        if f.metadata.get("static"):
            continue
        if is_dataclass(value):
            yield from leaves(value, f"{before}{f.name}.")
        else:
            yield f"{before}{f.name}", type(solver).__name__, f.name, value


def live(solver: Any) -> Any:
    """The same solver with all its numbers there: one that is none becomes zero.

    To go from none to a number would compile anew.
    """
    for path, _, _, value in list(leaves(solver)):
        if value is None:
            solver = put(solver, path, 0.0)
    return solver


def knobs(solver: Any) -> list[KnobInfo]:
    """All that can be turned, as the page shows it."""
    found = ((path, KNOBS[kind, name], value) for path, kind, name, value in leaves(solver))
    return [KnobInfo(path, value=shown(value), **k._asdict()) for path, k, value in found]


def turn(solver: Any, path: str, value: float) -> Any:
    """The solver with one number changed; a map becomes the same everywhere."""
    found = {p: (kind, name, old) for p, kind, name, old in leaves(solver)}
    if path not in found:
        raise InputError(f"the solver has no number {path!r}: {nearest(path, found)}")
    kind, name, old = found[path]
    knob = KNOBS[kind, name]
    new = number(knob.label, value, knob.low, knob.high)
    return put(solver, path, jnp.full_like(old, new) if np.ndim(old) else new)


def put(solver: Any, path: str, value: Any) -> Any:
    """Replace the number at a path."""
    name, _, rest = path.partition(".")
    return replace(solver, **{name: put(getattr(solver, name), rest, value) if rest else value})


def shown(value: Any) -> float:
    """A number, or the mean of a map."""
    return 0.0 if value is None else float(np.mean(np.asarray(value)))
