"""What a film is written as: mp4, GIF or numbered PNG files.   koski[film]

Each format has parts, of a few frames in a folder, and a way to join them under a film's name.
"""

import os
import re
from collections.abc import Container, Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from koski.core.errors import InputError
from koski.extras import need
from koski.files import replace_file, writable
from koski.render import contact, picture

CODEC = "libx264"
FINE = {"crf": "18"}  # of H.264, where 0 loses nothing and 23 is common
NARROW = {"x264-params": "mbtree=0"}  # under 128 pixels x264 reads past its tree, and varies
REC709 = 1  # what H.264 calls its colours, and their usual range
NUMBER = re.compile(r"%0?\d*d")


class Part(Protocol):
    """Some frames that follow each other."""

    def add(self, image: np.ndarray) -> None: ...
    def close(self) -> None: ...


class Format(Protocol):
    """How frames are kept in a folder, and made a film of."""

    def check(self, width: int, height: int, fps: float) -> None: ...
    def part(self, folder: Path, start: int, fps: Fraction) -> Part: ...
    def images(self, folder: Path, wanted: Container[int]) -> Iterator[np.ndarray]: ...
    def join(self, folder: Path, path: Path, fps: Fraction) -> None: ...


def find(path: str | os.PathLike) -> tuple[Path, Format]:
    """Where a film goes, and its format, by its name; nothing is written to find out."""
    path = Path(path)
    formats: dict[str, Format] = {".mp4": Mp4(), ".gif": Gif()}
    if path.suffix.lower() in formats:
        if path.is_dir():
            raise InputError(f"{path} is a folder: give the name of a file in it")
        return writable(path), formats[path.suffix.lower()]
    if not path.suffix or path.is_dir():
        path = path / "%04d.png"
    numbered = len(NUMBER.findall(path.name)) == 1 == path.name.count("%")
    if path.suffix.lower() != ".png" or not numbered:
        raise InputError(
            f"{path.name!r} is no kind of film: end it in .mp4 or .gif, or give a folder, or a name"
            " such as frame%04d.png, for PNG files"
        )
    return writable(path), Pngs()


# ── mp4 ──────────────────────────────────────────────────────────────────────────────────


class Mp4:
    """H.264 in clips that can be spliced as they are."""

    def check(self, width: int, height: int, fps: float) -> None:
        av = need("av", "film")
        if width % 2 or height % 2:
            even = f"{width + width % 2}x{height + height % 2}"
            raise InputError(f"an mp4 has even sides, not {width}x{height}: take {even}")
        try:
            av.Codec(CODEC, "w")
        except av.codec.codec.UnknownCodecError:
            raise InputError(
                f"this PyAV has no encoder {CODEC} for mp4: run  pip install --force-reinstall av"
                "  or make a .gif"
            ) from None

    def part(self, folder: Path, start: int, fps: Fraction) -> "Clip":
        return Clip(folder / f"{start:06d}.mp4", fps)

    def images(self, folder: Path, wanted: Container[int]) -> Iterator[np.ndarray]:
        av = need("av", "film")
        for clip in sorted(folder.glob("*.mp4")):
            with av.open(str(clip)) as file:
                for k, frame in enumerate(file.decode(video=0), int(clip.stem)):
                    if k in wanted:
                        yield frame.reformat(format="rgb24", src_colorspace="ITU709").to_ndarray()

    def join(self, folder: Path, path: Path, fps: Fraction) -> None:
        av = need("av", "film")
        how = {"format": "mp4", "options": {"movflags": "faststart"}}
        with aside(path) as part, av.open(str(part), "w", **how) as film:
            stream, first, n = None, 0, 0
            for clip in sorted(folder.glob("*.mp4")):
                with av.open(str(clip)) as file:
                    video = file.streams.video[0]
                    frame = 1 / fps / video.time_base  # how long it lasts
                    for packet in file.demux(video):
                        if packet.dts is None:  # the last is empty
                            continue
                        if stream is None:
                            stream, first = film.add_stream_from_template(video), packet.dts
                        packet.pts += round(int(clip.stem) * frame)
                        packet.dts = first + round(n * frame)  # a short clip has its own idea
                        packet.stream = stream
                        film.mux(packet)
                        n += 1


