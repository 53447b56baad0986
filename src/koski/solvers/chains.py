"""Implicit flow down the columns of the grid, all of them at once.

A column is a chain of cells.  Through the far (+y) face of each flows what was going to flow, f,
and an answer to how the flows on either side change the two cells that it joins,

    F[j] = f[j] + k[j] (F[j − 1] − 2 F[j] + F[j + 1])

This is a tridiagonal system with a dominant diagonal for k ≥ 0: elimination needs no pivots.  On
the CPU it is solved by sweeps down the rows and back (Thomas), every column a lane; elsewhere by
parallel cyclic reduction, ⌈log₂ n⌉ rounds each of which doubles the distance between the faces
that an equation joins.
"""

import jax
import jax.numpy as jnp
from jax import lax

from koski.core.grid import Grid
from koski.core.phase import phase
from koski.core.stencil import above, below, farther

HUGE = 1e30
REACH = 64  # cells that water may cross in a step, where all links are joined at once
FAINT = 1e-9  # the least that flows through a face in a step [m]

Arrays = tuple[jax.Array, ...]


def settle(k, f, grid: Grid):
    """F, the flows that agree with the changes they make."""
    if grid.wrap_y:
        return ring(k, f)
    return solve(k, f)[0]


def ring(k, f):
    """Open a ring at its last face: the flow there acts on the chain from both ends."""
    joint, own = k[-1], f[-1]
    k, f = k.at[-1].set(0), f.at[-1].set(0)
    echo = jnp.zeros_like(f).at[0].add(k[0]).at[-1].add(1)
    y, z = solve(k, f, echo)
    return y + (own + joint * (y[-2] + y[0])) / (1 + joint * (2 - z[-2] - z[0])) * z


def solve(k, *f) -> Arrays:
    """The flows in open chains, for several f."""
    return lax.platform_dependent(k, *f, cpu=eliminate, default=reduce)


def eliminate(k, *f) -> Arrays:
    """Thomas, as sweeps of one recurrence each, which the CPU likes best.

    c[j] = k / n,  r[j] = f / n + c r[j − 1],  F[j] = r + c F[j + 1]  with n = 1 + k (2 − c[j − 1])
    """
    c = phase(sweep)(lambda c, k: k / (1 + k * (2 - c)), k)
    own = phase(lambda: tuple(a / (1 + k * (2 - farther(c, -1))) for a in f))()
    return tuple(phase(mix)(phase(mix)(a, c), c, back=True) for a in own)


def sweep(link, *rows, first=None, back: bool = False):
    """y[j] = link(y[j − 1], rows[j]) down the rows, or back up them."""

    def step(y, row):
        y = link(y, *row)
        return y, y

    first = jnp.zeros_like(rows[0][0]) if first is None else first
    return lax.scan(step, first, rows, reverse=back)[1]


def reduce(k, *f) -> Arrays:
    """Parallel cyclic reduction (Hockney & Jesshope 1981), the diagonal kept at one."""
    share, *own = (a / (1 + 2 * k) for a in (k, *f))
    arrays = (share, share, *own)
    distance = 1
    while distance < k.shape[0]:
        arrays = lax.optimization_barrier(halve(arrays, distance))
        distance *= 2
    return arrays[2:]


def halve(arrays: Arrays, distance: int) -> Arrays:
    """Put the equations `distance` before and after into each, which then joins the next ones."""
    before = [farther(a, -distance) for a in arrays]
    after = [farther(a, distance) for a in arrays]
    low, up, *f = arrays
    k = 1 / (1 - low * before[1] - up * after[0])
    new = (k * (a + low * a0 + up * a1) for a, a0, a1 in zip(f, before[2:], after[2:]))
    return k * low * before[0], k * up * after[1], *new


