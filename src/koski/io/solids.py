"""Rigid bodies as a picture sees them: simple parts, each in its place, colour and triangles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from koski.bodies.mesh import Cornered, Mesh
from koski.bodies.shapes import Box, Capsule, Cylinder, Shape, Sphere
from koski.bodies.turns import matrix
from koski.core.errors import InputError
from koski.core.grid import Grid
from koski.io.paint_pixels import Array, rgb_of

WOOD, BARK, BUOY, STONE, HULL = "#b98a54", "#9c7850", "#d6552f", "#97938c", "#c9ccc9"
FLAT = 0.1  # how far a facet may lie from the round surface [px]
MOST = 192  # facets about an axis


@dataclass(frozen=True)
class Solid:
    """A simple shape that is part of a body."""

    shape: Shape
    at: Array  # of its origin [3] [m]
    turn: Array  # its axes, as columns [3, 3]
    color: Array  # from 0 to 1 [3]
    natural: bool  # has the colour of its material, thus its grain
    body: int

    @cached_property
    def thick(self) -> float:
        """The least width along the shape's axes [m]."""
        if isinstance(self.shape, Box):
            return min(self.shape.size)
        if isinstance(self.shape, Cornered):
            return float(np.ptp(self.shape.corners, axis=(0, 1)).min())
        return 2 * getattr(self.shape, "radius", self.shape.reach)

    @cached_property
    def axis(self) -> float:
        """Half the length of the line about which the shape is round [m]."""
        if isinstance(self.shape, Cylinder):
            return np.inf
        return self.shape.length / 2 if isinstance(self.shape, Capsule) else 0.0


@dataclass(frozen=True)
class Triangles:
    """The surface of many solids."""

    corners: Array  # [T, 3, 3] [m]
    normals: Array  # of length one, or zero where the corners are in line [T, 3]
    solid: Array  # whose each is [T]
    body: Array  # whose that is [T]
    round: Array  # whether it stands for a curved surface [T]

    def where(self, some: Array) -> Triangles:
        fields = self.corners, self.normals, self.solid, self.body, self.round
        return Triangles(*(f[some] for f in fields))


def solids_of(bodies: Iterable, grid: Grid) -> tuple[Solid, ...]:
    """All parts of the bodies that are above, on or in the grid; once more where it repeats."""
    found = []
    size = np.array(grid.size)
    wraps = [(-1, 0, 1) if wrap else (0,) for wrap in (grid.wrap_x, grid.wrap_y)]
    shifts = [np.array([i, j, 0.0]) * [*size, 0] for i, j in product(*wraps)]
    for k, body in enumerate(bodies):
        if not isinstance(getattr(body, "shape", None), Shape):
            raise InputError(f"a body in a picture has a shape such as Box((2, 1, 1)), not {body}")
        at, rotation = np.array(body.position, float), np.array(body.rotation, float)
        if at.shape != (3,) or rotation.shape != (4,):
            raise InputError(
                "a body in a picture has a position (x, y, z) and a rotation (w, x, y, z), not"
                f" {body.position} and {body.rotation}"
            )
        if not (np.isfinite(at).all() and np.isfinite(rotation).all()):
            continue
        at[:2] = np.where([grid.wrap_x, grid.wrap_y], at[:2] % size, at[:2])
        turn, given = matrix(rotation), getattr(body, "color", None)
        for shape, where, how in body.shape.parts():
            color = tint(k) * rgb_of(material(shape)) if given is None else rgb(given)
            middle = at + turn @ np.array(where)
            solid = Solid(shape, middle, turn @ matrix(how), color, given is None, k)
            for shift in shifts:
                low, high = (middle + shift)[:2] - shape.reach, (middle + shift)[:2] + shape.reach
                if (high > 0).all() and (low < size).all():
                    found.append(replace(solid, at=middle + shift))
    return tuple(found)


def material(shape: Shape) -> str:
    """The colour of what bodies of a shape are mostly made of."""
    if isinstance(shape, Box):
        return WOOD
    if isinstance(shape, Cylinder | Capsule):
        return BARK
    if isinstance(shape, Sphere):
        return BUOY
    return HULL if isinstance(shape, Mesh) else STONE


