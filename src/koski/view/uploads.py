"""Files that a page sends: looked at for their type and size before anything decodes them."""

from __future__ import annotations

import io
import re
import struct
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path

import jax
import numpy as np

from koski.core.edges import Drain, Edges
from koski.core.errors import InputError
from koski.core.terrain import Terrain
from koski.io import dem
from koski.scene import Spring, downpour
from koski.solvers import COUPLINGS, NAMED
from koski.view.sandbox import Origin
from koski.world import World

LARGEST = 64 * 2**20  # file [bytes]
UNPACKED = 512 * 2**20  # all that a zip says it holds [bytes]
PIXELS = 4096 * 4096  # of a heightmap
CELLS = 1024  # along the longer side; more is sampled down
NAMES = {
    "name", "view", "terrain", "solver", "coupling", "engine", "state", "springs", "_fleet",
    "_strokes", "_rain", "_evaporation", "_held", "_start",
}  # fmt: skip
NO_WORLD = "this is not a world that koski saved, or it is damaged: save it again"


def heightmap(data: bytes, cell: float | None = None) -> Origin:
    """Rain on a heightmap."""
    suffix, (ny, nx) = declared(data)
    if ny < 2 or nx < 2 or ny * nx > PIXELS:
        raise InputError(f"a heightmap of {nx} × {ny} is too large or too small: at most 4096²")
    with tempfile.TemporaryDirectory(prefix="koski-") as folder:
        path = Path(folder) / f"heightmap{suffix}"
        path.write_bytes(data)
        try:
            terrain = dem.load(path, cell=cell, edges=Edges.all(Drain()))
        except InputError as e:
            raise InputError(str(e).replace(f"{path}: ", "")) from None
    return Origin("your heightmap", downpour("your heightmap", fitting(terrain)))


def fitting(terrain: Terrain) -> Terrain:
    """The terrain with no more cells than run in real time."""
    shape, cell = terrain.grid.shape, terrain.grid.cell
    step = max(shape) / CELLS
    if step <= 1:
        return terrain
    ny, nx = (max(round(n / step), 2) for n in shape)
    b = dem.resample(np.asarray(terrain.b), (ny, nx), (shape[0] / ny, shape[1] / nx))
    return Terrain.create(b, cell * step, terrain.edges)


def declared(data: bytes) -> tuple[str, tuple[int, int]]:
    """The suffix of a heightmap by its first bytes, and the rows and columns that it says."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            nx, ny = struct.unpack(">II", data[16:24])
            return ".png", (ny, nx)
        if data[:4] in (b"II*\0", b"MM\0*"):
            return ".tif", tiff_size(data)
        if data.startswith(b"\x93NUMPY"):
            return ".npy", pair(dem.header(io.BytesIO(data))[0])
        if data.startswith(b"PK\x03\x04"):
            with zipped(data) as files:
                names = [n for n in files.namelist() if n.endswith(".npy")]
                shapes = [dem.header(files.open(n))[0] for n in names]
            return ".npz", max((pair(s) for s in shapes if len(s) == 2), default=(0, 0))
        text = data[:1024].decode("ascii").lower()
        found = dict(re.findall(r"^\s*(ncols|nrows)\s+(\d{1,9})\s*$", text, re.MULTILINE))
        return ".asc", (int(found["nrows"]), int(found["ncols"]))
    except InputError:
        raise
    except Exception:  # whatever a damaged header leads to
        raise InputError(f"this is no heightmap: give {dem.FORMATS}") from None


def pair(shape) -> tuple[int, int]:
    ny, nx = shape
    return int(ny), int(nx)


def tiff_size(data: bytes) -> tuple[int, int]:
    """Rows and columns from a TIFF's first directory."""
    end = "<" if data[:2] == b"II" else ">"
    (at,) = struct.unpack_from(f"{end}I", data, 4)
    (count,) = struct.unpack_from(f"{end}H", data, at)
    found = {}
    for k in range(count):
        tag, kind, _ = struct.unpack_from(f"{end}HHI", data, at + 2 + 12 * k)
        if tag in (256, 257):
            found[tag] = struct.unpack_from(end + {3: "H", 4: "I"}[kind], data, at + 10 + 12 * k)[0]
    return found[257], found[256]


def zipped(data: bytes) -> zipfile.ZipFile:
    """A zip whose contents, as it says, are not too large; it cannot give more than it says."""
    try:
        files = zipfile.ZipFile(io.BytesIO(data))
    except zipfile.BadZipFile:
        raise InputError("the file is damaged: send it again") from None
    if len(files.infolist()) > 10_000 or sum(f.file_size for f in files.infolist()) > UNPACKED:
        raise InputError("the file unpacks to more than 512 MiB: give a smaller one")
    return files


def world(data: bytes) -> Origin:
    """A saved world, tried out: it is loaded and takes a step before anybody relies on it."""
    if not data.startswith(b"PK\x03\x04"):
        raise InputError(NO_WORLD)
    zipped(data).close()
    origin = Origin("your world", saved=data)
    try:
        found = origin.make()
        check(found)
        origin = replace(origin, name=found.name)
        found.step(1 / 30)
        if not all(np.isfinite(f).all() for f in map(np.asarray, (found.frame.surface,))):
            raise ValueError
    except Exception as e:  # a file can be wrong in more ways than can be listed
        raise InputError(NO_WORLD) from e
    return origin


def check(found: World) -> None:
    """Refuse what is no world of ours, whatever the file says."""
    kept = vars(found)
    grid = found.terrain.grid
    shapes = {f.shape for f in jax.tree.leaves((found.terrain.b, found.state)) if np.ndim(f) == 2}
    good = (
        set(kept) == NAMES
        and isinstance(found.terrain, Terrain)
        and shapes == {grid.shape}
        and grid.cells <= PIXELS
        and bool(np.isfinite(np.asarray(found.terrain.b)).all())
        and any(type(found.solver) is type(known) for known in NAMED.values())
        and found.coupling in COUPLINGS
        and isinstance(found.springs, list)
        and all(isinstance(s, Spring) for s in found.springs)
        and isinstance(found.name, str)
        and len(found.name) < 200
        and (found.view is None or (isinstance(found.view, str) and len(found.view) < 1000))
    )
    if not good:
        raise InputError(NO_WORLD)


def file_of(found: World) -> bytes:
    """The save file of a world."""
    with tempfile.TemporaryDirectory(prefix="koski-") as folder:
        path = Path(folder) / "world.koski"
        found.save(path)
        return path.read_bytes()
