"""Columns of water with eight neighbours: pipes under water, weirs where it meets the air.

    p  = rho g h + p0 + pe                         pressure in a column             Maes 2006, eq. 1
    η := f η + dt (p_head − p_tail) / (rho l)      flow velocity, one per pair                 eq. 2
    V  = dt η c                                    through their submerged section c           eq. 3
    V  = dt (2/3) b √(2g) h^(3/2)                  over the part h that faces air           eq. 4, 5
    K  = min(1, V_column / Σ V_out)                no column gives more than it holds          eq. 6

Here l is the length of a pipe and b the width of a weir.  Where we depart: heights count from the
sill of each pair, as in the pipe method; c is that of the column which the water leaves, for with
the overlap of both, and even with their mean, ripples grow; weirs fade out between columns of like
height, or they would damp every wave; η is scaled by K as the flow is, or columns that run empty
on a slope would gather speed without end.  It is no solver for dam breaks: a front runs out over
dry ground at less than half its speed.
"""

from dataclasses import replace
from itertools import pairwise
from math import sqrt

import jax
import jax.numpy as jnp

from koski.core.bands import Local
from koski.core.edges import Edges, calm, hold
from koski.core.errors import InputError
from koski.core.frame import Frame
from koski.core.grid import Grid
from koski.core.inputs import RHO, Inputs, drive
from koski.core.phase import phase, renew
from koski.core.pytree import pytree, static
from koski.core.stencil import STICKS, TINY, Flow
from koski.core.terrain import Terrain
from koski.core.water import G, Water, crossing, supply
from koski.solvers import eight
from koski.solvers.eight import WAYS, Pairs, Way, bars, over_sill, per_pair
from koski.solvers.faces import STILL, face_velocity, make_frame
from koski.solvers.manning import slow

DROWNS, DROWNED = 0.6, 0.8  # the lower column's share of the higher at which a weir fades, is gone


@pytree
class State:
    water: Water
    eta: Pairs  # flow velocity of each pair [m/s]
    marks: tuple[jax.Array, ...]  # height of each joint between a column's cells, upwards [m]


@pytree
class Columns:
    """Columns with eight neighbours: round waves, and water that falls freely.   Maes 2006"""

    friction: float = 0.05  # share of flow lost per second
    weir: float = 1.0  # factor on the flow over what faces air
    manning: float | jax.Array | None = None  # bed roughness n [s/m^⅓]: a number, a map, none
    cfl: float = 0.5  # cells a wave may cross in one step, 0.75 at the most
    cells: int = static(default=1)  # per column: at how many heights the velocity is known

    @property
    def local(self) -> Local:
        """Each cell more in a column brings another map or two."""
        return Local(reach=2, maps=10 + 3 * self.cells)

    def start(self, terrain: Terrain, depth, velocity=None) -> State:
        if self.cells < 1:
            raise InputError(f"a column has at least one cell, not {self.cells!r}")
        water = Water.start(depth, terrain.grid)
        eta = eight.along(face_velocity(velocity, terrain.grid), terrain.grid)
        return State(water, eta, tuple(water.d * (k / self.cells) for k in range(1, self.cells)))

    def stable_dt(self, s: State, terrain: Terrain) -> jax.Array:
        """dt ≤ l / √(g max d), with a margin."""
        return self.cfl * crossing(s.water.d, terrain.grid)

    def step(self, s: State, terrain: Terrain, inputs: Inputs, dt) -> State:
        b, edges, grid = terrain.b, terrain.edges, terrain.grid
        bar = bars(b, grid)
        w = supply(s.water, inputs, dt, grid)
        eta = accelerate(self, s.eta, bar, b, w.d, drive(inputs, grid), dt, grid)
        eta = calmed(eta, w.d, edges, dt, grid)
        q = flow(self, eta, bar, b, w.d, inputs.pressure, grid)
        given = phase(eight.scale)(q, w.d, dt, grid)
        q, eta = eight.carry(q, given, grid), eight.carry(eta, given, grid)
        marks = share(s.marks, q, bar, b, w.d, dt, grid)
        w = eight.move(w, q, dt, grid)
        return State(hold(w, b, edges, inputs.held, dt, grid), eta, marks)

    def frame(self, s: State, terrain: Terrain) -> Frame:
        return look(self, s, terrain)

    def layers(self, s: State, terrain: Terrain) -> tuple[Frame, ...]:
        """What is seen of each cell of the columns, from the ground up."""
        return look_into(self, s, terrain)


