"""The four sides of the grid, each with a rule of its own.

A rule acts on the row of cells along its side, so that all sides are alike: a drain keeps them
dry, a level keeps them filled, an inflow feeds them.  Walls are what the grid has by nature.
"""

from collections.abc import Iterator
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np

from koski.core.errors import InputError, numbers
from koski.core.grid import Grid
from koski.core.pytree import pytree, static
from koski.core.stencil import TINY, Flow
from koski.core.water import WATER, G, Water, book


@pytree
class Series:
    """A number that changes over time: linear between its points, constant beyond them."""

    times: jax.Array  # [s]
    values: jax.Array

    @staticmethod
    def create(times, values) -> "Series":
        t, v = numbers("a series' times", times), numbers("a series' values", values)
        if t.ndim != 1 or t.shape != v.shape or not t.size or bool((jnp.diff(t) < 0).any()):
            raise InputError("a series needs as many values as times, the times in rising order")
        return Series(t, v)


def now(value, t):
    """The value at time `t` of a number or a Series."""
    return jnp.interp(t, value.times, value.values) if isinstance(value, Series) else value


def most(value):
    """The largest value at any time of a number or a Series."""
    return jnp.max(jnp.asarray(value.values if isinstance(value, Series) else value))


@pytree
class Wall:
    """Reflects."""


@pytree
class Periodic:
    """Joined to the opposite side, which must be periodic too."""


@pytree
class Drain:
    """Whatever reaches the side is gone: its cells are kept dry.   Kellomäki 2015 §4.3"""

    def hold(self, d, b, t):
        return jnp.zeros_like(d)


@pytree
class Level:
    """The water along the side stands at a given height [m], a number or a Series."""

    level: jax.Array | float | Series

    def hold(self, d, b, t):
        return jnp.maximum(now(self.level, t) - b, 0)


@pytree
class Inflow:
    """A discharge [m³/s], a number or a Series, enters along the side.

    It spreads like the conveyance of the wet cells, d^(5/3), and starts in the lowest.
    """

    discharge: jax.Array | float | Series

    def feed(self, d, b, t, dt, grid: Grid):
        """The depth that each cell along the side is given."""
        share = d * jnp.cbrt(d * d) + jnp.where(b == b.min(), TINY, 0)
        return now(self.discharge, t) * dt / grid.area * share / share.sum()


@pytree
class Absorbing:
    """Open water goes on beyond: waves that enter the layer die out towards its level.

    Depth and flow relax over `width` cells at a rate that rises as the square of how deep in the
    layer they are.  Give the level as a Series and the layer makes waves as well.
    """

    level: jax.Array | float | Series  # height of the water outside [m]
    width: int = static(default=20)  # cells
    rate: jax.Array | float = 5.0  # per crossing time √(gd) of the layer, at the very side

    def ramp(self, n: int):
        """0 inside the grid rising to 1 at the side, for the n cells away from it."""
        return jnp.maximum(1 - (jnp.arange(n) + 0.5) / self.width, 0) ** 2


Edge = Wall | Periodic | Drain | Level | Inflow | Absorbing
SIDES = ("west", "east", "south", "north")  # x = 0, x = end, y = 0, y = end


@pytree
class Edges:
    """One rule per side: west and east at x = 0 and its end, south and north likewise in y."""

    west: Edge = Wall()
    east: Edge = Wall()
    south: Edge = Wall()
    north: Edge = Wall()

    @staticmethod
    def all(edge: Edge) -> "Edges":
        return Edges(edge, edge, edge, edge)

    def __iter__(self) -> Iterator[tuple[str, Edge]]:
        return ((side, getattr(self, side)) for side in SIDES)

    @property
    def wraps(self) -> tuple[bool, bool]:
        """Whether x and whether y are periodic; both sides must agree."""
        pairs = [(self.west, self.east), (self.south, self.north)]
        joined = [tuple(isinstance(e, Periodic) for e in pair) for pair in pairs]
        if any(a != b for a, b in joined):
            raise InputError("a periodic side needs the opposite side to be periodic too")
        return joined[0][0], joined[1][0]

    def check(self) -> None:
        """Refuse what is no rule, and rules that make no sense."""
        for side, edge in self:
            if not isinstance(edge, Edge):
                raise InputError(f"the {side} side needs a rule such as Drain(), not {edge!r}")
            for name, low in (("level", -np.inf), ("discharge", 0.0), ("rate", 0.0)):
                value = getattr(edge, name, 0.0)
                value = value.values if isinstance(value, Series) else value
                numbers(f"the {name} of the {side} side", value, low)

    @property
    def open(self) -> bool:
        """Whether water may come or go."""
        return any(isinstance(e, (Drain, Level, Inflow, Absorbing)) for _, e in self)

    @property
    def absorbing(self) -> list[tuple[str, Absorbing]]:
        return [(side, e) for side, e in self if isinstance(e, Absorbing)]


