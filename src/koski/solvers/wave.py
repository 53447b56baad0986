"""The implicit wave equation: water in steps of any length.

    ∂u/∂t = − g ∂h/∂x                                                       Kass 1990, eq. 3, 7
    ∂d/∂t = − ∂(D u)/∂x          D the depth at the face, frozen over a step     eq. 2, 6

x and y take turns: each is a stage that takes both equations implicitly, with weight θ, on top of
what the other has done, and the order alternates.  With F the depth that a face passes in a step,

    F = f + k ∂²F,      f = dt D (u − θ g dt ∂h/∂x) / l,      k = (θ dt / l)² g D

is one tridiagonal system for each row or column of faces.  No cell then passes on more than it
holds and is given, and the water moves; what it moves by is its velocity, between the old and new.

Departures from the paper, each for a reason seen in runs:
- Velocities are kept instead of the last surface, and flows move the water: every pool keeps its
  volume with no search for connected regions.  Kass's own form is in `kass.py`.
- Surfaces are raised to the sill of the face.  Down a cliff, where one side does not reach the
  sill, water falls without an answer (k = 0), and no more of it than stands above the sill.
- What a face keeps is p = √D u, whose square is its kinetic energy: with the plain velocity, waves
  that run up a beach gain energy as the depth of its faces grows.
"""

from dataclasses import replace
from math import sqrt

import jax
import jax.numpy as jnp
from jax import lax

from koski.core.edges import calm, hold
from koski.core.frame import Frame
from koski.core.grid import Grid
from koski.core.inputs import Inputs, drive
from koski.core.phase import phase
from koski.core.pytree import pytree
from koski.core.stencil import WALL, Flow, above, below, div, left, over_sill, per_face
from koski.core.terrain import Terrain
from koski.core.turn import turn, turned
from koski.core.water import WATER, G, Water, crossing, supply
from koski.solvers.chains import FAINT, Arrays, pass_on, ride, settle
from koski.solvers.faces import DRY, STILL, face_velocity, make_frame
from koski.solvers.manning import rub

HIGH = 1e7  # a wall is at least this high [m]
FROUDE = 4.0  # the most times the speed of waves that a film flows at


@pytree
class State:
    water: Water
    p: Flow  # √D u of the +x and +y face of each cell [m^1.5/s]
    x_first: jax.Array  # whether the next step begins along x


@pytree
class Wave:
    """The implicit wave equation: stable at any time step, for whole frames or deep water.

    Kass 1990.  Waves that take fewer than some ten steps a period die out early.
    """

    theta: float = 0.55  # weight of the new time: 1 damps waves most, towards 0.5 less and less
    tau: float = 0.0  # share of the motion lost per second
    manning: float | jax.Array | None = None  # bed roughness n [s/m^⅓]: a number, a map, none
    cfl: float = 2.0  # cells a wave may cross in one step

    def start(self, terrain: Terrain, depth, velocity=None) -> State:
        """Still or moving; the steeper direction goes first, so that x and y are alike.

        What rounding owes the water is kept: beside the rest of a step it costs next to nothing.
        """
        water = Water.start(depth, terrain.grid).ready(Inputs(), open_=True)
        here, there = over_sill(terrain.b, water.d, terrain.grid)
        steep = per_face(lambda a0, a1: jnp.sum(jnp.abs(a0 - a1)), here, there)
        u = face_velocity(velocity, terrain.grid)
        D = per_face(upstream, u, here, there)
        p = per_face(lambda u, D: u * jnp.sqrt(jnp.maximum(D, DRY)), u, D)
        return State(water, p, steep.x >= steep.y)

    def stable_dt(self, s: State, terrain: Terrain) -> jax.Array:
        """Any is stable; dt ≤ cfl l / √(g max d) keeps waves that are long beside cfl cells."""
        return self.cfl * crossing(s.water.d, terrain.grid)

    def step(self, s: State, terrain: Terrain, inputs: Inputs, dt) -> State:
        b, edges, grid = terrain.b, terrain.edges, terrain.grid
        w = supply(s.water, inputs, dt, grid)
        push, grounds = drive(inputs, grid), Flow(turn(b), b)

        def along(axes: str):
            return lambda w, p: stages(self, axes, w, p, push, grounds, dt, grid)

        if 1 in grid.shape:
            flows, p = along("x" if grid.ny == 1 else "y")(w, s.p)
        else:
            flows, p = lax.cond(s.x_first, along("xy"), along("yx"), w, s.p)
        for name, F in flows.items():
            w = w.add(name, -phase(div)(F, grid))
        keep = (1 - self.tau) ** dt  # what is not damped: 1 − τ in eq. 17
        p = per_face(lambda p: keep * p, rough(p, b, w.d, self.manning, dt, grid))
        p = calm(p, w.d, edges, dt, grid)
        w = replace(w, t=s.water.t.tick(dt))
        return State(hold(w, b, edges, inputs.held, dt, grid), p, ~s.x_first)

    def frame(self, s: State, terrain: Terrain) -> Frame:
        return look(s, terrain)


@jax.jit
def look(s: State, terrain: Terrain) -> Frame:
    _, u = velocities(s.p, terrain.b, s.water.d, terrain.grid)
    return make_frame(s.water, u, terrain)


def velocity(p, D):
    """u = p / √D, bounded: a film that runs dry would race away."""
    root = jnp.sqrt(jnp.maximum(D, DRY))
    top = FROUDE * sqrt(G) * root
    return jnp.clip(p / root, -top, top)


def velocities(p: Flow, b, d, grid: Grid) -> tuple[Flow, Flow]:
    """Depth and velocity of all faces."""
    D = per_face(upstream, p, *over_sill(b, d, grid))
    return D, per_face(velocity, p, D)


