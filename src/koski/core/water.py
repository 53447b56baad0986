"""What every solver's state holds: the water itself, its dyes, its clock and its ledger.

d := d − dt Σ q / l² + dt · sources                 Kellomäki 2015, eq. 4.12
m := m − dt Σ q c / l²,   c = m / d upwind          (upwind: the amount of dye is exact)
"""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np

from koski.core.errors import InputError
from koski.core.grid import Grid
from koski.core.inputs import Inputs
from koski.core.patch import Patch
from koski.core.pytree import pytree
from koski.core.stencil import TINY, Flow, above, div, outflow, right, upwind
from koski.core.sums import Sum, total

G = 9.81  # gravity [m/s²]
FILM = 1e-6  # thinnest layer that carries dye [m]
WATER = "water"  # its key among the rests, beside the names of the dyes


@pytree
class Water:
    """Depth and dyes per cell, and how much has come and gone."""

    d: jax.Array  # depth [m]
    dyes: dict[str, jax.Array]  # amount per m²
    rests: dict[str, jax.Array]  # what rounding still owes to whatever has a source
    t: Sum  # time [s]
    steps: jax.Array  # how many it took
    came: Sum  # through sources and edges [m³]
    went: Sum  # through sinks and edges [m³]

    @staticmethod
    def start(depth, grid: Grid) -> "Water":
        """Still water of the given depth, a number or a map."""
        d = jnp.asarray(depth, jnp.float32)
        grid.check("depth", d)
        if not isinstance(d, jax.core.Tracer):
            known = np.asarray(d)  # also where JAX is tracing something else
            low = float(known.min())
            if not np.isfinite(known).all():
                raise InputError("depth has values that are not finite: fill or remove them")
            if low < 0:
                raise InputError(
                    f"depth is negative ({low:g} m) in places: clip it, for instance with"
                    " np.maximum(level - terrain.b, 0)"
                )
        d = jnp.broadcast_to(d, grid.shape).copy()
        return Water(d, {}, {}, Sum.zero(), jnp.int32(0), Sum.zero(), Sum.zero())

    def ready(self, inputs: Inputs, open_: bool) -> "Water":
        """Make room for what will come: dyes, and rests where a little is added many times."""
        dyes = {n: jnp.zeros_like(self.d) for n in inputs.dyes} | self.dyes
        fed = list(inputs.dyes) + [WATER] * (open_ or inputs.source is not None)
        return replace(self, dyes=dyes, rests={n: jnp.zeros_like(self.d) for n in fed} | self.rests)

    @property
    def clock(self) -> tuple[Sum, jax.Array]:
        """Time, and how many steps it took."""
        return self.t, self.steps

    def at(self, clock: tuple[Sum, jax.Array]) -> "Water":
        """The same water at another time."""
        return replace(self, t=clock[0], steps=clock[1])

    def add(self, name: str, more) -> "Water":
        """Add to the depth, or to a dye, with nothing lost to rounding."""
        f = self.d if name == WATER else self.dyes[name]
        new, rest = grown(f, self.rests.get(name), more)
        rests = self.rests if rest is None else self.rests | {name: rest}
        if name == WATER:
            return replace(self, d=new, rests=rests)
        return replace(self, dyes=self.dyes | {name: new}, rests=rests)

    def concentration(self) -> dict[str, jax.Array]:
        """Dye per volume of water [amount/m³], zero where dry."""
        return {name: m / jnp.maximum(self.d, FILM) for name, m in self.dyes.items()}


def supply(w: Water, inputs: Inputs, dt, grid: Grid) -> Water:
    """Let it rain, spring, sink and evaporate."""
    if inputs.source is not None:
        rate, rest = total(jnp.broadcast_to(inputs.source, grid.shape))
        w = w.add(WATER, inputs.source * dt)
        w = replace(w, came=w.came.add(rate * dt * grid.area, rest * dt * grid.area))
    for name, more in inputs.dyes.items():
        w = w.add(name, more * dt)
    if inputs.sink is not None:
        taken = jnp.minimum(w.d, inputs.sink * dt)
        kept = (w.d - taken) / jnp.maximum(w.d, TINY)
        w = replace(w, dyes={name: m * kept for name, m in w.dyes.items()})
        w = replace(w.add(WATER, -taken), went=book(w.went, taken, grid))
    if inputs.evaporation is not None:
        taken = jnp.minimum(w.d, inputs.evaporation * dt)
        w = replace(w.add(WATER, -taken), went=book(w.went, taken, grid))
    return w


def grown(f, rest, more):
    """f + more, never below zero; what rounding drops is kept in the rest, where there is one."""
    if rest is None:
        return jnp.maximum(f + more, 0), None
    more = more + rest
    new = jnp.maximum(f + more, 0)
    return new, more - (new - f)


def book(ledger: Sum, depths, grid: Grid) -> Sum:
    """Add what some cells gained or lost [m] to the ledger [m³]."""
    hi, lo = total(depths)
    return ledger.add(hi * grid.area, lo * grid.area)


def crossing(d, grid: Grid) -> jax.Array:
    """How long a wave takes across a cell where it is fastest: l / √(g max d)   [s]."""
    return grid.cell / jnp.sqrt(G * jnp.maximum(d.max(), TINY))


def limit(q: Flow, d, dt, grid: Grid) -> Flow:
    """Let no cell give away more water than it holds.

    K = min(1, d l² / dt Σ outflow), applied to the faces that leave the cell.   Kellomäki 2014 §3.4
    """
    return scaled(q, share_given(outflow(q, grid), d, dt, grid), grid)


def share_given(out, d, dt, grid: Grid | Patch):
    """K = min(1, d l² / dt Σ outflow): the share of what leaves a cell that it can give."""
    held = jnp.maximum(d * grid.area, TINY)
    return held / jnp.maximum(dt * out, held)


def scaled(q: Flow, K, grid: Grid | Patch) -> Flow:
    """Each flow times the K of the cell that it leaves."""
    return Flow(
        q.x * jnp.where(q.x > 0, K, right(K, grid)), q.y * jnp.where(q.y > 0, K, above(K, grid))
    )


def move(w: Water, q: Flow, dt, grid: Grid) -> Water:
    """Carry water and dyes along the settled flow, and let the clock tick."""
    k = dt / grid.area
    new = w
    for name, c in w.concentration().items():
        face = upwind(q, c, grid)
        new = new.add(name, -k * div(Flow(q.x * face.x, q.y * face.y), grid))
    return replace(new.add(WATER, -k * div(q, grid)), t=w.t.tick(dt))