def tint(k: int) -> float:
    """A little lighter or darker, so that neighbours differ."""
    return 0.9 + 0.2 * ((0.5 + 0.618034 * k) % 1)


def rgb(color) -> Array:
    """A colour from its name, or three numbers from 0 to 1."""
    from matplotlib.colors import to_rgb

    try:
        return np.array(to_rgb(color if isinstance(color, str) else tuple(color)))
    except (TypeError, ValueError):
        raise InputError(
            f"{color!r} is no colour: give a name such as 'red', or (r, g, b) from 0 to 1"
        ) from None


def triangles(solids: tuple[Solid, ...], scale: float) -> Triangles:
    """The surfaces of all solids, as fine as `scale` [px/m] can show."""
    corners, rounds, owners = [np.zeros((0, 3, 3))], [np.zeros(0, bool)], [np.zeros(0, int)]
    for k, s in enumerate(solids):
        local, curved = surface(s.shape, scale)
        corners.append(local @ s.turn.T + s.at)
        rounds.append(curved)
        owners.append(np.full(len(local), k))
    c = np.concatenate(corners)
    n = np.cross(c[:, 1] - c[:, 0], c[:, 2] - c[:, 0])
    n /= np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-300)
    owner = np.concatenate(owners)
    body = np.array([s.body for s in solids], int)[owner]
    return Triangles(c, n, owner, body, np.concatenate(rounds))


def surface(shape: Shape, scale: float) -> tuple[Array, Array]:
    """Triangles [T, 3, 3] in the shape's axes, and which of them are curved in truth."""
    if isinstance(shape, Box):
        return np.array(shape.size) * CUBE, np.zeros(len(CUBE), bool)
    if isinstance(shape, Cornered):
        return shape.corners.astype(float), np.zeros(len(shape.corners), bool)
    if not isinstance(shape, Sphere | Cylinder | Capsule):
        raise InputError(f"a picture cannot show a shape of the kind {type(shape).__name__}")
    n = int(np.clip(np.pi / np.sqrt(2 * FLAT / (shape.radius * scale + 1e-9)), 12, MOST))
    if isinstance(shape, Cylinder):
        r = shape.radius * np.array([0.0, 1, 1, 0])
        z = shape.length / 2 * np.array([-1.0, -1, 1, 1])
        tri, band = lathe(r, z, n)
        return tri, band == 1
    angle = np.linspace(-np.pi / 2, np.pi / 2, n // 2 + 1)
    half = shape.length / 2 if isinstance(shape, Capsule) else 0.0
    z = shape.radius * np.sin(angle)
    below, above = angle <= 0, angle >= 0
    z = np.concatenate([z[below] - half, z[above] + half])
    r = shape.radius * np.cos(np.concatenate([angle[below], angle[above]]))
    tri, _ = lathe(r, z, n)
    return tri, np.ones(len(tri), bool)


def lathe(r: Array, z: Array, n: int) -> tuple[Array, Array]:
    """The profile of radii r at heights z, turned about the z axis, and the band of each part."""
    angle = np.arange(n + 1) * (2 * np.pi / n)
    ring = np.stack([np.cos(angle), np.sin(angle)], -1)
    flat = r[:, None, None] * ring
    p = np.concatenate([flat, np.broadcast_to(z[:, None, None], (*flat.shape[:2], 1))], -1)
    a, b, c, d = p[:-1, :-1], p[:-1, 1:], p[1:, 1:], p[1:, :-1]
    tri = np.stack([np.stack([a, b, c], 2), np.stack([a, c, d], 2)], 2)
    return tri.reshape(-1, 3, 3), np.repeat(np.arange(len(r) - 1), 2 * n)


def cube() -> Array:
    """The twelve triangles of a cube of side one about the origin."""
    faces = []
    for axis, side in product(range(3), (-0.5, 0.5)):
        square = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
        p = np.roll(np.c_[np.full(4, side), square], axis, axis=1)[:: 1 if side > 0 else -1]
        faces += [p[[0, 1, 2]], p[[0, 2, 3]]]
    return np.array(faces)


CUBE = cube()
