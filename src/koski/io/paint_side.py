"""Rigid bodies seen from the side, where the water is one row of cells."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from koski.io.paint_pixels import Array
from koski.io.paint_shadow import Sunlight
from koski.io.paint_solids import View, render
from koski.io.solids import Solid, triangles

EAST, NORTH, UP = np.eye(3)
VEIL = 0.55  # how much the water hides a body


def from_side(solids: Sequence[Solid], row: bool) -> tuple[Solid, ...]:
    """The solids in axes of the paper: to the right, up, and toward who looks north, or west."""
    axes = np.array([EAST, UP, -NORTH] if row else [NORTH, UP, EAST])
    return tuple(replace(s, at=axes @ s.at, turn=axes @ s.turn) for s in solids)


def highest(solids: tuple[Solid, ...]) -> float:
    """Where the highest of the solids on paper ends [m]."""
    return float(triangles(solids, 1.0).corners[..., 1].max())


def beside(
    solids: tuple[Solid, ...],
    shape: tuple[int, int],
    extent: tuple[float, float, float],
    ground: Array,
    surface: Array,
    color: Array,
) -> Array:
    """Solids on paper [height, width, 4] with how much they cover, the first row lowest.

    The extent is the length, the lowest and the highest height [m].  Ground, surface and colour of
    the water are spread evenly along the paper.
    """
    (h, w), (length, foot, top) = shape, extent
    solids = tuple(replace(s, at=s.at - [0, foot, 0]) for s in solids)
    view = View(shape, (w / length, h / (top - foot)))
    tri = triangles(solids, max(view.scale))
    z = tri.corners[..., 2]
    size = length, top - foot
    light = Sunlight.on(tri, float(z.min()), float(z.max()), size, max(view.scale))

    def through(x: Array, y: Array, z: Array) -> tuple[Array, Array, Array]:
        i = np.clip(x / w * len(ground), 0, len(ground) - 1).astype(int)
        height = y / view.scale[1] + foot
        return height > ground[i], color[i], VEIL * (height < surface[i])

    rgb, cover = render(solids, tri, view, light, through)
    return np.dstack([np.clip(rgb / np.maximum(cover, 1e-9)[..., None], 0, 1), cover])
