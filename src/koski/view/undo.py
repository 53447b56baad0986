"""Edits of the terrain, to take back and make again: only the cells that changed are kept."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

MEMORY = 64 * 2**20  # of all edits [bytes]
MOST = 200  # edits


@dataclass(frozen=True)
class Edit:
    """A rectangle of heights before and after."""

    where: tuple[slice, slice]
    before: np.ndarray
    after: np.ndarray

    @property
    def size(self) -> int:
        return self.before.nbytes + self.after.nbytes


class Edits:
    """What was done to the ground, the latest last, and what of it was undone."""

    def __init__(self):
        self.done: deque[Edit] = deque()
        self.undone: list[Edit] = []

    def add(self, before, after) -> None:
        """Remember a change of the ground, if it is one; what was undone is forgotten."""
        old, new = np.asarray(before), np.asarray(after)
        rows, columns = (np.flatnonzero((old != new).any(axis)) for axis in (1, 0))
        if not rows.size:
            return
        where = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
        self.done.append(Edit(where, old[where].copy(), new[where].copy()))
        self.undone.clear()
        while len(self.done) > MOST or (len(self.done) > 1 and self.size > MEMORY):
            self.done.popleft()

    @property
    def size(self) -> int:
        return sum(e.size for e in self.done)

    def undo(self, b) -> np.ndarray | None:
        """The ground with the last edit taken back, or None where there is none."""
        if not self.done:
            return None
        self.undone.append(self.done.pop())
        return laid(b, self.undone[-1].where, self.undone[-1].before)

    def redo(self, b) -> np.ndarray | None:
        """The ground with the last undone edit made again, or None where there is none."""
        if not self.undone:
            return None
        self.done.append(self.undone.pop())
        return laid(b, self.done[-1].where, self.done[-1].after)


def laid(b, where, heights: np.ndarray) -> np.ndarray:
    new = np.array(b)
    new[where] = heights
    return new
