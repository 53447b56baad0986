"""The parts of all bodies, sorted into groups that keep their shape as bodies come and go.

Parts of one form that need windows of one size make a group, padded to a power of two.  A padding
slot belongs to a body far out of range, whose pose reads as NaN, and so is nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from koski.bodies.extents import HALF, STOUT, Facets, Form, Logs, Pills, Slabs
from koski.bodies.hull import planes
from koski.bodies.mesh import Convex, Cornered, Mesh
from koski.bodies.shapes import Box, Capsule, Cylinder, Shape, Sphere
from koski.bodies.turns import matrix
from koski.core.errors import InputError
from koski.core.grid import Grid
from koski.core.pytree import pytree, static

NOBODY = 2**30  # the body of a padding slot
FEWEST = 8  # slots in a group, corners of a hull
RING = 3  # cells of a window beside the part: one is free on either side, and half to move
PARALLEL = 1 - 1e-6  # cosine of the angle between normals that count as one
CUBE = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


@pytree
class Group:
    """Parts of one form, in windows of one size."""

    form: Form
    body: jax.Array  # which body each belongs to [n]
    at: jax.Array  # its middle, in the body's frame [n, 3] [m]
    turn: jax.Array  # its axes there [n, 3, 3]
    volume: jax.Array  # [n] [m³]
    centroid: jax.Array  # in the body's frame [n, 3] [m]
    spread: jax.Array  # mean of x xᵀ about that, in the body's frame [n, 3, 3] [m²]
    window: int = static(8)  # cells a side


def pack(
    shapes: Sequence[Shape | None], grid: Grid, old: Sequence[Group] = ()
) -> tuple[Group, ...]:
    """Sort the parts of all bodies into groups; a body has the index of its shape.

    None stands for a body that is gone.  Given the groups of before, these keep their places and
    only grow, so that a program compiled for them still fits unless a group is full.
    """
    like = {key(group): group for group in old}
    parts: dict[tuple, list[Group]] = {kind: [] for kind in like}
    bodies: dict[tuple, list[int]] = {kind: [] for kind in like}
    for body, shape in enumerate(shapes):
        for kind, part in sorted_parts(shape, grid) if shape is not None else ():
            like.setdefault(kind, part)
            parts.setdefault(kind, []).append(part)
            bodies.setdefault(kind, []).append(body)
    return tuple(stack(like[kind], parts[kind], bodies[kind]) for kind in like)


def key(group: Group) -> tuple:
    """What parts of one group have in common."""
    return type(group.form), group.window, *(f.shape[1:] for f in jax.tree.leaves(group.form))


def stack(like: Group, parts: list[Group], bodies: list[int]) -> Group:
    """One group of many, with at least as many slots as the one it is like."""
    slots = doubled(max(len(parts), len(like.body)))

    def column(f, *rows):
        empty = np.zeros((slots - len(rows), *f.shape[1:]), f.dtype)
        return np.concatenate([*rows, empty])

    group = jax.tree.map(column, like, *parts)
    group.body[:] = bodies + [NOBODY] * (slots - len(bodies))
    return jax.tree.map(jnp.asarray, group)


@lru_cache(1024)
def sorted_parts(shape: Shape, grid: Grid) -> list[tuple[tuple, Group]]:
    """The parts of a shape, each as a group of one of no body yet, and what group it belongs to."""
    parts = [alone(*placed, grid) for placed in shape.parts()]
    return [(key(part), part) for part in parts]


def alone(shape: Shape, at, rotation, grid: Grid) -> Group:
    """A group of one, of no body yet."""
    form, middle, reach = formed(shape, grid.cell)
    turn = matrix(rotation)
    spread = (0.5 * np.trace(shape.inertia) * np.eye(3) - shape.inertia) / shape.volume
    return Group(
        form,
        row(NOBODY, np.int32),
        row(at + turn @ middle),
        row(turn),
        row(shape.volume),
        row(at + turn @ shape.centroid),
        row(turn @ spread @ turn.T),
        bucket(min(2 * reach / grid.cell + RING, max(grid.shape))),
    )


def row(x, dtype: Any = np.float32) -> Any:
    """An array of one."""
    return np.asarray(x, dtype)[None]


def formed(shape: Shape, cell: float) -> tuple[Any, np.ndarray, float]:
    """A shape as one of the forms, its middle, and how far it reaches from there once thickened."""
    thin, stout, still = HALF * cell, STOUT * cell, np.zeros(3)
    match shape:
        case Box():
            half = 0.5 * np.array(shape.size)
            return box(half), still, norm(np.maximum(half, thin))
        case Sphere(radius):
            return Pills(row(radius), row(0)), still, max(radius + cell / 4, stout)
        case Capsule(radius, length):
            reach = length / 2 + max(radius + cell / 4, stout)  # it fills a cell by its quarters
            return Pills(row(radius), row(length / 2)), still, reach
        case Cylinder(radius, length):
            reach = np.hypot(max(radius, stout), max(length / 2, thin))
            return Logs(row(radius), row(length / 2)), still, reach
        case Convex():
            triangles, middle, _ = centred(shape)
            points = triangles.reshape(-1, 3)
            normals, _ = planes(points, np.arange(len(points)).reshape(-1, 3))
            hull = slabs(directions(normals), np.unique(points, axis=0))
            is_thin = (hull.high - hull.low).min() < 2 * thin
            return hull, middle, norm(points).max() + thin * is_thin
        case Mesh():
            triangles, middle, half = centred(shape)
            mesh = Facets(row(padded(triangles, 0)), box(half))
            return mesh, middle, norm(np.maximum(half, thin))
    raise InputError(f"{shape!r} is not a shape: use one of koski.bodies, such as Box((2, 1, 1))")


def norm(v) -> Any:
    return np.sqrt(np.square(v).sum(-1))


def centred(shape: Cornered) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A shape's triangles about the middle of its bounding box, that middle, and half its size."""
    triangles = shape.corners.astype(float)
    low, high = triangles.min((0, 1)), triangles.max((0, 1))
    middle = 0.5 * (low + high)
    return triangles - middle, middle, 0.5 * (high - low)


