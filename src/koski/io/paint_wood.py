"""The grain of wood: boards and frames of crates, bark and rings of logs."""

import numpy as np

from koski.bodies.shapes import Box, Capsule, Cylinder
from koski.io.paint_pixels import Array, smooth
from koski.io.solids import Solid

FRAME = 0.14  # width of a crate's frame in widths of its face
BOARDS = 5  # across a face
SLENDER = 2.2  # a face longer than this many widths is a beam's: it has no frame
SAPWOOD = np.array([1.45, 1.5, 1.5], np.float32)  # a log's end in colours of its bark


def grain(solids: tuple[Solid, ...], which: Array, p: Array, n: Array, scale: float) -> Array:
    """Factors [N, 3] on the colours of points p with normals n, both in axes of their solids.

    They fade where the boards would be thinner than `scale` [px/m] can show.
    """
    out = np.ones((len(which), 3), np.float32)
    kinds = np.array([isinstance(s.shape, Box) + 2 * is_log(s) for s in solids])
    kinds = np.where([s.natural for s in solids], kinds, 0)[which]
    for kind, how in ((1, crate), (2, log)):
        at = np.nonzero(kinds == kind)[0]
        if at.size:
            out[at] = how(solids, which[at], p[at], n[at], scale)
    return out


def is_log(s: Solid) -> bool:
    return isinstance(s.shape, Cylinder | Capsule)


def crate(solids: tuple[Solid, ...], which: Array, p: Array, n: Array, scale: float) -> Array:
    """Boards along the longer side of the face, held by a frame and a brace."""
    boxes = {k: s.shape.size for k, s in enumerate(solids) if isinstance(s.shape, Box)}
    sizes = np.array([boxes.get(k, (1, 1, 1)) for k in range(len(solids))])
    half = (0.5 * sizes).astype(np.float32)[which]
    face = np.abs(n).argmax(1)
    rows = np.arange(len(p))
    one, two = (face + 1) % 3, (face + 2) % 3
    swap = half[rows, one] < half[rows, two]
    along, across = np.where(swap, two, one), np.where(swap, one, two)
    a, b = half[rows, along], half[rows, across]  # a ≥ b
    u, v = p[rows, along], p[rows, across]
    inward = np.minimum(a - np.abs(u), b - np.abs(v)) / (2 * b)
    framed = a < SLENDER * b
    board = (v / b + 1) / 2 * BOARDS
    gap = np.abs(board - np.round(board)) < 0.09
    tone = 0.86 + 0.1 * np.sin(7.1 * np.floor(board) + 1.7 * which) - 0.28 * gap
    brace = np.abs(u / a - v / b) / np.hypot(1, b / a)
    tone = np.where(framed & (brace < 0.2), 1.06, tone)
    tone = np.where(framed & (np.abs(brace - 0.22) < 0.03), 0.62, tone)
    tone = np.where(framed & (inward < FRAME), 1.1, tone)
    tone = np.where(framed & (np.abs(inward - FRAME) < 0.02), 0.55, tone)
    fade = smooth((2 * b * scale - 5) / 12)
    return (1 + fade * (tone - 1))[:, None]


def log(solids: tuple[Solid, ...], which: Array, p: Array, n: Array, scale: float) -> Array:
    """Bark in furrows along the stem, pale ends with rings."""
    radii = np.array([getattr(s.shape, "radius", 1.0) for s in solids], np.float32)
    r = radii[which]
    angle = np.arctan2(p[:, 1], p[:, 0]) + 0.12 * np.sin(0.9 * p[:, 2] / r + which)
    bark = 1 + 0.1 * np.sin(9 * angle + 2.3 * which) + 0.08 * np.sin(21 * angle + 5.1 * which)
    rings = 1 + 0.12 * np.sin(24 * np.hypot(p[:, 0], p[:, 1]) / r)
    fade = smooth((2 * r * scale - 3) / 10)
    bark, rings = 1 + fade * (bark - 1), 1 + fade * (rings - 1)
    end = np.abs(n[:, 2]) > 0.9
    return np.where(end[:, None], SAPWOOD * rings[:, None], bark[:, None])
