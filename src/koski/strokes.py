"""What hands and springs do to the water, as rates over the coming seconds."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from koski.brush import share
from koski.core.grid import Grid
from koski.core.inputs import Inputs
from koski.core.pytree import pytree
from koski.core.stencil import to_faces
from koski.scene import Spring


@pytree
class Strokes:
    """What hands have done since the last step: amounts, not rates."""

    poured: jax.Array | None = None  # [m]
    drained: jax.Array | None = None  # [m]
    pushed: tuple[jax.Array, jax.Array] | None = None  # [m/s] along x and y
    dyed: dict[str, jax.Array] | None = None  # amount per m²
    pressed: jax.Array | None = None  # [Pa]


def springing(inputs: Inputs, springs: Iterable[Spring], grid: Grid) -> Inputs:
    """Let water, and the dyes in it, come up at springs and go down at sinks as well."""
    source, sink, dyes = inputs.source, inputs.sink, dict[str, Any](inputs.dyes)
    for s in springs:
        place = s.discharge / grid.area * share(grid, s.x, s.y, s.radius)
        if s.discharge < 0:
            sink = plus(sink, -place)
            continue
        source = plus(source, place)
        for name, c in s.dyes.items():
            dyes[name] = plus(dyes.get(name), c * place)
    return replace(inputs, source=source, sink=sink, dyes=dyes)  # type: ignore[type-var]


@partial(jax.jit, static_argnames="grid")
def stroked(inputs: Inputs, s: Strokes, seconds: float, grid: Grid) -> Inputs:
    """Spread what hands did over the coming seconds as well."""
    over = 1 / jnp.maximum(seconds, 1e-9)
    source, sink, dyes = inputs.source, inputs.sink, dict[str, Any](inputs.dyes)
    if s.poured is not None:
        source = plus(source, s.poured * over)
    if s.drained is not None:
        sink = plus(sink, s.drained * over)
    for name, amount in (s.dyed or {}).items():
        dyes[name] = plus(dyes.get(name), amount * over)
    push = None if s.pushed is None else to_faces(s.pushed[0] * over, s.pushed[1] * over, grid)
    rates = replace(inputs, source=source, sink=sink, dyes=dyes)  # type: ignore[type-var]
    return replace(rates, push=push, pressure=s.pressed)


def plus(a, b):
    """a + b, where nothing yet counts as zero."""
    return b if a is None else a + b
