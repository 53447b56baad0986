"""Virtual pipes between columns of water.

    q := mu q + dt · A g (h0 − h1) / l            flow through a face       Kellomäki 2015, eq. 4.11
    K  = min(1, d l² / dt Σ outflow)              no cell gives more than it holds
    d := d − dt Σ q / l²                                                    Kellomäki 2015, eq. 4.12

A = l · section.  Both surfaces are raised to the sill of the face first, for the section and for
the head alike (see `over_sill`): the papers do not, and their water never overtops a dam.
"""

from collections.abc import Callable
from typing import ClassVar

import jax
import jax.numpy as jnp

from koski.core.bands import Local
from koski.core.edges import calm, hold
from koski.core.frame import Frame
from koski.core.inputs import Inputs, drive
from koski.core.phase import renew
from koski.core.pytree import pytree, static
from koski.core.stencil import STICKS, Flow, over_sill, per_face
from koski.core.terrain import Terrain
from koski.core.water import G, Water, crossing, limit, move, supply
from koski.solvers.faces import DRY, face_velocity, make_frame
from koski.solvers.manning import rub

FASTEST = 4.0  # of the speed of waves: no stream of ours runs faster


def mean_section(a0, a1):
    """Depth at a face as the mean of its two sides.   Kellomäki 2014 §3.3"""
    return 0.5 * (a0 + a1)


def upwind_section(a0, a1):
    """Depth at a face as that of the side with the higher surface.   Kellomäki 2015 §4.5"""
    return jnp.maximum(a0, a1)


@pytree
class State:
    water: Water
    q: Flow  # through the +x and +y face of each cell [m³/s]


@pytree
class Pipe:
    """Virtual pipes between columns of water: fast and robust, no eddies.   Kellomäki 2015 §4.5"""

    friction: float = 0.05  # share of flow lost per second
    lively: float = 1.0  # factor on the pipes' section; lower looks more viscous
    manning: float | jax.Array | None = None  # bed roughness n [s/m^⅓]: a number, a map, none
    cfl: float = 0.5  # cells a wave may cross in one step
    section: Callable = static(default=mean_section)
    local: ClassVar[Local] = Local(reach=2, maps=5)

    def start(self, terrain: Terrain, depth, velocity=None) -> State:
        water = Water.start(depth, terrain.grid)
        u = face_velocity(velocity, terrain.grid)
        area = per_face(
            lambda a0, a1: terrain.grid.cell * self.section(a0, a1),
            *over_sill(terrain.b, water.d, terrain.grid),
        )
        return State(water, per_face(jnp.multiply, u, area))

    def stable_dt(self, s: State, terrain: Terrain) -> jax.Array:
        """dt ≤ l / √(g max d), with a margin.   Kellomäki 2015, eq. 4.10"""
        return self.cfl * crossing(self.lively * s.water.d, terrain.grid)

    def step(self, s: State, terrain: Terrain, inputs: Inputs, dt) -> State:
        b, edges, grid = terrain.b, terrain.edges, terrain.grid
        w = supply(s.water, inputs, dt, grid)
        mu = (1 - self.friction) ** dt
        q = renew(accelerate)(s.q, self, mu, b, w.d, drive(inputs, grid), dt, grid)
        q = renew(limit)(calm(q, w.d, edges, dt, grid), w.d, dt, grid)
        w = move(w, q, dt, grid)
        return State(hold(w, b, edges, inputs.held, dt, grid), q)

    def frame(self, s: State, terrain: Terrain) -> Frame:
        return look(self, s, terrain)


@jax.jit
def look(pipe: Pipe, s: State, terrain: Terrain) -> Frame:
    """Velocities from flows, then to the cells."""
    sides = over_sill(terrain.b, s.water.d, terrain.grid)
    u = shown_velocity(s.q, per_face(pipe.section, *sides), terrain.grid)
    return make_frame(s.water, u, terrain)


def accelerate(q: Flow, pipe: Pipe, mu, b, d, push: Flow | None, dt, grid) -> Flow:
    """q := mu q + dt A g (h0 − h1) / l, where the upwind side stands above the sill."""
    here, there = over_sill(b, d, grid)
    kick = dt * G * pipe.lively

    def flow(q, a0, a1):
        q = mu * q + kick * pipe.section(a0, a1) * (a0 - a1)
        return jnp.where(jnp.where(q > 0, a0, a1) > STICKS, q, 0)

    q = per_face(flow, q, here, there)
    if push is None and pipe.manning is None:
        return q
    depth = per_face(pipe.section, here, there)
    u = velocity(q, depth, grid)
    if push is not None:
        u = per_face(lambda u, a: u + dt * a, u, push)
    u = rub(u, depth, pipe.manning, dt, grid)
    return per_face(lambda u, a: u * a * grid.cell, u, depth)


def shown_velocity(q: Flow, depth: Flow, grid) -> Flow:
    """The velocity that outsiders see: |u| ≤ FASTEST √(g depth).

    A pipe remembers its flow when the water at it runs thin, and would seem to race there.
    """

    def bound(u, a):
        top = FASTEST * jnp.sqrt(G * jnp.maximum(a, 0))
        return jnp.clip(u, -top, top)

    return per_face(bound, velocity(q, depth, grid), depth)


def velocity(q: Flow, depth: Flow, grid) -> Flow:
    """u = q / (l · depth at the face), zero where that is dry."""
    return per_face(
        lambda q, a: jnp.where(a > DRY, q / (jnp.maximum(a, DRY) * grid.cell), 0), q, depth
    )