def accelerate(columns: Columns, eta: Pairs, bar: Pairs, b, d, push, dt, grid: Grid) -> Pairs:
    """η := f η + dt (p_head − p_tail) / (rho l), where both columns stand above the sill.

    Pressure from outside comes with the push: along a pair it makes the very difference of eq. 2.
    No two products meet in a sum: which of them is not rounded first would be up to the compiler,
    and programs for one device and for many might choose otherwise.
    """
    lost = 1 - (1 - columns.friction) ** dt
    push = Pairs(*jnp.zeros(4, jnp.float32)) if push is None else eight.along(push, grid)

    def kick(eta, way: Way, bar, push):
        a0, a1 = over_sill(way, bar, b, d, grid)
        head = dt * G / (grid.cell * way.length) * (a0 - a1)
        eta = (eta - lost * eta) + (head + dt * push)
        return jnp.where((jnp.minimum(a0, a1) > STICKS) & (jnp.abs(eta) > STILL), eta, 0)

    eta = per_pair(renew(kick), eta, WAYS, bar, push)
    return eta if columns.manning is None else rub(columns.manning, eta, bar, b, d, dt, grid)


def rub(n, eta: Pairs, bar: Pairs, b, d, dt, grid: Grid) -> Pairs:
    """Slow each pair by its bed as in `manning`, by the speed of the water in all directions."""
    n = jnp.broadcast_to(jnp.asarray(n, jnp.float32), grid.shape)

    def slowed(way: Way, eta, bar, side):
        deep = 0.5 * sum(over_sill(way, bar, b, d, grid))
        speed = jnp.sqrt(jnp.maximum(eta * eta + side * side, TINY))
        return slow(eta, speed, deep, 0.5 * sum(way.ends(n, grid)), dt)

    return per_pair(phase(slowed), WAYS, eta, bar, eight.sideways(eta, grid))


def calmed(eta: Pairs, d, edges: Edges, dt, grid: Grid) -> Pairs:
    """Damp the pairs in absorbing layers."""
    straight = calm(Flow(eta.x, eta.y), d, edges, dt, grid)
    across = calm(Flow(eta.up, eta.down), d, edges, dt, grid)
    return Pairs(straight.x, straight.y, across.x, across.y)


def flow(columns: Columns, eta: Pairs, bar: Pairs, b, d, pressure, grid: Grid) -> Pairs:
    """What each pair passes [m³/s]: η c under water, and (2/3) b √(2g) h^(3/2) where it faces air.

    What presses on the lower column covers the higher one as far as it outweighs it.  First what
    crosses the blocks; the pairs along their sides take the width of those left idle.
    """
    spill = columns.weir * (2 / 3) * sqrt(2 * G)
    cover = None if pressure is None else jnp.broadcast_to(pressure, grid.shape) / (RHO * G)

    def through(way: Way, eta, bar, crossing=None):
        a0, a1 = over_sill(way, bar, b, d, grid)
        low, high = jnp.minimum(a0, a1), jnp.maximum(a0, a1)
        free = jnp.clip((DROWNED - low / jnp.maximum(high, STICKS)) / (DROWNED - DROWNS), 0, 1)
        bare = a0 - a1
        if cover is not None:
            p0, p1 = way.ends(cover, grid)
            bare = jnp.clip(bare + (p0 - p1), jnp.minimum(bare, 0), jnp.maximum(bare, 0))
        over = bare * jnp.sqrt(jnp.maximum(jnp.abs(bare), STICKS))  # whose slope at 0 is finite
        idle = eight.idle(way, crossing, grid)
        width, brink = way.pipe + (1 - way.pipe) * idle, way.weir + (1 - way.weir) * idle
        weir = jnp.where(high > STICKS, brink * spill * free * over, 0)
        return grid.cell * (width * eta * jnp.where(eta > 0, a0, a1) + weir)

    up = phase(through)(WAYS.up, eta.up, bar.up)
    down = phase(through)(WAYS.down, eta.down, bar.down)
    x = phase(through)(WAYS.x, eta.x, bar.x, (up, down))
    y = phase(through)(WAYS.y, eta.y, bar.y, (up, down))
    return Pairs(x, y, up, down)


