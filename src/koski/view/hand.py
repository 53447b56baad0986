"""The one hand on the tools: who has it, and how it passes on."""

from __future__ import annotations

import time

IDLE = 20.0  # who has done nothing for so long must give the tools to who asks [s]


class Hand:
    """Given to the first, then to who asks when its holder is idle, or next in line when gone."""

    def __init__(self, clock=time.monotonic):
        self.holder: str | None = None
        self._clock, self._used = clock, 0.0

    def give(self, viewer: str | None) -> None:
        self.holder, self._used = viewer, self._clock()

    def ask(self, viewer: str) -> bool:
        """Whether the viewer has the tools now."""
        if self.holder in (None, viewer) or self._clock() - self._used > IDLE:
            self.give(viewer)
        return self.holder == viewer

    def use(self, viewer: str) -> bool:
        """Whether the viewer may act; nobody's tools are anybody's."""
        if self.holder in (None, viewer):
            self.give(viewer)
        return self.holder == viewer
