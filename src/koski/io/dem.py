"""Heightmaps and digital elevation models (DEMs) from files.

| file                                       | heights                | cell       | row 0 |
|--------------------------------------------|------------------------|------------|-------|
| PNG, TIFF of integers                      | full range is `height` | 1 m        | north |
| TIFF of floats                             | metres                 | 1 m        | north |
| GeoTIFF, ESRI ASCII, PNG with a world file | metres                 | the file's | north |
| .npz with dx, dy                           | metres                 | dx × dy    | north |
| .npy, other .npz                           | metres                 | cell, 1 m  | south |

Terrain has row 0 in the south, so what has it in the north is flipped.
"""

import io
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from koski.core.edges import Edges
from koski.core.errors import InputError, number
from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.extras import need

DEGREE = 111_320.0  # a degree of latitude [m]
ESRI_NODATA = -9999.0  # what an ASCII grid means by default
LUMINANCE = 0.2126, 0.7152, 0.0722  # red, green, blue: Rec. 709
NAMES = "b", "elevation", "height", "dem", "z"  # what the heights may be called in an .npz
FACTS = "cell", "cellsize", "dx", "dy", "xmin", "xmax", "ymin", "ymax"  # and what else it says
FORMATS = "a PNG, TIFF, GeoTIFF, ESRI ASCII grid, .npy or .npz"
GDAL = {
    "GDAL_PAM_ENABLED": "NO",  # or it may write .aux.xml beside the user's file
    "AAIGRID_DATATYPE": "Float64",  # or a file that begins with whole numbers is cut to them
    "GDAL_PNG_WHOLE_IMAGE_OPTIM": "NO",  # or a truncated PNG is read as noise, without an error
}

Read = tuple[np.ndarray, tuple[float, float], bool]  # heights, sides [m], a share of full range?


def load(
    path,
    *,
    cell: float | None = None,
    height: float | None = None,
    edges: Edges | None = None,
) -> Terrain:
    """Read a terrain from a file: a heightmap, a DEM or an array.

    `cell` [m] is taken instead of what the file says.  `height` [m] is what the full range of a
    plain image stands for, an eighth of its longer side by default.  Holes are filled.  Sides in
    degrees become metres, and oblong cells square ones; without a CRS, cells below 0.1 at
    coordinates within ±180 and ±90 count as degrees: give `cell` where they are not.
    """
    cell = None if cell is None else number("cell", cell, low=1e-6, high=1e9)
    height = None if height is None else number("height", height, low=0, high=1e6)
    path, magic = opened(path)
    try:
        if magic.startswith((b"\x93NUMPY", b"PK")) or path.suffix.lower() in (".npy", ".npz"):
            b, sides, share = read_numpy(path, magic)
        else:
            b, sides, share = read_raster(path, magic)
        if height is not None and not share:
            raise InputError("its heights are in metres already: leave out height")
        b = fill_holes(b)
        if cell is None:
            b, cell = square(b, *sides)
        if share:
            b = b * (max(b.shape) * cell / 8 if height is None else height)
        return Terrain.create(b, cell, edges)
    except InputError as e:
        raise InputError(f"{path}: {e}") from None


def fill_holes(b) -> np.ndarray:
    """Fill what is not finite, or masked, with a smooth surface through the rest.

    ∇²b = 0 in the holes, nearly: a pyramid of means from coarse to fine, relaxed at each level.
    """
    b = np.ma.asarray(b)
    if b.ndim != 2 or not b.size or b.dtype.kind not in "buif":
        raise InputError(
            f"heights must be a map of numbers [ny, nx], not {b.dtype} of shape {b.shape}"
        )
    b = b.astype(np.result_type(b.dtype, np.float32)).filled(np.nan)
    known = np.isfinite(b)
    if not known.any():
        raise InputError("every height is a hole: give a file with data in it")
    low, high = b[known].min(), b[known].max()
    return np.where(known, b, np.clip(relaxed(b, known), low, high))


