"""Bodies as the water meets them: the cells they block, and the water that floaters push aside."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp

from koski.bodies.extents import col
from koski.bodies.forces import Motion, look, thread
from koski.bodies.groups import Group
from koski.bodies.raster import Window, across, of, raster
from koski.bodies.turns import apply, matrix
from koski.core.blockers import Blockers
from koski.core.grid import Grid
from koski.core.patch import Patch
from koski.core.phase import phase
from koski.core.stencil import Flow, above, below, div, left, outflow, right
from koski.core.water import scaled, share_given

WET = 1e-2  # shallower water is not pushed aside [m]


def footprint(groups: Sequence[Group], motion: Motion, blocks, surface, grid: Grid) -> Blockers:
    """The cells that bodies block, all bodies above each other taken as one.   Kellomäki 2014 §3.3

    A body wholly above the highest water in a cell and its neighbours is left out of it: else the
    water between it and one below it would be solid.
    """
    windows = [phase(raster)(g, motion.position, motion.rotation, surface, grid) for g in groups]
    patch = Patch.create(jnp.concatenate([w.cells.reshape(-1) for w in windows]), grid)
    high = phase(highest)(patch.take(surface, -jnp.inf), patch)
    slots = patch.cells.size
    bottom, top = jnp.full(slots, jnp.inf), jnp.full(slots, -jnp.inf)
    u, v = jnp.zeros(slots), jnp.zeros(slots)
    first = 0
    for g, w in zip(groups, windows):
        mine = patch.asked[first : first + w.cells.size]
        first += w.cells.size
        solid = w.low < high.at[mine].get(mode="fill", fill_value=-jnp.inf).reshape(w.cells.shape)
        solid &= (w.low < w.high) & of_part(g, blocks, False)
        here = jnp.where(solid.reshape(-1), mine, slots)
        bottom = bottom.at[here].min(w.low.reshape(-1), mode="drop")
        top = top.at[here].max(w.high.reshape(-1), mode="drop")
        vx, vy = moving(g, w, motion)
        u = u.at[here].set(vx.reshape(-1), mode="drop")
        v = v.at[here].set(vy.reshape(-1), mode="drop")
    return Blockers(patch, bottom, top, u, v)


def highest(s, patch: Patch):
    """The highest surface of each cell and its four neighbours."""
    for shift in (right, left, above, below):
        s = jnp.maximum(s, shift(s, patch, -jnp.inf))
    return s


def of_part(g: Group, f, fill):
    """What belongs to the body of each part, beside its window."""
    return jnp.asarray(f).at[g.body].get(mode="fill", fill_value=fill)[:, None, None]


def moving(g: Group, w: Window, motion: Motion) -> tuple[jax.Array, jax.Array]:
    """The body's velocity along x and y above each cell of its windows [m/s]."""
    v, spin = of(g.body, motion.velocity), of(g.body, motion.spin)
    vx, vy, turn = (f[:, None, None] for f in (v[:, 0], v[:, 1], spin[:, 2]))
    shape = w.cells.shape
    return jnp.broadcast_to(vx - turn * w.y, shape), jnp.broadcast_to(vy + turn * w.x, shape)


def submerged(groups: Sequence[Group], motion: Motion, floats, surface, ground, grid: Grid):
    """A map of the height of floaters that is under water [m].

    The lines through them (see `forces`) are shared out, each to the four cells about it: else a
    body that drifts into a cell would push aside all at once what it displaces there.
    """
    total = jnp.zeros(grid.cells)
    for g in groups:
        turn = matrix(of(g.body, motion.rotation))
        p = of(g.body, motion.position) + apply(turn, g.at)
        there = col(jnp.isfinite(p).all(-1))
        p, turn = jnp.where(there[:, 0], p, 0), jnp.where(there, turn, jnp.eye(3))
        lines, area = phase(thread)(g, turn)
        s, b = phase(look)(p, lines, (surface, ground), grid)
        h = jnp.clip(jnp.minimum(s, lines.high) - jnp.maximum(lines.low, b), 0)
        h = jnp.where(there & of_part(g, floats, False), h * (col(area) / grid.area), 0)
        i, x = across(col(p[:, 0]), g.window, grid.nx, grid.cell, grid.wrap_x)
        j, y = across(col(p[:, 1]), g.window, grid.ny, grid.cell, grid.wrap_y)
        to_x, to_y = phase(shares)(lines.x, x, grid), phase(shares)(lines.y.swapaxes(1, 2), y, grid)
        h = jnp.einsum("nja,nji,nib->nab", to_y, h, to_x, precision="highest")
        j = j.swapaxes(1, 2)
        cells = jnp.where((i >= 0) & (j >= 0), j * grid.nx + i, grid.cells)
        total = total.at[cells].add(h, mode="drop")
    return total.reshape(grid.shape)


def shares(lines, middles, grid: Grid):
    """How much of each line [n, 1, L] goes to each row of cells [n, 1, W]: [n, L, W]."""
    return jnp.clip(1 - jnp.abs(lines.swapaxes(1, 2) - middles) / grid.cell, 0)


def push_aside(d, change, share, grid: Grid):
    """Floaters push a share of what they newly displace to the neighbours, and draw it back.

    Thürey et al. 2007, as used by Kellomäki 2014 §4.2.  Only what the body's own motion
    changed counts, against one and the same surface; fed back through the waves it would grow.
    """
    wet = d > WET

    def flow(shift):
        both = wet & shift(wet, grid, False)
        return jnp.where(both, 0.25 * share * grid.area * (change - shift(change, grid)), 0)

    q = phase(lambda: Flow(flow(right), flow(above)))()
    q = phase(lambda q: scaled(q, share_given(outflow(q, grid), d, 1.0, grid), grid))(q)
    return jnp.maximum(d - div(q, grid) / grid.area, 0)
