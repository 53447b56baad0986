"""The pipe step of `koski.Pipe()` written by hand in Numba: a parallel loop for each phase.

Flows are changed in place.  So that Numba vectorises, the first column stands apart (an index that
may be negative is looked at cell by cell), and what a condition picks from is loaded beforehand.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from koski.bench.peer_numpy import Arrays, Run
from koski.core.stencil import TINY
from koski.core.water import G
from koski.extras import need


def pipe_numba(b: np.ndarray, dt: float, cell: float = 1.0, friction: float = 0.05) -> Run:
    """A function that runs the water over `b` between walls for a number of steps, in place."""
    advance = kernel()
    K = np.zeros_like(b)
    f = np.float32
    numbers = f(dt), f((1 - friction) ** dt), f(0.5 * G * dt), f(cell * cell), f(dt / cell / cell)

    def run(water: Arrays, steps: int) -> Arrays:
        advance(b, *water, K, steps, *numbers)
        return water

    return run


@cache
def kernel() -> Callable:
    """The compiled loop over steps."""
    numba = need("numba", "bench")
    prange, njit = numba.prange, numba.njit
    zero, tiny = np.float32(0), np.float32(TINY)

    @njit(inline="always")
    def flow(q, b0, b1, d0, d1, mu, kick):
        """q := mu q + dt A g (h0 − h1) / l, where the upwind side stands above the sill."""
        step = b1 - b0
        a0 = max(d0 - max(step, zero), zero)
        a1 = max(d1 - max(-step, zero), zero)
        q = mu * q + kick * (a0 + a1) * (a0 - a1)
        return q if (a0 if q > zero else a1) > zero else zero

    @njit(parallel=True)
    def accelerate(b, d, qx, qy, mu, kick):
        ny, nx = b.shape
        for y in prange(ny):
            for x in range(nx - 1):
                qx[y, x] = flow(qx[y, x], b[y, x], b[y, x + 1], d[y, x], d[y, x + 1], mu, kick)
            if y < ny - 1:
                for x in range(nx):
                    qy[y, x] = flow(qy[y, x], b[y, x], b[y + 1, x], d[y, x], d[y + 1, x], mu, kick)

    @njit(inline="always")
    def given(d, out, dt, area):
        """K = min(1, d l² / dt Σ outflow)"""
        held = max(d * area, tiny)
        return held / max(dt * out, held)

    @njit(parallel=True)
    def share(d, qx, qy, K, dt, area):
        ny, nx = d.shape
        for y in prange(ny):
            south = y - 1 if y > 0 else ny - 1  # the last row of flows is the edge: zero
            out = max(qx[y, 0], zero) + max(qy[y, 0], zero) - min(qy[south, 0], zero)
            K[y, 0] = given(d[y, 0], out, dt, area)
            for x in range(1, nx):
                out_x = max(qx[y, x], zero) - min(qx[y, x - 1], zero)
                out_y = max(qy[y, x], zero) - min(qy[south, x], zero)
                K[y, x] = given(d[y, x], out_x + out_y, dt, area)

    @njit(inline="always")
    def scaled(q, k0, k1):
        return q * (k0 if q > zero else k1)

    @njit(parallel=True)
    def limit(qx, qy, K):
        ny, nx = K.shape
        for y in prange(ny):
            for x in range(nx - 1):
                qx[y, x] = scaled(qx[y, x], K[y, x], K[y, x + 1])
            if y < ny - 1:
                for x in range(nx):
                    qy[y, x] = scaled(qy[y, x], K[y, x], K[y + 1, x])

    @njit(parallel=True)
    def move(d, qx, qy, k):
        ny, nx = d.shape
        for y in prange(ny):
            south = y - 1 if y > 0 else ny - 1
            d[y, 0] = max(d[y, 0] - k * (qx[y, 0] + (qy[y, 0] - qy[south, 0])), zero)
            for x in range(1, nx):
                div = (qx[y, x] - qx[y, x - 1]) + (qy[y, x] - qy[south, x])
                d[y, x] = max(d[y, x] - k * div, zero)

    @njit
    def advance(b, d, qx, qy, K, steps, dt, mu, kick, area, k):
        for _ in range(steps):
            accelerate(b, d, qx, qy, mu, kick)
            share(d, qx, qy, K, dt, area)
            limit(qx, qy, K)
            move(d, qx, qy, k)

    return advance