def share(marks: tuple, q: Pairs, bar: Pairs, b, d, dt, grid: Grid) -> tuple:
    """Let each cell of a column give its share of the settled flow, by its height above the sill.

    Followed is the water below each mark: it never gives more than it has.  A cell above that has
    no more takes from the one beneath, and the cells always sum up to the column.
    """

    def beneath(z):
        def part(way: Way, q, bar):
            (z0, z1), (a0, a1) = over_sill(way, bar, b, z, grid), over_sill(way, bar, b, d, grid)
            return q * jnp.where(q > 0, z0 / jnp.maximum(a0, STICKS), z1 / jnp.maximum(a1, STICKS))

        return per_pair(phase(part), WAYS, q, bar)

    k = dt / grid.area
    return tuple(jnp.maximum(z - k * eight.div(beneath(z), grid), 0) for z in capped(marks, d))


def capped(marks: tuple, d) -> tuple:
    """The marks, none above the next nor above the water."""
    kept: tuple = ()
    for z in reversed(marks):
        d = jnp.minimum(z, d)
        kept = (d, *kept)
    return kept


def velocity(columns: Columns, s: State, bar: Pairs, b, grid: Grid) -> Pairs:
    """How fast the water goes along each pair: η, and where one side is dry it falls by eq. 4."""

    def along(way: Way, eta, bar):
        a0, a1 = over_sill(way, bar, b, s.water.d, grid)
        root0, root1 = jnp.sqrt(jnp.maximum(a0, STICKS)), jnp.sqrt(jnp.maximum(a1, STICKS))
        falls = columns.weir * (2 / 3) * sqrt(2 * G) * (root0 - root1)
        return jnp.where(jnp.minimum(a0, a1) > STICKS, eta, falls)

    return per_pair(along, WAYS, s.eta, bar)


@jax.jit
def look(columns: Columns, s: State, terrain: Terrain) -> Frame:
    """The velocities of the pairs, then at the cells."""
    u = velocity(columns, s, bars(terrain.b, terrain.grid), terrain.b, terrain.grid)
    return make_frame(s.water, eight.to_faces(u, terrain.grid), terrain)


@jax.jit
def look_into(columns: Columns, s: State, terrain: Terrain) -> tuple[Frame, ...]:
    """The same for each cell of the columns: its part below a sill stays behind."""
    b, w, grid = terrain.b, s.water, terrain.grid
    bar = bars(b, grid)
    u = velocity(columns, s, bar, b, grid)

    def seen(low, top) -> Frame:
        def passes(way: Way, u, bar):
            (l0, l1), (t0, t1) = (over_sill(way, bar, b, z, grid) for z in (low, top))
            h0, h1 = way.ends(jnp.maximum(top - low, STICKS), grid, 1.0)
            return u * jnp.where(u > 0, (t0 - l0) / h0, (t1 - l1) / h1)

        part = (top - low) / jnp.maximum(w.d, TINY)
        cell = replace(w, d=top - low, dyes={name: m * part for name, m in w.dyes.items()})
        faces = eight.to_faces(per_pair(passes, WAYS, u, bar), grid)
        return make_frame(cell, faces, replace(terrain, b=b + low))

    joints = jnp.zeros_like(b), *capped(s.marks, w.d), w.d
    return tuple(seen(low, top) for low, top in pairwise(joints))