def strip(side: str) -> tuple:
    """Index of the cells along a side."""
    return {
        "west": (slice(None), 0),
        "east": (slice(None), -1),
        "south": (0, slice(None)),
        "north": (-1, slice(None)),
    }[side]


def lay(values, side: str, other, grid: Grid):
    """A map with `values` in the cells along a side, and `other` everywhere else."""
    axis, n = (1, grid.nx) if side in ("west", "east") else (0, grid.ny)
    here = jax.lax.broadcasted_iota(jnp.int32, grid.shape, axis) == (
        0 if side in ("west", "south") else n - 1
    )
    return jnp.where(here, jnp.expand_dims(values, axis), other)


def hold(w: Water, b, edges: Edges, held, dt, grid: Grid) -> Water:
    """Let the sides act on the cells along them, hold what is held, book what came and went."""
    if held is not None:
        free = jnp.isnan(held)
        d = jnp.where(free, w.d, jnp.maximum(jnp.where(free, b, held) - b, 0))
        w = set_depth(w, d, jnp.where(free, 1.0, share_kept(d, w.d)), d - w.d, grid)
    for side, edge in edges:
        at = strip(side)
        if isinstance(edge, (Drain, Level)):
            d, old = edge.hold(w.d[at], b[at], w.t.value), w.d[at]
            kept = lay(share_kept(d, old), side, 1.0, grid)
            w = set_depth(w, lay(d, side, w.d, grid), kept, d - old, grid)
        if isinstance(edge, Inflow):
            more = edge.feed(w.d[at], b[at], w.t.value, dt, grid)
            w = w.add(WATER, lay(more, side, 0.0, grid))
            w = replace(w, came=book(w.came, more, grid))
    for side, edge in edges.absorbing:
        k = 1 - jnp.exp(-dt * damping(edge, side, w.d, grid))
        still = jnp.maximum(now(edge.level, w.t.value) - b, 0)
        d = w.d + k * (still - w.d)
        w = set_depth(w, d, share_kept(d, w.d), d - w.d, grid)
    return w


def share_kept(d, old):
    """How much of its dye a cell keeps: water that goes takes it along, what comes is clean."""
    return jnp.minimum(d / jnp.maximum(old, TINY), 1)


def set_depth(w: Water, d, kept, gain, grid: Grid) -> Water:
    """Replace the depth, with the share of dye kept, and book the gain in depth of some cells."""
    return replace(
        w,
        d=d,
        dyes={name: m * kept for name, m in w.dyes.items()},
        came=book(w.came, jnp.maximum(gain, 0), grid),
        went=book(w.went, jnp.maximum(-gain, 0), grid),
    )


def deepest(b, edges: Edges, held=None):
    """How deep the sides, or columns that are held, may make the water at any time [m]."""
    tops = [
        most(e.level) - b[strip(side)].min()
        for side, e in edges
        if isinstance(e, (Level, Absorbing))
    ]
    if held is not None:
        tops.append(jnp.nanmax(held - b, initial=0.0))
    return sum((jnp.maximum(top, 0) for top in tops), start=jnp.float32(0))


def inflow(edges: Edges):
    """The most that may flow in over all sides at any time [m³/s]."""
    flows = [most(e.discharge) for _, e in edges if isinstance(e, Inflow)]
    return sum((jnp.maximum(flow, 0) for flow in flows), start=jnp.float32(0))


def damping(edge: Absorbing, side: str, d, grid: Grid):
    """The layer's rate per cell [1/s], of the grid's shape."""
    n = grid.nx if side in ("west", "east") else grid.ny
    ramp = edge.ramp(n) if side in ("west", "south") else edge.ramp(n)[::-1]
    ramp = ramp[None, :] if side in ("west", "east") else ramp[:, None]
    speed = jnp.sqrt(G * d)
    return jnp.broadcast_to(edge.rate * speed / (edge.width * grid.cell) * ramp, grid.shape)


def calm(q: Flow, d, edges: Edges, dt, grid: Grid) -> Flow:
    """Damp the flow in absorbing layers; elsewhere nothing is done, or compiled."""
    for side, edge in edges.absorbing:
        keep = jnp.exp(-dt * damping(edge, side, d, grid))
        q = Flow(q.x * keep, q.y * keep)
    return q