def upstream(flow, a0, a1):
    """D, the depth at a face: that of the side which the water leaves."""
    return jnp.maximum(jnp.where(flow > 0, a0, jnp.where(flow < 0, a1, jnp.maximum(a0, a1))), 0)


def rough(p: Flow, b, d, manning, dt, grid: Grid) -> Flow:
    """The drag of the bed."""
    if manning is None:
        return p
    D, u = velocities(p, b, d, grid)
    u = rub(u, D, manning, dt, grid)
    return per_face(lambda u, D: u * jnp.sqrt(jnp.maximum(D, DRY)), u, D)


def stages(wave: Wave, axes: str, w: Water, p: Flow, push: Flow | None, b: Flow, dt, grid: Grid):
    """What flows in a step along one axis after the other, of water and of dyes, and their √D u.

    The ground for x comes turned already.
    """
    has = {WATER: w.d} | w.dyes
    none = jnp.zeros_like(w.d)
    flows = {name: Flow(none, none) for name in has}
    for axis in axes:
        a = None if push is None else getattr(push, axis)
        if axis == "x":
            here, old, a = turned((has, p.x, a))
            F, x = turned(stage(wave, here, old, a, b.x, dt, grid.turned))
            p = Flow(x, p.y)
        else:
            F, y = stage(wave, has, p.y, a, b.y, dt, grid)
            p = Flow(p.x, y)
        flows = {name: replace(q, **{axis: F[name]}) for name, q in flows.items()}
        if axis != axes[-1]:
            has = phase(left_by)(axis, F, has, grid)
    return flows, p


def left_by(axis: str, flows: dict, has: dict, grid: Grid) -> dict:
    """What there is of water and dyes once these flows have passed along an axis."""
    before = left if axis == "x" else below

    def less(f, F):
        return jnp.maximum(f - (F - before(F, grid)), 0)

    return {name: less(f, flows[name]) for name, f in has.items()}


def stage(wave: Wave, has: dict, p, push, b, dt, grid: Grid) -> tuple[dict, jax.Array]:
    """What flows through the +y faces in a step, of water and of dyes, and their new √D u."""
    d = has[WATER]
    a0, a1, D = phase(look_at)(wave.theta, p, push, b, d, dt, grid)
    u, joined = phase(known)(p, D, a0, a1)
    k, f = phase(intend)(wave.theta, u, joined, push, a0, a1, D, dt, grid)
    wish = settle(k, f, grid)
    F = pass_on(wish, a0, a1, grid)
    p = speed(wave.theta, u, joined, wish, F, D, dt, grid)
    dyes = {name: ride(F, m, d, grid) for name, m in has.items() if name != WATER}
    return {WATER: F} | dyes, p


def over(b, d, grid: Grid) -> tuple[jax.Array, jax.Array]:
    """How far the water on both sides of each +y face stands over its sill, or under it."""
    step = jnp.minimum(above(b, grid, WALL) - b, HIGH)
    return d - jnp.maximum(step, 0), above(d, grid) - jnp.maximum(-step, 0)


def look_at(theta, p, push, b, d, dt, grid: Grid) -> Arrays:
    """Both sides of the +y faces, and the depth of the one that water is about to leave."""
    a0, a1 = over(b, d, grid)
    mean = 0.5 * (jnp.maximum(a0, 0) + jnp.maximum(a1, 0))
    D = upstream(velocity(p, mean) + theta * dt * slope(a0, a1, push, grid), a0, a1)
    return a0, a1, D


def slope(a0, a1, push, grid: Grid):
    """What drives a face: g (h0 − h1) / l + push."""
    fall = jnp.maximum(a0, 0) - jnp.maximum(a1, 0)
    return G / grid.cell * fall + (0 if push is None else push)


def join(a0, a1):
    """How far the two sides of a face act on each other.

    1 where both reach up to the sill, to 0 where one is below it by as much as the other is above.
    """
    low, high = jnp.minimum(a0, a1), jnp.maximum(a0, a1)
    return 1 + jnp.clip(low, -high, 0) / jnp.maximum(high, DRY)


def weight(theta, u, joined, dt, grid: Grid):
    """θ, rising to one over cliffs and where water crosses a whole cell in a step."""
    return 1 - joined * (1 - jnp.clip(jnp.abs(u) * dt / grid.cell, theta, 1))


def known(p, D, a0, a1) -> tuple[jax.Array, jax.Array]:
    """The velocity, and how far the sides are joined: dear to find, and needed thrice."""
    return velocity(p, D), join(a0, a1)


def intend(theta, u, joined, push, a0, a1, D, dt, grid: Grid) -> tuple[jax.Array, jax.Array]:
    """k = (θ dt / l)² g D  and  f = dt D (u + θ dt (g (h0 − h1) / l + push)) / l."""
    theta = weight(theta, u, joined, dt, grid)
    k = (theta * dt / grid.cell) ** 2 * G * D
    f = dt / grid.cell * D * (u + theta * dt * slope(a0, a1, push, grid))
    falls = jnp.clip(f, -jnp.maximum(a1, 0), jnp.maximum(a0, 0))
    return joined * k, falls + joined * (f - falls)


def speed(theta, u, joined, wish, F, D, dt, grid: Grid):
    """√D u'  with  u' = u + (l F / dt D − u) / θ.

    Where less flowed than was wished, u counts less as well.
    """
    D = jnp.maximum(D, DRY)
    theta = weight(theta, u, joined, dt, grid)
    flows = jnp.abs(wish) > FAINT
    u = u * jnp.where(flows, F / jnp.where(flows, wish, 1), 0)
    new = u + (F * grid.cell / (dt * D) - u) / theta
    return jnp.where((D > DRY) & (jnp.abs(new) > STILL), jnp.sqrt(D) * new, 0)
