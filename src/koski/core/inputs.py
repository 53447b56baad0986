"""What the outside does to the water during the next stretch of time."""

from dataclasses import field

import jax
import jax.numpy as jnp

from koski.core.blockers import Blockers
from koski.core.grid import Grid
from koski.core.pytree import pytree
from koski.core.stencil import Flow, above, per_face, right

RHO = 1000.0  # density of water [kg/m³]
MAPS = "source", "sink", "evaporation", "pressure", "held"


@pytree
class Inputs:
    """What comes and goes, pushes and holds: each a map of the grid's shape, a number, or nothing.

    What is nothing (`None`) costs nothing: it is not part of the compiled step.
    """

    source: jax.Array | float | None = None  # rain and springs [m/s]
    sink: jax.Array | float | None = None  # drained with its dyes, at most what is there [m/s]
    evaporation: jax.Array | float | None = None  # as sink, but dyes stay behind [m/s]
    dyes: dict[str, jax.Array | float] = field(default_factory=dict)  # amount per m² and second
    push: Flow | None = None  # acceleration of the faces [m/s²]
    pressure: jax.Array | None = None  # on the surface, above that of the air [Pa]
    held: jax.Array | None = None  # columns that hold their surface [m], NaN where it is free
    blockers: Blockers | None = None  # bodies in the way, for solvers that let them block

    def check(self, grid: Grid) -> None:
        """Refuse maps that are not of the grid's shape."""
        for name in MAPS:
            grid.check(name, getattr(self, name))
        for name, f in self.dyes.items():
            grid.check(f"dye {name!r}", f)
        for f in jax.tree.leaves(self.push):
            grid.check("push", f)


def drive(inputs: Inputs, grid: Grid) -> Flow | None:
    """The acceleration of the faces by pushes and by pressure: a − ∇p / ρ   [m/s²]."""
    if inputs.pressure is None:
        return inputs.push
    p = jnp.broadcast_to(inputs.pressure, grid.shape) / (RHO * grid.cell)
    a = Flow(p - right(p, grid), p - above(p, grid))
    return a if inputs.push is None else per_face(jnp.add, a, inputs.push)
