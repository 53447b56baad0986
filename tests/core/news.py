"""How far news travels in a program: which rows of its results depend on a row of its arguments.

A program is run with marks in place of numbers: what moves cells moves their marks along, all
else marks what any of its arguments marks.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Literal

MOVES = [
    "slice",
    "pad",
    "concatenate",
    "reshape",
    "broadcast_in_dim",
    "squeeze",
    "transpose",
    "rev",
    "copy",
]


def marked(program, consts, args):
    """The marks on the results of a jaxpr."""
    marks = dict(zip(program.constvars, consts)) | dict(zip(program.invars, args))

    def mark(v):
        return np.zeros(v.aval.shape, bool) if isinstance(v, Literal) else marks[v]

    for eqn in program.eqns:
        ins = [mark(v) for v in eqn.invars]
        marks |= zip(eqn.outvars, results(eqn, ins))
    return [mark(v) for v in program.outvars]


def results(eqn, ins):
    name, given = eqn.primitive.name, eqn.params
    if name == "while":
        few, some = given["cond_nconsts"], given["cond_nconsts"] + given["body_nconsts"]
        body = given["body_jaxpr"]
        once = marked(body.jaxpr, none(body), ins[few:])
        return [a | b for a, b in zip(once, ins[some:])]  # after one round, or none
    if name == "cond":
        ways = [marked(b.jaxpr, none(b), ins[1:]) for b in given["branches"]]
        return [np.logical_or.reduce(way) for way in zip(*ways)]
    if name in ("jit", "pjit", "closed_call", "custom_jvp_call"):
        inner = given.get("jaxpr") or given["call_jaxpr"]
        return marked(inner.jaxpr, none(inner), ins)
    if name in MOVES:
        return [np.asarray(eqn.primitive.bind(*map(jnp.float32, ins), **given)) > 0]
    if name == "optimization_barrier":
        return ins
    shapes = [v.aval.shape for v in eqn.outvars]
    assert all(np.shape(x) in ((), shape) for x in ins for shape in shapes), name
    return [np.logical_or.reduce([np.broadcast_to(x, s) for x in ins] or [False]) for s in shapes]


def none(closed):
    return [np.zeros(np.shape(c), bool) for c in closed.consts]


def reach(f, args, row: int) -> int:
    """How many rows away from one in all maps of its arguments f's results depend on it."""
    closed = jax.make_jaxpr(f)(*args)

    def poke(a):
        marks = np.zeros(np.shape(a), bool)
        if marks.ndim == 2:
            marks[row] = True
        return marks

    out = marked(closed.jaxpr, none(closed), [poke(a) for a in jax.tree.leaves(args)])
    rows = [r for marks in out if marks.ndim == 2 for r in np.nonzero(marks.any(1))[0]]
    return max(abs(r - row) for r in rows)
