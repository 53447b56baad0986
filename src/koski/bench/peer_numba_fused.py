"""The pipe step of `koski.Pipe()` in Numba again, tuned to the last: one sweep over memory.

Each thread takes bands of rows and keeps only the last few rows of what lies between the phases,
so that a step reads ground, depth and flows once and writes depth and flows once, in arithmetic
that may assume no NaN and no signed zero.  What a compiler that fuses phases could reach.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from koski.bench.peer_numpy import Arrays, Run
from koski.core.solver import G
from koski.core.stencil import TINY
from koski.extras import need

BANDS = 4  # per thread: enough that one held up by other work does not hold up the rest


def pipe_numba_fused(b: np.ndarray, dt: float, cell: float = 1.0, friction: float = 0.05) -> Run:
    """A function that runs the water over `b` between walls for a number of steps.

    The arrays given are used up; those returned are the ones to go on with.
    """
    sweep, threads = kernel()
    other: list[Arrays] = [(np.zeros_like(b), np.zeros_like(b), np.zeros_like(b))]
    f = np.float32
    numbers = f(dt), f((1 - friction) ** dt), f(0.5 * G * dt), f(cell * cell), f(dt / cell / cell)
    bands = max(1, min(BANDS * threads, b.shape[0] // 8))

    def run(water: Arrays, steps: int) -> Arrays:
        pair = [water, other.pop()]
        sweep(b, *pair[0], *pair[1], steps, *numbers, bands)
        other.append(pair[(steps + 1) % 2])
        return pair[steps % 2]

    return run


@cache
def kernel() -> tuple[Callable, int]:
    """The compiled loop over steps, and how many threads it uses."""
    numba = need("numba", "bench")
    quick: dict[str, Any] = {
        "error_model": "numpy",
        "fastmath": {"nnan", "ninf", "nsz", "contract"},
    }
    prange = numba.prange
    zero, one, tiny = np.float32(0), np.float32(1), np.float32(TINY)

    @numba.njit(inline="always", **quick)
    def accelerate(q, b0, b1, d0, d1, mu, kick):
        """q := mu q + dt A g (h0 − h1) / l, where the upwind side stands above the sill."""
        step = b1 - b0
        a0 = max(d0 - max(step, zero), zero)
        a1 = max(d1 - max(-step, zero), zero)
        f = mu * q + kick * (a0 + a1) * (a0 - a1)
        upwind = a0 if f > zero else a1
        return f if upwind > zero else zero

    @numba.njit(inline="always", **quick)
    def scale(f, k0, k1):
        return f * (k0 if f > zero else k1)

    @numba.njit(inline="always", **quick)
    def settle(d, D, QX, QY, fx, fy, K, y, k):
        """Write the new flows and depth of a row whose y flows are scaled already."""
        nx = d.shape[1]
        i, north, south = y % 2, y % 3, (y + 2) % 3
        for x in range(nx - 1):
            QX[y, x] = scale(fx[i, x + 1], K[i, x], K[i, x + 1])
        for x in range(nx):
            QY[y, x] = fy[north, x]
        D[y, 0] = max(d[y, 0] - k * (QX[y, 0] + (fy[north, 0] - fy[south, 0])), zero)
        for x in range(1, nx):
            div = (QX[y, x] - QX[y, x - 1]) + (fy[north, x] - fy[south, x])
            D[y, x] = max(d[y, x] - k * div, zero)

    @numba.njit(**quick)
    def band(b, d, qx, qy, D, QX, QY, fx, fy, K, y0, y1, dt, mu, kick, area, k):
        """A step for the rows y0 to y1, from d and q to D and Q; fx, fy, K keep 2, 3, 2 rows.

        Rows are named by index: a slice would count references, which threads must take turns at.
        """
        ny, nx = d.shape
        first = max(y0 - 2, 0)
        for x in range(nx):
            fy[(first + 2) % 3, x] = zero
        for y in range(first, min(y1 + 1, ny)):
            now, last = y % 2, 1 - y % 2
            j, below = y % 3, (y + 2) % 3
            for x in range(nx - 1):
                fx[now, x + 1] = accelerate(
                    qx[y, x], b[y, x], b[y, x + 1], d[y, x], d[y, x + 1], mu, kick
                )
            if y < ny - 1:
                for x in range(nx):
                    fy[j, x] = accelerate(
                        qy[y, x], b[y, x], b[y + 1, x], d[y, x], d[y + 1, x], mu, kick
                    )
            else:
                for x in range(nx):
                    fy[j, x] = zero
            for x in range(nx):
                out_x = max(fx[now, x + 1], zero) - min(fx[now, x], zero)
                out_y = max(fy[j, x], zero) - min(fy[below, x], zero)
                K[now, x] = min(one, d[y, x] * area / max(dt * (out_x + out_y), tiny))
            if y >= y0 and y > first:
                for x in range(nx):
                    fy[below, x] = scale(fy[below, x], K[last, x], K[now, x])
            if y > y0:
                settle(d, D, QX, QY, fx, fy, K, y - 1, k)
        if y1 == ny:
            settle(d, D, QX, QY, fx, fy, K, ny - 1, k)

    @numba.njit(parallel=True, **quick)
    def sweep(b, d, qx, qy, D, QX, QY, steps, dt, mu, kick, area, k, bands):
        """All steps, back and forth between two sets of arrays."""
        ny, nx = d.shape
        fx = np.zeros((bands, 2, nx + 64), np.float32)  # 64: no two threads share a cache line
        fy = np.zeros((bands, 3, nx + 64), np.float32)
        K = np.zeros((bands, 2, nx + 64), np.float32)
        for n in range(steps):
            for t in prange(bands):
                y0, y1 = t * ny // bands, (t + 1) * ny // bands
                r = fx[t], fy[t], K[t], y0, y1, dt, mu, kick, area, k
                if n % 2 == 0:
                    band(b, d, qx, qy, D, QX, QY, *r)
                else:
                    band(b, D, QX, QY, d, qx, qy, *r)

    return sweep, numba.get_num_threads()
