"""How fast the device can stream memory: the roof under which every stencil code lives."""

from functools import partial
from time import perf_counter

import jax
import jax.numpy as jnp
from jax import lax

CPU_BYTES, ACCELERATOR_BYTES = 2**28, 2**31  # far larger than caches
PASSES = 4  # over the array in one call


def copy_bandwidth(size_bytes: int | None = None, rounds: int = 6) -> float:
    """Bytes read plus bytes written per second by x → c x on the default device, at best."""
    on_cpu = jax.default_backend() == "cpu"
    n = (size_bytes or (CPU_BYTES if on_cpu else ACCELERATOR_BYTES)) // 4
    passes = PASSES if on_cpu else 16 * PASSES
    x, c = jnp.ones((max(n // 2**10, 1), 2**10), jnp.float32), jnp.float32(1)
    x = jax.block_until_ready(scale(x, c, passes))
    best = float("inf")
    for _ in range(rounds):
        before = perf_counter()
        x = jax.block_until_ready(scale(x, c, passes))
        best = min(best, perf_counter() - before)
    return 2.0 * x.nbytes * passes / best


@partial(jax.jit, donate_argnums=0, static_argnames="passes")
def scale(x, c, passes: int):
    """`c` is an argument, so that the compiler cannot know that it is one."""
    return lax.fori_loop(0, passes, lambda _, x: x * c, x)
