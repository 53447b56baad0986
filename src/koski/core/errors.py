"""What a user did wrong, in one sentence."""

from collections.abc import Iterable
from difflib import get_close_matches

import jax
import jax.numpy as jnp
import numpy as np

LONGEST = 1e9  # time that anybody may ask for [s]


class InputError(ValueError):
    """Says what was wanted, what came, and what to do next; shown without a traceback."""


def number(name: str, value, low: float = -np.inf, high: float = np.inf) -> float:
    """`value` as a float between `low` and `high`, or an InputError that names it."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a number, not {value!r}") from None
    if not np.isfinite(x) or not low <= x <= high:
        span = f"from {low:g} to {high:g}" if np.isfinite(high) else f"of at least {low:g}"
        span = span if np.isfinite(low) else "that is finite"
        raise InputError(f"{name} must be a number {span}, not {value!r}")
    return x


def duration(name: str, value, low: float = 0.0) -> float:
    """`value` as a time [s] that can be waited for, or an InputError that names it."""
    return number(name, value, low, LONGEST)


def numbers(name: str, value, low: float = -np.inf, high: float = np.inf) -> jax.Array:
    """`value` as an array of such numbers; of those that JAX is tracing nothing is known."""
    try:
        f = jnp.asarray(value, jnp.float32)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be numbers, not {value!r}") from None
    known = np.zeros(0) if isinstance(f, jax.core.Tracer) else np.asarray(f)
    for bad in known[~(np.isfinite(known) & (known >= low) & (known <= high))][:1]:
        number(name, float(str(bad)), low, high)  # as it was written, not as 32 bits hold it
    return f


def nearest(name: str, names: Iterable[str]) -> str:
    """'did you mean …?' where something is close, else all there is."""
    names = list(names)
    close = get_close_matches(name.lower(), names, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else "there are " + ", ".join(names)
