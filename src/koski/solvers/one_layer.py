"""Bodies that block the water, with one depth per cell.   Kellomäki 2013

A cell is ground, water, air, a body [z−, z+], water and air.  d is all its water; none lies on a
body while there is air below it.

    h  = b + d + (z+ − z−  if b + d > z−)                      surface                      eq. 5
    I' = |water ∩ air of the neighbour|                        what drives new flow         eq. 6
    q := mu q + dt · A g (I'01 − I'10) / l                     flow through a face          eq. 1
    Σ (d + V) is constant                                      V: what bodies pushed away   §4.2

What is open in a neighbour is its air and its water.  So I'01 − I'10 = a0 − a1, where a0 is how
much of the cell's water faces what is open there, and a1 the same the other way.  Without bodies
these are the heights over the sill that drive `Pipe`, and the two methods are one.

Where we depart from the paper:
- One signed flow a face, as everywhere here, not an outflow each way: only their difference moves
  water.  It turns as fast as the head does; of two opposite outflows one first has to run dry.
- The pipes are as high as the openings.  The paper's have one area; `even_section` gives that.
- What flows out is taken from the whole column.  The paper takes it from the top of the column: no
  water above z− would then ever pass below a gate.
- V enters only wet or blocked cells, or it crosses dams; and leaves V exactly as it enters d.
- A film on top of a body does not make it submerged: it would leave a hole's worth of water.
- A dry neighbour does not count for the surface that is drawn: a cliff beside a body would.

The water below a body bears no pressure.  Behind a gate it rises to the gate's bottom and no
further, however high it stands before it; two layers know better.
"""

from collections.abc import Callable
from dataclasses import replace

import jax
import jax.numpy as jnp
from jax import lax

from koski.core.edges import calm, hold
from koski.core.frame import Frame
from koski.core.inputs import Inputs, drive
from koski.core.phase import phase
from koski.core.pytree import pytree, static
from koski.core.stencil import (
    STICKS,
    WALL,
    Flow,
    above,
    below,
    left,
    over_sill,
    per_face,
    right,
)
from koski.core.terrain import Terrain
from koski.core.water import G, Water, crossing, limit, move, supply
from koski.solvers.faces import face_velocity, make_frame
from koski.solvers.manning import rub
from koski.solvers.owed import COVER, WET, settle, shift
from koski.solvers.pipe import mean_section, shown_velocity, velocity


def even_section(a0, a1):
    """The same for all faces, 1 m: `lively` is then the area of the pipes.   Kellomäki 2013 §3"""
    return jnp.where(jnp.maximum(a0, a1) > 0, 1.0, 0.0)


@pytree
class State:
    water: Water  # all of a cell's, below and above its body
    q: Flow  # through the +x and +y face of each cell [m³/s]
    owed: jax.Array  # V, virtual volume: what bodies took and have not given back [m]
    bottom: jax.Array  # z− of bodies, +inf where there is none [m]
    top: jax.Array  # z+ of bodies, −inf where there is none [m]
    room: jax.Array  # from the ground to the body, WALL where free [m]
    crown: jax.Array  # from the ground to its top, WALL where free [m]

    @property
    def aside(self) -> tuple[jax.Array, ...]:
        """The water that is not in `water` [m]."""
        return (self.owed,)


