"""What the outside does to the water during the next stretch of time."""

from dataclasses import field

import jax

from koski.core.pytree import pytree
from koski.core.stencil import Flow


@pytree
class Inputs:
    """Sources, sinks and pushes: each a map of the grid's shape, one number, or nothing.

    What is nothing (`None`) costs nothing: it is not part of the compiled step.
    """

    source: jax.Array | float | None = None  # rain and springs [m/s]
    sink: jax.Array | float | None = None  # drained with its dyes, at most what is there [m/s]
    evaporation: jax.Array | float | None = None  # as sink, but dyes stay behind [m/s]
    dyes: dict[str, jax.Array | float] = field(default_factory=dict)  # amount per m² and second
    push: Flow | None = None  # acceleration of the faces [m/s²]
