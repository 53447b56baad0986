"""Shallow water with velocities on the faces, full and linearised.

    ∂d/∂t + ∇·(d u) = 0                          upwind flux        Kellomäki 2015, eq. 4.4, 4.5
    ∂u/∂t + u·∇u = − g ∇h − g n² |u| u / d^(4/3)                    Kellomäki 2015, eq. 4.3, 4.6

Depth first, then velocity against the new surface.  Surfaces are raised to the sill of each face
as in the pipe method; a face whose sill both surfaces are below is a wall.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax

from koski.core.bands import Local
from koski.core.edges import calm, hold
from koski.core.frame import Frame
from koski.core.inputs import Inputs, drive
from koski.core.phase import phase, renew
from koski.core.pytree import pytree, static
from koski.core.stencil import STICKS, TINY, Flow, over_sill, per_face
from koski.core.terrain import Terrain
from koski.core.water import G, Water, crossing, limit, move, supply
from koski.solvers.advection import conserving, maccormack, semi_lagrangian
from koski.solvers.faces import STILL, face_velocity, make_frame
from koski.solvers.manning import rub


@pytree
class State:
    water: Water
    u: Flow  # velocity through the +x and +y face of each cell [m/s]


@pytree
class LinearShallowWater:
    """Shallow water whose velocity does not carry itself: waves and rivers, no whirlpools.

    Kellomäki 2015 §4.4, keeping the conservation form of the depth.
    """

    manning: float | jax.Array | None = None  # bed roughness n [s/m^⅓]: a number, a map, none
    cfl: float = 0.5  # cells a wave may cross in one step

    @property
    def local(self) -> Local:
        return looks(7, self.manning)

    def start(self, terrain: Terrain, depth, velocity=None) -> State:
        return begin(terrain, depth, velocity)

    def stable_dt(self, s: State, terrain: Terrain) -> jax.Array:
        """dt ≤ l / √(g max d), with a margin.   Kellomäki 2015, eq. 4.10"""
        return self.cfl * crossing(s.water.d, terrain.grid)

    def step(self, s: State, terrain: Terrain, inputs: Inputs, dt) -> State:
        w, _, u = flood(s, terrain, inputs, dt)
        u = kick(u, terrain.b, w.d, self.manning, drive(inputs, terrain.grid), dt, terrain.grid)
        return settle(w, u, terrain, inputs, dt)

    def frame(self, s: State, terrain: Terrain) -> Frame:
        return look(s, terrain)


@pytree
class ShallowWater:
    """The full shallow water equations: bores, jumps, eddies.   Kellomäki 2015 §4.2–4.3"""

    manning: float | jax.Array | None = None  # bed roughness n [s/m^⅓]: a number, a map, none
    cfl: float = 0.5  # cells a wave on moving water may cross in one step
    advection: Callable = static(default=conserving)

    @property
    def local(self) -> Local | None:
        """Of an advection that is not ours, nobody knows."""
        maps = {conserving: 7, semi_lagrangian: 11, maccormack: 16}.get(self.advection)
        return None if maps is None else looks(maps, self.manning)

    def start(self, terrain: Terrain, depth, velocity=None) -> State:
        return begin(terrain, depth, velocity)

    def stable_dt(self, s: State, terrain: Terrain) -> jax.Array:
        """dt ≤ l / (|u| + √(g d)), with a margin."""
        fast = jnp.maximum(jnp.abs(s.u.x), jnp.abs(s.u.y))
        wave = jnp.max(fast + jnp.sqrt(G * s.water.d))
        return self.cfl * terrain.grid.cell / jnp.maximum(wave, TINY)

    def step(self, s: State, terrain: Terrain, inputs: Inputs, dt) -> State:
        w, q, u = flood(s, terrain, inputs, dt)
        u = self.advection(u, q, w.d, dt, terrain.grid)
        u = kick(u, terrain.b, w.d, self.manning, drive(inputs, terrain.grid), dt, terrain.grid)
        return settle(w, u, terrain, inputs, dt)

    def frame(self, s: State, terrain: Terrain) -> Frame:
        return look(s, terrain)


def looks(maps: int, manning) -> Local:
    """How far a step looks, and at how many maps on a smooth bed; a rough one takes two more."""
    return Local(reach=3, maps=maps + (0 if manning is None else 2))


def begin(terrain: Terrain, depth, velocity) -> State:
    return State(Water.start(depth, terrain.grid), face_velocity(velocity, terrain.grid))


def flood(s: State, terrain: Terrain, inputs: Inputs, dt) -> tuple[Water, Flow, Flow]:
    """Move the water by the velocities it has: the new water, what flowed, the old velocities."""
    grid = terrain.grid
    w = supply(s.water, inputs, dt, grid)
    q = phase(flux)(s.u, terrain.b, w.d, grid)
    q = renew(limit)(q, w.d, dt, grid)
    return renew(move)(w, q, dt, grid), q, s.u


def settle(w: Water, u: Flow, terrain: Terrain, inputs: Inputs, dt) -> State:
    """Let the sides of the grid have their say."""
    u = calm(u, w.d, terrain.edges, dt, terrain.grid)
    return State(hold(w, terrain.b, terrain.edges, inputs.held, dt, terrain.grid), u)


def flux(u: Flow, b, d, grid) -> Flow:
    """q = l u · depth above the sill, upwind.   Kellomäki 2015, eq. 4.5"""

    def flow(u, a0, a1):
        return grid.cell * u * jnp.where(u > 0, a0, a1)

    return per_face(flow, u, *over_sill(b, d, grid))


def kick(u: Flow, b, d, manning, push: Flow | None, dt, grid) -> Flow:
    """u −= g (h1 − h0) dt / l, then the bed's drag; never faster than a cell per step.

    Kellomäki 2015, eq. 4.6.  A face with no water above its sill is a wall.
    """
    b, d = lax.optimization_barrier((b, d))
    here, there = over_sill(b, d, grid)
    u = per_face(lambda u, a0, a1: u + (G * dt / grid.cell) * (a0 - a1), u, here, there)
    if push is not None:
        u = per_face(lambda u, a: u + dt * a, u, push)
    u = rub(u, per_face(jnp.maximum, here, there), manning, dt, grid)
    top = grid.cell / jnp.maximum(dt, TINY)

    def bound(u, a0, a1):
        moves = (jnp.maximum(a0, a1) > STICKS) & (jnp.abs(u) > STILL)
        return jnp.where(moves, jnp.clip(u, -top, top), 0)

    return per_face(bound, u, here, there)


@jax.jit
def look(s: State, terrain: Terrain) -> Frame:
    return make_frame(s.water, s.u, terrain)