def relaxed(b: np.ndarray, known: np.ndarray, sweeps: int = 16) -> np.ndarray:
    """Spread the known heights over the others, by way of the same map at half the size."""
    if known.all():
        return b
    odd = [(0, n % 2) for n in b.shape]
    blocks = (-(-b.shape[0] // 2), 2, -(-b.shape[1] // 2), 2)
    count = np.pad(known, odd).reshape(blocks).sum((1, 3))
    mean = np.pad(np.where(known, b, 0), odd).reshape(blocks).sum((1, 3)) / np.maximum(count, 1)
    coarse = relaxed(mean.astype(b.dtype), count > 0)
    b = np.where(known, b, resample(coarse, b.shape, (0.5, 0.5)))
    for _ in range(sweeps):
        p = np.pad(b, 1, mode="edge")
        around = (p[1:-1, 2:] + p[1:-1, :-2] + p[2:, 1:-1] + p[:-2, 1:-1]) / 4
        b = np.where(known, b, around)
    return b


def resample(b: np.ndarray, shape, steps) -> np.ndarray:
    """Interpolate bilinearly at new cell centres, `steps` (y, x) old cells apart."""
    for axis, (n, step) in enumerate(zip(shape, steps)):
        last = b.shape[axis] - 1
        at = np.clip((np.arange(n) + 0.5) * step - 0.5, 0, last)
        i = at.astype(int)
        t = np.expand_dims((at - i).astype(b.dtype), 1 - axis)
        b = b.take(i, axis) * (1 - t) + b.take(np.minimum(i + 1, last), axis) * t
    return b


def square(b: np.ndarray, dx: float, dy: float) -> tuple[np.ndarray, float]:
    """Resample oblong cells to square ones.

    Their side is the smaller of the two: the larger would lose the narrow ridges and channels
    that steer water, and memory only grows by the ratio of the sides.
    """
    dx, dy = (number("the side of a cell", side, low=1e-6, high=1e9) for side in (dx, dy))
    side = min(dx, dy)
    if max(dx, dy) <= 1.001 * side:
        return b, side
    ny, nx = max(round(b.shape[0] * dy / side), 1), max(round(b.shape[1] * dx / side), 1)
    Grid.create(ny, nx, side)
    return resample(b, (ny, nx), (side / dy, side / dx)), side


def metres(dx: float, dy: float, bounds, geographic: bool | None) -> tuple[float, float]:
    """Sides of a cell in metres; where nobody knows if they are degrees, small ones on Earth are.

    dx = 111 320 m/° cos φ, dy = 111 320 m/°, at the middle latitude φ
    """
    west, south, east, north = bounds
    if geographic is None:
        limits = (west, 180), (east, 180), (south, 90), (north, 90)
        geographic = max(dx, dy) < 0.1 and all(abs(x) <= limit for x, limit in limits)
    if not geographic:
        return dx, dy
    middle = (south + north) / 2
    if not abs(middle) < 89:
        raise InputError(
            f"cells in degrees have no width at latitude {middle:g}: reproject it to metres,"
            " for instance with gdalwarp -t_srs"
        )
    return dx * DEGREE * float(np.cos(np.radians(middle))), dy * DEGREE


def opened(path) -> tuple[Path, bytes]:
    """The path of a file that can be read and is not empty, and its first bytes."""
    try:
        path = Path(path).absolute()
        with open(path, "rb") as f:
            magic = f.read(8)
    except (OSError, TypeError, ValueError) as e:
        why = getattr(e, "strerror", None) or e
        raise InputError(f"cannot open {path!s}: {why}; give the path of {FORMATS}") from None
    if not magic:
        raise InputError(f"{path} is empty: give {FORMATS}")
    return path, magic


@contextmanager
def foreign() -> Iterator[None]:
    """Turn whatever a file makes its reader raise into one InputError.

    Any exception: damaged files take zipfile, numpy and GDAL down more ways than can be listed.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as e:
        why = " ".join(str(e.__cause__ or e).split()) or type(e).__name__
        raise InputError(f"cannot be read ({why}): give {FORMATS} that is whole") from None


def read_raster(path: Path, magic: bytes) -> Read:
    """Read an image or a GIS raster."""
    rasterio = need("rasterio", "dem")
    from rasterio.errors import NotGeoreferencedWarning

    # By content, and no other driver: some, like VRT, follow links out of the file.
    drivers = {b"\x89PNG": "PNG", b"II": "GTiff", b"MM": "GTiff"}
    driver = next((d for start, d in drivers.items() if magic.startswith(start)), "AAIGrid")
    with warnings.catch_warnings(), foreign(), rasterio.Env(**GDAL):
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(path, driver=driver) as file:
            Grid.create(file.height, file.width)
            plain = file.transform.is_identity
            b, share = heights(file, plain)
            return (b[::-1], (1.0, 1.0), share) if plain else (*placed(b, file), share)


def placed(b: np.ndarray, file) -> tuple[np.ndarray, tuple[float, float]]:
    """Turn a georeferenced raster's rows to the north and its columns to the east; its sides."""
    t, crs = file.transform, file.crs
    if abs(t.b) + abs(t.d) > 1e-6 * (abs(t.a) + abs(t.e)):
        raise InputError("its rows do not run west to east: turn it north up with gdalwarp first")
    b = b[:: -1 if t.e < 0 else 1, :: -1 if t.a < 0 else 1]
    unit = crs.linear_units_factor[1] if crs and crs.is_projected else 1.0  # feet, mostly
    geographic = crs.is_geographic if crs else None
    return b, metres(abs(t.a) * unit, abs(t.e) * unit, file.bounds, geographic)


def heights(file, plain: bool) -> tuple[np.ndarray, bool]:
    """Merge the bands to heights, holes as NaN, and say if they are a share of full range."""
    kinds, kind = [c.name for c in file.colorinterp], np.dtype(file.dtypes[0])
    if kind.kind not in "iuf":
        raise InputError(f"its numbers are {kind}: give integers or floats")
    coloured = kinds[:3] == ["red", "green", "blue"]
    if coloured:
        b = sum(w * file.read(i) for i, w in enumerate(LUMINANCE, start=1))
    elif kinds[0] != "palette" and all(k == "alpha" for k in kinds[1:]):
        b = file.read(1).astype(float)
    else:
        raise InputError(f"its bands are {', '.join(kinds)}: save it in greyscale, one band")
    flags = [flag.name for flag in file.mask_flag_enums[0]]
    if "alpha" not in flags and "all_valid" not in flags:
        b[file.read_masks(1) == 0] = np.nan
    if file.driver == "AAIGrid":
        whole(file)
        b[b == (ESRI_NODATA if file.nodata is None else file.nodata)] = np.nan
    if kind.kind == "f" or not (plain or coloured):
        return b * file.scales[0] + file.offsets[0], False
    bits = file.tags(1, ns="IMAGE_STRUCTURE").get("NBITS")  # where fewer than the type's
    low, high = (0, 2 ** int(bits) - 1) if bits else (np.iinfo(kind).min, np.iinfo(kind).max)
    return (b - low) / (high - low), True


def whole(file) -> None:
    """Refuse an ASCII grid that ends early: GDAL makes up what its last row lacks."""
    with open(file.name, encoding="latin-1") as lines:
        words = sum(len(line.split()) for line in lines)
    if words < file.width * file.height + (10 if file.nodata is None else 12):  # with the header
        raise InputError(f"it ends before {file.height} rows of {file.width} heights: get it anew")


def read_numpy(path: Path, magic: bytes) -> Read:
    """Read an .npy, or the map in an .npz with what it says of its cells."""
    with foreign():
        if not magic.startswith(b"PK"):
            with open(path, "rb") as f:
                return read_map(f), (1.0, 1.0), False
        with zipfile.ZipFile(path) as files:
            names = [n.removesuffix(".npy") for n in files.namelist() if n.endswith(".npy")]
            found = {n: header(files.open(f"{n}.npy")) for n in names}
            maps = [n for n, (shape, kind) in found.items() if len(shape) == 2 and kind in "buif"]
            chosen = [n for n in NAMES if n in maps][:1] or maps
            if len(chosen) != 1:
                came = ", ".join(f"{n} of shape {shape}" for n, (shape, _) in found.items())
                raise InputError(
                    "wanted one map of numbers [ny, nx], or one called"
                    f" {' or '.join(NAMES)}; it holds {came[:300] or 'no arrays'}"
                )
            b = read_map(files.open(f"{chosen[0]}.npy"))
            facts = {
                n: float(np.lib.format.read_array(files.open(f"{n}.npy"), allow_pickle=False))
                for n, (shape, kind) in found.items()
                if n in FACTS and shape == () and kind in "iuf"
            }
    if "dx" not in facts:
        side = facts.get("cell", facts.get("cellsize", 1.0))
        return b, (side, side), False
    dx, dy = abs(facts["dx"]), abs(facts.get("dy", facts["dx"]))
    bounds = [facts.get(n, np.nan) for n in ("xmin", "ymin", "xmax", "ymax")]
    return b[::-1], metres(dx, dy, bounds, None), False


def header(f: IO[bytes]) -> tuple[tuple[int, ...], str]:
    """The shape and the kind of numbers of an .npy, from no more than its first 16 kB."""
    head = io.BytesIO(f.read(2**14))
    f.seek(0)
    if np.lib.format.read_magic(head) == (1, 0):
        shape, _, kind = np.lib.format.read_array_header_1_0(head)
    else:
        shape, _, kind = np.lib.format.read_array_header_2_0(head)
    return shape, kind.kind


def read_map(f: IO[bytes]) -> np.ndarray:
    """Read an .npy that is a map of numbers and fits in memory, both checked beforehand."""
    shape, kind = header(f)
    if len(shape) != 2 or kind not in "buif":
        what = "numbers" if kind in "buif" else "things that are not real numbers"
        raise InputError(f"wanted a map of numbers [ny, nx], and it holds {what} of shape {shape}")
    Grid.create(*shape)
    return np.lib.format.read_array(f, allow_pickle=False)
