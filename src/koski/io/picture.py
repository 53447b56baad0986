"""A picture of a frame from above, or from the side where the grid is one row.   koski[picture]

Matplotlib sets the axes and the text about the painted map, and writes the file.
"""

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from koski.core.errors import InputError
from koski.core.frame import Frame
from koski.core.grid import Grid
from koski.core.terrain import Terrain
from koski.extras import need
from koski.files import replace_file, writable
from koski.io.paint import DYES, LAND, SHORE, WATER, Look, look, paint, stain
from koski.io.paint_pixels import Array, resize, rgb_of
from koski.io.paint_side import beside, from_side, highest

LONG = 1200  # longer side of a picture [px]
DPI = 100
INK, PAPER = "#2b2f33", "#ffffff"


def draw(frame: Frame, terrain: Terrain, title: str = "", bodies: Sequence = ()) -> Array:
    """The picture as an array [height, width, 3] of bytes.

    Bodies have a shape, a position, a rotation, and perhaps a color: a name, or (r, g, b).
    """
    need("matplotlib.figure", "picture")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.style import context

    with context("default"):
        canvas = FigureCanvasAgg(compose(look(frame, terrain, bodies), title))
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def save(path, frame: Frame, terrain: Terrain, title: str = "", bodies: Sequence = ()) -> None:
    """Write the picture to a file, whole or not at all; the suffix says which kind."""
    check(path)
    from matplotlib.style import context

    buffer = io.BytesIO()
    with context("default"):
        figure = compose(look(frame, terrain, bodies), title)
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
    if s.solids:
        solids, top = from_side(s.solids, row=s.grid.ny == 1), ax.get_ylim()[1]
        top = max(top, min(1.05 * highest(solids) - 0.05 * foot, 3 * top - 2 * foot))
        shape = round(ax.bbox.height), round(ax.bbox.width)
        image = beside(solids, shape, (max(s.grid.size), foot, top), b, h, color)
        extent = 0, max(size), foot, top
        ax.imshow(image, origin="lower", extent=extent, interpolation="none", zorder=1.5)
        ax.set(aspect="auto", xlim=extent[:2], ylim=extent[2:])
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