class Clip:
    """A part of an mp4."""

    def __init__(self, path: Path, fps: Fraction):
        self.av = need("av", "film")
        self.path, self.fps, self.frames = path, fps, 0
        self.file = self.av.open(str(path), "w", format="mp4")
        self.stream = self.file.add_stream(CODEC, rate=fps, options=FINE)
        tags = self.stream.codec_context
        tags.thread_count = 1  # the same frames then give the same bytes
        tags.color_range = tags.colorspace = tags.color_primaries = tags.color_trc = REC709

    def add(self, image: np.ndarray) -> None:
        if not self.frames:
            self.stream.height, self.stream.width = image.shape[:2]
            if self.stream.width < 128:
                self.stream.codec_context.options = FINE | NARROW
            self.stream.pix_fmt = "yuv420p"
        rgb = self.av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
        frame = rgb.reformat(format="yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG")
        frame.pts, frame.time_base = self.frames, 1 / self.fps
        self.file.mux(self.stream.encode(frame))
        self.frames += 1

    def close(self) -> None:
        self.file.mux(self.stream.encode())
        self.file.close()
        with open(self.path, "rb") as file:
            os.fsync(file.fileno())


# ── PNG files, and a GIF of them ─────────────────────────────────────────────────────────


class Pngs:
    """Each frame a file of its own; those of an older film that was longer are left."""

    def check(self, width: int, height: int, fps: float) -> None:
        need("PIL.Image", "film")

    def part(self, folder: Path, start: int, fps: Fraction) -> "Stills":
        return Stills(folder, start)

    def images(self, folder: Path, wanted: Container[int]) -> Iterator[np.ndarray]:
        Image = need("PIL.Image", "film")
        for path in stills(folder):
            if int(path.stem) in wanted:
                with Image.open(path) as image:
                    yield np.asarray(image)

    def join(self, folder: Path, path: Path, fps: Fraction) -> None:
        for k, still in enumerate(stills(folder)):
            replace_file(path.with_name(path.name % k), still.read_bytes())


class Gif(Pngs):
    """One palette for all frames, so that still water stays still."""

    def check(self, width: int, height: int, fps: float) -> None:
        super().check(width, height, fps)
        if fps > 50:
            raise InputError(f"a GIF shows at most 50 frames a second, not {fps:g}: make an mp4")

    def join(self, folder: Path, path: Path, fps: Fraction) -> None:
        Image = need("PIL.Image", "film")
        n = len(stills(folder))
        some = contact.arrange([*self.images(folder, contact.spread(n))])
        palette = Image.fromarray(some).quantize(256)
        frames = (
            Image.fromarray(image).quantize(palette=palette)
            for image in self.images(folder, range(n))
        )
        ticks = [round(100 * k / fps) for k in range(n + 1)]  # its clock knows nothing finer
        lasts = [10 * (b - a) for a, b in pairwise(ticks)]
        how: dict[str, Any] = {"append_images": frames, "duration": lasts, "loop": 0, "disposal": 1}
        with aside(path) as part:
            next(frames).save(part, "GIF", save_all=True, **how)


class Stills:
    """A part as PNG files."""

    def __init__(self, folder: Path, start: int):
        self.folder, self.next = folder, start

    def add(self, image: np.ndarray) -> None:
        replace_file(self.folder / f"{self.next:06d}.png", picture.encoded(image, "PNG"))
        self.next += 1

    def close(self) -> None:
        """Each file is whole as it is."""


def stills(folder: Path) -> list[Path]:
    return sorted(folder.glob("[0-9]*.png"))


@contextmanager
def aside(path: Path) -> Iterator[Path]:
    """A file to write, that takes the name of another once it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
