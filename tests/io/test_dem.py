import io
import os
import struct
import sys
import warnings
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from koski import Drain, Edges, InputError
from koski.io.dem import DEGREE, fill_holes, load

rasterio = pytest.importorskip("rasterio")


def slope(ny=6, nx=8, kind="uint8"):
    """Heights that differ in every cell, row 0 in the north as images have it."""
    return np.arange(ny * nx).reshape(ny, nx).astype(kind)


def write(path, b, driver="GTiff", **profile):
    """Write a raster [y, x] or [band, y, x]."""
    bands = b if b.ndim == 3 else b[None]
    count, height, width = bands.shape
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
        with rasterio.open(
            path, "w", driver=driver, count=count, height=height, width=width,
            dtype=bands.dtype, **profile,
        ) as file:  # fmt: skip
            file.write(bands)
    return path


def north_up(cell, west=500_000.0, north=6_800_000.0, tall=None):
    return rasterio.Affine(cell, 0, west, 0, -(tall or cell), north)


def png(width, height, data=b""):
    """A greyscale PNG made by hand, so that it may lie."""

    def chunk(name, body):
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = (b"IHDR", head), (b"IDAT", zlib.compress(data)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


def npy_header(shape, kind="<f4"):
    f = io.BytesIO()
    facts = {"descr": kind, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(f, facts)
    return f.getvalue()


@pytest.mark.parametrize("kind", ["uint8", "uint16"])
def test_the_full_range_of_a_png_is_its_height_and_its_row_0_is_north(tmp_path, kind):
    b = slope(kind=kind)
    b[0, 0] = np.iinfo(kind).max
    terrain = load(write(tmp_path / "a.png", b, "PNG"), cell=3.0, height=50.0)
    assert terrain.grid.shape == (6, 8)
    assert terrain.grid.cell == 3.0
    assert_allclose(
        terrain.b, 50.0 * b[::-1].astype(float) / np.iinfo(kind).max, rtol=1e-6
    )  # float32


def test_a_plain_image_is_an_eighth_of_its_longer_side_high(tmp_path):
    b = slope(6, 16)
    b[-1, 0] = 255
    assert float(load(write(tmp_path / "a.png", b, "PNG"), cell=2.0).b[0, 0]) == 16 * 2 / 8


def test_colours_count_by_their_luminance_and_alpha_does_not(tmp_path):
    grey = slope()
    rgba = np.stack([grey, grey, grey, np.zeros_like(grey)])
    green = np.stack([0 * grey, np.full_like(grey, 255), 0 * grey])
    terrain = load(write(tmp_path / "grey.png", rgba, "PNG"), height=255.0)
    assert_allclose(terrain.b, grey[::-1], atol=1e-4)  # float32 rounding at 255
    terrain = load(write(tmp_path / "green.png", green, "PNG"), height=1.0)
    assert_allclose(terrain.b, 0.7152, rtol=1e-6)


def test_a_tiff_of_floats_is_in_metres(tmp_path):
    b = slope(kind="float32") - 7.5
    terrain = load(write(tmp_path / "a.tif", b))
    assert terrain.grid.cell == 1.0
    assert_array_equal(terrain.b, b[::-1])


def test_a_signed_tiff_without_georeference_starts_at_its_lowest_number(tmp_path):
    b = slope(kind="int16")
    b[0, 0], b[0, 1] = -32768, 32767
    terrain = load(write(tmp_path / "a.tif", b), height=10.0)
    assert_allclose(terrain.b[-1, :2], [0, 10])


def test_a_geotiff_keeps_its_cells_and_its_holes_are_filled(tmp_path):
    b = slope(kind="int16")
    holed = b.copy()
    holed[2:4, 3:5] = -32768
    transform = north_up(2.5)
    path = write(tmp_path / "a.tif", holed, transform=transform, crs="EPSG:3067", nodata=-32768)
    terrain = load(path)
    known = holed[::-1] != -32768
    assert terrain.grid.cell == 2.5
    assert_array_equal(np.asarray(terrain.b)[known], b[::-1][known])
    assert_allclose(terrain.b, b[::-1], atol=2)  # a plane, and the hole is small


def test_a_mask_in_the_file_makes_holes(tmp_path):
    b = np.full((6, 8), 5.0, "float32")
    b[2, 2] = 1000.0
    path = write(tmp_path / "a.tif", b)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
        with rasterio.open(path, "r+") as file:
            file.write_mask(b < 1000)
    assert_array_equal(load(path).b, 5.0)


def test_scale_and_offset_of_a_raster_are_applied(tmp_path):
    b = slope(kind="int16")
    path = write(tmp_path / "a.tif", b, transform=north_up(10.0), crs="EPSG:3067")
    with rasterio.open(path, "r+") as file:
        file.scales, file.offsets = (0.1,), (100.0,)
    assert_allclose(load(path).b, 0.1 * b[::-1] + 100, rtol=1e-6)


def test_a_raster_in_feet_has_cells_in_metres(tmp_path):
    path = write(tmp_path / "a.tif", slope(kind="float32"), transform=north_up(10), crs="EPSG:2225")
    assert_allclose(load(path).grid.cell, 10 * 1200 / 3937)  # US survey feet


def test_a_raster_with_row_0_in_the_south_is_not_flipped(tmp_path):
    b = slope(kind="float32")
    path = write(tmp_path / "a.tif", b, transform=rasterio.Affine(2, 0, 1000, 0, 2, 5000))
    assert_array_equal(load(path).b, b)


@pytest.mark.parametrize("crs", ["EPSG:4326", None])
def test_degrees_become_metres_and_cells_square(tmp_path, crs):
    side, ny, nx = 1 / 1200, 40, 30
    y, x = np.mgrid[ny:0:-1, 0:nx] - 0.5
    b = (3 * x + 5 * y).astype("float32")
    north = 60 + side * ny / 2
    path = write(tmp_path / "a.tif", b, transform=north_up(side, 25.0, north), crs=crs)
    terrain = load(path)
    assert_allclose(terrain.grid.cell, side * DEGREE / 2)  # cos 60° = ½
    assert terrain.grid.shape == (80, 30)
    rise = np.diff(np.asarray(terrain.b)[1:-1], axis=0)  # half-way beyond the centres is constant
    assert_allclose(rise, 2.5, atol=1e-4)
    assert_allclose(np.diff(terrain.b, axis=1), 3, atol=1e-4)


def test_oblong_cells_become_squares_of_the_smaller_side(tmp_path):
    path = write(tmp_path / "a.tif", slope(kind="float32"), transform=north_up(10.0, tall=5.0))
    terrain = load(path)
    assert (terrain.grid.shape, terrain.grid.cell) == ((6, 16), 5.0)
    assert load(path, cell=7.0).grid.shape == (6, 8)


def ascii_grid(rows, cell="2", nodata="NODATA_value -1\n"):
    ny, nx = len(rows), len(rows[0])
    head = f"ncols {nx}\nnrows {ny}\nxllcorner 1000\nyllcorner 500\ncellsize {cell}\n{nodata}"
    return head + "\n".join(" ".join(map(str, row)) for row in rows) + "\n"


@pytest.mark.parametrize(("hole", "line"), [(-1, "NODATA_value -1\n"), (-9999, "")])
def test_an_ascii_grid_is_read_with_its_holes_filled(tmp_path, hole, line):
    path = tmp_path / "a.asc"
    path.write_text(ascii_grid([[7, 7, 7, 7], [3, 3, hole, 3], [3, 3, 3, 3.25]], "2.5", line))
    terrain = load(path)
    assert terrain.grid.cell == 2.5
    assert_array_equal(terrain.b[2], 7)
    assert_array_equal(terrain.b[0], [3, 3, 3, 3.25])
    assert 3 < float(terrain.b[1, 2]) < 7


def test_an_ascii_grid_that_begins_with_whole_numbers_keeps_its_fractions(tmp_path):
    path = tmp_path / "a.asc"
    path.write_text(ascii_grid([[4] * 400] * 200 + [[4.5] * 400]))  # GDAL looks at 100 kB
    assert_array_equal(load(path).b[0], 4.5)


def test_arrays_are_taken_as_they_are(tmp_path):
    b = slope(kind="float64")
    np.save(tmp_path / "a.npy", b)
    np.savez(tmp_path / "a.npz", notes=np.arange(3), dem=b, other=0 * b, cellsize=4)
    terrain = load(tmp_path / "a.npy", edges=Edges.all(Drain()))
    assert_array_equal(terrain.b, b)
    assert isinstance(terrain.edges.west, Drain)
    terrain = load(str(tmp_path / "a.npz"))
    assert_array_equal(terrain.b, b)
    assert terrain.grid.cell == 4.0


def test_the_only_map_in_an_npz_needs_no_name(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", bed=slope(), t=np.arange(3), cell=2.0)
    terrain = load(tmp_path / "a.npz")
    assert (terrain.grid.shape, terrain.grid.cell) == ((6, 8), 2.0)


def test_holes_in_an_array_are_filled(tmp_path):
    b = np.full((5, 5), 2.0)
    b[1, 1], b[3, 3] = np.nan, np.inf
    np.save(tmp_path / "a.npy", b)
    assert_array_equal(load(tmp_path / "a.npy").b, 2.0)


def test_the_sample_dem_of_matplotlib_is_flipped_and_in_metres():
    cbook = pytest.importorskip("matplotlib.cbook")
    path = cbook.get_sample_data("jacksboro_fault_dem.npz", asfileobj=False)
    with np.load(path) as file:
        b, side, latitude = file["elevation"], file["dx"], (file["ymin"] + file["ymax"]) / 2
    terrain = load(path)
    assert_allclose(terrain.grid.cell, side * DEGREE * np.cos(np.radians(latitude)))
    assert terrain.grid.shape == (round(344 / np.cos(np.radians(latitude))), 403)
    assert_allclose(terrain.b[0], b[-1], atol=1e-3)  # the outermost rows have no neighbour
    assert_allclose(float(terrain.b.mean()), b.mean(), atol=1)
    assert b.min() <= float(terrain.b.min()) < float(terrain.b.max()) <= b.max()


def bad_files(path: Path) -> dict[str, Path]:
    """Every kind of bad input by name."""
    for name, b in {
        "holes.npy": np.full((4, 4), np.nan),
        "empty.npy": np.zeros((0, 4)),
        "1d.npy": np.zeros(4),
        "3d.npy": np.zeros((4, 4, 3)),
        "objects.npy": np.full((4, 4), None),
        "complex.npy": np.zeros((4, 4), complex),
        "words.npy": np.full((4, 4), "high"),
        "far.npy": np.full((4, 4), 1e30),
    }.items():
        np.save(path / name, b, allow_pickle=True)
    np.savez(path / "two.npz", p=slope(), q=slope())
    np.savez(path / "none.npz", p=np.zeros(3))
    np.savez(path / "objects.npz", b=np.full((4, 4), None))
    np.savez(path / "nan cell.npz", b=slope(), cell=np.nan)
    noise = np.random.default_rng(1).integers(0, 255, (90, 90)).astype("uint8")
    for name, driver, kind in [
        ("8 bit.png", "PNG", "uint8"),
        ("16 bit.png", "PNG", "uint16"),
        ("a.tif", "GTiff", "float32"),
    ]:
        whole = write(path / "whole", noise.astype(kind), driver).read_bytes()
        (path / name).write_bytes(whole[: len(whole) // 2])
    (path / "whole").unlink()
    geographic = {"crs": "EPSG:4326", "transform": north_up(0.001, 10.0, 90.0)}
    write(path / "pole.tif", slope(kind="float32"), **geographic)
    write(path / "two bands.tif", np.zeros((2, 4, 4), "float32"))
    write(path / "complex.tif", np.zeros((4, 4), "complex64"))
    write(path / "holes.tif", np.full((4, 4), 7, "int16"), nodata=7, transform=north_up(1))
    turned = north_up(1) @ rasterio.Affine.rotation(30)
    write(path / "turned.tif", slope(kind="float32"), transform=turned)
    lookup = {i: (i, 0, 0, 255) for i in range(256)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
        with rasterio.open(write(path / "palette.tif", slope()), "r+") as file:
            file.write_colormap(1, lookup)
    write(path / "one pixel.png", slope(1, 1), "PNG")
    (path / "huge.png").write_bytes(png(200_000, 200_000))
    (path / "huge.asc").write_text(ascii_grid([[1, 2]]).replace("ncols 2", "ncols 2000000000"))
    (path / "short.asc").write_text(ascii_grid([[1, 2], [3]]))
    (path / "huge.npy").write_bytes(npy_header((10**6, 10**6)))
    (path / "short.npy").write_bytes(npy_header((10, 10)) + b"\0" * 40)
    (path / "negative.npy").write_bytes(npy_header((-4, -4)))
    (path / "cut.npy").write_bytes(npy_header((10, 10))[:20])
    with zipfile.ZipFile(path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("b.npy", npy_header((10**6, 10**6)) + bytes(10**6))
    with zipfile.ZipFile(path / "long header.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("b.npy", b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**31) + b" " * 10**6)
    (path / "cut.npz").write_bytes((path / "bomb.npz").read_bytes()[:200])
    for name in ("text.png", "text.tif", "text.asc", "text.npy", "text.npz"):
        (path / name).write_text("once upon a time\n" * 20)
    (path / "nothing.png").write_bytes(b"")
    (path / "folder.png").mkdir()
    names = [*sorted(os.listdir(path)), "missing.png", "no\0name.png"]
    return {name: path / name for name in names}


def test_every_bad_file_is_refused_in_one_sentence_and_in_silence(tmp_path, capfd):
    files = bad_files(tmp_path)
    assert len(files) > 35
    for name, path in files.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(InputError) as error:
                load(path)
        message = str(error.value)
        assert str(path) in message, name
        assert "\n" not in message, name
        assert len(message) - len(str(path)) < 400, message
    assert capfd.readouterr() == ("", "")
    assert len(os.listdir(tmp_path)) == len(files) - 2  # two were never there


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("holes.npy", "every height is a hole"),
        ("3d.npy", r"\[ny, nx\].*\(4, 4, 3\)"),
        ("two.npz", "p of shape .* q of shape"),
        ("8 bit.png", "cannot be read .*Read Error.*whole"),
        ("huge.png", "needs about .* GiB"),
        ("bomb.npz", "needs about .* GiB"),
        ("missing.png", "No such file"),
        ("folder.png", "Is a directory"),
        ("short.asc", "ends before 2 rows"),
        ("palette.tif", "greyscale"),
        ("turned.tif", "north up"),
        ("pole.tif", "reproject"),
    ],
)
def test_a_bad_file_is_refused_for_what_is_wrong_with_it(tmp_path, name, says):
    with pytest.raises(InputError, match=says):
        load(bad_files(tmp_path)[name])


def test_a_good_file_is_read_in_silence_and_leaves_nothing_beside_it(tmp_path, capfd):
    write(tmp_path / "a.png", slope(), "PNG")
    write(tmp_path / "a.tif", slope(kind="int16"), transform=north_up(2), crs="EPSG:3067", nodata=3)
    (tmp_path / "a.asc").write_text(ascii_grid([[1, 2], [3, 4.5]]))
    before = os.listdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in before:
            load(tmp_path / name)
    assert capfd.readouterr() == ("", "")
    assert os.listdir(tmp_path) == before


def test_without_rasterio_the_message_names_what_to_install(tmp_path, monkeypatch):
    path = write(tmp_path / "a.png", slope(), "PNG")
    monkeypatch.setitem(sys.modules, "rasterio", None)
    with pytest.raises(InputError, match=r"pip install 'koski\[dem\]'"):
        load(path)


@pytest.mark.parametrize("bad", [{"cell": 0}, {"cell": "wide"}, {"height": -1}, {"height": np.nan}])
def test_a_bad_cell_or_height_is_named(tmp_path, bad):
    with pytest.raises(InputError, match=next(iter(bad))):
        load(write(tmp_path / "a.png", slope(), "PNG"), **bad)


def test_height_is_refused_where_the_file_is_in_metres(tmp_path):
    with pytest.raises(InputError, match="in metres already"):
        load(write(tmp_path / "a.tif", slope(kind="float32")), height=10)


def test_a_path_must_be_a_path():
    with pytest.raises(InputError, match="cannot open 3"):
        load(3)


heights = st.one_of(st.floats(-1e4, 1e4, width=32), st.sampled_from([np.nan, np.inf, -np.inf]))
shapes = st.tuples(st.integers(1, 17), st.integers(1, 17))


@settings(max_examples=60, deadline=None)
@given(arrays(np.float32, shapes, elements=heights))
def test_filling_holes_keeps_what_is_known_and_stays_within_it(b):
    known = np.isfinite(b)
    if not known.any():
        with pytest.raises(InputError, match="every height is a hole"):
            fill_holes(b)
        return
    before, filled = b.copy(), fill_holes(b)
    assert_array_equal(filled[known], b[known])
    assert_array_equal(b, before)
    assert b[known].min() <= filled.min() <= filled.max() <= b[known].max()


def test_a_hole_in_a_plane_is_filled_with_nearly_the_plane():
    y, x = np.mgrid[:100, :100] / 100.0
    plane = x + 2 * y
    holed = np.ma.masked_where((abs(x - 0.5) < 0.2) & (abs(y - 0.4) < 0.2), plane)
    filled = fill_holes(holed)
    assert_allclose(filled, plane, atol=0.02)  # of 3; relaxation stops before the very answer
    assert abs(np.diff(filled, axis=0)).max() < 0.05  # no cliffs: the plane rises 0.02 a cell


@pytest.mark.parametrize("b", [np.zeros(3), np.zeros((0, 2)), np.full((2, 2), None), 1.0])
def test_filling_holes_takes_a_map_of_numbers(b):
    with pytest.raises(InputError, match="map of numbers"):
        fill_holes(b)