@pytree
class OneLayer:
    """Rigid bodies block the water, with one depth and one flow for all of it.   Kellomäki 2013"""

    friction: float = 0.05  # share of flow lost per second
    lively: float = 1.0  # factor on the pipes' section; lower looks more viscous
    manning: float | jax.Array | None = None  # bed roughness n [s/m^⅓]: a number, a map, none
    alpha: float = 0.01  # share of V that a free cell gives back, per 20 ms
    tau: float = 0.2  # share of V that goes to each neighbour, per 20 ms; below ¼
    seal: float = 0.05  # a gap below a body lower than this is closed [m]
    eps: float = 0.05  # a body this near to the water below it has pushed it down [m]
    cfl: float = 0.5  # cells a wave may cross in one step
    section: Callable = static(default=mean_section)
    reach: int = static(default=16)  # cells that the surface is drawn on below a body; paper: 1

    def start(self, terrain: Terrain, depth, velocity=None) -> State:
        grid = terrain.grid
        water = Water.start(depth, grid)
        u = face_velocity(velocity, grid)
        high = per_face(mean_section, *over_sill(terrain.b, water.d, grid))
        q = per_face(lambda u, a: grid.cell * u * a, u, high)
        none = jnp.zeros(grid.shape, jnp.float32)
        s = State(water, q, none, none + jnp.inf, none - jnp.inf, none + WALL, none + WALL)
        return jax.tree.map(jnp.copy, s)

    def stable_dt(self, s: State, terrain: Terrain) -> jax.Array:
        """dt ≤ l / √(g max d), with a margin.   Kellomäki 2015, eq. 4.10"""
        d = s.water.d
        return self.cfl * crossing(self.lively * self.section(d, d), terrain.grid)

    def meet(self, s: State, terrain: Terrain, inputs: Inputs) -> State:
        """Take the old bodies out and put the new ones in; the ground may have changed as well."""
        bottom, top = s.bottom, s.top
        if inputs.blockers is not None:
            patch = inputs.blockers.patch  # whatever stood elsewhere has gone
            bottom = patch.put(jnp.full_like(bottom, jnp.inf), inputs.blockers.bottom)
            top = patch.put(jnp.full_like(top, -jnp.inf), inputs.blockers.top)
        s = phase(insert)(self, s, bottom, top, terrain.b)
        # the edges began on bare ground
        w = hold(s.water, floor(s, terrain.b), terrain.edges, inputs.held, 0.0, terrain.grid)
        return replace(s, water=w)

    def step(self, s: State, terrain: Terrain, inputs: Inputs, dt) -> State:
        b, edges, grid = terrain.b, terrain.edges, terrain.grid
        w = supply(s.water, inputs, dt, grid)
        q = phase(accelerate)(self, s, b, w.d, drive(inputs, grid), dt, grid)
        q = phase(limit)(calm(q, w.d, edges, dt, grid), w.d, dt, grid)
        blocked = s.room < WALL
        passed = phase(shift)(s.owed, blocked, s.water.d, self.tau, dt, grid)
        w = move(w, q, dt, grid)
        closed = blocked & ((w.d < COVER) | (s.room > 0))
        d, owed = phase(settle)(s.owed, closed, w.d, passed, self.alpha, dt, grid)
        s = replace(s, water=replace(w, d=d), q=q, owed=owed)
        return replace(s, water=hold(s.water, floor(s, b), edges, inputs.held, dt, grid))

    def frame(self, s: State, terrain: Terrain) -> Frame:
        return look(self, s, terrain)

    def feel(self, s: State, terrain: Terrain, inputs: Inputs):
        """The surface and the velocity that bodies feel; no surface, −inf, where it is dry.

        Where a body keeps the water down, both are those of the water around it.
        """
        frame = self.frame(s, terrain)
        surface, u, v = drawn(self, s, terrain, frame.u, frame.v)
        there = (s.room < WALL) | (s.water.d > WET)
        return jnp.where(there, surface, -jnp.inf), u, v


# ── bodies come and go ───────────────────────────────────────────────────────────────────


def insert(one: OneLayer, s: State, bottom, top, b) -> State:
    """Replace the bodies: V takes the water that the new ones push away, less what fills the old.

    U1 = z+ − z− is filled where the old one was submerged, so that h stays, and
    U2 = min(b + d − z−, z+ − z−) makes place for the new one.   Kellomäki 2013 §4.2

    A body that has not moved exchanges nothing, unless the ground rose into the water below it.
    """
    d = s.water.d
    room, crown = fit(bottom, top, b, one.seal)
    column = d + jnp.where(d - s.room > WET, s.crown - s.room, 0)
    moved = column - jnp.clip(column - room, 0, crown - room)
    stays = jnp.where(d > s.room, d, jnp.minimum(d, room))
    new = jnp.where((bottom == s.bottom) & (top == s.top), stays, moved)
    water, owed = replace(s.water, d=new), s.owed - (new - d)
    return State(water, s.q, owed, bottom, top, room, crown)


def fit(bottom, top, b, seal):
    """How high bodies begin and end above the ground; those that all but rest on it begin at 0."""
    room = jnp.where(bottom - b < seal, 0, bottom - b)
    solid = top - b > room
    return jnp.where(solid, room, WALL), jnp.where(solid, top - b, WALL)


def floor(s: State, b):
    """What to take from the height of a surface to have d: the ground, and the body on it."""
    solid = (s.room == 0) | (s.water.d > s.room)
    return b + jnp.where(solid, s.crown - s.room, 0)


# ── flow ─────────────────────────────────────────────────────────────────────────────────


def facing(d, room, crown, step, room1, crown1):
    """How much of a column's water faces what is open below the neighbour's body, and on top of it.

    All in heights above the column's own ground; the neighbour's is `step` higher.
    """
    low = jnp.minimum(d, room)
    up = d - low
    ceiling, top = step + room1, step + crown1
    under = jnp.maximum(jnp.minimum(low, ceiling) - jnp.maximum(step, 0), 0)
    falls = jnp.maximum(jnp.minimum(crown + up, ceiling) - jnp.maximum(crown, step), 0)
    climbs = jnp.maximum(low - jnp.maximum(top, 0), 0)
    over = jnp.maximum(up - jnp.maximum(top - crown, 0), 0)
    return under + falls, climbs + over


