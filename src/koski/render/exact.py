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


def exact(f: Callable[P, R], **how) -> Callable[P, R]:
    """`f` compiled in float64, of and to float32.  Not for use inside other compiled functions."""

    @partial(jax.jit, **how)
    @wraps(f)
    def inside(*args, **kwargs):
        args, kwargs = turned((args, kwargs), jnp.float32, jnp.float64)
        return turned(turned(f(*args, **kwargs), jnp.float64, jnp.float32), jnp.int64, jnp.int32)

    @wraps(f)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        with jax.enable_x64(True):
            return inside(*args, **kwargs)

    return called


def turned(tree, old, new):
    """A tree with all arrays of one type as another."""

    def as_new(f):
        return f.astype(new) if getattr(f, "dtype", None) == old else f

    return jax.tree.map(as_new, tree)
