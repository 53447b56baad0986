"""A picture of a frame from above, or from the side where the grid is one row.   koski[picture]

The map is painted pixel by pixel with NumPy: ground in tints of its height under a low sun, water
over it by depth, its waves shaded, its flow as fine streaks, foam where it is faster than its own
waves, dyes on top.  Matplotlib sets the axes and the text, and writes the file.
"""

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from koski.core.errors import InputError
from koski.core.frame import Frame
from koski.core.grid import Grid
from koski.core.solver import G
from koski.core.stencil import above, below, left, right
from koski.core.terrain import Terrain
from koski.extras import need
from koski.files import replace_file, writable

Array = np.ndarray
LONG = 1200  # longer side of a picture [px]
DPI = 100
SHORE = -0.15  # where between land at −1 and water at 1 the water ends
SUN = np.array([-0.5, 0.5, 0.7071])  # toward the light: from the north-west, half way up
INK, PAPER = "#2b2f33", "#ffffff"
LAND = ("#8f9f7d", "#aeb38b", "#cdc49c", "#c2a983", "#a98c70", "#b9aaa0", "#efedea")  # low to high
WATER = ("#b5dcd6", "#7cbfcb", "#4898c2", "#2a74ad", "#195490", "#103a70")  # shallow to deep
DYES = ("#e69f00", "#cc79a7", "#f0e442", "#d55e00", "#009e73")  # Okabe and Ito 2008


def draw(frame: Frame, terrain: Terrain, title: str = "") -> Array:
    """The picture as an array [height, width, 3] of bytes."""
    need("matplotlib.figure", "picture")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.style import context

    with context("default"):
        canvas = FigureCanvasAgg(compose(look(frame, terrain), title))
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def save(path, frame: Frame, terrain: Terrain, title: str = "") -> None:
    """Write the picture to a file, whole or not at all; the suffix says which kind."""
    check(path)
    from matplotlib.style import context

    buffer = io.BytesIO()
    with context("default"):
        figure = compose(look(frame, terrain), title)
        figure.savefig(buffer, dpi=DPI, format=Path(path).suffix[1:].lower())
    replace_file(path, buffer.getvalue())


def check(path) -> None:
    """Raise now what `save` would raise later; nothing is written."""
    need("matplotlib.figure", "picture")
    from matplotlib.backend_bases import FigureCanvasBase

    path = writable(path)
    kinds = sorted(set(FigureCanvasBase.get_supported_filetypes()) - {"pgf", "raw", "rgba"})
    if path.suffix[1:].lower() not in kinds:
        raise InputError(f"{path.name!r} is no kind of picture: end it in .{', .'.join(kinds)}")
    if path.is_dir():
        raise InputError(f"{path} is a folder: give the name of a file in it")


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


def look(frame: Frame, terrain: Terrain) -> Look:
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
    return Look(grid, t, ground, d, h, shore, u, v, tints, deep, fast)


def top(values: Array, percent: float) -> float:
    return float(np.percentile(values, percent)) if values.size else 0.0


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
    if s.deep == 0:
        return np.clip(rgb, 0, 1)
    d = np.maximum(resize(s.depth, shape), 0)
    u, v = resize(s.u, shape), resize(s.v, shape)
    cover = edge(resize(s.shore, shape) - SHORE) * smooth(d / (0.04 * s.deep))
    speed = np.hypot(u, v)
    froude = speed / np.sqrt(G * np.maximum(d, 1e-3))
    moving = smooth(speed / s.fast / 0.5) * smooth(froude / 0.1) * (cover > 0)
    flow = streaks(u, v, s.fast, moving > 0.02) * moving

    color, opaque = stain(s, d, {n: resize(c, shape) for n, c in s.dyes.items()})
    waves = lit(resize(s.surface, shape), px, steep=0.4, most=40.0)
    color = color * (0.4 + 0.6 * waves)[..., None] + 0.25 * smooth((waves - 1.12) / 0.3)[..., None]
    color = color * (1 + 0.10 * flow)[..., None] + 0.035 * np.maximum(flow, 0)[..., None]
    foam = smooth(froude - 0.8) * smooth(speed / s.fast - 0.2)
    foam = np.clip(foam * smooth(d / (0.15 * s.deep)) * (0.55 + 0.35 * flow), 0, 0.9)[..., None]
    color = color * (1 - foam) + 0.97 * foam
    a = cover[..., None] * np.maximum(opaque[..., None], foam)
    return np.clip(rgb * (1 - a) + color * a, 0, 1)


def stain(s: Look, d: Array, dyes: dict[str, Array]) -> tuple[Array, Array]:
    """The colour of water of a depth with its dyes in it, and how much it hides the bed."""
    color = ramp(WATER, (d / max(s.deep, 1e-9)) ** 0.7)
    opaque = 1 - 0.72 * np.exp(-d / (0.18 * max(s.deep, 1e-9)))
    for c, tint in zip(dyes.values(), DYES * len(dyes)):
        k = 0.8 * (1 - np.exp(-3 * np.clip(c, 0, 1)))
        color = color * (1 - k[..., None]) + rgb_of(tint) * k[..., None]
        opaque = opaque + (1 - opaque) * k
    return color, opaque


