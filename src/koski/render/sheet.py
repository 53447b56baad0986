"""Absorption × concentration × scattering on one sheet, after Maes 2006 fig. 9.

Each patch is a basin of white sand seen from above, dry at its near edge and 8 m deep at the far
one, with a ring 2 m high in the middle.  The last row has the waters of `MEDIA`.

    python -m koski.render.sheet out.png
"""

import sys
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np

from koski.core.errors import InputError
from koski.extras import need
from koski.files import writable
from koski.render import light
from koski.render.light import MEDIA, Medium
from koski.render.sky import Sky
from koski.render.tone import filmic, srgb, to_bytes

SIDE, GAP = 192, 8  # of a patch, and between patches [pixels]
SPAN, DEEP = 20.0, 8.0  # of a patch, and its water [m]
MURKY = (0.0, 0.01, 0.1)  # k, per row [1/m]
MIXED = {
    "no absorption": replace(MEDIA["pure"], concentration=0.0),
    "pure, c = 0.1": replace(MEDIA["pure"], concentration=0.1),
    "pure, c = 0.5": replace(MEDIA["pure"], concentration=0.5),
    "chlorophyll, c = 0.1": replace(MEDIA["chlorophyll"], concentration=0.1),
    "chlorophyll, c = 0.5": replace(MEDIA["chlorophyll"], concentration=0.5),
}


def waters() -> list[dict[str, Medium]]:
    """The rows of the sheet: each water under its caption."""
    murky = [
        {
            f"{name}, k = {k:g}": replace(m, scattering=np.full(3, k, np.float32))
            for name, m in MIXED.items()
        }
        for k in MURKY
    ]
    return [*murky, MEDIA]


def sand() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Depth of the water, brightness of the sand, and the cosine of its slope."""
    x, y = np.meshgrid(*[(np.arange(SIDE) + 0.5) * SPAN / SIDE] * 2)
    y = SPAN - y  # row 0 is far
    ring = np.hypot(x - SPAN / 2, y - SPAN / 2) - 4.5
    depth = DEEP * y / SPAN - 2 / (1 + np.exp(8 * (np.abs(ring) - 1.1)))
    ripples = np.sin(9 * y + 1.7 * np.sin(0.9 * x + 0.3 * y) + 0.6 * np.sin(2.3 * x - y))
    grain = np.random.default_rng(1).normal(size=depth.shape)
    gy, gx = np.gradient(depth, SPAN / SIDE)
    cos = 1 / np.sqrt(1 + gx**2 + gy**2)
    return depth, np.clip(0.8 + 0.05 * ripples + 0.03 * grain, 0, 1), cos


@jax.jit
def patch(medium: Medium, sky: Sky, depth, white, cos):
    """Radiance [3, H, W] of a bed seen straight from above through its water.      eq. 9, 12"""
    sun = sky.sunlight, sky.ambient, sky.sun[2]
    bed = white * cos / jnp.pi * light.bed_light(medium, depth, *sun) * light.through(medium, depth)
    glow = light.scattered(medium, depth, depth, light.entering(*sun))
    above = light.beside(sky.radiance(jnp.asarray((0.0, 0.0, 1.0))), depth)
    return light.F0 * above + (1 - light.F0) * (bed + glow)


def sheet() -> np.ndarray:
    """The sheet as an image, [H, W, 3] of bytes."""
    rows, sky, bed = waters(), Sky.create(60.0, 90.0), sand()
    step = SIDE + GAP
    page = np.full((GAP + step * len(rows), GAP + step * len(MIXED), 3), 255, np.uint8)
    for i, row in enumerate(rows):
        for j, medium in enumerate(row.values()):
            y, x = GAP + step * i, GAP + step * j
            radiance = patch(medium, sky, *bed)
            page[y : y + SIDE, x : x + SIDE] = to_bytes(srgb(filmic(radiance, sky.exposure)))
    return page


def save(path: str) -> None:
    """Write the sheet to a picture file, with captions."""
    image = need("PIL.Image", "picture").fromarray(sheet())
    draw = need("PIL.ImageDraw", "picture").Draw(image)
    for i, row in enumerate(waters()):
        for j, caption in enumerate(row):
            at = (GAP + 4 + (SIDE + GAP) * j, GAP + 2 + (SIDE + GAP) * i)
            draw.text(at, caption, fill="white", stroke_width=1, stroke_fill="black")
    try:
        image.save(writable(path))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot write {path}: {error}") from None


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m koski.render.sheet out.png")
    try:
        save(sys.argv[1])
    except InputError as error:
        raise SystemExit(str(error)) from None
