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

        # traced once, however deep phases lie in phases
        traced, shapes = jax.make_jaxpr(run, return_shape=True)()

        def again():
            leaves = jax.core.eval_jaxpr(traced.jaxpr, traced.consts)
            return jax.tree.unflatten(jax.tree.structure(shapes), leaves)

        def never():
            return jax.tree.map(lambda a: jnp.zeros(a.shape, a.dtype), shapes)

        def once():
            return lax.cond(lax.optimization_barrier(True), again, never)

        return lax.platform_dependent(cpu=once, default=again)

    return named
