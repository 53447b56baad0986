"""The implicit wave equation as Kass 1990 has it: surfaces with a memory, and no flows.

    A h(n) = h(n−1) + (1 − τ) (h(n−1) − h(n−2))                               Kass 1990, eq. 14–17
    A = 1 − g dt² ∂(D ∂/∂x)/∂x                  D the depth at the face, frozen over a step

First along the rows, then along the columns of the outcome (§5).  Cells that end up below the
ground are raised to it, and then every connected body of water gets back the volume that it had.

It is here to be compared with `wave.py`, which mends what it lacks: it damps waves by two fifths a
period (20 cells, CFL 0.5), regions must be searched for at every step, and nothing tells how fast
the water moves: the velocities that frames show and dyes follow are integrated beside it (eq. 7).

Where we depart: depths at faces count from the sill, or dry ground would push water; what the
paper's uniform correction leaves where it runs into the ground is taken in proportion to depth.
"""

import jax
import jax.numpy as jnp

from koski.core.edges import calm, hold
from koski.core.frame import Frame
from koski.core.grid import Grid
from koski.core.inputs import Inputs, drive
from koski.core.phase import phase, renew
from koski.core.pytree import pytree
from koski.core.stencil import TINY, Flow, above, div, over_sill, per_face, upwind
from koski.core.terrain import Terrain
from koski.core.turn import turned
from koski.core.water import WATER, G, Water, crossing, limit, supply
from koski.solvers.chains import settle
from koski.solvers.faces import face_velocity, make_frame
from koski.solvers.regions import label, sums
from koski.solvers.wave import join, over


@pytree
class State:
    water: Water
    rise: jax.Array  # how fast each surface rose in the last step [m/s]
    u: Flow  # velocity of the faces, only to be seen [m/s]


@pytree
class HistoryWave:
    """The implicit wave equation with a history of surfaces, for comparison.   Kass 1990"""

    tau: float = 0.0  # share of the motion lost per second
    cfl: float = 2.0  # cells a wave may cross in one step

    def start(self, terrain: Terrain, depth, velocity=None) -> State:
        """A start that moves is one whose surface has risen as its flow would raise it."""
        water = Water.start(depth, terrain.grid).ready(Inputs(), open_=True)
        u = face_velocity(velocity, terrain.grid)
        return State(water, -div(flux(u, terrain.b, water.d, terrain.grid), terrain.grid), u)

    def stable_dt(self, s: State, terrain: Terrain) -> jax.Array:
        """Any is stable; dt ≤ cfl l / √(g max d) keeps waves that are long beside cfl cells."""
        return self.cfl * crossing(s.water.d, terrain.grid)

    def step(self, s: State, terrain: Terrain, inputs: Inputs, dt) -> State:
        b, edges, grid = terrain.b, terrain.edges, terrain.grid
        w = supply(s.water, inputs, dt, grid)
        keep = (1 - self.tau) ** dt
        push = drive(inputs, grid)
        gain = 0.0 if push is None else -dt * dt * div(flux(push, b, w.d, grid), grid)
        rows = spread(keep * dt * s.rise + gain, b, w.d, dt, grid, along_x=True)
        change = spread(rows, b, w.d, dt, grid, along_x=False)
        change = restore(w.d, change, grid)
        u = renew(accelerate)(s.u, keep, push, b, w.d + change, dt, grid)
        u = calm(u, w.d, edges, dt, grid)
        rise = jnp.where(w.d + change > 0, change / dt, 0)
        rise = calm(Flow(rise, rise), w.d, edges, dt, grid).x
        w = carry(w, u, b, dt, grid).add(WATER, change)
        return State(hold(w, b, edges, inputs.held, dt, grid), rise, u)

    def frame(self, s: State, terrain: Terrain) -> Frame:
        return look(s, terrain)


@jax.jit
def look(s: State, terrain: Terrain) -> Frame:
    return make_frame(s.water, s.u, terrain)


def flux(u: Flow, b, d, grid: Grid) -> Flow:
    """u D / l: how fast a face with this velocity lowers the cell that it leaves [m/s]."""
    return per_face(lambda u, a0, a1: u * 0.5 * (a0 + a1) / grid.cell, u, *over_sill(b, d, grid))


def spread(change, b, d, dt, grid: Grid, along_x: bool):
    """The change of the surface with one direction taken in: δ' = δ + dt² g ∂(D ∂(h + δ'))."""
    if along_x:
        change, b, d = turned((change, b, d))
        return turned(spread(change, b, d, dt, grid.turned, along_x=False))

    def links():
        a0, a1 = over(b, d, grid)
        joined = join(a0, a1)
        a0, a1 = jnp.maximum(a0, 0), jnp.maximum(a1, 0)
        k = 0.5 * (a0 + a1) * G * (dt / grid.cell) ** 2
        f = k * ((a0 - a1) + (change - above(change, grid)))
        falls = jnp.clip(k * (a0 - a1), -a1, a0)
        return joined * k, falls + joined * (f - falls)

    k, f = phase(links)()
    F = settle(k, f, grid)
    return change - div(Flow(jnp.zeros_like(F), F), grid)


def restore(d, change, grid: Grid):
    """Give every connected body of water the volume back that it had.   Kass 1990 §4

    All is done to the change, never to the depth: a float32 depth would forget small changes.
    """
    wet = (d > 0) | (d + change > 0)
    region = label(wet, grid)
    cells = sums(wet.astype(jnp.float32), region, grid)
    change = jnp.where(wet, jnp.maximum(change, -d), 0)
    change = jnp.where(wet, jnp.maximum(change - sums(change, region, grid) / cells, -d), 0)
    share = sums(change, region, grid) / jnp.maximum(sums(d, region, grid), TINY)
    return change - jnp.where(wet, share * (d + change), 0)


def accelerate(u: Flow, keep, push: Flow | None, b, d, dt, grid: Grid) -> Flow:
    """u := (1 − τ) u − g dt ∂h/∂x, where there is water on both sides.   Kass 1990, eq. 7"""

    def kick(u, a0, a1, push=0.0):
        u = keep * u + dt * (G / grid.cell * (a0 - a1) + push)
        top = grid.cell / dt
        return jnp.where(jnp.minimum(a0, a1) > 0, jnp.clip(u, -top, top), 0)

    return per_face(kick, u, *over_sill(b, d, grid), *([] if push is None else [push]))


def carry(w: Water, u: Flow, b, dt, grid: Grid) -> Water:
    """Let dyes follow the velocity: their amount is kept, their concentration only nearly."""
    if not w.dyes:
        return w
    F = limit(per_face(lambda q: q * grid.area, flux(u, b, w.d, grid)), w.d, dt, grid)
    for name, c in w.concentration().items():
        flow = per_face(jnp.multiply, F, upwind(F, c, grid))
        w = w.add(name, -dt / grid.area * div(flow, grid))
    return w
