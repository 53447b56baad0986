"""Frames for the page: maps of the world as 16-bit numbers, in tiles, only those that changed.

    uint32 H, H bytes of JSON FrameHeader, then per field and tile its values row by row (uint16),
    then the poses of bodies (float32 [n, 7]: x y z qw qx qy qz)

Little endian, each part padded to 4 bytes.   value = low + q (high − low) / 65535
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from koski.view.messages import FieldHeader, FrameHeader

TILE = 64  # cells along the side of a tile
FULL = 65535  # the largest of 16 bits
TINY = 1e-9  # the least span between low and high


@dataclass(frozen=True)
class Sheet:
    """One map of a frame, and when each of its tiles last changed."""

    q: np.ndarray  # uint16 [ny, nx]
    low: float  # NaN where any value is not finite
    high: float
    since: np.ndarray  # tick of the last visible change, per tile [rows, columns]


# ── from the world ───────────────────────────────────────────────────────────────────────


@partial(jax.jit, donate_argnums=1)
def quantised(f, shown, least):
    """A map as 16-bit numbers with its range; which tiles differ by more than `least` from what
    was last shown; and what is shown now.  One program serves all maps of a grid."""
    low, high = f.min(), f.max()  # on CPUs these pass over a NaN
    low = jnp.where(jnp.isfinite(f).all(), low, jnp.nan)
    q = jnp.round((f - low) * (FULL / jnp.maximum(high - low, TINY))).astype(jnp.uint16)
    changed = blocks(jnp.abs(f - shown)) > least
    return (q, low, high, changed), jnp.where(spread(changed, f.shape), f, shown)


def blocks(f):
    """The largest value in each tile."""
    (ny, nx), (rows, columns) = f.shape, tiles_of(f.shape)
    f = jnp.pad(f, ((0, rows * TILE - ny), (0, columns * TILE - nx)))
    return f.reshape(rows, TILE, columns, TILE).max(3).max(1)


def spread(tiles, shape):
    """A value per tile as one per cell."""
    rows, columns = tiles.shape
    f = jnp.broadcast_to(tiles[:, None, :, None], (rows, TILE, columns, TILE))
    return f.reshape(rows * TILE, columns * TILE)[: shape[0], : shape[1]]


def tiles_of(shape: tuple[int, int]) -> tuple[int, int]:
    """How many rows and columns of tiles cover a map."""
    return -(-shape[0] // TILE), -(-shape[1] // TILE)


class Press:
    """Makes sheets of the maps of one world, tick after tick."""

    def __init__(self):
        self.shown: dict = {}
        self.since: dict[str, np.ndarray] = {}

    def sheets(
        self, maps: dict, least: dict[str, float], tick: int, also: Any = ()
    ) -> tuple[dict, Any]:
        """The maps quantised, all fetched at once, together with what `also` holds."""
        for name in set(self.shown) - set(maps):
            del self.shown[name], self.since[name]
        made = {}
        for name, f in maps.items():
            before = self.shown.get(name)
            before = jnp.full(f.shape, jnp.inf, jnp.float32) if before is None else before
            made[name], self.shown[name] = quantised(f, before, jnp.float32(least[name]))
        made, also = jax.device_get((made, also))
        found = {}
        for name, (q, low, high, changed) in made.items():
            old = self.since.get(name, np.zeros(changed.shape, np.int64))
            self.since[name] = np.where(changed, tick, old)
            found[name] = Sheet(
                q, float(low), max(float(high), float(low) + TINY), self.since[name]
            )
        return found, also


# ── to bytes and back ────────────────────────────────────────────────────────────────────


def owed(sheet: Sheet, got: np.ndarray | None, view: np.ndarray) -> np.ndarray:
    """The numbers of the tiles in view that changed since a viewer got them."""
    late = view if got is None else view & (sheet.since > got)
    return np.flatnonzero(late)


def in_view(shape: tuple[int, int], cell: float, x0, y0, x1, y1) -> np.ndarray:
    """Which tiles a rectangle [m] touches."""
    rows, columns = tiles_of(shape)
    side = TILE * cell
    x, y = np.arange(columns) * side, np.arange(rows) * side
    across, along = (x + side >= x0) & (x <= x1), (y + side >= y0) & (y <= y1)
    return along[:, None] & across[None, :]


def encode(header: FrameHeader, sheets: dict[str, Sheet], tiles: Mapping[str, Any], poses) -> bytes:
    """A frame of some tiles of some sheets; the header's own fields are filled in."""
    fields, parts = [], []
    for name, numbers in tiles.items():
        sheet, numbers = sheets[name], [int(n) for n in numbers]
        fields.append(FieldHeader(name, sheet.low, sheet.high, numbers))
        for n in numbers:
            part = np.ascontiguousarray(sheet.q[window(n, sheet.q.shape)]).tobytes()
            parts.append(part if len(part) % 4 == 0 else part + b"\0\0")
    poses = np.asarray(poses, "<f4").reshape(-1, 7)
    whole = dataclasses.replace(header, tile=TILE, poses=len(poses), fields=fields)
    head = json.dumps(dataclasses.asdict(whole), separators=(",", ":"), allow_nan=False).encode()
    head += b" " * (-len(head) % 4)
    return b"".join([len(head).to_bytes(4, "little"), head, *parts, poses.tobytes()])


def decode(data: bytes, shape: tuple[int, int]) -> tuple[dict, dict, np.ndarray]:
    """The header, {field: {tile: values}} and the poses of a frame."""
    at = 4 + int.from_bytes(data[:4], "little")
    header = json.loads(data[4:at])
    fields: dict[str, dict[int, np.ndarray]] = {}
    for field in header["fields"]:
        found = fields[field["name"]] = {}
        for n in field["tiles"]:
            rows, columns = (s.stop - s.start for s in window(n, shape))
            q = np.frombuffer(data, "<u2", rows * columns, at).reshape(rows, columns)
            found[n] = field["low"] + q * ((field["high"] - field["low"]) / FULL)
            at += -(-q.nbytes // 4) * 4
    poses = np.frombuffer(data, "<f4", 7 * header["poses"], at).reshape(-1, 7)
    return header, fields, poses


def window(n: int, shape: tuple[int, int]) -> tuple[slice, slice]:
    """The cells of a tile, clipped at the edge of the grid."""
    j, i = divmod(n, tiles_of(shape)[1])
    return (
        slice(j * TILE, min((j + 1) * TILE, shape[0])),
        slice(i * TILE, min((i + 1) * TILE, shape[1])),
    )
