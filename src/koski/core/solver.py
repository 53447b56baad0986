"""The protocol that all solvers keep, and the one loop that runs them."""

from dataclasses import replace
from typing import Protocol, TypeVar

import jax
import jax.numpy as jnp
from jax import lax

from koski.core.alone import alone
from koski.core.edges import deepest, hold, inflow
from koski.core.errors import InputError, number
from koski.core.frame import Frame
from koski.core.inputs import Inputs
from koski.core.stencil import TINY
from koski.core.terrain import Terrain
from koski.core.water import G, Water

CHECK = 16  # substeps between two looks at what time step is stable
SMALL = 2**16  # cells of a grid that one thread of a CPU steps faster than several


class State(Protocol):
    """Whatever a solver carries from step to step; the water is always part of it."""

    @property
    def water(self) -> Water: ...


S = TypeVar("S", bound=State)


class Solver(Protocol[S]):
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
    if not isinstance(seconds, jax.core.Tracer):
        seconds = number("seconds", seconds, low=0)
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
    if dt is None:
        run = run_stable_traced if traced else run_stable
        return run(solver, state, terrain, inputs, seconds, max_steps, lone)
    if isinstance(seconds, jax.core.Tracer):
        raise InputError("with a fixed dt the seconds must be a plain number")
    steps = max(round(seconds / number("dt", dt, low=1e-9) + 0.499), 0)
    run = run_fixed_traced if traced else run_fixed
    return run(solver, state, terrain, inputs, seconds / max(steps, 1), steps, lone)


def small(state: State) -> bool:
    """Whether one thread is enough: few cells, all of them on one CPU.

    Newer versions of JAX than these were not tried: what XLA makes of `alone` is its own affair.
    """
    d = state.water.d
    places = d.devices() if isinstance(d, jax.Array) else {jax.devices()[0]}
    on_one_cpu = [p.platform for p in places] == ["cpu"]
    return d.size <= SMALL and on_one_cpu and jax.__version_info__ < (0, 12)


def within(*args) -> bool:
    """Whether JAX is transforming whatever these are part of."""
    traced = any(isinstance(a, jax.core.Tracer) for a in jax.tree.leaves(args))
    return traced or isinstance(jnp.zeros(()), jax.core.Tracer)


def ready(solver: Solver[S], state: S, terrain: Terrain, inputs: Inputs) -> S:
    """Make room in the state for what the inputs and edges bring, and let the edges begin.

    A solver whose water meets bodies lets them in here: they stand still until the next call.
    """
    water = state.water.ready(inputs, terrain.edges.open or inputs.held is not None)
    held = hold(water, terrain.b, terrain.edges, inputs.held, 0.0, terrain.grid)
    state = replace(state, water=held)  # type: ignore[type-var]
    return solver.meet(state, terrain, inputs) if hasattr(solver, "meet") else state


def fed_dt(terrain: Terrain, inputs: Inputs, cfl):
    """A step short enough for what sources and edges may pile up, even where it is dry yet.

    dt² g (d + CHECK · s dt) ≤ cfl² l²  for the fastest source s [m/s] and the deepest edge d [m].
    """
    grid = terrain.grid
    source = 0.0 if inputs.source is None else jnp.max(jnp.asarray(inputs.source))
    s = jnp.maximum(source + inflow(terrain.edges) / grid.area, TINY)
    d = jnp.maximum(deepest(terrain.b, terrain.edges, inputs.held), TINY)
    by_source = jnp.cbrt(cfl**2 * grid.area / (2 * CHECK * G * s))
    return jnp.minimum(by_source, cfl * grid.cell / jnp.sqrt(2 * G * d))


def until(solver, state, terrain, inputs, seconds, max_steps, lone=False):
    """Substeps of equal, stable length until the time is up or the steps are."""

    fed = fed_dt(terrain, inputs, solver.cfl)

    def more(c):
        _, left, steps = c
        return (left > 0) & (steps > 0)

    def stretch(c):
        state, left, steps = c
        count = jnp.ceil(left / jnp.minimum(solver.stable_dt(state, terrain), fed))
        count = jnp.clip(jnp.nan_to_num(count, nan=1.0), 1, 1e9)
        n = jnp.minimum(jnp.minimum(count, CHECK).astype(jnp.int32), steps)
        dt = left / count
        state = repeat(solver, state, terrain, inputs, dt, n, lone)
        return state, jnp.where(n >= count, 0.0, left - n * dt), steps - n

    start = ready(solver, state, terrain, inputs), jnp.float32(seconds), jnp.int32(max_steps)
    return lax.while_loop(more, stretch, start)[0]


def times(solver, state, terrain, inputs, dt, steps, lone=False):
    """A known number of steps: JAX differentiates this loop."""
    state = ready(solver, state, terrain, inputs)
    return repeat(solver, state, terrain, inputs, dt, steps, lone)


def repeat(solver, state, terrain, inputs, dt, n, lone):
    """n steps of the same length; time is summed once for all, with nothing lost to rounding."""

    def loop(state):
        return lax.fori_loop(0, n, lambda _, s: solver.step(s, terrain, inputs, dt), state)

    before = state.water
    state = alone(loop)(state) if lone else loop(state)
    after = replace(state.water, t=before.t.add(n * dt), steps=before.steps + n)
    return replace(state, water=after)


# For XLA on the CPU: use the whole of 512-bit registers where there are any, take a maximum in one
# instruction (five, to tell which of two NaN it was; the first of two is still kept if NaN), and
# finish one axis before the other begins, so that both use the same memory: caches hold more.
CODE = {
    "xla_cpu_prefer_vector_width": 512,
    "xla_cpu_enable_fast_min_max": True,
    "xla_cpu_scheduler_type": "CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED",
}

# Inside another transformation there is nothing to donate, and JAX would warn of it.
STATIC = ("steps", "lone")
run_stable = jax.jit(until, donate_argnums=1, static_argnames="lone", compiler_options=CODE)
run_stable_traced = jax.jit(until, static_argnames="lone")
run_fixed = jax.jit(times, donate_argnums=1, static_argnames=STATIC, compiler_options=CODE)
run_fixed_traced = jax.jit(times, static_argnames=STATIC)
