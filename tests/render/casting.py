"""Bodies and rays of all kinds, and where they meet by plain casting in numpy."""

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from koski.bodies.mesh import Convex, Mesh
from koski.bodies.shapes import Box, Capsule, Cylinder, Shape, Sphere
from koski.bodies.turns import matrix
from koski.render.solids import Solids
from koski.render.tiles import CHUNK, PIXELS, Tiles, fourfold, whole

CLOSE = 1e-4  # how exact a hit is [m]
H, W = 192, 320
TILES = 256  # that many have them all
SUN = np.array([-0.5, 0.3, 0.7]) / np.linalg.norm([-0.5, 0.3, 0.7])
POINTS = np.random.default_rng(5).normal(size=(12, 3))


@dataclass(eq=False)
class Thing:
    shape: Shape
    position: Any
    rotation: Any = (1.0, 0.0, 0.0, 0.0)
    color: Any = None
    density: float = 500.0
    material: str | None = None


def ring(grow: float) -> Mesh:
    """A torus of facets."""
    n, m, r = 16, 8, 0.4 + grow
    u, v = (x.ravel() for x in np.mgrid[:n, :m])
    a, b = 2 * np.pi * u / n, 2 * np.pi * v / m
    out = 1 + r * np.cos(b)
    points = np.stack([out * np.cos(a), out * np.sin(a), r * np.sin(b)], -1)
    p, q, s, t = u * m + v, (u + 1) % n * m + v, (u + 1) % n * m + (v + 1) % m, u * m + (v + 1) % m
    return Mesh(points, np.concatenate([np.stack([p, q, s], -1), np.stack([p, s, t], -1)]))


SHAPES = {
    "box": lambda g: Box((1 + 2 * g, 2 + 2 * g, 0.6 + 2 * g)),
    "ball": lambda g: Sphere(0.7 + g),
    "pill": lambda g: Capsule(0.4 + g, 1.5),
    "log": lambda g: Cylinder(0.4 + g, 2 + 2 * g),
    "hull": lambda g: Convex(POINTS * (1 + g)),
    "mesh": ring,
}
each_shape = pytest.mark.parametrize("name", SHAPES)


def everything(solids: Solids, count: int = CHUNK) -> Tiles:
    """Lists of all solids for the first tiles of a picture."""
    n = [int((np.asarray(form.part) >= 0).sum()) for form in solids.forms]
    members = np.concatenate([np.arange(k) for k in n])
    return Tiles(
        jnp.arange(count),
        jnp.int32(count),
        whole(members, fourfold(len(members))),
        tuple(jnp.full(count, k, jnp.int32) for k in np.cumsum(n) - n),
        tuple(jnp.full(count, k, jnp.int32) for k in n),
    )


def as_many(listed: Tiles, count: int) -> Tiles:
    """With more tiles, of which nothing is listed: so that one program does for all."""

    def more(f, fill=0):
        return jnp.pad(f, (0, count - len(f)), constant_values=fill)

    lists = (tuple(map(more, f)) for f in (listed.start, listed.count))
    return Tiles(more(listed.index, 10**6), listed.used, listed.members, *lists)


def spun(rng, name: str, n: int, spread: float = 0.0) -> list[Thing]:
    places = spread * rng.normal(size=(n, 3))
    return [Thing(SHAPES[name](0), p, rng.normal(size=4)) for p in places]


# ── casting in plain numpy ───────────────────────────────────────────────────────────────


def first(shape: Shape, at, rotation, o, d) -> np.ndarray:
    """The distance along rays o + t d [3, n] to a shape, inf where they miss."""
    turn = matrix(np.asarray(rotation, float))
    o, d = turn.T @ (o - np.asarray(at)[:, None]), turn.T @ d
    with np.errstate(all="ignore"):
        t = np.stack(roots(shape, o, d))
        return np.where(t > CLOSE, t, np.inf).min(0)


def roots(shape: Shape, o, d) -> list[np.ndarray]:
    """Where lines cross the surface, one after the other; nan where they do not."""
    found = []

    def keep(t, on):
        found.append(np.where(on(o + t * d), t, np.nan))

    def quadratic(a, b, c, on):
        for side in (-1, 1):
            keep((-b + side * np.sqrt(b * b - a * c)) / a, on)

    def ball(z, on):
        p = o - np.array([[0], [0], [z]])
        quadratic(np.ones(o.shape[1]), (p * d).sum(0), (p * p).sum(0) - shape.radius**2, on)

    def side(long):
        p, v = o[:2], d[:2]
        terms = (v * v).sum(0), (p * v).sum(0), (p * p).sum(0) - shape.radius**2
        quadratic(*terms, lambda x: np.abs(x[2]) <= long)

    match shape:
        case Box():
            half = np.array(shape.size)[:, None] / 2
            for axis in range(3):
                for at in (-half[axis], half[axis]):
                    others = [i for i in range(3) if i != axis]
                    keep((at - o[axis]) / d[axis], lambda x: (np.abs(x) <= half)[others].all(0))  # noqa: B023
        case Sphere():
            ball(0, lambda x: np.isfinite(x[0]))
        case Capsule():
            long = shape.length / 2
            side(long)
            ball(-long, lambda x: x[2] <= -long)
            ball(long, lambda x: x[2] >= long)
        case Cylinder():
            side(shape.length / 2)
            for z in (-shape.length / 2, shape.length / 2):
                keep((z - o[2]) / d[2], lambda x: np.hypot(x[0], x[1]) <= shape.radius)
        case _:
            for a, b, c in shape.corners.astype(float):
                m = np.stack([b - a, c - a, np.zeros(3)], -1)
                systems = np.broadcast_to(m, (o.shape[1], 3, 3)).copy()
                systems[:, :, 2] = -d.T
                u, v, t = np.linalg.solve(systems, (o.T - a)[..., None])[..., 0].T
                inside = (u >= 0) & (v >= 0) & (u + v <= 1)
                found.append(np.where(inside, t, np.nan))
    return found


def bracket(name: str, things: list[Thing], o, d) -> tuple[np.ndarray, np.ndarray]:
    """Least and most distance to shapes that are at most CLOSE smaller or larger."""
    found = [
        np.min([first(SHAPES[name](g), x.position, x.rotation, o, d) for x in things], 0)
        for g in (-CLOSE, 0, CLOSE)
    ]
    return np.min(found, 0) - CLOSE, np.max(found, 0) + CLOSE


def some_rays(rng, n: int, aside: float = 0.9):
    """From outside toward the middle and past it, and from inside."""
    o, d = rng.normal(size=(2, 3, n))
    o *= np.where(np.arange(n) % 3, 4, 0.1)
    d = np.where(np.arange(n) % 3, aside * d - o, d)
    return np.float32(o).astype(float), unit(np.float32(d).astype(float))


def unit(v):
    return v / np.linalg.norm(v, axis=0)


def planar(v):
    return jnp.asarray(v.reshape(3, CHUNK, PIXELS), jnp.float32)
