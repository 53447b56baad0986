"""The ways to move water, by the names that the command line knows them by."""

from dataclasses import fields, is_dataclass, replace

from koski.core.errors import InputError, nearest, numbers
from koski.core.solver import Solver
from koski.solvers.advection import maccormack, semi_lagrangian
from koski.solvers.columns import Columns
from koski.solvers.kass import HistoryWave
from koski.solvers.one_layer import OneLayer
from koski.solvers.pipe import Pipe, upwind_section
from koski.solvers.shallow import LinearShallowWater, ShallowWater
from koski.solvers.two_layer import TwoLayer
from koski.solvers.wave import Wave

NAMED: dict[str, Solver] = {
    "pipe": Pipe(),
    "pipe-upwind": Pipe(section=upwind_section),
    "shallow": ShallowWater(),
    "shallow-semi-lagrangian": ShallowWater(advection=semi_lagrangian),
    "shallow-maccormack": ShallowWater(advection=maccormack),
    "linear": LinearShallowWater(),
    "wave": Wave(),
    "wave-history": HistoryWave(),
    "columns": Columns(),
    "two-layer": TwoLayer(),
    "two-layer-paper": TwoLayer(carry=False, displace=False, even=False),
    "one-layer": OneLayer(),
}
LIMITS = {  # what numbers of a solver may be: beyond, the water freezes or comes to grief
    "friction": (0.0, 1.0),
    "lively": (1e-3, 10.0),
    "manning": (0.0, 10.0),
    "cfl": (1e-3, 1.0),
    "theta": (0.5, 1.0),
    "weir": (0.0, 10.0),
}
LONGEST: dict[type, float] = {Wave: 1e4, HistoryWave: 1e4, Columns: 0.75}  # cfl, of these
COUPLINGS = "mixed", "two-layer", "one-layer", "floaters"


def named(name: str, **numbers) -> Solver:
    """A solver by name, with whichever of the numbers given it has."""
    if name not in NAMED:
        raise InputError(f"there is no solver {name!r}: {nearest(name, NAMED)}")
    solver = NAMED[name]
    known = {f.name for f in fields(solver)}  # type: ignore[arg-type]
    mine = {k: v for k, v in numbers.items() if k in known}
    return replace(solver, **mine)  # type: ignore[type-var]


def chosen(solver: Solver | str) -> Solver:
    """A solver, or the one of that name, whose numbers make sense."""
    if isinstance(solver, str):
        return named(solver)
    if isinstance(solver, type) or not hasattr(solver, "step"):
        raise InputError(f"a solver is one such as koski.Pipe() or its name, not {solver!r}")
    if not is_dataclass(solver):  # one of your own
        return solver
    for f in fields(solver):
        value = getattr(solver, f.name)
        if hasattr(value, "step"):
            chosen(value)
        elif f.name in LIMITS and value is not None:
            low, high = LIMITS[f.name]
            high = LONGEST.get(type(solver), high) if f.name == "cfl" else high
            numbers(f"{f.name} of {type(solver).__name__}", value, low, high)
    return solver


def name_of(solver: Solver) -> str:
    """The name of a solver: that of the scheme it is, whatever its numbers."""
    for name, like in NAMED.items():
        schemes = [f.name for f in fields(like) if f.metadata.get("static")]  # type: ignore[arg-type]
        if type(like) is type(solver) and all(
            getattr(like, s) == getattr(solver, s) for s in schemes
        ):
            return name
    return type(solver).__name__


def coupled(name: str) -> str:
    """The name of a way for bodies and water to meet, if it is one."""
    if name not in COUPLINGS:
        raise InputError(f"there is no coupling {name!r}: {nearest(name, COUPLINGS)}")
    return name


def blocking(solver: Solver, coupling: str) -> Solver:
    """A solver that lets bodies block its water, the most like the one given."""
    if coupling == "one-layer":
        kept = {"friction": solver.friction} if isinstance(solver, Pipe) else {}
        return OneLayer(manning=getattr(solver, "manning", None), **kept)  # type: ignore[arg-type]
    if isinstance(solver, (Pipe, LinearShallowWater)):
        return TwoLayer(base=solver)
    return TwoLayer(base=LinearShallowWater(manning=getattr(solver, "manning", None)))
