"""Water beside bodies: what happens only in blocked cells and their neighbours, on a patch.

Mended against the text of the paper, each seen to be needed: surfaces are raised to the sill;
bodies exchange with the account only what their own motion changed; a dry neighbour may lower the
effective surface, never raise it; a deck with air below it bears no pressure; a gap under a body
that rests on rough ground is sealed.
"""

from dataclasses import replace

import jax
import jax.numpy as jnp

from koski.core.blockers import Blockers
from koski.core.patch import Patch
from koski.core.phase import phase
from koski.core.pytree import pytree
from koski.core.stencil import (
    TINY,
    WALL,
    Flow,
    above,
    below,
    div,
    left,
    outflow,
    over_sill,
    per_face,
    right,
)
from koski.core.water import G, scaled, share_given
from koski.solvers.base import passing, remember, through
from koski.solvers.pipe import shown_velocity

LENT = 5.0  # what was lent and not called for is owed after about this long [s]
DAMP = 1e-3  # a free cell shallower than this counts as dry for the effective surface [m]


@pytree
class Near:
    """The cells of a patch: ground, water under, body, water on top."""

    b: jax.Array  # ground [m]
    up: jax.Array  # depth of the upper water, of all of it where free [m]
    under: jax.Array  # depth below a body [m]
    bottom: jax.Array  # z−, +inf where free [m]
    floor: jax.Array  # z+, the ground where free [m]
    room: jax.Array  # from the ground to the body, WALL where free [m]
    blocked: jax.Array
    s: jax.Array  # effective surface [m]
    p: jax.Array  # pressure on the water below a body [m of water]
    lower: Flow  # what the lower flow remembers

    @property
    def column(self):
        """Depth of the water that stands on the ground [m]."""
        return jnp.where(self.blocked, self.under, self.up)


def look(two, s, d, b, patch: Patch) -> Near:
    """Gather a patch."""
    b, up, under = patch.take(b, WALL), patch.take(d), patch.take(s.under)
    bottom, top = patch.take(s.bottom, jnp.inf), patch.take(s.top, -jnp.inf)
    blocked, felt = top > -jnp.inf, patch.take(s.s)
    room = jnp.where(blocked, bottom - b, WALL)
    bears = blocked & (room - under <= two.air)
    p = jnp.where(bears, jnp.maximum(felt - bottom, 0), 0)
    lower = Flow(patch.take(s.lower.x), patch.take(s.lower.y))
    floor = jnp.maximum(top, b)
    return Near(b, up, under, bottom, floor, room, blocked, felt, p, lower)


# ── openings ─────────────────────────────────────────────────────────────────────────────


def openings(n: Near, patch: Patch) -> tuple[Flow, Flow, Flow, Flow]:
    """Height of each face's opening below bodies; the water over its sill on both sides; the head.

    The opening ends at the lowest body above it.   Kellomäki 2014 §3.4
    """
    here, there = over_sill(n.b, n.column, patch)

    def ceiling(b1, room1):
        step = b1 - n.b
        return jnp.minimum(n.room - jnp.maximum(step, 0), room1 - jnp.maximum(-step, 0))

    top = Flow(
        ceiling(right(n.b, patch, WALL), right(n.room, patch)),
        ceiling(above(n.b, patch, WALL), above(n.room, patch)),
    )

    def opening(a0, a1, c, touches):
        return jnp.where(touches, jnp.clip(0.5 * (a0 + a1), 0, jnp.maximum(c, 0)), 0)

    high = per_face(opening, here, there, top, touching(n, patch))
    head = Flow(n.p - right(n.p, patch), n.p - above(n.p, patch))
    head = per_face(lambda p, a0, a1: a0 - a1 + p, head, here, there)
    return high, here, there, head


def upper_openings(n: Near, patch: Patch) -> Flow:
    """Height of the water over each face's sill on top of bodies."""
    return per_face(lambda a0, a1: 0.5 * (a0 + a1), *over_sill(n.floor, n.up, patch))


def heights(n: Near, patch: Patch) -> tuple[Flow, Flow]:
    """Of the openings above bodies and below them."""
    return upper_openings(n, patch), openings(n, patch)[0]


def touching(n: Near, patch: Patch) -> Flow:
    """Whether a body stands on either side of a face."""
    return either(n.blocked, patch)


def either(mask, patch: Patch) -> Flow:
    """Whether something holds on either side of a face."""
    return Flow(mask | right(mask, patch, False), mask | above(mask, patch, False))


# ── flow ─────────────────────────────────────────────────────────────────────────────────


def narrow(q: Flow, n: Near, dt, patch: Patch) -> Flow:
    """Beside bodies no more passes on top of them in a step than the opening is high.

    Kellomäki 2014 §3.5: flow from before a body came does not run through it.
    """

    def held(full, high, touches):
        mine = patch.take(full)
        most = high * (patch.area / dt)
        return patch.put(full, jnp.where(touches, jnp.clip(mine, -most, most), mine))

    high, touches = upper_openings(n, patch), touching(n, patch)
    return Flow(held(q.x, high.x, touches.x), held(q.y, high.y, touches.y))