def lit(height: Array, px: float, steep: float, most: float) -> Array:
    """Brightness of a surface in the sun, 1 where level; slopes are exaggerated up to `steep`."""
    sy, sx = np.gradient(height, px)
    k = np.clip(steep / max(top(np.hypot(sx, sy), 92), 1e-9), 0.2, most)
    light = (SUN[2] - k * (sx * SUN[0] + sy * SUN[1])) / np.sqrt(1 + k * k * (sx * sx + sy * sy))
    return 0.5 + 0.5 * np.maximum(light, 0) / SUN[2]


def streaks(u: Array, v: Array, fast: float, where: Array) -> Array:
    """Noise smeared along the flow, about −2 to 2: longer streaks in faster water.

    Line integral convolution.   Cabral and Leedom 1993
    """
    h, w = u.shape
    out = np.zeros(u.shape, np.float32)
    grain = np.random.default_rng(0).standard_normal(u.shape).astype(np.float32)
    grain = resize(grain[::2, ::2], u.shape)
    y0, x0 = (i.astype(np.float32) for i in np.nonzero(where))
    if not y0.size:
        return out
    long = 1.6 / np.sqrt(fast * np.maximum(np.hypot(u, v), 0.05 * fast))  # [px] a step
    ux, uy = u * long, v * long
    total = np.zeros(y0.size, np.float32)
    for way in (1, -1):
        x, y = x0, y0
        for _ in range(16):
            at = np.clip(y + 0.5, 0, h - 1).astype(int), np.clip(x + 0.5, 0, w - 1).astype(int)
            total += grain[at]
            x, y = x + way * ux[at], y + way * uy[at]
    out[where] = total / max(float(total.std()), 1e-9)
    return np.clip(out, -2, 2)


def resize(f: Array, shape: tuple[int, int]) -> Array:
    """The map on another number of cells: means of many, cubic B-splines between few.

    The splines keep shading free of facets and never overshoot a cliff.
    """
    from PIL import Image

    fewer = tuple(min(n, m) for n, m in zip(f.shape, shape))
    if fewer != f.shape:
        box = Image.fromarray(np.ascontiguousarray(f, np.float32))
        f = np.asarray(box.resize(fewer[::-1], Image.Resampling.BOX))
    wy, wx = (splines(n, m) for n, m in zip(f.shape, shape))
    return wy @ f.astype(np.float32) @ wx.T


def splines(n: int, m: int) -> Array:
    """Weights [m, n] of n values at m points spread evenly over them."""
    t = np.abs((np.arange(m)[:, None] + 0.5) * n / m - 0.5 - np.arange(n)[None, :])
    w = np.where(t < 1, 2 / 3 - t * t * (1 - t / 2), np.maximum(2 - t, 0) ** 3 / 6)
    return (w / w.sum(1, keepdims=True)).astype(np.float32)


def edge(f: Array) -> Array:
    """1 where `f` is positive, 0 where negative, a ramp one pixel wide between."""
    gy, gx = np.gradient(f)
    return np.clip(f / np.maximum(np.hypot(gx, gy), 1e-3) + 0.5, 0, 1)


def smooth(t: Array) -> Array:
    t = np.clip(t, 0, 1)
    return t * t * (3 - 2 * t)


def rgb_of(color: str) -> Array:
    return np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)], np.float32)


def ramp(colors: tuple[str, ...], t: Array) -> Array:
    """Colours spread evenly over t from 0 to 1, blended between."""
    table = np.array([rgb_of(c) for c in colors])
    at = np.linspace(0, 1, len(colors))
    return np.stack([np.interp(t, at, c) for c in table.T], -1).astype(np.float32)


def compose(s: Look, title: str):
    """Map or side view, axes, a bar of depths, the title and the time, laid out in pixels."""
    from matplotlib.figure import Figure

    side = min(s.grid.shape) == 1
    ny, nx = (1, 2.4) if side else s.grid.shape
    low = side or ny / nx < 0.25  # too low for a bar of depths beside it: that goes beneath
    west, east, south, north = 78, 30 if low else 112, 112 if low and not side else 58, 78
    k = min((LONG - west - east) / nx, (LONG - south - north) / ny)
    w, h = max(round(k * nx), 8), max(round(k * ny), 8)
    wide, tall = max(west + w + east, 400), south + h + north
    figure = Figure((wide / DPI, tall / DPI), dpi=DPI, facecolor=PAPER)

    def axes(x, y, w, h):
        ax = figure.add_axes((x / wide, y / tall, w / wide, h / tall))
        ax.tick_params(colors=INK, labelsize=10, length=4, width=0.7)
        for spine in ax.spines.values():
            spine.set(color=INK, linewidth=0.7)
        return ax

    ax = axes(west, south, w, h)
    if side:
        profile(ax, s)
    else:
        chart(ax, s, (h, w))
        if s.deep:
            bar = (west, 40, min(w, 300), 14) if low else (west + w + 22, south, 16, min(h, 420))
            depths(axes(*bar), s, upright=not low)
    caption(figure, s, title, wide, tall, west, max(west + w, wide - 30 if wide == 400 else 0))
    return figure


