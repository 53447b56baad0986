"""The map of a frame, painted pixel by pixel with NumPy.

Ground in tints of its height under a low sun, water over it by depth, its waves shaded, its flow as
fine streaks, foam where it is faster than its own waves, dyes on top.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from koski.core.errors import InputError
from koski.core.frame import Frame
from koski.core.grid import Grid
from koski.core.stencil import above, below, left, right
from koski.core.terrain import Terrain
from koski.core.water import G
from koski.io.paint_pixels import Array, edge, lit, ramp, resize, rgb_of, smooth, streaks, top
from koski.io.paint_shadow import Sunlight
from koski.io.paint_solids import View, render
from koski.io.solids import Solid, solids_of, triangles

SHORE = -0.15  # where between land at −1 and water at 1 the water ends
LAND = ("#8f9f7d", "#aeb38b", "#cdc49c", "#c2a983", "#a98c70", "#b9aaa0", "#efedea")  # low to high
WATER = ("#b5dcd6", "#7cbfcb", "#4898c2", "#2a74ad", "#195490", "#103a70")  # shallow to deep
FILM, CLEAR = 0.3, 0.6  # how much water hides a body just below it; how deep one is seen
DYES = ("#e69f00", "#cc79a7", "#f0e442", "#d55e00", "#009e73")  # Okabe and Ito 2008


@dataclass(frozen=True)
class Look:
    """What there is to see, in NumPy, dry cells in reach of water continued from it."""

    grid: Grid
    t: float
    ground: Array
    depth: Array
    surface: Array
    shore: Array  # 1 in water, below 0 on land: the less, the steeper it rises from the water
    u: Array
    v: Array
    dyes: dict[str, Array]  # 0 to 1
    deep: float  # depth with the darkest colour [m], 0 where all is dry
    fast: float  # speed with the longest streaks [m/s]
    solids: tuple[Solid, ...] = ()  # parts of rigid bodies


def look(frame: Frame, terrain: Terrain, bodies: Sequence = ()) -> Look:
    """Check the frame and make its water continuous beyond the shore."""
    grid = terrain.grid
    if frame.depth.shape != grid.shape:
        raise InputError(f"the frame has {frame.depth.shape} cells but its terrain {grid.shape}")
    d, h, u, v = (np.asarray(f, np.float32) for f in (frame.depth, frame.surface, frame.u, frame.v))
    dyes = {name: np.asarray(c, np.float32) for name, c in frame.dyes.items()}
    if bad := sum(int((~np.isfinite(f)).sum()) for f in (d, h, u, v, *dyes.values())):
        raise InputError(f"the water has {bad} values that are not finite: it cannot be drawn")
    ground = np.asarray(terrain.b, np.float32)
    deep = top(d[d > 0.02 * d.max()], 98) if d.max() > 1e-4 else 0.0
    wet = d > max(0.01 * deep, 1e-4)
    reach = [d, h, u, v, *dyes.values()]
    known = wet
    for _ in range(3):
        reach, known = spread(reach, known, grid)
    near = np.maximum(reach[0], 1e-4)
    rise = np.where(known, np.clip((ground - reach[1]) / near, 0.35, 1), 1)
    shore = np.where(wet, 1, -rise).astype(np.float32)
    tints = {n: np.clip(c / max(top(c[wet], 99), 1e-9), 0, 1) for n, c in zip(dyes, reach[4:])}
    fast = max(top(np.hypot(u, v)[wet], 97), 0.1)
    t = float(frame.t)
    d, h, u, v = reach[:4]
    solids = solids_of(bodies, grid)
    return Look(grid, t, ground, d, h, shore, u, v, tints, deep, fast, solids)


def spread(fields: list[Array], known: Array, grid: Grid) -> tuple[list[Array], Array]:
    """Give the cells beside known ones the mean of those."""

    def around(f):
        return np.asarray(right(f, grid) + left(f, grid) + above(f, grid) + below(f, grid))

    count = around(known.astype(np.float32))
    mean = [around(np.where(known, f, 0)) / np.maximum(count, 1) for f in fields]
    return [np.where(known, f, m) for f, m in zip(fields, mean)], known | (count > 0)


def paint(s: Look, shape: tuple[int, int]) -> Array:
    """The map [height, width, 3], from 0 to 1, its first row in the south."""
    px = s.grid.size[0] / shape[1]
    ground = resize(s.ground, shape)
    rgb = ramp(LAND, (ground - s.ground.min()) / max(np.ptp(s.ground), 1e-9))
    rgb = rgb * lit(ground, px, steep=0.8, most=25.0)[..., None]
    sheet = water(s, shape, px) if s.deep else None
    if s.solids:
        return with_bodies(s, rgb, ground, sheet)
    return np.clip(rgb if sheet is None else sheet.over(rgb), 0, 1)


@dataclass(frozen=True)
class Sheet:
    """The water on the map."""

    color: Array  # [height, width, 3]
    opaque: Array  # how much it hides the bed
    cover: Array  # 1 where water is, 0 where none
    surface: Array  # [m]

    def over(self, rgb: Array) -> Array:
        a = self.opaque[..., None]
        return rgb * (1 - a) + self.color * a


def water(s: Look, shape: tuple[int, int], px: float) -> Sheet:
    """Water by its depth, with waves, streaks along its flow, and foam."""
    d = np.maximum(resize(s.depth, shape), 0)
    u, v = resize(s.u, shape), resize(s.v, shape)
    cover = edge(resize(s.shore, shape) - SHORE) * smooth(d / (0.04 * s.deep))
    speed = np.hypot(u, v)
    froude = speed / np.sqrt(G * np.maximum(d, 1e-3))
    moving = smooth(speed / s.fast / 0.5) * smooth(froude / 0.1) * (cover > 0)
    flow = streaks(u, v, s.fast, moving > 0.02) * moving

    color, opaque = stain(s, d, {n: resize(c, shape) for n, c in s.dyes.items()})
    surface = resize(s.surface, shape)
    waves = lit(surface, px, steep=0.4, most=40.0)
    color = color * (0.4 + 0.6 * waves)[..., None] + 0.25 * smooth((waves - 1.12) / 0.3)[..., None]
    color = color * (1 + 0.10 * flow)[..., None] + 0.035 * np.maximum(flow, 0)[..., None]
    foam = smooth(froude - 0.8) * smooth(speed / s.fast - 0.2)
    foam = np.clip(foam * smooth(d / (0.15 * s.deep)) * (0.55 + 0.35 * flow), 0, 0.9)[..., None]
    color = color * (1 - foam) + 0.97 * foam
    return Sheet(color, cover * np.maximum(opaque, foam[..., 0]), cover, surface)


def with_bodies(s: Look, rgb: Array, ground: Array, sheet: Sheet | None) -> Array:
    """The map with bodies on the ground, in the water and above, and their shadows."""
    (h, w), size = ground.shape, s.grid.size
    view = View((h, w), (w / size[0], h / size[1]))
    tri = triangles(s.solids, max(view.scale))
    light = Sunlight.on(tri, float(ground.min()), float(ground.max()) + s.deep, size, view.scale[0])
    rgb = plain = rgb * (1 - 0.5 * light.on_map(ground, view.scale))[..., None]
    if sheet is not None:
        dark = 0.45 * light.on_map(sheet.surface, view.scale)
        sheet = replace(sheet, color=sheet.color * (1 - dark[..., None]))
        plain = sheet.over(rgb)
    slopes = np.gradient(ground)

    def through(x: Array, y: Array, z: Array) -> tuple[Array, Array, Array]:
        i, j = np.clip(x.astype(int), 0, w - 1), np.clip(y.astype(int), 0, h - 1)
        seen = z > ground[j, i] + slopes[0][j, i] * (y - j - 0.5) + slopes[1][j, i] * (x - i - 0.5)
        if sheet is None:
            return seen, np.zeros((len(z), 3), np.float32), np.zeros(len(z), np.float32)
        d = np.maximum(sheet.surface[j, i] - z, 0)
        hides = (1 - (1 - FILM) * np.exp(-d / (CLEAR * s.deep))) * smooth(d / (0.04 * s.deep))
        return seen, sheet.color[j, i], hides * sheet.cover[j, i]

    color, cover = render(s.solids, tri, view, light, through)
    return np.clip(plain * (1 - cover[..., None]) + color, 0, 1)


def stain(s: Look, d: Array, dyes: dict[str, Array]) -> tuple[Array, Array]:
    """The colour of water of a depth with its dyes in it, and how much it hides the bed."""
    color = ramp(WATER, (d / max(s.deep, 1e-9)) ** 0.7)
    opaque = 1 - 0.72 * np.exp(-d / (0.18 * max(s.deep, 1e-9)))
    for c, tint in zip(dyes.values(), DYES * len(dyes)):
        k = 0.8 * (1 - np.exp(-3 * np.clip(c, 0, 1)))
        color = color * (1 - k[..., None]) + rgb_of(tint) * k[..., None]
        opaque = opaque + (1 - opaque) * k
    return color, opaque