def flow(base, n: Near, dt, patch: Patch) -> tuple[Flow, Flow]:
    """What the lower flow remembers now, and what flows below bodies [m³/s].

    No faster than Torricelli's √(2 g head), nor than a cell in a step.
    """
    high, here, there, head = openings(n, patch)
    memory, q = through(base, n.lower, high, here, there, head, dt, patch)
    p = n.p
    tall0 = per_face(lambda a: a + p, here)
    tall1 = Flow(there.x + right(p, patch), there.y + above(p, patch))

    def most(h, t0, t1):
        u = jnp.sqrt(2 * G * jnp.maximum(jnp.maximum(t0, t1), 0))
        return h * patch.cell * jnp.minimum(u, patch.cell / dt)

    top = per_face(most, high, tall0, tall1)
    return memory, per_face(lambda q, m: jnp.clip(q, -m, m), q, top)


def leaves(low: Flow, n: Near, patch: Patch):
    """A map of what free cells lose to below bodies [m³/s]."""
    return patch.spread(jnp.where(n.blocked, 0, outflow(low, patch)))


def limit(two, memory: Flow, q: Flow, n: Near, K, blockers: Blockers, dt) -> tuple[Flow, Flow]:
    """No column gives more than it holds, none below a body takes more than it has room for.

    The paper scales the inflows of a column that would overfill by (in − over) / in, in the
    memory as well (§3.5).  That only ever slows the water, and leaves a wake behind bodies that
    drift with it: evenly, half of `over` comes in less and half goes out more.
    """
    patch = blockers.patch
    K = jnp.where(n.blocked, share_given(outflow(q, patch), n.under, dt, patch), K)
    q = scaled(q, K, patch)
    for even in (False, True) if two.even else (False,):
        memory, q = fitted(memory, q, n, even, blockers, dt)
    return memory, q


def fitted(memory: Flow, q: Flow, n: Near, even: bool, blockers: Blockers, dt) -> tuple[Flow, Flow]:
    """Scale what flows into columns that would overfill, and evenly what flows out of them.

    Then a full column under pressure also gives no more than it gets: else voids open below bodies,
    and as they shut the water rings.  A body that moves leaves the room that it sweeps.
    """
    patch = blockers.patch
    k = dt / patch.area
    net, out = k * div(q, patch), k * outflow(q, patch)
    over = jnp.where(n.blocked, jnp.maximum(n.under - net - n.room, 0), 0)
    part = 0.5 * over if even else over
    less = jnp.clip(1 - part / jnp.maximum(out - net, TINY), 0, 1)
    more = 1 + jnp.minimum((over - part) / jnp.maximum(out, TINY), 1)
    if even:
        swept = dt / patch.cell * (jnp.abs(blockers.u) + jnp.abs(blockers.v))
        full = (n.p > 0) & (n.under > n.room - DAMP)
        void = jnp.where(full, jnp.maximum(n.room * (1 - swept) - (n.under - net), 0), 0)
        more = more * jnp.clip(1 - void / jnp.maximum(out, TINY), 0, 1)

    def turned(f, q, shift):
        onward, back = more * shift(less, patch, 1), less * shift(more, patch, 1)
        return f * jnp.where(q > 0, onward, back)

    def both(f: Flow) -> Flow:
        return Flow(turned(f.x, q.x, right), turned(f.y, q.y, above))

    return both(memory), both(q)


def settle(two, s, w, n: Near, memory: Flow, q: Flow, blockers: Blockers, dt):
    """Fill the columns below bodies, then find the effective surface and push what is pushed.

    What does not fit is owed, and what is owed there fills a gap below the body first.
    """
    patch = blockers.patch
    now = n.under - dt / patch.area * div(q, patch)
    owed = patch.take(s.owed)
    bears = n.room - now <= two.air
    fill = jnp.where(bears, jnp.clip(owed, 0, jnp.maximum(n.room - now, 0)), 0)
    under = jnp.where(n.blocked, jnp.clip(now + fill, 0, n.room), 0)
    owed = owed + jnp.where(n.blocked, now - under, 0)
    d = patch.take(w.d)
    if two.displace:
        lent = patch.take(s.lent)
        d, lent = phase(push)(d, lent, n, blockers, dt, patch)
        back = lent * jnp.minimum(dt / LENT, 1)
        lent, owed = lent - back, owed + back
        w, s = replace(w, d=patch.put(w.d, d)), replace(s, lent=patch.put(s.lent, lent))
    felt = phase(effective)(two, replace(n, up=d, under=under), patch)
    q = remember(two.base, memory, q)
    s = replace(
        s,
        lower=Flow(patch.put(s.lower.x, q.x), patch.put(s.lower.y, q.y)),
        under=patch.put(s.under, under),
        owed=patch.put(s.owed, owed),
        s=patch.put(s.s, felt),
    )
    return w, s


