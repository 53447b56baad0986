"""Shapes given by their corners: closed meshes, and hulls of points.

Integrals over the solid are sums over the tetrahedra between its triangles and the origin:

    V = Σ D / 6,   ∫ x = Σ D (a + b + c) / 24,   ∫ x xᵀ = Σ D (s sᵀ + a aᵀ + b bᵀ + c cᵀ) / 120

with D = a · (b × c) and s = a + b + c.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from koski.bodies.hull import hull
from koski.bodies.shapes import LARGEST, Shape, keep
from koski.core.errors import InputError
from koski.extras import need


class Cornered(Shape):
    """A solid between triangles, `corners` [T, 3, 3], seen anticlockwise from outside."""

    corners: np.ndarray

    @cached_property
    def moments(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Volume, centroid and inertia."""
        tri = self.corners.astype(float)
        origin = tri.mean((0, 1))  # near the solid: sums far from it would cancel
        a, b, c = (tri - origin).transpose(1, 0, 2)
        D = (a * np.cross(b, c)).sum(1)
        s = a + b + c
        volume = D.sum() / 6
        if not abs(volume) > 0:
            raise InputError("a shape encloses no volume: give it a thickness")
        centroid = D @ s / (24 * volume)
        second = sum(np.einsum("t,ti,tj->ij", D, p, p) for p in (a, b, c, s)) / 120
        second = second - volume * np.outer(centroid, centroid)
        inertia = np.trace(second) * np.eye(3) - second
        return float(volume), centroid + origin, inertia

    @property
    def volume(self) -> float:
        return self.moments[0]

    @property
    def centroid(self) -> np.ndarray:
        return self.moments[1]

    @property
    def inertia(self) -> np.ndarray:
        return self.moments[2]

    @cached_property
    def reach(self) -> float:
        return float(np.linalg.norm(self.corners, axis=-1).max())


@dataclass(frozen=True, eq=False)
class Convex(Cornered):
    """The convex hull of points."""

    points: np.ndarray  # [P, 3] [m]

    def __post_init__(self):
        points = table("points", self.points, np.float32)
        keep(self, points=points, corners=points[hull(points.astype(float))])


@dataclass(frozen=True, eq=False)
class Mesh(Cornered):
    """A closed surface of triangles."""

    vertices: np.ndarray  # [P, 3] [m]
    faces: np.ndarray  # [T, 3], indices of vertices

    def __post_init__(self):
        vertices = table("vertices", self.vertices, np.float32)
        faces = table("faces", self.faces, np.int32)
        if faces.min() < 0 or faces.max() >= len(vertices):
            raise InputError(
                f"faces must name vertices 0 to {len(vertices) - 1}, not {faces.min()} to"
                f" {faces.max()}: count them from zero"
            )
        check_closed(faces)
        keep(self, vertices=vertices, faces=faces, corners=vertices[faces])
        if self.volume < 0:
            keep(self, faces=faces[:, ::-1].copy(), corners=vertices[faces[:, ::-1]])
            del self.__dict__["moments"]

    @staticmethod
    def load(path: str | os.PathLike) -> Mesh:
        """Read a closed mesh from any file that trimesh can read: OBJ, STL, PLY, GLB."""
        trimesh = need("trimesh", "bodies")
        if not os.path.exists(path):
            raise InputError(f"there is no file {path}")
        try:
            found = trimesh.load(path, force="mesh")
            found.merge_vertices(merge_tex=True, merge_norm=True)
            return Mesh(found.vertices, found.faces)
        except InputError as e:
            raise InputError(f"{path}: {e}") from None
        except Exception as e:  # each format fails in its own way
            raise InputError(f"{path} is not a mesh that trimesh can read ({e})") from None


def table(name: str, values, dtype) -> np.ndarray:
    """Rows of three finite numbers, or an InputError that names them."""
    try:
        rows = np.array(values, dtype=float)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.ndim != 2 or rows.shape[1] != 3 or len(rows) < 4:
        raise InputError(f"{name} must be at least four rows of three numbers")
    if not (np.abs(rows) <= LARGEST).all():
        raise InputError(f"{name} must be finite numbers: remove what is not")
    return rows.astype(dtype)


def check_closed(faces: np.ndarray) -> None:
    """Each edge is walked once each way, or the inside is not defined."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).astype(np.int64)
    n = faces.max() + 1
    there, count = np.unique(edges @ [n, 1], return_counts=True)
    back = edges @ [1, n]
    loose = int((count > 1).sum()) + int((~np.isin(back, there)).sum())
    if loose:
        raise InputError(
            f"the mesh is not watertight ({loose} of its edges do not join two faces that face"
            " the same way): close its holes in a mesh editor, or use Convex(vertices)"
        )
