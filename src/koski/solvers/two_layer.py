"""Bodies that block the water, with water above and below them.   Kellomäki 2014

A cell is ground, water under a body, the body [z−, z+], water on top of it.  A free cell keeps its
water in the upper slot and counts its ground as z+: so the upper layer is the base flow over
whatever is solid, bit for bit, and the lower layer exists only beside bodies, on a patch.

    Σ (upper + under + owed) is constant                                     §3.3
    q := mu q + dt c g Δ(top + p) / l        c = l · height of the opening   §3.4, eq. 1
    s := max(kappa s + (1 − kappa) mean of the neighbours' s, own water)     §3.6, eq. 3

Where the text of the paper does not hold water, the functions in `beside` say what does.
"""

from dataclasses import replace

import jax
import jax.numpy as jnp

from koski.core.edges import calm, hold
from koski.core.frame import Frame
from koski.core.inputs import Inputs, drive
from koski.core.patch import Patch
from koski.core.phase import phase
from koski.core.pytree import pytree, static
from koski.core.stencil import Flow, div, filled, outflow, per_face, to_cells, upwind
from koski.core.terrain import Terrain
from koski.core.water import FILM, WATER, Water, crossing, scaled, share_given, supply
from koski.solvers import beside, meeting
from koski.solvers.base import Base, begin, fluid, remember, velocity
from koski.solvers.faces import SHOWN
from koski.solvers.owed import COVER, WET, settle, shift
from koski.solvers.pipe import Pipe

ABOUT = 4  # cells that the water about a body is looked for


@pytree
class State:
    water: Water  # in free cells, and on top of bodies
    upper: Flow  # what the base flow remembers: flow [m³/s] or velocity [m/s]
    lower: Flow  # the same, below bodies
    under: jax.Array  # depth of the water below bodies [m]
    owed: jax.Array  # virtual volume: what bodies took and have not given back [m]
    lent: jax.Array  # what bodies pushed ahead and drew in behind, until they are there [m]
    bottom: jax.Array  # z− of bodies, +inf where there is none [m]
    top: jax.Array  # z+ of bodies, −inf where there is none [m]
    floor: jax.Array  # what the upper water stands on: z+, or the ground [m]
    s: jax.Array  # in blocked cells, where the surface would be without the body [m]

    @property
    def aside(self) -> tuple[jax.Array, ...]:
        """The water that is not in `water` [m]."""
        return self.under, self.owed, self.lent


@pytree
class TwoLayer:
    """Rigid bodies block the water, which flows over and under them.   Kellomäki 2014

    With `carry`, `displace` and `even` off it is the paper's own method.
    """

    base: Base = Pipe()
    alpha: float = 0.02  # share of what is owed that a free cell gives back, per 20 ms
    tau: float = 0.2  # share of what is owed that a neighbour takes over, per 20 ms
    kappa: float = 0.5  # how much of itself the effective surface keeps, per step
    seal: float = 0.05  # a gap below a body lower than this is closed [m]
    air: float = 0.3  # under a gap of air higher than this the water bears no pressure [m]
    carry: bool = static(default=True)  # faces keep their velocity when a body comes between
    displace: bool = static(default=True)  # bodies push water ahead and draw it in behind
    even: bool = static(default=True)  # a column that overfills takes less in and gives more out

    @property
    def cfl(self):
        return self.base.cfl

    def start(self, terrain: Terrain, depth, velocity=None) -> State:
        water, flow = begin(self.base, terrain, depth, velocity)
        none = jnp.zeros(terrain.grid.shape, jnp.float32)
        s = State(water, flow, Flow(none, none), *[none] * 7)
        s = replace(s, bottom=none + jnp.inf, top=none - jnp.inf, floor=terrain.b + 0)
        return jax.tree.map(jnp.copy, s)

    def stable_dt(self, s: State, terrain: Terrain) -> jax.Array:
        """That of the base flow.   Kellomäki 2014 §3.7"""
        deepest = jnp.maximum(s.water.d.max(), s.under.max())
        return self.cfl * crossing(getattr(self.base, "lively", 1.0) * deepest, terrain.grid)

    def meet(self, s: State, terrain: Terrain, inputs: Inputs) -> State:
        """Let the bodies in where they are now; the ground may have changed as well."""
        if inputs.blockers is not None:
            s = meeting.meet(self, s, terrain.b, inputs.blockers)
        return replace(s, floor=jnp.maximum(s.top, terrain.b))

    def step(self, s: State, terrain: Terrain, inputs: Inputs, dt) -> State:
        base, edges, grid = self.base, terrain.edges, terrain.grid
        w = supply(s.water, inputs, dt, grid)
        memory, q = phase(fluid)(base, s.upper, s.floor, w.d, drive(inputs, grid), dt, grid)
        q = calm(q, w.d, edges, dt, grid)
        if inputs.blockers is None:
            q, _ = phase(limit)(q, w.d, None, dt, grid)
            w = move(w, q, s.under, None, dt, grid)
        else:
            patch = inputs.blockers.patch
            near = phase(beside.look)(self, s, w.d, terrain.b, patch)
            q = beside.narrow(q, near, dt, patch)
            lower, low = phase(beside.flow)(base, near, dt, patch)
            q, K = phase(limit)(q, w.d, beside.leaves(low, near, patch), dt, grid)
            K = patch.take(K)
            lower, low = phase(beside.limit)(self, lower, low, near, K, inputs.blockers, dt)
            w = move(w, q, s.under, (low, near.blocked, patch), dt, grid)
            w, s = beside.settle(self, s, w, near, lower, low, inputs.blockers, dt)
            blocked = s.top > -jnp.inf
            # a wide body that lies on the ground would owe for minutes; one that floats would swing
            closed = blocked & ((w.d < COVER) | (s.bottom > terrain.b))
            passed = phase(shift)(s.owed, blocked, w.d, self.tau, dt, grid)
            d, owed = phase(settle)(s.owed, closed, w.d, passed, self.alpha, dt, grid)
            w, s = replace(w, d=d), replace(s, owed=owed)
        upper = remember(base, memory, q)
        return replace(s, water=hold(w, s.floor, edges, inputs.held, dt, grid), upper=upper)

    def frame(self, s: State, terrain: Terrain) -> Frame:
        return look(self, s, terrain)

    def level(self, s: State, terrain: Terrain):
        """The surface that bodies are in."""
        return surface(s, terrain)

    def feel(self, s: State, terrain: Terrain, inputs: Inputs):
        """The surface and the velocity that bodies feel, where they are; no surface, −inf, else."""
        if inputs.blockers is None:
            frame = self.frame(s, terrain)
            return jnp.where(s.water.d > WET, frame.surface, -jnp.inf), frame.u, frame.v
        patch = inputs.blockers.patch
        h, u, v = beside.felt(self, s, terrain.b, patch)
        return (
            patch.put(jnp.full(terrain.grid.shape, -jnp.inf), h),
            patch.spread(u),
            patch.spread(v),
        )


