"""Small grids by one thread of the CPU.

XLA shares out each loop over the cells among its threads, which then wait for one another at every
loop: on a small grid that takes longer than the work.
"""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

import jax
import jax.numpy as jnp
from jax.experimental.xla_metadata import set_xla_metadata
from jax.extend.core import jaxprs_in_params

from koski.core.phase import traced

S = TypeVar("S")
R = TypeVar("R")

# What was seen to work in one kernel.  Scatters do not, and sums of many cells lose what is too
# small for a float32, which the ledger would miss.  No others were tried.
PLAIN = """
    abs add and broadcast_in_dim concatenate cond convert_element_type custom_jvp_call div eq exp gt
    integer_pow iota jit le log lt max min mul ne neg not optimization_barrier or pad platform_index
    pow reshape rev scan select_n slice sqrt squeeze sub transpose while
"""


def alone(f: Callable[[jax.Array, S], R]) -> Callable[[jax.Array, S], R]:
    """All of `f` as one kernel, which one thread runs, if it is made of PLAIN parts.

    XLA makes one kernel of what is marked as a small call.  The marks come off again inside: they
    would keep calls there from being inlined, and what such a kernel calls cannot be linked.  Nor
    may anything that is given to it go unused: XLA would give up, and take Python with it.  So all
    is looked at beforehand (what is still needed after a loop cannot be changed in place by it),
    and what is seen counts towards the first argument, a number that all of the result depends on.
    """

    @wraps(f)
    def marked(number, old: S) -> R:
        again, known, _, program = traced(f, f.__name__, number, old)
        if not parts(program) <= set(PLAIN.split()):
            return again(known, number, old)

        @jax.jit
        def inside(known, number, old):
            with set_xla_metadata(xla_cpu_small_call="false", inlineable="true"):
                return again(known, number + nothing((known, old)), old)

        with set_xla_metadata(xla_cpu_small_call="true", inlineable="false"):
            return inside(known, number, old)

    return marked


def nothing(tree):
    """Zero, but no compiler can know it without a look at everything in the tree."""
    firsts = (jnp.ravel(f)[0].astype(jnp.float32) for f in jax.tree.leaves(tree))
    return sum((0 * jnp.nan_to_num(x) for x in firsts), start=jnp.float32(0))


def parts(program) -> set[str]:
    """The names of all operations in a program, and in those that it calls."""
    inner = (parts(p) for step in program.eqns for p in jaxprs_in_params(step.params))
    return {step.primitive.name for step in program.eqns}.union(*inner)
