"""A film that grows frame by frame, and can be broken off at any moment.   koski[film]

It lies in a folder of parts beside its name until it is whole.  After each part the maker saves
what it needs to go on from there: a film that was broken off is resumed to the same frames.
"""

import json
import os
import shutil
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from koski.core.errors import InputError
from koski.files import replace_file, writing
from koski.render import contact, formats
from koski.render.formats import NUMBER, Part
from koski.render.picture import Picture

PART = 30  # frames
AHEAD = 4  # images that may wait for the encoder
ASKED, SAVED = "film.json", ".saved"  # what the film is of; what to go on from


class Film:
    """Takes images one by one; an encoder writes them at the same time.

    Left without an error it appears under its name, and after Ctrl-C as far as it got; its parts
    stay until it is whole.  `done` is how many frames it had when it was resumed.
    """

    def __init__(self, path: str | os.PathLike, size: tuple[int, int], fps: float):
        self.path, self.format = formats.find(path)
        self.format.check(*size, fps)
        self.fps = Fraction(fps).limit_denominator(1001)
        name = NUMBER.sub("frames", self.path.name)
        self.folder = self.path.with_name(f"{name}.parts")
        if self.folder.exists() and not (self.folder / ASKED).exists() and any_in(self.folder):
            raise InputError(f"{self.folder} is not of a film: give another name, or remove it")
        self.frames = self.done = 0
        self.part: Part | None = None
        self.pool = ThreadPoolExecutor(1)
        self.waiting: deque[Future] = deque()

    # ── beginning ────────────────────────────────────────────────────────────────────────

    def begin(self, asked: Mapping[str, Any]) -> None:
        """Start from nothing: an older film of that name that was not finished is forgotten."""
        shutil.rmtree(self.folder, ignore_errors=True)
        replace_file(self.folder / ASKED, json.dumps(asked).encode())

    def resume(self, asked: Mapping[str, Any]) -> Path | None:
        """Go on after the last whole part: what was saved there, or none to start from nothing."""
        try:
            then = json.loads((self.folder / ASKED).read_text())
        except FileNotFoundError:
            raise InputError(f"there is no {self.folder} to resume: leave out --resume") from None
        except ValueError:
            raise InputError(f"{self.folder} is damaged: leave out --resume") from None
        for name, value in asked.items():
            if then.get(name) != value:
                raise InputError(
                    f"{self.path} was begun with {name} {then.get(name)}, not {value}: ask for the"
                    " same, or leave out --resume"
                )
        saved = max(self.folder.glob(f"*{SAVED}"), default=None)
        self.frames = self.done = 0 if saved is None else int(saved.stem)
        for path in self.folder.glob("[0-9]*"):
            if path.is_file() and int(path.stem) >= self.done:  # of a part that is not whole
                path.unlink()
        return saved

    # ── growing ──────────────────────────────────────────────────────────────────────────

    def add(self, image: np.ndarray) -> None:
        """The next frame; waits where the encoder is far behind."""
        with writing(self.path):
            if self.part is None:
                self.part = self.format.part(self.folder, self.frames, self.fps)
            self.waiting.append(self.pool.submit(self.part.add, image))
            self.frames += 1
            while len(self.waiting) > AHEAD:
                self.waiting.popleft().result()

    def keep(self, save: Callable[[Path], None]) -> None:
        """At the end of a part let `save` write what to go on from, into a folder."""
        if self.frames % PART == 0:
            self.flush()
            fresh = self.folder / "saving"
            shutil.rmtree(fresh, ignore_errors=True)
            save(fresh)
            fresh.rename(self.folder / f"{self.frames:06d}{SAVED}")
            for old in sorted(self.folder.glob(f"*{SAVED}"))[:-1]:
                shutil.rmtree(old, ignore_errors=True)

    def flush(self) -> None:
        """Close the part that is open, with all its images."""
        with writing(self.path):
            while self.waiting:
                self.waiting.popleft().result()
            if self.part is not None:
                self.part.close()
                self.part = None

    def sheet(self, path: str | os.PathLike) -> None:
        """Write a contact sheet of the frames so far."""
        self.flush()
        images = [*self.format.images(self.folder, contact.spread(self.frames))]
        contact.arrange(images).view(Picture).save(path)

    # ── ending ───────────────────────────────────────────────────────────────────────────

    def __enter__(self) -> "Film":
        return self

    def __exit__(self, kind, error, trace) -> None:
        try:
            if kind is None or issubclass(kind, KeyboardInterrupt):
                self.flush()
                with writing(self.path):
                    if self.frames:
                        self.format.join(self.folder, self.path, self.fps)
            if kind is None:
                shutil.rmtree(self.folder, ignore_errors=True)
        finally:
            self.pool.shutdown(cancel_futures=True)


def any_in(folder: Path) -> bool:
    return not folder.is_dir() or any(folder.iterdir())