def chart(ax, s: Look, shape: tuple[int, int]) -> None:
    """The map, with axes in metres or kilometres."""
    from matplotlib.ticker import MaxNLocator

    unit, (lx, ly) = scale(s.grid)
    ax.imshow(paint(s, shape), origin="lower", extent=(0, lx, 0, ly), interpolation="none")
    ax.set_aspect("auto")
    ax.xaxis.set_major_locator(MaxNLocator(max(shape[1] // 110, 1)))
    ax.yaxis.set_major_locator(MaxNLocator(max(shape[0] // 90, 1)))
    ax.set_xlabel(f"x [{unit}]", color=INK)
    ax.set_ylabel(f"y [{unit}]", color=INK)


def scale(grid: Grid) -> tuple[str, tuple[float, float]]:
    """The unit of the axes, and how long they are in it."""
    unit, metres = ("km", 1000.0) if max(grid.size) >= 5000 else ("m", 1.0)
    return unit, (grid.size[0] / metres, grid.size[1] / metres)


def profile(ax, s: Look) -> None:
    """Ground and water of one row, or one column, from the side."""
    from matplotlib.collections import PolyCollection

    unit, size = scale(s.grid)
    fields = s.ground, s.surface, s.depth, s.shore, *s.dyes.values()
    b, h, d, shore, *dyes = (resize(f.reshape(1, -1), (1, LONG))[0] for f in fields)
    wet = shore > SHORE
    h = np.where(wet, np.maximum(h, b), b)
    x = np.linspace(0, max(size), LONG)
    color, _ = stain(s, np.where(wet, d, 0), dict(zip(s.dyes, dyes)))
    foot = min(b.min(), h.min()) - 0.12 * max(h.max() - b.min(), 1e-3)
    quads = np.stack([x[:-1], b[:-1], x[1:], b[1:], x[1:], h[1:], x[:-1], h[:-1]], -1)
    ax.add_collection(
        PolyCollection([*quads.reshape(-1, 4, 2)], facecolors=color, antialiased=False)
    )
    ax.fill_between(x, b, foot, color=LAND[3], linewidth=0)
    ax.plot(x, b, color="#6d5a48", linewidth=1.2)
    ax.plot(x, np.where(wet, h, np.nan), color=WATER[4], linewidth=1.5)
    ax.set(xlim=(0, max(size)), ylim=(foot, None))
    ax.set_xlabel(f"{'x' if s.grid.ny == 1 else 'y'} [{unit}]", color=INK)
    ax.set_ylabel("height [m]", color=INK)
    ax.spines[["top", "right"]].set_visible(False)


def depths(ax, s: Look, upright: bool) -> None:
    """The bar of depths, its colours as they look over the ground."""
    d = np.linspace(0, s.deep, 128)[:, None]
    color, opaque = stain(s, d, {})
    rgb = rgb_of(LAND[2]) * (1 - opaque[..., None]) + color * opaque[..., None]
    if upright:
        ax.imshow(rgb, origin="lower", aspect="auto", extent=(0, 1, 0, s.deep))
        ax.yaxis.tick_right()
        ax.set(xticks=[])
        ax.set_title("depth [m]", fontsize=10, color=INK, pad=8, loc="left")
    else:
        ax.imshow(rgb.swapaxes(0, 1), aspect="auto", extent=(0, s.deep, 0, 1))
        ax.set(yticks=[])
        ax.text(1.03, 0.5, "depth [m]", transform=ax.transAxes, va="center", color=INK)


def caption(figure, s: Look, title: str, wide: int, tall: int, west: int, east: int) -> None:
    """Title and time above the map; under them the dyes, and the deepest and fastest water."""

    def text(x, y, words, **how):
        how = {"color": INK, "va": "baseline", "parse_math": False} | how
        return figure.text(x / wide, 1 - y / tall, words, **how)

    roomy = east - west > 500
    chars = (east - west - 150 * roomy) // 11
    title = " ".join(title.split())
    title = title if len(title) <= chars else title[: chars - 1] + "…"
    text(west, 40, title, fontsize=16, weight="bold")
    text(east, 40 if roomy else 63, clock(s.t), fontsize=13 if roomy else 10, ha="right")
    x = west
    for name, tint in zip(s.dyes, DYES * len(s.dyes)):
        text(x, 63, "●", fontsize=11, color=tint)
        text(x + 16, 63, name, fontsize=10)
        x += 32 + 8 * len(name)
    if s.deep and roomy:
        most = f"deepest {s.depth.max():.3g} m, fastest {np.hypot(s.u, s.v).max():.2g} m/s"
        text(east, 63, most, fontsize=10, ha="right", color="#6b7075")


def clock(t: float) -> str:
    if t < 600:
        return f"t = {t:.1f} s"
    minutes = round(t / 60)
    return f"t = {minutes} min" if t < 7200 else f"t = {minutes // 60} h {minutes % 60:02d} min"
