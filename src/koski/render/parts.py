"""From the shapes of bodies to forms that rays can meet, kept while the shapes stay the same."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from koski.bodies.fleet import made_of
from koski.bodies.groups import CUBE, centred, directions, doubled
from koski.bodies.hull import planes
from koski.bodies.mesh import Convex, Mesh
from koski.bodies.shapes import Box, Capsule, Cylinder, Shape, Sphere
from koski.bodies.turns import matrix
from koski.core.errors import InputError
from koski.io.paint_pixels import rgb_of
from koski.io.solids import BUOY, rgb, tint
from koski.render.forms import Facets, Form, Logs, Pills, Slabs
from koski.render.materials import MATERIALS

HEAVY = 1800.0  # what weighs more is of stone [kg/m³]
LIGHT = 800.0  # what weighs less is of wood
LONG = 2.0  # round things longer than this many times their width are logs
CREASE = np.cos(np.deg2rad(40))  # facets that meet at a smaller angle stand for a curved surface
THIN = 1e-12  # share of the square of its longest side that a facet's area is at least

Rows = dict[str, np.ndarray]  # fields of a form, the numbers of its solids on the first axis


@dataclass(frozen=True)
class Look:
    """What a body is made of, as far as it is known."""

    color: Any = None
    material: str | None = None
    density: float = 500.0  # [kg/m³]


@dataclass(frozen=True)
class Packed:
    """The parts of all bodies, in their axes, padded to a power of two with parts of nobody."""

    forms: tuple[Form, ...]
    body: np.ndarray  # which body each belongs to; the padding to one more than there are [n]
    at: np.ndarray  # its middle [n, 3] [m]
    turn: np.ndarray  # its axes, as columns [n, 3, 3]
    half: jax.Array  # [3, n] [m]
    color: jax.Array  # [3, n]
    material: jax.Array  # [n]


@lru_cache(8)
def pack(bodies: tuple[tuple[Shape, Look], ...]) -> Packed:
    """Sort what bodies are made of by its form."""
    parts: list[tuple] = []
    kinds: dict[tuple, list[Rows]] = {}
    for k, (shape, look) in enumerate(bodies):
        for simple, at, rotation in shape.parts():
            kind, rows, middle, half = formed(simple)
            turn = matrix(rotation)
            color, material = seen_as(simple, look, k)
            owner = np.full(len(rows["middle"]), len(parts), np.int32)
            kinds.setdefault(kind, []).append(rows | {"part": owner})
            parts.append((k, at + turn @ middle, turn, half, color, material))
    nobody = (len(bodies), np.zeros(3), np.eye(3), np.ones(3), np.ones(3), 0)
    parts += [nobody] * (doubled(len(parts)) - len(parts))
    owners, places, axes, *others = (np.array(f) for f in zip(*parts))
    forms = tuple(stack(kind[0], rows) for kind, rows in kinds.items())
    return Packed(forms, owners, places, axes, *map(last, others))


def stack(form: type, solids: list[Rows]) -> Any:
    """All solids of one form, padded to a power of two with solids of no part."""
    columns = {name: np.concatenate([s[name] for s in solids]) for name in solids[0]}
    n = len(columns["part"])
    columns = {name: filled(f, doubled(n)) for name, f in columns.items()}
    columns["part"][n:] = -1
    return form(**{f.name: last(columns[f.name]) for f in fields(form)})


def filled(f: np.ndarray, n: int) -> np.ndarray:
    """With more of the first row, to have n."""
    return np.concatenate([f, np.repeat(f[:1], n - len(f), 0)])


def last(f: np.ndarray) -> jax.Array:
    """With the first axis as the last one."""
    dtype = jnp.int32 if np.issubdtype(f.dtype, np.integer) else jnp.float32
    return jnp.asarray(np.moveaxis(f, 0, -1), dtype)


# ── shapes ───────────────────────────────────────────────────────────────────────────────


@lru_cache(1024)
def formed(shape: Shape) -> tuple[tuple, Rows, np.ndarray, np.ndarray]:
    """A simple shape as solids of one form, the kind of that, its middle, and half its size."""
    middle = np.zeros(3)
    match shape:
        case Box():
            half = 0.5 * np.array(shape.size)
            rows = slabs(np.eye(3), np.eye(3), CUBE * half)
            return (Slabs, 3), rows | about(half), middle, half
        case Sphere(r):
            half = np.full(3, r)
            return (
                (Pills,),
                {"radius": np.array([r]), "long": np.zeros(1)} | about(half),
                middle,
                half,
            )
        case Capsule(r, long):
            half = np.array([r, r, r + long / 2])
            rows = {"radius": np.array([r]), "long": np.array([long / 2])}
            return (Pills,), rows | about(half), middle, half
        case Cylinder(r, long):
            half = np.array([r, r, long / 2])
            rows = {"radius": np.array([r]), "long": np.array([long / 2])}
            return (Logs,), rows | about(half), middle, half
        case Convex():
            triangles, middle, half = centred(shape)
            rows = hull(triangles)
            return (Slabs, rows["at"].shape[1]), rows | about(half), middle, half
        case Mesh():
            triangles, middle, half = centred(shape)
            return (Facets,), facets(triangles, corner_normals(shape)), middle, half
    raise InputError(f"a picture cannot show a shape of the kind {type(shape).__name__}")


def about(half: np.ndarray) -> Rows:
    """The box about a solid that is a whole part."""
    return {"middle": np.zeros((1, 3)), "half": half[None]}


def slabs(axes: np.ndarray, edges: np.ndarray, points: np.ndarray) -> Rows:
    """What lies between planes across the axes that touch the points."""
    along = points @ axes.T
    low, high = along.min(0), along.max(0)
    rows = {"axis": axes, "at": (low + high) / 2, "wide": (high - low) / 2}
    return {name: f[None] for name, f in (rows | {"edge": edges, "corner": points}).items()}


def hull(triangles: np.ndarray) -> Rows:
    """Slabs of a convex solid, as many of each kind as of the others, and a power of two."""
    points = triangles.reshape(-1, 3)
    normals, _ = planes(points, np.arange(len(points)).reshape(-1, 3))
    axes = directions(normals)
    edges = directions((np.roll(triangles, -1, axis=1) - triangles).reshape(-1, 3))
    corners = np.unique(points, axis=0)
    most = doubled(max(map(len, (axes, edges, corners))))
    return slabs(*(filled(f, most) for f in (axes, edges, corners)))


def facets(triangles: np.ndarray, normals: np.ndarray) -> Rows:
    """Triangles [T, 3, 3] with normals at their corners, less those that are lines."""
    a, b, c = triangles.transpose(1, 0, 2)
    p, q = b - a, c - a
    g = np.cross(p, q)
    size = (g * g).sum(1)
    longest = np.maximum((p * p).sum(1), (q * q).sum(1))
    whole = size > THIN * longest**2
    a, p, q, g, size, triangles = (f[whole] for f in (a, p, q, g, size, triangles))
    n, to_p, to_q = (normals[whole, i] - normals[whole, 0] * (i > 0) for i in range(3))
    share_p, share_q = np.cross(q, g) / size[:, None], np.cross(g, p) / size[:, None]
    bend = to_p[:, :, None] * share_p[:, None] + to_q[:, :, None] * share_q[:, None]
    low, high = triangles.min(1), triangles.max(1)
    return {
        "middle": (low + high) / 2,
        "half": (high - low) / 2,
        "corner": a,
        "p": p,
        "q": q,
        "facing": n - (bend @ a[..., None])[..., 0],
        "bend": bend,
    }


def corner_normals(mesh: Mesh) -> np.ndarray:
    """At each corner [T, 3, 3], the mean over the faces there that its own meets smoothly."""
    faces = np.asarray(mesh.faces)
    tri = mesh.corners.astype(float)
    normal = np.cross(tri[:, 1] - tri[:, 0], tri[:, 2] - tri[:, 0])
    facing = normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    vertex = faces.ravel()
    order = np.argsort(vertex, kind="stable")
    count = np.bincount(vertex)
    first = np.cumsum(count) - count
    many = count[vertex]  # faces about each corner
    corner = np.repeat(np.arange(vertex.size), many)
    nth = np.arange(corner.size) - np.repeat(np.cumsum(many) - many, many)
    other = order[first[vertex[corner]] + nth] // 3
    smooth = (facing[corner // 3] * facing[other]).sum(1) > CREASE
    parts = normal[other] * smooth[:, None]
    total = np.stack([np.bincount(corner, parts[:, i], vertex.size) for i in range(3)], -1)
    size = np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)
    return (total / size).reshape(*faces.shape, 3)


# ── looks ────────────────────────────────────────────────────────────────────────────────


def seen_as(shape: Shape, look: Look, k: int) -> tuple[np.ndarray, int]:
    """The colour, linear and a factor on that of the material, and the material's number."""
    name = made_of(look.material) or material(shape, look)
    if look.color is not None:
        return linear(rgb(look.color)), MATERIALS[name]
    own = rgb_of(BUOY) if name == "paint" else np.ones(3)
    return linear(own) * tint(k), MATERIALS[name]


def material(shape: Shape, look: Look) -> str:
    """What bodies of a shape are mostly made of."""
    if look.color is not None:
        return "paint"
    if look.density > HEAVY:
        return "stone"
    match shape:
        case Box():
            return "crate"
        case Sphere():
            return "paint"
        case Cylinder(r, long) | Capsule(r, long) if long > 2 * LONG * r:
            return "wood"
        case Convex() if look.density < LIGHT:
            return "wood"
    return "metal"


def linear(c: np.ndarray) -> np.ndarray:
    """The light of a display's values.      IEC 61966-2-1"""
    return np.where(c > 0.04045, ((c + 0.055) / 1.055) ** 2.4, c / 12.92)
