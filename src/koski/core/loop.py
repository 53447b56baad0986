"""The one compiled loop over steps, that runs every solver."""

from dataclasses import replace

import jax
import jax.numpy as jnp
from jax import lax

from koski.core.alone import alone
from koski.core.edges import deepest, hold, inflow
from koski.core.inputs import Inputs
from koski.core.stencil import TINY
from koski.core.sums import Sum
from koski.core.terrain import Terrain
from koski.core.water import G

CHECK = 16  # substeps between two looks at what time step is stable


def ready(solver, state, terrain: Terrain, inputs: Inputs):
    """Make room in the state for what the inputs and edges bring, and let the edges begin.

    A solver whose water meets bodies lets them in here: they stand still until the next call.
    """
    water = state.water.ready(inputs, terrain.edges.open or inputs.held is not None)
    held = hold(water, terrain.b, terrain.edges, inputs.held, 0.0, terrain.grid)
    state = replace(state, water=held)
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


def longest(solver, state, terrain: Terrain, inputs: Inputs):
    """The longest step that is stable now."""
    return jnp.minimum(solver.stable_dt(state, terrain), fed_dt(terrain, inputs, solver.cfl))


def portion(left, steps, dt):
    """Equal steps until the next look, dt at most: how many, how long; the time and steps left."""
    count = jnp.ceil(left / dt)
    count = jnp.clip(jnp.nan_to_num(count, nan=1.0), 1, 1e9)
    n = jnp.minimum(jnp.minimum(count, CHECK).astype(jnp.int32), steps)
    dt = left / count
    return n, dt, jnp.where(n >= count, 0.0, left - n * dt), steps - n


def until(solver, state, terrain, inputs, seconds, max_steps, lone=False):
    """Substeps of equal, stable length until the time is up or the steps are."""

    def more(c):
        _, left, steps = c
        return (left > 0) & (steps > 0)

    def stretch(c):
        state, left, steps = c
        n, dt, left, steps = portion(left, steps, longest(solver, state, terrain, inputs))
        return repeat(solver, state, terrain, inputs, dt, n, lone), left, steps

    start = ready(solver, state, terrain, inputs), jnp.float32(seconds), jnp.int32(max_steps)
    return lax.while_loop(more, stretch, start)[0]


def times(solver, state, terrain, inputs, dt, steps, lone=False):
    """A known number of steps: JAX differentiates this loop."""
    state = ready(solver, state, terrain, inputs)
    return repeat(solver, state, terrain, inputs, dt, steps, lone)


def repeat(solver, state, terrain, inputs, dt, n, lone):
    """n steps of the same length; time is summed once for all, with nothing lost to rounding."""

    def loop(dt, state):
        return lax.fori_loop(0, n, lambda _, s: solver.step(s, terrain, inputs, dt), state)

    clock = state.water.clock
    state = alone(loop)(dt, state) if lone else loop(dt, state)
    return replace(state, water=state.water.at(ticked(clock, dt, n)))


def ticked(clock: tuple[Sum, jax.Array], dt, n):
    """Time and the count of steps, after n of them."""
    t, steps = clock
    return t.add(n * dt), steps + n


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