def push(d, lent, n: Near, blockers: Blockers, dt, patch: Patch):
    """A body that moves fills the free cell ahead, and draws on the one behind, as it goes.

    gain = dt u w / l  for the submerged height w: what the flow would have carried through the
    face, were it not for the body.  It is lent until the body is there: ahead it is booked where
    water will be taken away, behind where it will be put.
    """
    w = jnp.where(n.blocked, jnp.clip(n.s - n.bottom, 0, n.floor - n.bottom), 0)
    k = dt / patch.cell
    fx, fy = (jnp.clip(k * u, -1, 1) * w for u in (blockers.u, blockers.v))
    free = ~n.blocked & (d > DAMP)

    def solid(f, shift):  # what moves through each face, between a body and free water
        here = jnp.where(n.blocked & shift(free, patch, False), f, 0)
        return here + jnp.where(free & shift(n.blocked, patch, False), shift(f, patch), 0)

    x, y = solid(fx, right), solid(fy, above)

    # no cell is lent more than the body will take or leave there, whatever way it turns
    ahead = jnp.maximum(highest(w, patch), 0)
    most = jnp.where(n.blocked, w - lent, ahead + lent)
    fits = jnp.clip(most / jnp.maximum(entering(x, y, patch), TINY), 0, 1)
    x = x * jnp.where(x > 0, right(fits, patch), fits)
    y = y * jnp.where(y > 0, above(fits, patch), fits)
    comes = entering(x, y, patch)
    goes = comes + div(Flow(x, y), patch)
    new = jnp.where(free, jnp.maximum(d + (comes - goes), 0), d)
    # what comes is booked here; what goes, at the body that draws it in
    return new, lent + jnp.where(free, (d - new) - goes, jnp.where(n.blocked, comes, 0))


def entering(x, y, patch: Patch):
    """Σ of what comes into each cell through its faces."""
    from_left = jnp.maximum(left(x, patch), 0) + jnp.maximum(below(y, patch), 0)
    return from_left - jnp.minimum(x, 0) - jnp.minimum(y, 0)


def highest(f, patch: Patch):
    """The largest of the four neighbours."""
    return jnp.maximum(
        jnp.maximum(right(f, patch), left(f, patch)), jnp.maximum(above(f, patch), below(f, patch))
    )


def effective(two, n: Near, patch: Patch):
    """s := max(kappa s + (1 − kappa) mean of the neighbours' s, the cell's own water).

    Kellomäki 2014, eq. 3, whose h(A) in the second place is to be read as h(A) − top.
    """
    surface = jnp.where(n.blocked, n.s, n.b + n.up)
    dry = ~n.blocked & (n.up < DAMP)

    def seen(shift):
        there, is_dry = shift(surface, patch, jnp.nan), shift(dry, patch, True)
        there = jnp.where(jnp.isnan(there), n.s, there)
        return jnp.where(is_dry, jnp.minimum(there, n.s), there)

    around = 0.25 * ((seen(right) + seen(left)) + (seen(above) + seen(below)))
    blur = two.kappa * n.s + (1 - two.kappa) * around
    own = jnp.where(n.up > 0, n.floor + n.up, n.b + n.under)
    bears = n.room - n.under <= two.air
    return jnp.where(n.blocked, jnp.where(bears, jnp.maximum(blur, own), own), 0)


# ── what bodies feel ─────────────────────────────────────────────────────────────────────


def felt(two, s, b, patch: Patch):
    """The surface and the velocity that bodies feel in the cells of a patch, −inf where dry.

    The velocity is that of all the water which passes the cell and its neighbours, above the body
    and below it; under a deck with air below it there is only the water far down.
    """
    n = phase(look)(two, s, s.water.d, b, patch)
    over, low = phase(heights)(n, patch)
    mine = Flow(patch.take(s.upper.x), patch.take(s.upper.y))
    carried, high = phase(stream)(two.base, mine, n.lower, over, low, patch)
    bears = n.room - n.under <= two.air
    surface = jnp.where(
        n.blocked & bears, n.s, jnp.where(n.column > DAMP, n.b + n.column, -jnp.inf)
    )
    f, h = phase(both_faces)(carried, patch), phase(both_faces)(high, patch)
    u = per_face(lambda f, h: around(f, patch) / jnp.maximum(around(h, patch), DAMP), f, h)
    return surface, u.x, u.y


def stream(base, upper: Flow, lower: Flow, over: Flow, low: Flow, patch: Patch):
    """Velocity times height of all that passes each face, above and below bodies; the height."""
    q = per_face(jnp.add, passing(base, upper, over, patch), passing(base, lower, low, patch))
    high = per_face(jnp.add, over, low)
    return per_face(jnp.multiply, shown_velocity(q, high, patch), high), high


def both_faces(f: Flow, patch: Patch) -> Flow:
    """The sum of each cell's two faces, along x and along y."""
    return Flow(f.x + left(f.x, patch), f.y + below(f.y, patch))


def around(f, patch: Patch):
    """A cell's own and the mean of its neighbours'."""
    near = (right(f, patch) + left(f, patch)) + (above(f, patch) + below(f, patch))
    return f + 0.25 * near