def openings(s: State, b, d, grid) -> tuple[Flow, Flow, Flow, Flow]:
    """Water of each cell that faces what is open in the next, and back; the most that may pass.

    In one step no more passes than faces an opening above the neighbour's body, or than faces one
    below it and fills a quarter of the air there, as four may come; the larger of the two.
    Kellomäki 2013 §4.3
    """
    room, crown = s.room, s.crown

    def sides(shift):
        step, d1 = shift(b, grid, WALL) - b, shift(d, grid)
        room1, crown1 = shift(room, grid, WALL), shift(crown, grid, WALL)
        low0, high0 = facing(d, room, crown, step, room1, crown1)
        low1, high1 = facing(d1, room1, crown1, -step, room, crown)
        free = jnp.minimum(room, room1) == WALL
        most0 = jnp.maximum(high0, jnp.minimum(low0, 0.25 * jnp.maximum(room1 - d1, 0)))
        most1 = jnp.maximum(high1, jnp.minimum(low1, 0.25 * jnp.maximum(room - d, 0)))
        most0, most1 = jnp.where(free, WALL, most0), jnp.where(free, WALL, most1)
        return low0 + high0, low1 + high1, most0, most1

    x, y = sides(right), sides(above)
    return Flow(x[0], y[0]), Flow(x[1], y[1]), Flow(x[2], y[2]), Flow(x[3], y[3])


def accelerate(one: OneLayer, s: State, b, d, push: Flow | None, dt, grid) -> Flow:
    """q := mu q + dt A g (I'01 − I'10) / l, blocked by bodies.   Kellomäki 2013, eq. 1 and 6"""
    here, there, onward, back = openings(s, b, d, grid)
    mu, kick = (1 - one.friction) ** dt, dt * G * one.lively

    def driven(q, a0, a1):
        return mu * q + kick * one.section(a0, a1) * (a0 - a1)

    def pushed(q, a0, a1, a):
        return q + dt * grid.cell * one.section(a0, a1) * a

    def leaves(q, a0, a1):
        return jnp.where(jnp.where(q > 0, a0, a1) > STICKS, q, 0)

    q = per_face(driven, s.q, here, there)
    if push is not None:
        q = per_face(pushed, q, here, there, push)
    q = per_face(leaves, q, here, there)
    if one.manning is not None:
        high = per_face(mean_section, here, there)
        u = rub(velocity(q, high, grid), high, one.manning, dt, grid)
        q = per_face(lambda u, a: u * a * grid.cell, u, high)
    k = grid.area / dt
    return per_face(lambda q, most, least: jnp.clip(q, -k * least, k * most), q, onward, back)


# ── looking at it ────────────────────────────────────────────────────────────────────────


@jax.jit
def look(one: OneLayer, s: State, terrain: Terrain) -> Frame:
    """Velocities from flows, then to the cells; the surface goes on through bodies that float."""
    frame = make_frame(s.water, phase(face_speed)(s, terrain), terrain)
    return replace(frame, surface=drawn(one, s, terrain)[0])


def face_speed(s: State, terrain: Terrain) -> Flow:
    """Velocity through the faces, all of what is open at them taken together [m/s]."""
    here, there, *_ = openings(s, terrain.b, s.water.d, terrain.grid)
    return shown_velocity(s.q, per_face(mean_section, here, there), terrain.grid)


def drawn(one: OneLayer, s: State, terrain: Terrain, *maps):
    """Eq. 5, but where a body keeps the water down the highest surface around; other maps' means.

    The paper looks at the eight neighbours once (§4.4): in the middle of a body more than two cells
    wide the dent stays, and buoyancy would find no water there.  We look on, cell by cell.
    """
    d, grid = s.water.d, terrain.grid
    low = jnp.minimum(d, s.room)
    over = d - low > WET
    h = terrain.b + jnp.where(over, s.crown + (d - low), low)
    dent = (s.room < WALL) & ~over & (s.room - low < one.eps)

    def nine(f, join, fill=0.0):
        for to in (right, left, above, below):
            f = phase(lambda f, to=to: join(f, to(f, grid, fill)))(f)
        return f

    def further(c):
        known, h, *maps = c
        high = nine(jnp.where(known, h, -jnp.inf), jnp.maximum, -jnp.inf)
        new = dent & ~known & (high > -jnp.inf)
        if maps:
            weight = jnp.maximum(nine(known.astype(jnp.float32), jnp.add), 1)
            means = (nine(jnp.where(known, f, 0), jnp.add) / weight for f in maps)
            maps = [jnp.where(new, mean, f) for mean, f in zip(means, maps)]
        return known | new, jnp.where(new, high, h), *maps

    def if_any(_, c):
        return lax.cond((dent & ~c[0]).any(), further, lambda c: c, c)

    def under(*c):
        return lax.fori_loop(0, one.reach, if_any, c)

    known = ~dent & (d > WET)
    _, high, *maps = lax.cond(dent.any(), under, lambda *c: c, known, h, *maps)
    return jnp.maximum(high, h), *maps
