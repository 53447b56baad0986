"""The convex hull of points, grown one point at a time."""

import numpy as np

from koski.core.errors import InputError

FLAT = 1e-5  # share of the points' extent that a solid is at least thick
STIR = 1e-7  # share of it by which points are moved, so that no four lie in one plane


def hull(points: np.ndarray) -> np.ndarray:
    """The hull's triangles [F, 3], as indices of the points, seen anticlockwise from outside.

    The points are stirred a little first: which side of a plane one lies on is then never a
    matter of rounding, which would tear the hull.
    """
    extent = float(np.ptp(points, axis=0).max())
    points = points - points.mean(0)
    points = points + STIR * extent * np.random.default_rng(0).uniform(-1, 1, points.shape)
    corners = first_four(points, FLAT * extent)
    faces = np.array([np.delete(corners, i) for i in range(4)])
    normals, offsets = planes(points, faces)
    inward = normals @ points[corners].mean(0) > offsets
    faces[inward] = faces[inward][:, ::-1]
    normals, offsets = planes(points, faces)
    for p in np.setdiff1d(np.arange(len(points)), corners):
        seen = normals @ points[p] > offsets
        if seen.any():
            new = np.array([(a, b, p) for a, b in horizon(faces[seen])])
            n, at = planes(points, new)
            faces = np.concatenate([faces[~seen], new])
            normals = np.concatenate([normals[~seen], n])
            offsets = np.concatenate([offsets[~seen], at])
    return faces


def first_four(points, thin: float) -> list[int]:
    """Four points far apart: they span a tetrahedron."""
    a = int(points[:, 0].argmin())
    away = points - points[a]
    b = int((away**2).sum(1).argmax())
    c = int((np.cross(away, away[b]) ** 2).sum(1).argmax())
    normal = np.cross(away[b], away[c])
    height = np.abs(away @ normal)
    d = int(height.argmax())
    if not height[d] > thin * np.linalg.norm(normal):
        raise InputError("the points of a convex shape lie in a plane: give it a thickness")
    return [a, b, c, d]


def planes(points, faces) -> tuple[np.ndarray, np.ndarray]:
    """Outward normals n, as long as twice the triangles' areas, and offsets: n · x = offset."""
    a, b, c = (points[faces[:, i]] for i in range(3))
    n = np.cross(b - a, c - a)
    return n, (n * a).sum(1)


def horizon(seen) -> set[tuple[int, int]]:
    """The edges between the faces that a point sees and those that it does not."""
    edges = {(int(f[i]), int(f[i - 2])) for f in seen for i in range(3)}
    return {(a, b) for a, b in edges if (b, a) not in edges}
