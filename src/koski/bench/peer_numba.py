"""The pipe step of `koski.Pipe()` written by hand in Numba: a parallel loop for each phase."""

from collections.abc import Callable
from functools import cache

import numpy as np

from koski.bench.peer_numpy import Arrays, Run
from koski.core.solver import G
from koski.core.stencil import TINY
from koski.extras import need


def pipe_numba(b: np.ndarray, dt: float, cell: float = 1.0, friction: float = 0.05) -> Run:
    """A function that runs the water over `b` between walls for a number of steps, in place."""
    advance = kernel()
    fx, fy, K = np.zeros_like(b), np.zeros_like(b), np.zeros_like(b)
    f = np.float32
    numbers = f(dt), f((1 - friction) ** dt), f(0.5 * G * dt), f(cell * cell), f(dt / cell / cell)

    def run(water: Arrays, steps: int) -> Arrays:
        advance(b, *water, fx, fy, K, steps, *numbers)
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
    def accelerate(b, d, qx, qy, fx, fy, mu, kick):
        ny, nx = b.shape
        for y in prange(ny):
            for x in range(nx - 1):
                fx[y, x] = flow(qx[y, x], b[y, x], b[y, x + 1], d[y, x], d[y, x + 1], mu, kick)
            if y < ny - 1:
                for x in range(nx):
                    fy[y, x] = flow(qy[y, x], b[y, x], b[y + 1, x], d[y, x], d[y + 1, x], mu, kick)

    @njit(parallel=True)
    def share(d, fx, fy, K, dt, area):
        """K = min(1, d l² / dt Σ outflow); row and column −1 of a flow are its edge, zero."""
        ny, nx = d.shape
        for y in prange(ny):
            for x in range(nx):
                out_x = max(fx[y, x], zero) - min(fx[y, x - 1], zero)
                out_y = max(fy[y, x], zero) - min(fy[y - 1, x], zero)
                held = max(d[y, x] * area, tiny)
                K[y, x] = held / max(dt * (out_x + out_y), held)

    @njit(parallel=True)
    def limit(fx, fy, K, qx, qy):
        ny, nx = K.shape
        for y in prange(ny):
            for x in range(nx - 1):
                qx[y, x] = fx[y, x] * (K[y, x] if fx[y, x] > zero else K[y, x + 1])
            if y < ny - 1:
                for x in range(nx):
                    qy[y, x] = fy[y, x] * (K[y, x] if fy[y, x] > zero else K[y + 1, x])

    @njit(parallel=True)
    def move(d, qx, qy, k):
        ny, nx = d.shape
        for y in prange(ny):
            for x in range(nx):
                div = (qx[y, x] - qx[y, x - 1]) + (qy[y, x] - qy[y - 1, x])
                d[y, x] = max(d[y, x] - k * div, zero)

    @njit
    def advance(b, d, qx, qy, fx, fy, K, steps, dt, mu, kick, area, k):
        for _ in range(steps):
            accelerate(b, d, qx, qy, fx, fy, mu, kick)
            share(d, fx, fy, K, dt, area)
            limit(fx, fy, K, qx, qy)
            move(d, qx, qy, k)

    return advance
