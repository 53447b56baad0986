"""The flows that bodies can stand in, as the layers see them: pipes, or linear shallow water.

What a base flow remembers of each face is its flow [m³/s] in the pipe method, and its velocity
[m/s] in shallow water.
"""

import jax.numpy as jnp

from koski.core.patch import Patch
from koski.core.stencil import STICKS, Flow, over_sill, per_face
from koski.core.terrain import Terrain
from koski.core.water import G, Water
from koski.solvers.faces import STILL
from koski.solvers.pipe import Pipe, accelerate, shown_velocity
from koski.solvers.shallow import LinearShallowWater, flux, kick

Base = Pipe | LinearShallowWater


def begin(base: Base, terrain: Terrain, depth, velocity) -> tuple[Water, Flow]:
    """Water, and what is remembered of its flow."""
    if isinstance(base, Pipe):
        pipe = base.start(terrain, depth, velocity)
        return pipe.water, pipe.q
    wave = base.start(terrain, depth, velocity)
    return wave.water, wave.u


def fluid(base: Base, memory: Flow, floor, d, push, dt, grid) -> tuple[Flow, Flow]:
    """What is remembered now, and what flows [m³/s], over all that is solid."""
    if isinstance(base, Pipe):
        q = accelerate(memory, base, fading(base, dt), floor, d, push, dt, grid)
        return q, q
    u = kick(memory, floor, d, base.manning, push, dt, grid)
    return u, flux(u, floor, d, grid)


def through(base: Base, memory: Flow, high: Flow, here: Flow, there: Flow, head: Flow, dt, patch):
    """The same through openings of a given height, under a given head [m]."""
    if isinstance(base, Pipe):
        mu, kick_ = fading(base, dt), dt * G * base.lively

        def pipe(q, h, a0, a1, p):
            q = mu * q + kick_ * h * p
            return jnp.where(jnp.where(q > 0, a0, a1) > STICKS, q, 0)

        q = per_face(pipe, memory, high, here, there, head)
        return q, q

    top = patch.cell / dt

    def wave(u, h, a0, a1, p):
        u = jnp.clip(u + (G * dt / patch.cell) * p, -top, top)
        moves = (jnp.where(u > 0, a0, a1) > STICKS) & (h > 0) & (jnp.abs(u) > STILL)
        return jnp.where(moves, u, 0)

    u = per_face(wave, memory, high, here, there, head)
    return u, per_face(lambda u, h: patch.cell * u * h, u, high)


def remember(base: Base, memory: Flow, q: Flow) -> Flow:
    """What is remembered once the flow is settled: a pipe remembers what passed."""
    return q if isinstance(base, Pipe) else memory


def passing(base: Base, memory: Flow, high: Flow, patch: Patch) -> Flow:
    """What flows [m³/s] through openings of a given height, as remembered."""
    if isinstance(base, Pipe):
        return memory
    return per_face(lambda u, h: patch.cell * u * h, memory, high)


def memory_of(base: Base, u: Flow, high: Flow, patch: Patch) -> Flow:
    """What is remembered of water that passes openings of a given height at a velocity [m/s]."""
    return per_face(lambda u, h: patch.cell * u * h, u, high) if isinstance(base, Pipe) else u


def velocity(base: Base, memory: Flow, floor, d, grid) -> Flow:
    """Velocity through the faces [m/s]."""
    if isinstance(base, Pipe):
        return shown_velocity(memory, per_face(base.section, *over_sill(floor, d, grid)), grid)
    return memory


def fading(base: Pipe, dt):
    """The share of a flow that friction leaves after a step."""
    return (1 - base.friction) ** dt
