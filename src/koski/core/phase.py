"""Phases: the named parts of a step, each computed once."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import jax
import jax.numpy as jnp
from jax import lax

P = ParamSpec("P")
R = TypeVar("R")


def phase(f: Callable[P, R]) -> Callable[P, R]:
    """Name `f` in profiles and materialise its result.

    On the CPU, XLA drops optimisation barriers before it fuses loops, and would compute a whole
    phase again for each neighbour that reads it (half the speed).  It never fuses across a
    conditional, though: so there `f` is the branch always taken of one it cannot see through.
    The last phase of a step needs none of this: the loop over steps materialises it.
    """

    @wraps(f)
    def named(*args: P.args, **kwargs: P.kwargs) -> R:
        def run():
            with jax.named_scope(f.__name__):
                return f(*args, **kwargs)

        def never():
            return jax.tree.map(lambda a: jnp.zeros(a.shape, a.dtype), jax.eval_shape(run))

        def once():
            return lax.cond(lax.optimization_barrier(True), run, never)

        return lax.platform_dependent(cpu=once, default=run)

    return named