def box(half: np.ndarray) -> Slabs:
    return slabs(np.eye(3), CUBE * half)


def slabs(axes: np.ndarray, points: np.ndarray) -> Slabs:
    """What lies between planes across the axes that touch the points."""
    along = points @ axes.T
    low, high = along.min(0), along.max(0)
    if len(axes) > 3:
        axes, low, high = (padded(f, f[:1]) for f in (axes, low, high))
    return Slabs(*map(row, (axes, low, high, padded(points, points[:1]))))


def directions(normals: np.ndarray) -> np.ndarray:
    """Unit normals, the longest of those that are parallel."""
    size = np.linalg.norm(normals, axis=1)
    found = np.empty((0, 3))
    for n in normals[np.argsort(-size)] / np.maximum(np.sort(size)[::-1], 1e-300)[:, None]:
        if not (np.abs(found @ n) > PARALLEL).any():
            found = np.vstack([found, n])
    return found


def padded(f: np.ndarray, fill) -> np.ndarray:
    """More rows, to a power of two."""
    more = doubled(len(f)) - len(f)
    return np.concatenate([f, np.broadcast_to(fill, (more, *f.shape[1:]))])


def doubled(n: int) -> int:
    """The least of 8, 16, 32, … that holds n."""
    return max(FEWEST, 1 << (n - 1).bit_length())


def bucket(need: float) -> int:
    """The least of 6, 8, 12, 16, 24, 32, … that holds this many cells."""
    side = 6
    while side < need:
        side = side * 3 // 2 if side & (side - 1) == 0 else side * 4 // 3
    return side
