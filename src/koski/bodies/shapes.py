"""Shapes of rigid bodies: full sizes in metres, the origin at their centre, long axes along z.

Volume, centroid and inertia are those of a solid of density one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from koski.bodies.turns import STILL, matrix, multiply, rotate
from koski.core.errors import InputError, number

SMALLEST = 1e-6  # length of anything [m]
LARGEST = 1e9

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Placed = tuple["Shape", Vector, Quaternion]


class Shape(ABC):
    """What all shapes can tell of themselves."""

    @property
    @abstractmethod
    def volume(self) -> float:
        """[m³]"""

    @property
    def centroid(self) -> np.ndarray:
        """The centre of the volume [m]."""
        return np.zeros(3)

    @property
    @abstractmethod
    def inertia(self) -> np.ndarray:
        """About the centroid, 3 × 3 [m⁵]."""

    @property
    @abstractmethod
    def reach(self) -> float:
        """Of the farthest point from the origin [m]."""

    def parts(self) -> list[Placed]:
        """The simple shapes it is made of, each with its place and rotation."""
        return [(self, (0.0, 0.0, 0.0), STILL)]


def keep(shape: Any, **fields) -> None:
    """Write the checked fields of a frozen dataclass."""
    for name, value in fields.items():
        object.__setattr__(shape, name, value)


def length(name: str, value) -> float:
    return number(name, value, low=SMALLEST, high=LARGEST)


def vector(name: str, value, n: int = 3) -> tuple[float, ...]:
    """`n` finite numbers, or an InputError that names them."""
    try:
        values = list(value)
    except TypeError:
        values = []
    if len(values) != n:
        raise InputError(f"{name} must be {n} numbers, not {value!r}")
    return tuple(number(name, v) for v in values)


@dataclass(frozen=True)
class Box(Shape):
    """A cuboid."""

    size: Vector  # along x, y and z [m]

    def __post_init__(self):
        keep(self, size=tuple(length("size of a box", s) for s in vector("size", self.size)))

    @property
    def volume(self) -> float:
        return float(np.prod(self.size))

    @property
    def inertia(self) -> np.ndarray:
        squares = np.square(self.size)
        return np.diag(self.volume / 12 * (squares.sum() - squares))

    @property
    def reach(self) -> float:
        return 0.5 * float(np.linalg.norm(self.size))


@dataclass(frozen=True)
class Sphere(Shape):
    """A ball."""

    radius: float  # [m]

    def __post_init__(self):
        keep(self, radius=length("radius", self.radius))

    @property
    def volume(self) -> float:
        return 4 / 3 * np.pi * self.radius**3

    @property
    def inertia(self) -> np.ndarray:
        return 0.4 * self.volume * self.radius**2 * np.eye(3)

    @property
    def reach(self) -> float:
        return self.radius


@dataclass(frozen=True)
class Cylinder(Shape):
    """A round log or pole with flat ends."""

    radius: float  # [m]
    length: float  # [m]

    def __post_init__(self):
        keep(self, radius=length("radius", self.radius), length=length("length", self.length))

    @property
    def volume(self) -> float:
        return np.pi * self.radius**2 * self.length

    @property
    def inertia(self) -> np.ndarray:
        across = self.volume * (3 * self.radius**2 + self.length**2) / 12
        return np.diag([across, across, self.volume * self.radius**2 / 2])

    @property
    def reach(self) -> float:
        return float(np.hypot(self.radius, self.length / 2))


@dataclass(frozen=True)
class Capsule(Shape):
    """A round log with round ends."""

    radius: float  # [m]
    length: float  # between the centres of the ends [m]

    def __post_init__(self):
        keep(self, radius=length("radius", self.radius), length=length("length", self.length))

    @property
    def volume(self) -> float:
        return np.pi * self.radius**2 * (self.length + 4 / 3 * self.radius)

    @property
    def inertia(self) -> np.ndarray:
        r, half = self.radius, self.length / 2
        cap = 2 / 3 * np.pi * r**3  # one end, whose centroid is ⅜ r from its flat side
        across = 2 * cap * (83 / 320 * r**2 + (half + 3 / 8 * r) ** 2)
        ends = np.diag([across, across, 0.8 * cap * r**2])
        return Cylinder(r, self.length).inertia + ends

    @property
    def reach(self) -> float:
        return self.length / 2 + self.radius


@dataclass(frozen=True)
class Part:
    """A shape's place within a compound."""

    shape: Shape
    at: Vector = (0.0, 0.0, 0.0)  # of its origin [m]
    rotation: Quaternion = STILL

    def __post_init__(self):
        if not isinstance(self.shape, Shape):
            raise InputError(f"a part needs a shape such as Box((2, 1, 1)), not {self.shape!r}")
        rotation = np.array(vector("rotation", self.rotation, 4))
        if not np.linalg.norm(rotation) > 0:
            raise InputError("a rotation is (w, x, y, z) and not all zero: (1, 0, 0, 0) is none")
        rotation = rotation / np.linalg.norm(rotation)
        keep(self, at=vector("at", self.at), rotation=tuple(map(float, rotation)))


@dataclass(frozen=True)
class Compound(Shape):
    """Shapes held together.  Where they overlap, their volume counts twice."""

    members: tuple[Part, ...]

    def __post_init__(self):
        members = self.members
        if not isinstance(members, Sequence) or not members:
            raise InputError(
                "a compound needs at least one part: Compound((Part(Box((1, 1, 1))),))"
            )
        keep(self, members=tuple(m if isinstance(m, Part) else Part(m) for m in members))

    @cached_property
    def volume(self) -> float:
        return sum(m.shape.volume for m in self.members)

    @cached_property
    def centroid(self) -> np.ndarray:
        moments = [m.shape.volume * self.middle(m) for m in self.members]
        return np.sum(moments, axis=0) / self.volume

    @cached_property
    def inertia(self) -> np.ndarray:
        total = np.zeros((3, 3))
        for m in self.members:
            turn, arm = matrix(m.rotation), self.middle(m) - self.centroid
            total += turn @ m.shape.inertia @ turn.T
            total += m.shape.volume * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        return total

    @cached_property
    def reach(self) -> float:
        return max(float(np.linalg.norm(m.at)) + m.shape.reach for m in self.members)

    @staticmethod
    def middle(m: Part) -> np.ndarray:
        """The centroid of a part."""
        return m.at + rotate(m.rotation, m.shape.centroid)

    def parts(self) -> list[Placed]:
        return [
            (
                simple,
                tuple(map(float, m.at + rotate(m.rotation, at))),  # type: ignore[misc]
                tuple(map(float, multiply(m.rotation, turn))),
            )
            for m in self.members
            for simple, at, turn in m.shape.parts()
        ]