def pass_on(wish, up, down, grid: Grid):
    """Let no cell pass on more than it has to give and is given: F[j] ≤ part (has + F[j − 1]).

    `up` and `down` are what stands ready at each far face to flow up and down through it, less
    than nothing where the water must rise first.  A cell that gives both ways shares it.  Water
    that crosses c > 1 cells in a step leaves 1 / (1 + c) behind, as it would in many short steps:
    a cell left dry would pass nothing on in the next.
    """

    def shares():
        rises, sinks = jnp.maximum(wish, 0), jnp.maximum(-wish, 0)
        here, there = rises + below(sinks, grid), above(rises, grid) + sinks  # given, both ways
        given = jnp.maximum(jnp.where(wish > 0, here, there), FAINT)
        has = jnp.where(wish > 0, up, down)
        return jnp.where(has > 0, has * ((rises + sinks) / given), has)

    return give(phase(shares)(), wish)


def ride(F, m, d, grid: Grid):
    """How much of `m` the flow F takes along, when each cell mixes what it holds and is given.

    G[j] = F (m + G[j − 1]) / (d + F[j − 1]),  and likewise downwards.
    """

    def shares():
        up, down = jnp.maximum(F, 0), jnp.maximum(-F, 0)
        rises = up / jnp.maximum(d + below(up, grid), FAINT)
        sinks = down / jnp.maximum(above(d + down, grid), FAINT)
        return rises * m, rises, sinks * above(m, grid), sinks

    mine_up, rises, mine_down, sinks = phase(shares)()
    return phase(mix)(mine_up, rises) - phase(mix)(mine_down, sinks, back=True)


def part(has, wish):
    """The share of the water that goes on: all up to c = ½ cell in a step, c / (1 + c) from 1."""
    has = jnp.maximum(has, FAINT)
    return 1 - jnp.clip(2 * wish - has, 0, has) / (has + jnp.maximum(wish, 0))


def give(has, wish):
    """F[j] = part (has + F[j − 1]), between nothing and wish where that is up; downwards likewise.

    It begins with what the other end surely gives: round a ring, that is the cell before.
    """

    def rise(F, has, wish):
        return jnp.maximum(jnp.minimum(part(has, wish) * (has + F), wish), 0)

    def sink(F, has, wish):
        return rise(F, has, -wish)

    first, last = rise(0, has[-1], wish[-1]), sink(0, has[0], wish[0])

    def one_by_one(has, wish):
        rises = phase(sweep)(rise, has, wish, first=first)
        return rises - phase(sweep)(sink, has, wish, first=last, back=True)

    def all_at_once(has, wish):
        share, none = part(has, jnp.abs(wish)), jnp.zeros_like(has)
        rises, sinks = (share * has, share, none, wish), (share * has, share, none, -wish)
        distance = 1
        while distance < min(has.shape[0], REACH):
            both = together(rises, -distance), together(sinks, distance)
            rises, sinks = lax.optimization_barrier(both)
            distance *= 2
        return bounded(first, *rises) - bounded(last, *sinks)

    return lax.platform_dependent(has, wish, cpu=one_by_one, default=all_at_once)


def bounded(x, more, part, low, high):
    """more + part x, no more than high and no less than low."""
    return jnp.maximum(jnp.minimum(more + part * x, high), low)


def together(link: Arrays, distance: int) -> Arrays:
    """A link x → bounded(x, …) and all those up to `distance` rows away, as one."""
    fills = 0.0, 1.0, -HUGE, HUGE
    more, part, low, high = (farther(a, distance, fill) for a, fill in zip(link, fills))
    both = link[0] + link[1] * more, link[1] * part
    return *both, bounded(low, *link), bounded(high, *link)


def mix(own, share, back: bool = False):
    """G[j] = own[j] + share[j] G[j − 1]."""

    def together(first, second):
        return second[0] + second[1] * first[0], first[1] * second[1]

    def one_by_one(own, share):
        return sweep(lambda G, own, share: own + share * G, own, share, back=back)

    def all_at_once(own, share):
        return lax.associative_scan(together, (own, share), reverse=back)[0]

    return lax.platform_dependent(own, share, cpu=one_by_one, default=all_at_once)