def limit(q: Flow, d, also, dt, grid) -> tuple[Flow, jax.Array]:
    """Let no cell give away more than it holds, whatever `also` leaves it; and K itself."""
    out = outflow(q, grid) if also is None else outflow(q, grid) + also
    K = share_given(out, d, dt, grid)
    return scaled(q, K, grid), K


def move(w: Water, q: Flow, under, low: tuple[Flow, jax.Array, Patch] | None, dt, grid) -> Water:
    """Carry water and dyes, beside bodies also below them; a cell's dye is mixed over both."""
    k = dt / grid.area
    new = w
    for name, m in w.dyes.items():
        c = m / jnp.maximum(w.d + under, FILM)
        gone = div(per_face(jnp.multiply, q, upwind(q, c, grid)), grid)
        if low is not None:
            flow, _, patch = low
            dives = per_face(jnp.multiply, flow, upwind(flow, patch.take(c), patch))
            gone = gone + patch.spread(div(dives, patch))
        new = new.add(name, -k * gone)
    gone = div(q, grid)
    if low is not None:
        flow, blocked, patch = low
        gone = gone + patch.spread(jnp.where(blocked, 0, div(flow, patch)))
    return replace(new.add(WATER, -k * gone), t=w.t.tick(dt))


def surface(s: State, terrain: Terrain):
    """The effective surface in blocked cells: the real one is pushed down by bodies [m]."""
    return jnp.where(s.top > -jnp.inf, s.s, terrain.b + s.water.d)


@jax.jit
def look(two: TwoLayer, s: State, terrain: Terrain) -> Frame:
    """Bodies are drawn in water as high as that about them, unless it stands well above them."""
    grid, w = terrain.grid, s.water
    u = velocity(two.base, s.upper, s.floor, w.d, grid)
    x, y = to_cells(u, grid)
    depth = w.d + s.under
    wet = depth > SHOWN
    still = jnp.zeros_like(depth)
    blocked, level = s.top > -jnp.inf, surface(s, terrain)
    near, known = filled(level, w.d > jnp.where(blocked, COVER, SHOWN), ABOUT, grid)
    return Frame(
        depth=depth,
        surface=jnp.where(blocked & known, near, level),
        u=jnp.where(wet, x, still),
        v=jnp.where(wet, y, still),
        t=w.t.value + 0,
        dyes={n: jnp.where(wet, m / jnp.maximum(depth, FILM), 0) for n, m in w.dyes.items()},
    )
