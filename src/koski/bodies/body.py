"""What a person holds of a body in a world."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from koski.bodies.fleet import Fleet
from koski.bodies.path import Path
from koski.bodies.shapes import Shape
from koski.core.errors import InputError


class Body:
    """A body in a world: where it is, how it moves, what the water does to it."""

    def __init__(self, fleet: Fleet, key: int):
        self._fleet, self._key = fleet, key

    @property
    def key(self) -> int:
        """Its number, which it keeps for life."""
        return self._key

    @property
    def moves(self) -> str:
        """Whether it is "free", "fixed" or "driven"."""
        return self._spec.moves

    @property
    def shape(self) -> Shape:
        return self._spec.shape

    @property
    def mass(self) -> float:
        """[kg]"""
        return self._spec.mass

    @property
    def density(self) -> float:
        """[kg/m³]"""
        return self.mass / self.shape.volume

    @property
    def kind(self) -> str:
        """Whether it blocks the water, "blocker", or floats in it, "floater"."""
        return self._record.kind

    @kind.setter
    def kind(self, kind: str) -> None:
        if kind not in ("blocker", "floater"):
            raise InputError(f"a body is a floater or a blocker, not {kind!r}")
        self._fleet.records[self._key] = replace(self._record, kind=kind)
        self._fleet.still = None

    @property
    def color(self):
        return self._record.color

    @property
    def material(self) -> str | None:
        """What it was said to be made of; where nothing was, pictures go by shape and density."""
        return self._record.material

    @property
    def position(self) -> np.ndarray:
        """Of its origin [m]."""
        return self._moves("position")

    @property
    def rotation(self) -> np.ndarray:
        """(w, x, y, z)"""
        return self._moves("rotation")

    @property
    def velocity(self) -> np.ndarray:
        """Of its centre of mass [m/s]."""
        return self._moves("velocity")

    @property
    def spin(self) -> np.ndarray:
        """[rad/s]"""
        return self._moves("spin")

    @property
    def submerged(self) -> float:
        """The share of its volume that is under water."""
        return float(self._fleet.submerged[self._row] / self.shape.volume)

    @property
    def force(self) -> np.ndarray:
        """Of the water on it [N]."""
        return self._fleet.force[self._row].copy()

    @property
    def torque(self) -> np.ndarray:
        """Of the water on it, about its centre of mass [N m]."""
        return self._fleet.torque[self._row].copy()

    def place(self, position=None, rotation=None, velocity=None, spin=None) -> None:
        """Put it somewhere else, or set it in motion; a driven one gets there in the next step."""
        self._there()
        self._fleet.engine.place(self._key, position, rotation, velocity, spin)

    def drive(self, path: Path | None) -> None:
        """Lead a driven body along another path; with none it goes where it is placed."""
        if self.moves != "driven":
            raise InputError(f"this body is {self.moves}: only one dropped with a path is driven")
        self._fleet.records[self._key] = replace(self._record, path=path)

    def remove(self) -> None:
        """Take it out of the world."""
        self._there()
        self._fleet.remove(self._key)

    def __repr__(self) -> str:
        if self._key not in self._fleet.records:
            return "Body(removed)"
        x, y, z = self.position
        return f"Body({self.shape!r} at ({x:.2f}, {y:.2f}, {z:.2f}), {self.kind})"

    def __eq__(self, other) -> bool:
        return isinstance(other, Body) and (self._fleet, self._key) == (other._fleet, other._key)

    def __hash__(self) -> int:
        return hash((id(self._fleet), self._key))

    @property
    def _record(self):
        self._there()
        return self._fleet.records[self._key]

    @property
    def _spec(self):
        self._there()
        return self._fleet.engine.specs[self._key]

    def _there(self) -> None:
        if self._key not in self._fleet.records:
            raise InputError("this body was removed from its world")

    @property
    def _row(self) -> int:
        self._there()
        return self._fleet.slots[self._key]

    def _moves(self, name: str) -> np.ndarray:
        self._there()
        motion = self._fleet.engine.motion
        return getattr(motion, name)[self._fleet.engine.row(self._key)].copy()
