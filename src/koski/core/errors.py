"""What a user did wrong, in one sentence."""

import numpy as np


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
