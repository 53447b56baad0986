"""Shapes of every kind, and whether a point is inside: the plain truth to test against."""

import numpy as np

from koski.bodies.mesh import Convex, Mesh
from koski.bodies.shapes import Box, Capsule, Compound, Cylinder, Part, Sphere
from koski.bodies.turns import matrix

CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
FACES = np.array([t for a, b, c, d in SIDES for t in ((a, b, c), (a, c, d))])


def mesh_box(size, at=(0, 0, 0)) -> Mesh:
    return Mesh(CORNERS * size + at, FACES)


WEDGE = np.array(
    [(-1, -1, -0.5), (1, -1, -0.5), (-1, 1, -0.5), (1, 1, -0.5), (-1, 0, 1), (1, 0, 1)]
)
SHAPES = {
    "box": Box((3.0, 1.6, 1.2)),
    "sphere": Sphere(1.3),
    "capsule": Capsule(0.8, 2.0),
    "cylinder": Cylinder(0.9, 2.4),
    "convex": Convex(WEDGE * [1.5, 1.2, 1.4] + [0.3, 0, 0.2]),
    "mesh": mesh_box((3.0, 1.6, 1.2), at=(0.5, -0.2, 0.1)),
}


def inside(shape, p) -> np.ndarray:
    """Whether points [..., 3] in the shape's frame are in it."""
    match shape:
        case Box(size):
            return (np.abs(p) <= np.array(size) / 2).all(-1)
        case Sphere(radius):
            return (p**2).sum(-1) <= radius**2
        case Capsule(radius, length):
            z = p[..., 2] - np.clip(p[..., 2], -length / 2, length / 2)
            return p[..., 0] ** 2 + p[..., 1] ** 2 + z**2 <= radius**2
        case Cylinder(radius, length):
            round_ = p[..., 0] ** 2 + p[..., 1] ** 2 <= radius**2
            return round_ & (np.abs(p[..., 2]) <= length / 2)
        case Compound(members):
            return np.any(
                [inside(m.shape, (p - m.at) @ matrix(m.rotation)) for m in members], axis=0
            )
    a, b, c = shape.corners.astype(float).transpose(1, 0, 2)  # all of ours are convex
    n = np.cross(b - a, c - a)
    return (p @ n.T <= (n * a).sum(1) + 1e-9).all(-1)


def cloud(shape, n=64) -> np.ndarray:
    """Points that fill a shape: one somewhere in each of n³ little cubes."""
    k = np.stack(np.meshgrid(*[np.arange(n)] * 3), -1).reshape(-1, 3)
    k = k + np.random.default_rng(0).uniform(size=k.shape)
    p = (k / n * 2 - 1) * shape.reach
    return p[inside(shape, p)]


RAFT = Compound((Part(Box((4.0, 3.0, 0.4))), Part(Cylinder(0.3, 2.0), at=(0.5, 0.0, 1.2))))
