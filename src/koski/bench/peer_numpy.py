"""The pipe step of `koski.Pipe()` as one would write it in NumPy: whole arrays, none made anew."""

from collections.abc import Callable

import numpy as np

from koski.core.stencil import TINY
from koski.core.water import G

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]  # depth, flow along x, flow along y
Run = Callable[[Arrays, int], Arrays]


def pipe_numpy(b: np.ndarray, dt: float, cell: float = 1.0, friction: float = 0.05) -> Run:
    """A function that runs the water over `b` between walls for a number of steps, in place."""
    east, north = np.s_[:, :-1], np.s_[:-1, :]  # the faces inside the grid, and their near cells
    there = {"x": np.s_[:, 1:], "y": np.s_[1:, :]}
    here = {"x": east, "y": north}
    up = {a: np.maximum(b[there[a]] - b[here[a]], 0) for a in "xy"}
    down = {a: np.maximum(b[here[a]] - b[there[a]], 0) for a in "xy"}
    room = {a: [np.empty_like(up[a]) for _ in range(4)] for a in "xy"}
    wet = {a: np.empty(up[a].shape, bool) for a in "xy"}
    K, out = np.empty_like(b), np.empty_like(b)
    mu, area = np.float32((1 - friction) ** dt), np.float32(cell * cell)
    kick, k, step = np.float32(0.5 * G * dt), np.float32(dt / area), np.float32(dt)

    def accelerate(q, d, axis: str) -> None:
        """q := mu q + dt A g (h0 − h1) / l, where the upwind side stands above the sill."""
        a0, a1, rise, t = room[axis]
        np.maximum(np.subtract(d[here[axis]], up[axis], out=a0), 0, out=a0)
        np.maximum(np.subtract(d[there[axis]], down[axis], out=a1), 0, out=a1)
        np.multiply(np.add(a0, a1, out=t), kick, out=t)
        q *= mu
        q += np.multiply(t, np.subtract(a0, a1, out=rise), out=t)
        np.copyto(a1, a0, where=np.greater(q, 0, out=wet[axis]))
        np.copyto(q, 0, where=np.less_equal(a1, 0, out=wet[axis]))

    def add_outflow(q, axis: str) -> None:
        t = room[axis][0]
        out[here[axis]] += np.maximum(q, 0, out=t)
        out[there[axis]] -= np.minimum(q, 0, out=t)

    def scale(q, axis: str) -> None:
        """Apply the K of the cell that each flow leaves."""
        t = room[axis][0]
        np.copyto(t, K[there[axis]])
        np.copyto(t, K[here[axis]], where=np.greater(q, 0, out=wet[axis]))
        q *= t

    def move(q, d, axis: str) -> None:
        t = np.multiply(q, k, out=room[axis][0])
        d[here[axis]] -= t
        d[there[axis]] += t

    def run(water: Arrays, steps: int) -> Arrays:
        d, flows = water[0], {"x": water[1][east], "y": water[2][north]}
        for _ in range(steps):
            out[:] = 0
            for axis, q in flows.items():
                accelerate(q, d, axis)
                add_outflow(q, axis)
            np.maximum(np.multiply(out, step, out=out), np.float32(TINY), out=out)
            np.minimum(np.divide(np.multiply(d, area, out=K), out, out=K), 1, out=K)
            for axis, q in flows.items():
                scale(q, axis)
                move(q, d, axis)
            np.maximum(d, 0, out=d)
        return water

    return run
