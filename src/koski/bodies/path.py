"""A way for a driven body: gates that lift, cars on a track."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from koski.bodies.shapes import Quaternion, Vector, keep, vector
from koski.core.errors import InputError, number


def led(path) -> bool:
    """Whether there is a path; an InputError if it is something else."""
    if path is not None and not isinstance(path, Path):
        raise InputError(f"a path is koski.Path(times, places), not {path!r}")
    return path is not None


@dataclass(frozen=True)
class Path:
    """Places, and turns if given, at rising times [s]; straight in between, at rest beyond."""

    times: tuple[float, ...]
    places: tuple[Vector, ...]  # [m]
    turns: tuple[Quaternion, ...] | None = None
    loop: bool = False  # begin again after the last

    def __post_init__(self):
        times = tuple(number("a path's time", t) for t in self.times)
        places = tuple(vector("a path's place", p) for p in self.places)
        turns: Any = self.turns and tuple(vector("a path's turn", q, 4) for q in self.turns)
        counts = {len(times), len(places), len(turns or places)}
        if counts == {0} or len(counts) > 1 or any(b <= a for a, b in pairwise(times)):
            raise InputError(
                "a path needs as many places (and turns) as times, and the times must rise"
            )
        keep(self, times=times, places=places, turns=turns, loop=bool(self.loop))  # type: ignore[arg-type]

    def at(self, t: float) -> tuple[np.ndarray, np.ndarray | None]:
        """Place and turn at a time."""
        first, last = self.times[0], self.times[-1]
        if self.loop and last > first:
            t = first + (t - first) % (last - first)
        k = int(np.clip(np.searchsorted(self.times, t), 1, max(len(self.times) - 1, 1)))
        if len(self.times) == 1:
            k, share = 0, 0.0
        else:
            share = float(
                np.clip((t - self.times[k - 1]) / (self.times[k] - self.times[k - 1]), 0, 1)
            )
        return self.between(self.places, k, share), self.turn(k, share)

    def between(self, f, k: int, share: float) -> np.ndarray:
        a, b = np.asarray(f[max(k - 1, 0)]), np.asarray(f[k])
        return a + share * (b - a)

    def turn(self, k: int, share: float) -> np.ndarray | None:
        if self.turns is None:
            return None
        a, b = np.asarray(self.turns[max(k - 1, 0)]), np.asarray(self.turns[k])
        q = a + share * ((b if a @ b >= 0 else -b) - a)
        return q / np.linalg.norm(q)
