"""What became of the water."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Volume:
    """The ledger of the water [m³]: what was there, came in, went out, and is there."""

    start: float
    came: float
    went: float
    now: float

    @property
    def drift(self) -> float:
        """What the ledger and the water disagree by, as a share of all water there has been."""
        return (self.now - (self.start + self.came - self.went)) / max(self.start + self.came, 1e-9)

    def __float__(self) -> float:
        return self.now
