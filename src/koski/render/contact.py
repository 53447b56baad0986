"""Contact sheets: a dozen frames of a film side by side."""

from collections.abc import Sequence

import numpy as np

from koski.extras import need

COLUMNS, ROWS = 4, 3
WIDTH, GAP = 480, 6  # of a frame on the sheet, and between frames [px]
PAPER = 24  # how bright it is, of 255


def spread(frames: int) -> list[int]:
    """The numbers of at most COLUMNS × ROWS frames, evenly, with the first and the last."""
    return np.unique(np.linspace(0, frames - 1, COLUMNS * ROWS).round().astype(int)).tolist()


def arrange(images: Sequence[np.ndarray]) -> np.ndarray:
    """The images in rows [height, width, 3], each no wider than WIDTH."""
    Image = need("PIL.Image", "film")
    height, width = images[0].shape[:2]
    w = min(WIDTH, width)
    h = max(round(height * w / width), 1)
    rows = -(-len(images) // COLUMNS)
    columns = min(COLUMNS, len(images))
    sheet = np.full((GAP + rows * (h + GAP), GAP + columns * (w + GAP), 3), PAPER, np.uint8)
    for k, image in enumerate(images):
        y, x = GAP + k // COLUMNS * (h + GAP), GAP + k % COLUMNS * (w + GAP)
        small = Image.fromarray(image).resize((w, h), Image.Resampling.LANCZOS)
        sheet[y : y + h, x : x + w] = np.asarray(small)
    return sheet
