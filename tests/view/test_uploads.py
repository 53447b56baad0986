import io
import struct
import zipfile
import zlib

import numpy as np
import pytest

from koski.core.errors import InputError
from koski.view import uploads


def npy(array) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def zip_of(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files.items():
            z.writestr(f"{name}.npy", data)
    return buffer.getvalue()


def png(width, height, rows=b"") -> bytes:
    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 16, 0, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def tiff(width, height) -> bytes:
    tags = [struct.pack("<HHII", tag, 4, 1, n) for tag, n in ((256, width), (257, height))]
    return b"II*\0" + struct.pack("<IH", 8, len(tags)) + b"".join(tags) + b"\0" * 4


SLOPE = np.arange(12.0).reshape(3, 4)
ASCII = b"ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 5\n1 2 3\n4 5 6\n"


@pytest.mark.parametrize(
    ("data", "shape", "cell"),
    [
        (npy(SLOPE), (3, 4), 1.0),
        (zip_of(b=npy(SLOPE), cell=npy(np.float64(2.0))), (3, 4), 2.0),
        (png(4, 3, b"".join(b"\0" + bytes(8) for _ in range(3))), (3, 4), 1.0),
        (ASCII, (2, 3), 5.0),
    ],
    ids=["npy", "npz", "png", "ascii"],
)
def test_a_good_heightmap_becomes_a_world_with_rain(data, shape, cell):
    scene = uploads.heightmap(data).scene
    assert (scene.terrain.grid.shape, scene.terrain.grid.cell) == (shape, cell)
    assert scene.rain > 0
    assert uploads.heightmap(data, cell=7.0).scene.terrain.grid.cell == 7.0


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GIF89a nothing for us",
        b"<VRTDataset></VRTDataset>",
        png(60_000, 60_000),
        png(3, 3)[:20],
        tiff(100_000, 100_000),
        tiff(10, 10),
        b"II*\0\xff\xff\xff\xff",
        npy(SLOPE)[:-9],
        npy(np.array([{"a": 1}], dtype=object)),
        npy(np.zeros((2, 2, 2))),
        zip_of(b=npy(np.zeros((9000, 9000), np.uint8))),
        zip_of(tree=b"x", b=b"y"),
        b"ncols 99999\nnrows 99999\n1 2 3",
        b"\x93NUMPY" + b"\xff" * 50,
    ],
    ids=lambda d: repr(d[:8]),
)
def test_a_hostile_heightmap_is_refused_before_it_is_unpacked(data):
    with pytest.raises(InputError) as e:
        uploads.heightmap(data)
    assert "\n" not in str(e.value) and "/tmp" not in str(e.value)


def test_a_bomb_is_refused_by_what_it_says_it_holds(monkeypatch):
    monkeypatch.setattr(uploads, "UNPACKED", 10_000)
    bomb = zip_of(tree=bytes(100_000))
    assert len(bomb) < 1000
    for take in (uploads.heightmap, uploads.world):
        with pytest.raises(InputError, match="unpacks to more"):
            take(bomb)


@pytest.mark.parametrize(
    "data",
    [
        b"not a zip",
        zip_of(tree=npy(np.array("{}"))),
        zip_of(tree=npy(np.array('{"format": "koski 1", "what": {"dict": {"state": 1}}}'))),
        zip_of(
            tree=npy(np.array('{"format": "koski 1", "what": {"function": "os:system"}}')),
        ),
        zip_of(tree=npy(np.array("[" * 50_000))),
    ],
    ids=["text", "empty", "bare", "foreign", "deep"],
)
def test_what_is_no_saved_world_is_refused(data):
    with pytest.raises(InputError):
        uploads.world(data)


def test_a_large_heightmap_is_sampled_down(monkeypatch):
    monkeypatch.setattr(uploads, "CELLS", 32)
    x = np.broadcast_to(np.arange(100.0), (60, 100))
    terrain = uploads.heightmap(npy(x)).scene.terrain
    assert terrain.grid.nx == 32 and terrain.grid.size[0] == pytest.approx(100, rel=0.01)
    assert float(terrain.b[0, 0]) < 3 and float(terrain.b[0, -1]) > 96
