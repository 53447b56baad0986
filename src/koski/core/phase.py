"""Phases: the named parts of a step, each computed once."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

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
        part = traced(lambda: f(*args, **kwargs), f.__name__)

        def never(_):
            return jax.tree.map(lambda a: jnp.zeros(a.shape, a.dtype), part.shapes)

        def once(known):
            return lax.cond(lax.optimization_barrier(True), part.again, never, known)

        return lax.platform_dependent(part.known, cpu=once, default=part.again)

    return named


def renew(f: Callable[Concatenate[R, P], R]) -> Callable[Concatenate[R, P], R]:
    """A phase whose result takes the place of its first argument, in the same memory.

    What a conditional returns needs memory of its own; what a loop carries does not.  So on the
    CPU `f` is the body of a loop that ends after one round.  XLA cannot know that, nor may it see
    that all else is the same in each round: it would compute with that before the loop.
    Through a loop without a known end there are no gradients: they pass through a phase instead.
    """

    @wraps(f)
    def named(old: R, *args: P.args, **kwargs: P.kwargs) -> R:
        again, known, *_ = traced(lambda old: f(old, *args, **kwargs), f.__name__, old)

        @jax.custom_jvp
        def once(known, old):
            def round_(c):
                i, same, old = lax.optimization_barrier((c[0], known, c[1]))
                return i + 1, again(same, old)

            rounds = lax.optimization_barrier(jnp.int32(1))
            return lax.while_loop(lambda c: c[0] < rounds, round_, (jnp.int32(0), old))[1]

        @once.defjvp
        def change(values, changes):
            return jax.jvp(phase(again), values, changes)

        return lax.platform_dependent(known, old, cpu=once, default=again)

    return named


class Traced(NamedTuple):
    """A function, and all that it knows beside its arguments."""

    again: Callable  # of what it knows and of its arguments
    known: list
    shapes: Any  # of its result
    program: Any  # its jaxpr


def traced(f: Callable, name: str, *args) -> Traced:
    """`f` as a function of all that it knows and of its arguments.

    Traced once, however deep phases lie in phases.
    """

    def run(*args):
        with jax.named_scope(name):
            return f(*args)

    program, shapes = jax.make_jaxpr(run, return_shape=True)(*args)

    def again(known, *args):
        leaves = jax.core.eval_jaxpr(program.jaxpr, known, *jax.tree.leaves(args))
        return jax.tree.unflatten(jax.tree.structure(shapes), leaves)

    return Traced(again, program.consts, shapes, program.jaxpr)
