"""Which solids each tile of a picture may see.

A tile is 16 × 16 samples.  Its list serves all rays that begin with those of its samples: the rays
themselves, what the water mirrors and refracts of them, and rays from what they meet to the sun.
So a solid is listed wherever one of three hulls of points is seen:

    itself       the corners of the box about it;
    in water     a column below it, from the water's surface down to its mirrored top and to its
                 bottom, where refraction may show it;
    its shadow   the box dragged away from the sun to the lowest ground, wider there by the
                 penumbra; in water also straight down, and where refraction may show it.

Waves tilt the mirror: the column is wider and deeper, the more so the flatter one looks at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from koski.bodies.groups import CUBE
from koski.core.pytree import pytree
from koski.render.camera import Camera, axes
from koski.render.forms import Form
from koski.render.spot import WITHIN

TILE = 16  # samples along a side
PIXELS = TILE * TILE
CHUNK = 64  # tiles that a CPU does in one go: their rays fit in a core's cache
MANY = 4096  # … and a GPU: their rays keep it busy
FEWEST = 4096  # members of all lists
CLOSE = 1e-2  # points nearer to the eye than this are beside or behind it [m]
SPARE = 1.0  # rays may lie this far beside the middle of their sample [samples]
SLOPE = 0.1  # of waves that mirror
STRETCH = 4.0  # waves make a mirrored body at most this many times as tall
SOFT = 0.007  # sine of the sun's radius: half again as large as it is, for there is some haze
LOW_SUN = 0.02  # shadows are no longer than with the sun this high
FARTHEST = 1e6  # on the picture [samples]
GONE = 4.0  # a shadow ends where its penumbra is this many times as wide as what casts it

Array = np.ndarray


@pytree
class Tiles:
    """The tiles of a picture in which there is something to see, those with most first.

    Its arrays have lengths that seldom change, so that what is compiled for one picture fits the
    next: beyond the `used` tiles there is nothing.
    """

    index: jax.Array  # number of the tile in the picture, row by row; beyond where there is none
    used: jax.Array  # how many there are
    members: jax.Array  # the lists one after the other: numbers of solids in their form
    start: tuple[jax.Array, ...]  # for each form, where the list of each tile starts [T]
    count: tuple[jax.Array, ...]  # for each form, how long it is [T]

    def part(self, first) -> Tiles:
        """A handful of the tiles, from one on."""

        def few(f):
            return lax.dynamic_slice_in_dim(f, first, handful())

        used = jnp.clip(self.used - first, 0, handful())
        lists = jax.tree.map(few, (self.start, self.count))
        return Tiles(few(self.index), used, self.members, *lists)


class Placed(Protocol):
    """Solids in their places."""

    @property
    def parts(self) -> Any: ...

    @property
    def forms(self) -> tuple[Form, ...]: ...


def handful() -> int:
    """How many tiles are done in one go."""
    return CHUNK if jax.default_backend() == "cpu" else MANY


def tiles(
    solids: Placed,
    camera: Camera,
    height: int,
    width: int,
    level: Any = -np.inf,
    lowest: Any = 0.0,
    sun: Any = (0.0, 0.0, 1.0),
    slope: float = SLOPE,
    softness: float = SOFT,
) -> Tiles:
    """List the solids of a picture by tile.

    `level` is that of the water and `lowest` that of the deepest ground about each body, or about
    all [m]; a level that is not finite is no water.  `slope` is that of waves, and `softness` as
    in shadows.
    """
    view = View.of(camera, height, width)
    if not solids.forms:
        return listed(np.zeros(0, int), [], view)
    boxes = Boxes.of(solids, level, lowest)
    sun = np.asarray(sun, np.float32)
    total = sum(form.part.size for form in solids.forms)
    found = []
    hulls = (
        boxes.corners(),
        boxes.in_water(view.eye, slope),
        boxes.shadow(view.eye, sun, softness),
    )
    for hull in hulls:
        tile, box = view.covered(*view.bounds(hull))
        found.append(tile.astype(np.int64) * total + boxes.solid[box])
    small = view.rows * view.columns * total < 2**31
    pairs = np.sort(np.concatenate(found).astype(np.int32 if small else np.int64))
    return listed(pairs[new(pairs)], [f.part.size for f in solids.forms], view)


# ── what may be seen ─────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Boxes:
    """Boxes about solids, n of them."""

    solid: Array  # which [n]
    at: Array  # middle [3, n] [m]
    turn: Array  # axes, as columns [3, 3, n]
    half: Array  # [3, n] [m]
    reach: Array  # of the parts that they belong to [n] [m]
    level: Array  # of the water, −inf where there is none [n] [m]
    lowest: Array  # ground [n] [m]

    @staticmethod
    def of(solids: Placed, level, lowest) -> Boxes:
        """Of all solids that are somewhere."""

        def of_all(name):
            return np.concatenate([np.asarray(getattr(f, name)) for f in solids.forms], -1)

        p = solids.parts
        at, turn, half, body = map(np.asarray, (p.at, p.turn, p.half, p.body))
        part = of_all("part")
        solid = np.flatnonzero((part >= 0) & (body[part] >= 0))
        part = part[solid]
        turn, body = turn[..., part], body[part]
        middle = at[:, part] + (turn * of_all("middle")[:, solid]).sum(1)
        level, lowest = (np.asarray(f, np.float32) for f in (level, lowest))
        level = level[body] if level.ndim else np.full(len(body), level)
        lowest = lowest[body] if lowest.ndim else np.full(len(body), lowest)
        level = np.where(np.isfinite(level), level, np.float32(-np.inf))
        reach = np.sqrt((half[:, part] ** 2).sum(0))
        return Boxes(solid, middle, turn, of_all("half")[:, solid], reach, level, lowest)

    def corners(self, wider=0.0) -> Array:
        """[3, 8, n]"""
        arms = self.turn * (self.half + wider)
        return self.at[:, None] + np.einsum("pj,ijn->ipn", CUBE.astype(np.float32), arms)

    def in_water(self, eye: Array, slope: float) -> Array:
        """Columns in which the water shows the boxes, mirrored and refracted [3, 16, n]."""
        x, y, z = self.corners()
        level = np.where(np.isfinite(self.level), self.level, np.nan)
        height = self.over(eye) * (z - level)
        rise, fall = np.maximum(height.max(0), 0), np.maximum(-height.min(0), 0)
        far = np.hypot(self.at[0] - eye[0], self.at[1] - eye[1])
        tilt = 2 * slope * far / np.maximum(np.abs(eye[2] - level), 1e-6)
        rise = rise / np.maximum(1 - tilt, 1 / STRETCH)
        spare = slope * self.reach
        wide = slope * (2 * rise + fall / 2) + spare
        span = (x.min(0) - wide, x.max(0) + wide), (y.min(0) - wide, y.max(0) + wide)
        ends = [level + self.over(eye) * h for h in (spare, -spare - np.maximum(rise, fall))]
        column = np.stack([[a, b, c] for a in span[0] for b in span[1] for c in ends], 1)
        return np.concatenate([column, self.refracted(column, eye)], 1)

    def shadow(self, eye: Array, sun: Array, softness: float) -> Array:
        """Where the boxes keep the sun away, and where that is seen [3, 48, n]."""
        corners = self.corners()
        up = max(float(sun[2]), LOW_SUN)
        long = (corners[2].max(0) - self.lowest) / up
        long = np.clip(long, 0, GONE * self.reach / softness)
        wide = self.corners(softness * long)
        end = wide - long * sun[:, None, None]
        steeper = end[2] < self.level
        down = np.stack([np.where(steeper, wide[i], end[i]) for i in range(2)] + [end[2]])
        bent = [self.refracted(p, eye) for p in (corners, end, down)]
        return np.concatenate([corners, end, down, *bent], 1)

    def over(self, eye: Array) -> Array:
        """1 for boxes whose water is below the eye or nowhere, −1 for those where it is above."""
        return np.where(eye[2] < self.level, np.float32(-1), np.float32(1))

    def refracted(self, p: Array, eye: Array) -> Array:
        """Points [3, P, n], those across the surface moved on it as far as refraction may.

        A ray is steeper in water: it crosses the surface between where it would go straight and
        right above its end there, be that the point or the eye.
        """
        over = self.over(eye)
        across = over * (p[2] - self.level) < 0
        sunken = across & (over < 0)
        x, y = (np.where(sunken, eye[i], p[i]) for i in range(2))
        return np.stack([x, y, np.where(across, self.level, p[2])])


# ── and where ────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class View:
    """A picture's pinhole and its tiles."""

    eye: Array  # [3] [m]
    axes: Array  # right, down and ahead [3, 3]
    scale: float  # size of a thing on the picture times how far ahead it is, over its size
    middle: tuple[float, float]  # of the picture
    lens: float  # radius [m]
    focus: float  # [m]
    rows: int
    columns: int

    @staticmethod
    def of(camera: Camera, height: int, width: int) -> View:
        right, up, ahead = map(np.asarray, axes_of(camera))
        return View(
            np.asarray(camera.eye, np.float32),
            np.stack([right, -up, ahead]),
            height / 2 / float(np.tan(np.deg2rad(camera.fov) / 2)),
            (width / 2, height / 2),
            float(camera.aperture),
            float(camera.focus),
            -(-height // TILE),
            -(-width // TILE),
        )

    def bounds(self, hull: Array) -> tuple[Array, Array]:
        """Least and most of x, y, x + y and x − y at which hulls of points [3, P, n] are seen."""
        points = np.tensordot(self.axes, hull - self.eye[:, None, None], 1)
        ahead = points[2] >= CLOSE
        low, high = self.extent(points)
        cut = np.flatnonzero(ahead.any(0) & ~ahead.all(0))
        if len(cut):
            low[:, cut], high[:, cut] = self.extent(clipped(points[..., cut]))
        return low, high

    def extent(self, points: Array) -> tuple[Array, Array]:
        """The same, of the points that are ahead, in the axes of the view."""
        ahead = points[2] >= CLOSE
        nearness = 1 / np.where(ahead, points[2], 1)
        x, y = (points[i] * (self.scale * nearness) + self.middle[i] for i in range(2))
        along = np.stack([x, y, x + y, x - y])
        low = np.where(ahead, along, np.inf).min(1)
        high = np.where(ahead, along, -np.inf).max(1)
        blur = np.abs(np.where(ahead, nearness, 0) - 1 / self.focus).max(0)
        spare = SPARE + self.scale * self.lens * blur
        both = spare * np.array([1, 1, 2, 2])[:, None]
        return low - both, high + both

    def covered(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Pairs of a tile and of what is seen in it."""
        low, high = (np.clip(f, -FARTHEST, FARTHEST) for f in (low, high))
        first = np.maximum(np.floor(low[:2] / TILE), 0).astype(np.int32)
        most = np.array([[self.columns], [self.rows]]) - 1
        last = np.minimum(np.floor(high[:2] / TILE), most).astype(np.int32)
        wide, tall = np.maximum(last - first + 1, 0) * (low[:2] <= high[:2])
        count = wide * tall
        seen = np.repeat(np.arange(len(count)), count)
        before = (np.cumsum(count) - count).astype(np.int32)
        nth = np.arange(len(seen), dtype=np.int32) - np.repeat(before, count)
        row, column = divmod(nth, wide[seen])
        row, column = row + first[1, seen], column + first[0, seen]
        sums, less = TILE * (column + row), TILE * (column - row)
        keep = (low[2, seen] <= sums + 2 * TILE) & (high[2, seen] >= sums)
        keep &= (low[3, seen] <= less + TILE) & (high[3, seen] >= less - TILE)
        return (row * self.columns + column)[keep], seen[keep]


axes_of = jax.jit(axes)


def clipped(points: Array) -> Array:
    """Hulls of points [3, P, n], and where all lines between their points come close to the eye."""
    ahead = points[2] >= CLOSE
    a, b = points[:, :, None], points[:, None]
    through = ahead[:, None] & ~ahead[None]
    share = (a[2] - CLOSE) / np.where(through, a[2] - b[2], 1)
    cuts = np.where(through, a + share * (b - a), 0)
    cuts[2] = np.where(through, CLOSE, 0)
    return np.concatenate([points, cuts.reshape(3, -1, points.shape[2])], 1)


def listed(pairs: Array, sizes: list[int], view: View) -> Tiles:
    """Lists from the pairs, sorted and each as tile · solids + solid."""
    tile, solid = divmod(pairs, max(sum(sizes), 1))
    first = new(tile)
    found, slot = tile[first], np.cumsum(first) - 1
    many = np.bincount(slot, minlength=len(found))
    order = np.argsort(-many, kind="stable")
    total = view.rows * view.columns
    few = handful()
    handfuls = max(-(-len(found) // few), 1)
    room = min(1 << (handfuls - 1).bit_length(), -(-total // few)) * few
    firsts = np.cumsum([0, *sizes])
    form = np.searchsorted(firsts, solid, side="right") - 1
    start, count = [], []
    at = np.cumsum(many) - many
    for k in range(len(sizes)):
        n = np.bincount(slot[form == k], minlength=len(found))
        start.append(whole(at[order], room))
        count.append(whole(n[order], room))
        at = at + n
    return Tiles(
        whole(found[order], room, total),
        jnp.int32(len(found)),
        whole(solid - firsts[form], fourfold(len(solid))),
        tuple(start),
        tuple(count),
    )


def new(f: Array) -> Array:
    """Which of the sorted numbers are not those before them."""
    return np.diff(f, prepend=-1) > 0


def whole(f: Array, room: int, fill: int = 0) -> jax.Array:
    """With more at its end, to have so many."""
    return jnp.asarray(np.pad(f.astype(np.int32), (0, room - len(f)), constant_values=fill))


def fourfold(n: int) -> int:
    """The least of 4096, 16384, 65536, … that holds n."""
    return max(FEWEST, 4 ** -(-(n - 1).bit_length() // 2))


# ── maps by tile ─────────────────────────────────────────────────────────────────────────


@jax.jit
def take(image, tiles: Tiles):
    """The samples of the tiles [..., T, 256], of an image [..., H, W] of whole tiles."""
    cut = in_tiles(image)
    index = jnp.minimum(tiles.index, cut.shape[-2] - 1)
    return cut.at[..., index, :].get(**WITHIN)


@jax.jit
def put(image, tiles: Tiles, values):
    """The image with other values [..., T, 256] in the tiles."""
    cut = in_tiles(image)
    slot = (
        jnp.full(cut.shape[-2], -1).at[tiles.index].set(jnp.arange(len(tiles.index)), mode="drop")
    )
    new = values.at[..., jnp.maximum(slot, 0), :].get(**WITHIN)
    cut = jnp.where((slot >= 0)[:, None], new, cut)
    *lead, h, w = image.shape
    cut = cut.reshape(*lead, h // TILE, w // TILE, TILE, TILE)
    return cut.swapaxes(-3, -2).reshape(image.shape)


def in_tiles(image):
    """[..., H, W] as [..., tiles, 256]."""
    *lead, h, w = image.shape
    cut = image.reshape(*lead, h // TILE, TILE, w // TILE, TILE)
    return cut.swapaxes(-3, -2).reshape(*lead, -1, PIXELS)
