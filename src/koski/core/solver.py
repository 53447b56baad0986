"""The protocol that all solvers keep, and how they are run."""

from typing import Protocol, TypeVar

import jax
import jax.numpy as jnp

from koski.core import bands, loop
from koski.core.errors import InputError, duration, number
from koski.core.frame import Frame
from koski.core.inputs import Inputs
from koski.core.terrain import Terrain
from koski.core.water import Water

SMALL = 2**16  # cells of a grid that one thread of a CPU steps faster than several


class State(Protocol):
    """Whatever a solver carries from step to step; the water is always part of it."""

    @property
    def water(self) -> Water: ...


S = TypeVar("S", bound=State)


class Solver(Protocol[S]):
    """How water moves.  One whose step looks at neighbours alone says how far: `local`."""

    @property
    def cfl(self) -> float: ...

    def start(self, terrain: Terrain, depth, velocity=None) -> S: ...
    def stable_dt(self, state: S, terrain: Terrain) -> jax.Array: ...
    def step(self, state: S, terrain: Terrain, inputs: Inputs, dt) -> S: ...
    def frame(self, state: S, terrain: Terrain) -> Frame: ...


def advance(
    solver: Solver[S],
    state: S,
    terrain: Terrain,
    inputs: Inputs | None = None,
    *,
    seconds: float,
    dt: float | None = None,
    max_steps: int = 10_000,
) -> S:
    """Run the water for `seconds` and return its new state; the old one is used up.

    The time is split into equal substeps that are stable, looked at again every few steps.  At
    most `max_steps` are made: where that is too few, the water lags behind (`frame.t` tells)
    rather than blow up.  With a `dt` the number of steps is fixed, and gradients pass through.
    """
    inputs = inputs or Inputs()
    inputs.check(terrain.grid)
    terrain.grid.check("the state", state.water.d)
    terrain.grid.check("manning", getattr(getattr(solver, "base", solver), "manning", None))
    if not isinstance(seconds, jax.core.Tracer):
        seconds = duration("seconds", seconds)
    if inputs.blockers is not None and not hasattr(solver, "meet"):
        raise InputError(
            f"bodies do not block the water of {type(solver).__name__}: use TwoLayer or OneLayer"
        )
    traced = within(solver, state, terrain, inputs, seconds)
    if not traced and isinstance(state.water.d, jax.Array) and state.water.d.is_deleted():
        raise InputError(
            "this state was used up by the call that went on from it: go on from what that"
            " returned, or branch off before with jax.tree.map(jnp.copy, state)"
        )
    lone = not traced and small(state)
    parts = () if traced or not on_one_cpu(state) else bands.cut_for(solver, terrain, inputs)
    if dt is None:
        if len(parts) > 1 and not lone:
            few = seconds / bands.bearable(solver, state, terrain, inputs)
            if bands.pays(min(few, max_steps), terrain.grid):
                return bands.run_stable(parts, solver, state, terrain, inputs, seconds, max_steps)
        run = loop.run_stable_traced if traced else loop.run_stable
        return run(solver, state, terrain, inputs, seconds, max_steps, lone)
    if isinstance(seconds, jax.core.Tracer):
        raise InputError("with a fixed dt the seconds must be a plain number")
    steps = max(round(seconds / number("dt", dt, low=1e-9) + 0.499), 0)
    dt = seconds / max(steps, 1)
    if len(parts) > 1 and bands.pays(steps, terrain.grid):
        return bands.run_fixed(parts, solver, state, terrain, inputs, dt, steps)
    run = loop.run_fixed_traced if traced else loop.run_fixed
    return run(solver, state, terrain, inputs, dt, steps, lone)


def on_one_cpu(state: State) -> bool:
    """Whether all cells are on one CPU, where single threads may step them `alone`.

    Newer versions of JAX than these were not tried: what XLA makes of `alone` is its own affair.
    """
    d = state.water.d
    places = d.devices() if isinstance(d, jax.Array) else {jax.devices()[0]}
    return [p.platform for p in places] == ["cpu"] and jax.__version_info__ < (0, 12)


def small(state: State) -> bool:
    """Whether one thread is enough."""
    return on_one_cpu(state) and state.water.d.size <= SMALL


def within(*args) -> bool:
    """Whether JAX is transforming whatever these are part of."""
    traced = any(isinstance(a, jax.core.Tracer) for a in jax.tree.leaves(args))
    return traced or isinstance(jnp.zeros(()), jax.core.Tracer)
