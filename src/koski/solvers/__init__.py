"""The ways to move water, by the names that the command line knows them by."""

from dataclasses import fields, replace

from koski.core.errors import InputError, nearest
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
COUPLINGS = "mixed", "two-layer", "one-layer", "floaters"


def named(name: str, **numbers) -> Solver:
    """A solver by name, with whichever of the numbers given it has."""
    if name not in NAMED:
        raise InputError(f"there is no solver {name!r}: {nearest(name, NAMED)}")
    solver = NAMED[name]
    known = {f.name for f in fields(solver)}  # type: ignore[arg-type]
    mine = {k: v for k, v in numbers.items() if k in known}
    return replace(solver, **mine)  # type: ignore[type-var]


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
