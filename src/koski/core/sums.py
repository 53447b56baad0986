"""Sums in float32 that forget nothing: the clock, the ledger."""

import jax
import jax.numpy as jnp
from jax import lax

from koski.core.pytree import pytree


def two_sum(a, b):
    """a + b and the rounding error of that sum, exactly.   Knuth, TAOCP 2, §4.2.2"""
    s = a + b
    c = s - a
    return s, (a - (s - c)) + (b - c)


@pytree
class Sum:
    """A running sum in two floats: `value` and what rounding took from it."""

    value: jax.Array
    rest: jax.Array

    @staticmethod
    def zero() -> "Sum":
        return Sum(jnp.float32(0), jnp.float32(0))

    def add(self, x, x_rest=0.0) -> "Sum":
        s, e = two_sum(self.value, jnp.asarray(x, jnp.float32))
        value, rest = two_sum(s, e + self.rest + x_rest)
        return Sum(value, rest)

    def tick(self, x) -> "Sum":
        """Add with one rounding: cheap, for a loop that is summed up afterwards."""
        return Sum(self.value + x, self.rest)

    def __float__(self) -> float:
        return float(self.value) + float(self.rest)


def total(x) -> tuple[jax.Array, jax.Array]:
    """The sum of an array in two floats, nearly as good as one made in float64."""
    x = jnp.asarray(x, jnp.float32)

    def combine(a, b):
        s, e = two_sum(a[0], b[0])
        return s, a[1] + b[1] + e

    zero = jnp.float32(0)
    hi, lo = lax.reduce((x, jnp.zeros_like(x)), (zero, zero), combine, tuple(range(x.ndim)))
    return hi, lo
