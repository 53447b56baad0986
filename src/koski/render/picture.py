"""One picture of a world: an array that shows itself in notebooks, and its file."""

import io
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from koski.core.errors import InputError, nearest
from koski.extras import need
from koski.files import replace_file, writable

SMALLEST, LARGEST = 16, 8192  # side of a picture [px]
KINDS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WebP"}


class Picture(np.ndarray):
    """An image [height, width, 3] of bytes."""

    def _repr_png_(self) -> bytes | None:
        shown = self.ndim == 3 and self.shape[2] == 3 and self.dtype == np.uint8 and self.size
        return encoded(self, "PNG") if shown else None

    def save(self, path: str | os.PathLike) -> None:
        """Write it to a file, whole or not at all; the suffix says which kind."""
        replace_file(path, encoded(self, KINDS[check(path).suffix.lower()]))


def pictured(world, camera, size, quality: str, look: Mapping[str, Any]) -> Picture:
    """What `World.picture` returns."""
    from koski.render.camera import Camera, clear_of
    from koski.render.moves import parse
    from koski.render.renderer import Renderer

    width, height = sized(size)
    if not isinstance(camera, Camera):
        text = world.view if camera is None else camera
        camera = parse(text, world.terrain, world.bodies, width / height)(0.0)
    clear_of(camera, world.terrain)
    renderer = Renderer(world.terrain, looking(look))
    renderer.see(world.frame, world.bodies, world.terrain)
    return renderer.draw(camera, width, height, graded(quality)).view(Picture)


def looking(look: Mapping[str, Any]):
    """A Look of these fields; those that are None are left as they are."""
    from koski.render.renderer import Look

    names = [f.name for f in fields(Look)]
    for name in look:
        if name not in names:
            raise InputError(f"a look has no {name!r}: {nearest(name, names)}")
    return Look(**{name: value for name, value in look.items() if value is not None})


def graded(quality: str) -> str:
    """The quality, if there is such a one."""
    from koski.render.renderer import QUALITY

    if quality not in QUALITY:
        raise InputError(f"there is no quality {quality!r}: {nearest(str(quality), QUALITY)}")
    return quality


def sized(size: Any) -> tuple[int, int]:
    """Width and height in pixels, of a text such as '1280x720' or of two numbers."""
    sides = size.lower().replace("×", "x").split("x") if isinstance(size, str) else size
    try:
        width, height = (int(side) for side in sides)
    except (TypeError, ValueError):
        raise InputError(
            f"the size of a picture is its width and height, such as 1280x720, not {size!r}"
        ) from None
    if not all(SMALLEST <= side <= LARGEST for side in (width, height)):
        raise InputError(
            f"a picture of {width}x{height} cannot be made: each side has from {SMALLEST} to"
            f" {LARGEST} pixels"
        )
    return width, height


def encoded(image: np.ndarray, kind: str) -> bytes:
    """The bytes of an image file."""
    file = io.BytesIO()
    how: dict[str, Any] = {"PNG": {"compress_level": 4}}.get(kind, {"quality": 92})
    need("PIL.Image", "film").fromarray(np.ascontiguousarray(image)).save(file, kind, **how)
    return file.getvalue()


def check(path: str | os.PathLike) -> Path:
    """The path, if a picture can be written there; nothing is written to find out."""
    path = writable(path)
    need("PIL.Image", "film")
    if path.suffix.lower() not in KINDS:
        raise InputError(f"{path.name!r} is no kind of picture: end it in {', '.join(KINDS)}")
    if path.is_dir():
        raise InputError(f"{path} is a folder: give the name of a file in it")
    return path
