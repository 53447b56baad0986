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
- As the depth at a face changes, its velocity changes so that ½ D u² does not: with the plain
  velocity, waves that run up a beach gain energy.
"""

from dataclasses import replace

import jax
import jax.numpy as jnp
from jax import lax

from koski.core.edges import calm, hold
from koski.core.frame import Frame
from koski.core.grid import Grid
from koski.core.inputs import Inputs, drive
from koski.core.phase import phase
from koski.core.pytree import pytree
from koski.core.solver import G
from koski.core.stencil import TINY, WALL, Flow, above, div, over_sill, per_face
from koski.core.terrain import Terrain
from koski.core.turn import turned
from koski.core.water import WATER, Water, supply
from koski.solvers.chains import FAINT, pass_on, ride, settle
from koski.solvers.faces import DRY, face_velocity, make_frame
from koski.solvers.manning import rub

STILL = 1e-12  # slower than this is at rest [m/s]: smaller numbers round differently by machine
HIGH = 1e7  # a wall is at least this high [m]
QUICKEN = 1.05  # the most that a velocity grows in a step because its face runs dry


@pytree
class State:
    water: Water
    u: Flow  # velocity through the +x and +y face of each cell [m/s]
    x_first: jax.Array  # whether the next step begins along x


@pytree
class Wave:
    """The implicit wave equation: stable at any time step, for whole frames or deep water.

    Kass 1990.  Waves that take fewer than some ten steps a period die out early.
    """

    theta: float = 0.55  # weight of the new time: 1 damps waves most, towards 0.5 less and less
    tau: float = 0.0  # share of the motion lost per second
    manning: float | jax.Array | None = None  # bed roughness n [s/m^⅓]: a number, a map, none
    cfl: float = 5.0  # cells a wave may cross in one step

    def start(self, terrain: Terrain, depth, velocity=None) -> State:
        """Still or moving; the steeper direction goes first, so that x and y are alike.

        What rounding owes the water is kept: beside the rest of a step it costs next to nothing.
        """
        water = Water.start(depth, terrain.grid).ready(Inputs(), open_=True)
        here, there = over_sill(terrain.b, water.d, terrain.grid)
        steep = per_face(lambda a0, a1: jnp.sum(jnp.abs(a0 - a1)), here, there)
        return State(water, face_velocity(velocity, terrain.grid), steep.x >= steep.y)

    def stable_dt(self, s: State, terrain: Terrain) -> jax.Array:
        """Any is stable; dt ≤ cfl l / √(g max d) keeps waves that are long beside cfl cells."""
        wave = jnp.sqrt(G * jnp.maximum(s.water.d.max(), TINY))
        return self.cfl * terrain.grid.cell / wave

    def step(self, s: State, terrain: Terrain, inputs: Inputs, dt) -> State:
        b, edges, grid = terrain.b, terrain.edges, terrain.grid
        w = supply(s.water, inputs, dt, grid)
        push = drive(inputs, grid)

        def along(axes: str):
            return lambda w, u: stages(self, axes, w, u, push, b, dt, grid)

        if 1 in grid.shape:
            w, u = along("x" if grid.ny == 1 else "y")(w, s.u)
        else:
            w, u = lax.cond(s.x_first, along("xy"), along("yx"), w, s.u)
        u = calm(rough(u, b, w.d, self.manning, dt, grid), w.d, edges, dt, grid)
        w = replace(w, t=s.water.t.tick(dt))
        return State(hold(w, b, edges, inputs.held, dt, grid), u, ~s.x_first)

    def frame(self, s: State, terrain: Terrain) -> Frame:
        return look(s, terrain)


@jax.jit
def look(s: State, terrain: Terrain) -> Frame:
    return make_frame(s.water, s.u, terrain)


def rough(u: Flow, b, d, manning, dt, grid: Grid) -> Flow:
    """The drag of the bed."""
    if manning is None:
        return u
    depth = per_face(lambda a0, a1: 0.5 * (a0 + a1), *over_sill(b, d, grid))
    return rub(u, depth, manning, dt, grid)


def stages(wave: Wave, axes: str, w: Water, u: Flow, push: Flow | None, b, dt, grid: Grid):
    """Move the water along one axis after the other, then fit velocities to the new depths."""
    began = {}
    for axis in axes:
        began[axis] = w.d
        if axis == "x":
            a = None if push is None else push.x
            tw, tu, ta, tb = turned((w, u.x, a, b))
            F, x = turned(stage(wave, tw, tu, ta, tb, dt, grid.turned))
            u = Flow(x, u.y)
        else:
            a = None if push is None else push.y
            F, y = stage(wave, w, u.y, a, b, dt, grid)
            u = Flow(u.x, y)
        w = phase(spend)(w, F, axis, grid)
    old = Flow(began.get("x", w.d), began.get("y", w.d))
    return w, phase(refit)(u, (1 - wave.tau) ** dt, b, old, w.d, grid)


def stage(wave: Wave, w: Water, u, push, b, dt, grid: Grid) -> tuple[dict, jax.Array]:
    """What flows through the +y faces in a step, of water and of dyes, and their new velocity."""
    wish = settle(*phase(intend)(wave.theta, u, push, b, w.d, dt, grid), grid)
    F = pass_on(wish, *over(b, w.d, grid), grid)
    u = phase(speed)(wave.theta, u, wish, F, b, w.d, dt, grid)
    return {WATER: F} | {name: ride(F, m, w.d, grid) for name, m in w.dyes.items()}, u


def spend(w: Water, flows: dict, axis: str, grid: Grid) -> Water:
    """Move water and dyes by what flows through the faces along an axis, per area."""
    for name, F in flows.items():
        none = jnp.zeros_like(F)
        w = w.add(name, -div(Flow(F, none) if axis == "x" else Flow(none, F), grid))
    return w


def over(b, d, grid: Grid) -> tuple[jax.Array, jax.Array]:
    """How far the water on both sides of each +y face stands over its sill, or under it."""
    step = jnp.minimum(above(b, grid, WALL) - b, HIGH)
    return d - jnp.maximum(step, 0), above(d, grid) - jnp.maximum(-step, 0)


def sides(b, d, grid: Grid) -> tuple[jax.Array, jax.Array, jax.Array]:
    """How high the water stands above the sill on both sides, and how far the two are joined.

    1 where both reach up to the sill, to 0 where one is below it by as much as the other is above.
    """
    a0, a1 = over(b, d, grid)
    low, high = jnp.minimum(a0, a1), jnp.maximum(a0, a1)
    joined = 1 + jnp.clip(low, -high, 0) / jnp.maximum(high, DRY)
    return jnp.maximum(a0, 0), jnp.maximum(a1, 0), joined


def weight(theta, u, joined, dt, grid: Grid):
    """θ, rising to one over cliffs and where water crosses a whole cell in a step."""
    return 1 - joined * (1 - jnp.clip(jnp.abs(u) * dt / grid.cell, theta, 1))


def intend(theta, u, push, b, d, dt, grid: Grid) -> tuple[jax.Array, jax.Array]:
    """k = (θ dt / l)² g D  and  f = dt D (u + θ dt (g (h0 − h1) / l + push)) / l."""
    a0, a1, joined = sides(b, d, grid)
    theta = weight(theta, u, joined, dt, grid)
    D = 0.5 * (a0 + a1)
    k = (theta * dt / grid.cell) ** 2 * G * D
    gain = G / grid.cell * (a0 - a1) + (0 if push is None else push)
    f = dt / grid.cell * D * (u + theta * dt * gain)
    falls = jnp.clip(f, -a1, a0)
    return joined * k, falls + joined * (f - falls)


def speed(theta, u, wish, F, b, d, dt, grid: Grid):
    """u' = u + (l F / dt D − u) / θ; where less flowed than was wished, u counts less as well."""
    a0, a1, joined = sides(b, d, grid)
    theta = weight(theta, u, joined, dt, grid)
    D = jnp.maximum(0.5 * (a0 + a1), DRY)
    flows = jnp.abs(wish) > FAINT
    u = u * jnp.where(flows, F / jnp.where(flows, wish, 1), 0)
    new = u + (F * grid.cell / (dt * D) - u) / theta
    return jnp.where((D > DRY) & (jnp.abs(new) > STILL), new, 0)


def refit(u: Flow, keep, b, old: Flow, d, grid: Grid) -> Flow:
    """Keep ½ D u² of each face as its depth D changes from the old to the new.

    And of the motion what is not damped: 1 − τ in Kass 1990, eq. 17.
    """

    def fit(u, a0, a1, c0, c1):
        was, now = jnp.maximum(a0 + a1, DRY), jnp.maximum(c0 + c1, DRY)
        return u * (keep * jnp.minimum(jnp.sqrt(was / now), QUICKEN))

    x0, x1 = over_sill(b, old.x, grid)
    y0, y1 = over_sill(b, old.y, grid)
    return per_face(fit, u, Flow(x0.x, y0.y), Flow(x1.x, y1.y), *over_sill(b, d, grid))
