"""What the page is told of a world besides its maps: knobs, edges, bodies and springs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jax.numpy as jnp
import numpy as np

from koski.bodies.body import Body
from koski.bodies.mesh import Cornered
from koski.bodies.shapes import Box, Capsule, Cylinder, Shape, Sphere
from koski.core import edges as rules
from koski.core.edges import Edges, Series
from koski.core.errors import InputError
from koski.render import parts
from koski.scene import Spring
from koski.view.messages import BodyInfo, EdgeInfo, PartInfo, SpringInfo

COLOURS = {
    "wood": [0.61, 0.50, 0.37],
    "crate": [0.67, 0.56, 0.42],
    "metal": [0.68, 0.69, 0.69],
    "stone": [0.56, 0.55, 0.54],
    "paint": [0.80, 0.30, 0.16],
}  # sRGB, of what has no colour of its own
KINDS: dict[str, type] = {
    "wall": rules.Wall,
    "periodic": rules.Periodic,
    "drain": rules.Drain,
    "level": rules.Level,
    "inflow": rules.Inflow,
    "absorbing": rules.Absorbing,
}
ACROSS = {"west": "east", "east": "west", "south": "north", "north": "south"}


def edges_told(edges: Edges) -> list[EdgeInfo]:
    """The rule of each side, with its number if it has one."""
    names = {kind: name for name, kind in KINDS.items()}
    return [EdgeInfo(side, names[type(e)], value(e)) for side, e in edges]  # type: ignore[arg-type]


def value(edge: Any) -> float:
    """Its level [m] or discharge [m³/s]; of one that changes, the first."""
    found = getattr(edge, "level", getattr(edge, "discharge", 0.0))
    return float(found.values[0] if isinstance(found, Series) else jnp.mean(jnp.asarray(found)))


def edged(edges: Edges, side: str, kind: str, number: float) -> Edges:
    """The edges with another rule for one side; what is joined to its opposite stays so."""
    rule = KINDS[kind]
    new = rule(number) if kind in ("level", "inflow", "absorbing") else rule()
    if kind == "inflow" and number < 0:
        raise InputError("an inflow is of at least 0 m³/s: choose drain to let water out")
    both = dict(edges)
    other = ACROSS[side]
    if kind == "periodic":
        both[other] = rules.Periodic()
    elif isinstance(both[other], rules.Periodic):
        both[other] = rules.Wall()
    return Edges(**(both | {side: new}))


def springs_told(springs: Iterable[Spring]) -> list[SpringInfo]:
    return [SpringInfo(s.x, s.y, s.discharge, s.radius) for s in springs]


def bodies_told(bodies: Iterable[Body]) -> list[BodyInfo]:
    return [
        BodyInfo(b.key, b.kind, b.moves, colour(b), material(b), [part(p) for p in b.shape.parts()])
        for b in bodies
    ]


def part(placed: tuple) -> PartInfo:
    """A simple shape as the page builds it."""
    shape, place, turn = placed
    name, size, vertices, faces = form(shape)
    return PartInfo(name, size, [*map(float, place)], [*map(float, turn)], vertices, faces)  # type: ignore[arg-type]


def form(shape: Shape) -> tuple[str, list[float], list[float], list[int]]:
    match shape:
        case Box(size):
            return "box", [*map(float, size)], [], []
        case Sphere(radius):
            return "sphere", [radius], [], []
        case Cylinder(radius, length):
            return "cylinder", [radius, length], [], []
        case Capsule(radius, length):
            return "capsule", [radius, length], [], []
        case Cornered():
            corners, faces = np.unique(shape.corners.reshape(-1, 3), axis=0, return_inverse=True)
            return "mesh", [], corners.ravel().round(5).tolist(), faces.ravel().tolist()
    raise InputError(f"the page cannot draw {shape!r}")


def material(body: Body) -> str:
    """What it was said to be made of, or what pictures take it for."""
    return body.material or parts.material(body.shape, parts.Look(body.color, None, body.density))


def colour(body: Body) -> list[float]:
    """Red, green and blue as a display wants them, 0 … 1."""
    given = body.color
    if given is None:
        return COLOURS[material(body)]
    if not isinstance(given, str):
        return [min(max(float(c), 0.0), 1.0) for c in given][:3]
    try:
        from PIL import ImageColor

        return [c / 255 for c in ImageColor.getrgb(given)[:3]]
    except (ImportError, ValueError):
        return COLOURS["paint"]
