"""Bodies come and go in the cells of the water: the old ones out, the new ones in.

Kellomäki 2014 §3.3.  What they displace is owed to the water about them, or by it.
"""

from dataclasses import replace

import jax.numpy as jnp

from koski.core.blockers import Blockers
from koski.core.patch import Patch
from koski.core.phase import phase
from koski.core.stencil import WALL, Flow, per_face
from koski.solvers.base import memory_of, passing
from koski.solvers.beside import Near, either, heights, look, touching
from koski.solvers.pipe import shown_velocity


def meet(two, s, b, blockers: Blockers):
    """Take the old bodies out of their cells and put the new ones in.   Kellomäki 2014 §3.3

    Only what the geometry changed is exchanged with what is owed: to refill to the effective
    surface each time, as the paper has it, pumps water out of nothing.
    """
    patch = blockers.patch
    s = vacate(s, patch)
    old = phase(look)(two, s, s.water.d, b, patch)
    new = phase(insert)(two, old, blockers)
    upper, lower = take_along(two, s, old, new, patch)
    gained = (new.up - old.up) + (new.under - old.under)
    lent = patch.take(s.lent)
    due = jnp.where(old.blocked != new.blocked, lent, 0)
    return replace(
        s,
        water=replace(s.water, d=patch.put(s.water.d, new.up)),
        upper=upper,
        lower=lower,
        under=patch.put(s.under, new.under),
        owed=patch.put(s.owed, patch.take(s.owed) - gained + due),
        lent=patch.put(s.lent, lent - due),
        bottom=patch.put(s.bottom, new.bottom),
        top=patch.put(s.top, jnp.where(new.blocked, new.floor, -jnp.inf)),
        s=patch.put(s.s, new.s),
    )


def insert(two, n: Near, blockers: Blockers) -> Near:
    """The cells with new bodies in place of the old ones."""
    bottom = jnp.maximum(blockers.bottom, n.b)
    bottom = jnp.where(bottom - n.b < two.seal, n.b, bottom)
    blocked = blockers.top > bottom
    bottom = jnp.where(blocked, bottom, jnp.inf)
    floor = jnp.where(blocked, blockers.top, n.b)
    same = (blocked == n.blocked) & (bottom == n.bottom) & (floor == n.floor)

    # the column [m above ground] once the old body is out: up to its own top, or to where the
    # surface was felt; over a gap of air it just falls
    bears = n.room - n.under <= two.air
    full = jnp.where(n.up > 0, n.floor - n.b + n.up, jnp.minimum(n.s, n.floor) - n.b)
    column = jnp.where(n.blocked, jnp.where(bears, jnp.maximum(full, n.under), n.under), n.up)
    on_top = jnp.where(n.blocked & ~bears, n.up, 0)

    # the new one in: at most what moved of its own bottom and top is filled
    room = jnp.where(blocked, bottom - n.b, WALL)
    under = jnp.where(blocked, jnp.minimum(column, room), 0)
    up = jnp.where(blocked, jnp.maximum(column - (floor - n.b), 0), column) + on_top
    both = blocked & n.blocked
    under = jnp.where(both, jnp.minimum(under, n.under + jnp.maximum(bottom - n.bottom, 0)), under)
    up = jnp.where(both, jnp.minimum(up, n.up + jnp.maximum(n.floor - floor, 0)), up)
    under, up = jnp.where(same, n.under, under), jnp.where(same, n.up, up)
    under = jnp.clip(under, 0, jnp.maximum(room, 0))  # the ground may have risen
    s = jnp.where(blocked, jnp.where(n.blocked, n.s, n.b + n.up), 0)
    return replace(
        n, up=up, under=under, bottom=bottom, floor=floor, room=room, blocked=blocked, s=s
    )


def take_along(two, s, old: Near, new: Near, patch: Patch) -> tuple[Flow, Flow]:
    """What is remembered of the flow past bodies that moved.

    A face keeps its velocity when the column at it is split or joined, whatever its new openings;
    the paper keeps the flow itself, and what a body cuts off piles up as a wave.
    """
    touches = touching(new, patch)
    lower = per_face(lambda q, t: jnp.where(t, q, 0), old.lower, touches)
    upper = s.upper
    if two.carry:
        mine = Flow(patch.take(s.upper.x), patch.take(s.upper.y))
        over0, under0 = phase(heights)(old, patch)
        over1, under1 = phase(heights)(new, patch)
        q = per_face(
            jnp.add,
            passing(two.base, mine, over0, patch),
            passing(two.base, old.lower, under0, patch),
        )
        u = shown_velocity(q, per_face(jnp.add, over0, under0), patch)
        moved = either((old.bottom != new.bottom) | (old.floor != new.floor), patch)

        def pick(new, old):
            return per_face(jnp.where, moved, new, old)

        lower = pick(memory_of(two.base, u, under1, patch), lower)
        mine = pick(memory_of(two.base, u, over1, patch), mine)
        upper = Flow(patch.put(upper.x, mine.x), patch.put(upper.y, mine.y))
    return upper, Flow(patch.put(s.lower.x, lower.x), patch.put(s.lower.y, lower.y))


def vacate(s, patch: Patch):
    """Free the cells of bodies that are gone from all over the patch: the water falls together.

    What was lent to bodies that turned elsewhere is owed.
    """
    away = patch.spread(jnp.ones(patch.shape)) == 0
    gone = away & (s.top > -jnp.inf)
    return replace(
        s,
        water=replace(s.water, d=jnp.where(gone, s.water.d + s.under, s.water.d)),
        under=jnp.where(gone, 0, s.under),
        owed=jnp.where(away, s.owed + s.lent, s.owed),
        lent=jnp.where(away, 0, s.lent),
        bottom=jnp.where(gone, jnp.inf, s.bottom),
        top=jnp.where(gone, -jnp.inf, s.top),
    )
