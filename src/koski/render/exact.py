"""What decides between one thing and another is computed in float64.

CPU and GPU round float32 each in their own way.  Where a ray just meets an edge, or just misses it,
that shows.  What is computed in float64 and rounded to float32 at the end is the same on both, but
for one number in a hundred million.
"""

from collections.abc import Callable
from functools import partial, wraps
from typing import ParamSpec, TypeVar

import jax
import jax.numpy as jnp

P = ParamSpec("P")
R = TypeVar("R")

# XLA on GPUs takes what is rounded to float32 and widened again for what it was, if it may.
HELD = {"xla_allow_excess_precision": False}


def exact(f: Callable[P, R], reads: int = 0, **how) -> Callable[P, R]:
    """`f` compiled in float64, of and to float32.  Not for use inside other compiled functions.

    From the maps in its first arguments, so many, it `reads`: what is read there becomes a float64,
    the maps themselves do not.
    """

    @partial(jax.jit, compiler_options=HELD, **how)
    @wraps(f)
    def inside(*args, **kwargs):
        read = turned(args[:reads], jnp.float32, jnp.float64, below=2)
        rest, kwargs = turned((args[reads:], kwargs), jnp.float32, jnp.float64)
        made = f(*read, *rest, **kwargs)
        return turned(turned(made, jnp.float64, jnp.float32), jnp.int64, jnp.int32)

    @wraps(f)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        with jax.enable_x64(True):
            return inside(*args, **kwargs)

    return called


def turned(tree, old, new, below: int = 9):
    """A tree with all arrays of one type as another, if they have fewer axes than these."""

    def as_new(f):
        wanted = getattr(f, "dtype", None) == old and f.ndim < below
        return f.astype(new) if wanted else f

    return jax.tree.map(as_new, tree)


def short(f):
    """As a float32, which takes half the room.

    Where to look along a ray may be rounded, and how far it is below what is there; not whether.
    """
    return f.astype(jnp.float32)


def wide(f):
    """As a float64 again: products of two such are exact, in one go with a sum or not."""
    return f.astype(float)
