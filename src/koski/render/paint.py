"""What the rays of a picture meet first, and the light that they bring back from there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from koski.core.phase import phase
from koski.render import march
from koski.render.camera import Camera
from koski.render.crowd import Crowd, solid
from koski.render.exact import exact, turned
from koski.render.ground import cut, ground, soil
from koski.render.solids import Hit
from koski.render.spot import entries
from koski.render.stage import Sight, Stage, hazed
from koski.render.tiles import TILE, Tiles, handful, put, take
from koski.render.water import Ways, water, ways

ROWS = 64  # of a picture, whose rays a CPU follows in one go
EACH_ONCE = {"mode": "drop", "unique_indices": True}  # no number twice, those beyond left out
PARTS = 16  # of a picture, that are shaded one after the other

# ── what rays meet first ─────────────────────────────────────────────────────────────────

KINDS = SKY, GROUND, WATER, SOIL, GLASS = range(5)  # GLASS: the cut side of the water


def look_out(stage: Stage, camera: Camera, d, pixel) -> tuple[Sight, jax.Array]:
    """Follow the rays of a picture to the land and the water."""
    return met(stage, jnp.asarray(camera.eye), d, pixel, spread(stage, camera, *d.shape[1:]))


@partial(exact, reads=1)
def met(stage: Stage, eye, d, pixel, width: Spread) -> tuple[Sight, jax.Array]:
    """What rays meet, looked for in as many directions as the picture has columns."""
    land, sea = stage.land, stage.sea
    fan = phase(march.fan)(land, sea, eye, *width, d.shape[2])

    def follow(d):
        t, above = phase(march.first_hit)(fan, land, sea, eye, d)
        return phase(seen)(stage, eye, d, t, above, pixel)

    return in_strips(follow, d)


def in_strips(f, d):
    """f of maps [3, H, W], on a CPU a few rows at a time: caches hold all that is between."""
    tall, wide = d.shape[1:]
    rows = min(ROWS, tall) if jax.default_backend() == "cpu" else tall

    def strip(k):
        start = jnp.minimum(k * rows, tall - rows)
        part = f(lax.dynamic_slice_in_dim(d, start, rows, 1))
        return start, turned(part, jnp.float64, jnp.float32)

    def lay(k, so_far):
        start, part = strip(k)
        return jax.tree.map(
            lambda g, new: lax.dynamic_update_slice_in_dim(g, new, start, g.ndim - 2),
            so_far, part,
        )  # fmt: skip

    _, form = jax.eval_shape(strip, 0)
    start = jax.tree.map(lambda s: jnp.zeros((*s.shape[:-2], tall, wide), s.dtype), form)
    return lax.fori_loop(0, -(-tall // rows), lay, start)


class Spread(NamedTuple):
    """The directions that a picture needs, and how far to look in them."""

    first: float  # [rad]
    apart: float
    nearest: float  # [m]
    farthest: float


def spread(stage: Stage, camera: Camera, height: int, width: int) -> Spread:
    """Directions as close as the pixels of a picture."""
    eye = np.asarray(camera.eye, float)
    size = np.array(stage.land.grid.size)
    first, last = turns(camera, height, width)
    corners = np.abs(np.stack([eye[:2], eye[:2] - size])).max(0)
    outside = np.maximum(np.maximum(-eye[:2], eye[:2] - size), 0)
    close = 0.5 * stage.land.cell
    nearest = max(float(np.hypot(*outside)) - close, 0.1 * close)
    return Spread(first, (last - first) / (width - 1), nearest, float(np.hypot(*corners)))


def turns(camera: Camera, height: int, width: int) -> tuple[float, float]:
    """The first and the last direction on the map that a picture looks in [rad]."""
    eye, target, up = (np.asarray(f, float) for f in (camera.eye, camera.target, camera.up))
    ahead = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(ahead, up)
    if np.linalg.norm(right) < 1e-3:
        return -np.pi, np.pi
    right /= np.linalg.norm(right)
    half = np.tan(np.radians(float(camera.fov)) / 2) * (1 + 40 / height)
    rim = np.linspace(-1, 1, 65)
    one = np.ones_like(rim)
    x, y = np.concatenate([[rim, one], [rim, -one], [one, rim], [-one, rim]], 1)
    aside, above = half * width / height * x, half * y
    d = ahead[:, None] + right[:, None] * aside + np.cross(right, ahead)[:, None] * above
    steep = np.abs(d[2]) / np.linalg.norm(d, axis=0)
    middle = np.arctan2(ahead[1], ahead[0])
    turn = (np.arctan2(d[1], d[0]) - middle + np.pi) % (2 * np.pi) - np.pi
    if np.ptp(turn) > np.pi or max(steep.max(), abs(ahead[2])) > 0.98:
        return -np.pi, np.pi
    return middle + turn.min(), middle + turn.max()


def seen(stage: Stage, eye, d, t, above, pixel) -> tuple[Sight, jax.Array]:
    """What is at the end of each ray, and where; `above` is by how much it is below the skyline."""
    land, sea = stage.land, stage.sea
    wall = march.side(land, sea, eye, d, stage.base)
    cut = wall < march.FAR
    t = jnp.where(cut, wall, jnp.where(march.passes_below(land, eye, d, stage.base), march.FAR, t))
    p = eye[:, None, None] + jnp.where(t < march.FAR, t, 0) * d
    at = land.spot(p[0], p[1])
    b, w = at.of(land.b), at.of(sea.w)
    wet = jnp.where(cut, p[2] > b, w > b)
    kind = jnp.where(cut, jnp.where(wet, GLASS, SOIL), jnp.where(wet, WATER, GROUND))
    kind = jnp.where(t < march.FAR, kind, SKY)
    steep = jnp.maximum(jnp.abs(d[2]), 0.15)
    footprint = pixel * jnp.where(t < march.FAR, t, 0) / jnp.sqrt(steep)
    cover = jnp.clip(above * jnp.maximum(1 - d[2] * d[2], 1e-3) / pixel, 0, 1)
    sides = march.side_covers(land, eye, d, stage.base, pixel)
    cover = jnp.where(cut, jnp.minimum(cover, sides), cover)
    return Sight(p, d, t, footprint, cover), kind


# ── what they bring back ─────────────────────────────────────────────────────────────────


def painted(stage: Stage, camera: Camera, d, pixel, crowd: Crowd | None) -> jax.Array:
    """The light along the rays of a picture, from an eye in the air."""
    width, tiles = spread(stage, camera, *d.shape[1:]), None if crowd is None else crowd.tiles
    sight, kind = met(stage, camera.eye, d, pixel, width)
    picture, lists = listed_by_kind(stage, d, kind, tiles)
    picture = paint(picture, stage, sight, kind, lists)
    if crowd is None:
        return picture
    return paint_crowd(picture, stage, sight, kind, camera.eye, pixel, crowd)


@jax.jit
def listed_by_kind(stage: Stage, d, kind, tiles: Tiles | None):
    """The sky behind a picture, and the pixels of each kind of what is before it.

    Those in tiles with bodies are in no list: they are painted together with the bodies.
    """
    free = kind if tiles is None else jnp.where(in_any(tiles, kind), SKY, kind)
    return backdrop(stage, d), [phase(listed)(free, kinds) for kinds in LAYERS]


def paint(picture, stage: Stage, sight: Sight, kind, lists) -> jax.Array:
    """The light of the pixels listed, like pixels together and a part of the picture at a time.

    So whatever is in sight, the same programs run.
    """
    size = kind.size // PARTS
    counts = jax.device_get([count for _, count in lists])
    for (index, _), count, lay in zip(lists, counts, LAYERS.values()):
        for first in range(0, int(count), size):
            picture = lay(picture, stage, sight, kind, index, first, size)
    return picture


@jax.jit
def backdrop(stage: Stage, d):
    """The sky, and below the horizon mist."""
    sky = stage.sky
    level = jnp.stack([d[0], d[1], jnp.maximum(d[2], 0.0)])
    down = jnp.clip(-d[2], 0, 1)
    return sky.radiance(level) * (1 - 0.3 * down * (2 - down)) + sky.disc(d, 0.004)


def listed(kind, kinds: tuple[int, int]):
    """The numbers of the pixels of two kinds, and how many they are."""
    flat = kind.reshape(-1)
    mine = (flat == kinds[0]) | (flat == kinds[1])
    number = jnp.arange(flat.size)
    beyond = flat.size + number
    place = jnp.where(mine, jnp.cumsum(mine) - 1, beyond)
    return beyond.at[place].set(number, **EACH_ONCE), mine.sum()


def covered(sky, light, sight: Sight):
    """Light before the sky."""
    return sky + sight.cover * (light - sky)


def picked(sight: Sight, kind, index, first, size: int):
    """A few pixels of a list, from `first` on: their numbers, and what is known of them."""
    mine = lax.dynamic_slice(index, (first,), (size,))
    safe = jnp.minimum(mine, kind.size - 1)

    def taken(f):
        return entries(f.reshape(*f.shape[:-2], -1), safe)

    return mine, *jax.tree.map(taken, (sight, kind))


def laid_on(picture, mine, sight: Sight, light):
    """A picture with the light of a few of its pixels, by their numbers."""
    flat = picture.reshape(3, -1)
    light = covered(flat.at[:, mine].get(mode="clip"), light, sight)
    return flat.at[:, mine].set(light, **EACH_ONCE).reshape(picture.shape)


def layer(shade) -> Callable[..., jax.Array]:
    """What lays the light of a few pixels of a list on a picture, in one program."""

    @partial(jax.jit, donate_argnums=0, static_argnames="size")
    def lay(picture, stage: Stage, sight: Sight, kind, index, first, size: int):
        mine, here, its = phase(picked)(sight, kind, index, first, size)
        return laid_on(picture, mine, here, phase(shade)(stage, here, its))

    return lay


@jax.jit
def ground_light(stage: Stage, sight: Sight, kind, crowd: Crowd | None = None):
    sun = 1.0 if crowd is None else crowd.sunlit(sight.p, stage.sky.sun)
    return hazed(stage, ground(stage, sight, sun), sight.d, sight.far)


@jax.jit
def cut_light(stage: Stage, sight: Sight, kind):
    return hazed(stage, cut(stage, sight), sight.d, sight.far)


def water_light(stage: Stage, sight: Sight, kind, crowd: Crowd | None = None):
    """Where its rays go is settled first, as a program of its own: in float64."""
    return lit(stage, sight, kind, followed(stage, sight, kind, crowd), crowd)


@partial(exact, reads=1)
def followed(stage: Stage, sight: Sight, kind, crowd: Crowd | None) -> Ways:
    return ways(stage, sight, kind == GLASS, crowd)


@jax.jit
def lit(stage: Stage, sight: Sight, kind, ways: Ways, crowd: Crowd | None):
    """Water; on the cut side, within a pixel of the bed, it gives way to the soil below."""
    light = water(stage, sight, ways, crowd)
    x, y, z = sight.p
    deep = stage.land.spot(x, y).of(stage.land.b) - z
    over = jnp.clip(-deep / jnp.maximum(sight.footprint, 1e-9), 0, 1)
    side = phase(soil)(stage, sight, jnp.maximum(deep, 0))
    light = jnp.where(kind == GLASS, side + over * (light - side), light)
    return hazed(stage, light, sight.d, sight.far)


def water_on(picture, stage: Stage, sight: Sight, kind, index, first, size: int):
    """A picture with the water of a few of its pixels."""
    mine, here, its, found = followed_few(stage, sight, kind, index, first, size)
    return lit_on(picture, stage, mine, here, its, found)


@partial(exact, reads=2, static_argnames="size")
def followed_few(stage: Stage, sight: Sight, kind, index, first, size: int):
    """A few pixels of a list, as picked, and where the rays of the water there go."""
    mine, here, its = phase(picked)(sight, kind, index, first, size)
    exactly = turned(here, jnp.float32, jnp.float64)
    return mine, here, its, ways(stage, exactly, its == GLASS, None)


@partial(jax.jit, donate_argnums=0)
def lit_on(picture, stage: Stage, mine, sight: Sight, kind, ways: Ways):
    return laid_on(picture, mine, sight, phase(lit)(stage, sight, kind, ways, None))


LAYERS: dict[tuple[int, int], Callable[..., jax.Array]] = {
    (GROUND, GROUND): layer(ground_light),
    (SOIL, SOIL): layer(cut_light),
    (WATER, GLASS): water_on,
}


# ── and where bodies may be met ──────────────────────────────────────────────────────────


def in_any(tiles: Tiles, kind):
    """Which pixels are in a tile with bodies."""
    return put(jnp.zeros(kind.shape, bool), tiles, jnp.ones((len(tiles.index), TILE * TILE), bool))


def paint_crowd(picture, stage: Stage, sight: Sight, kind, eye, pixel, crowd: Crowd) -> jax.Array:
    """The tiles in which bodies may be met, with all that they hide, shade and are mirrored in."""
    maps = jax.tree.map(lambda f: take(f, crowd.tiles), (sight, kind))
    light = jnp.zeros(maps[0].d.shape)
    used, there = jax.device_get((crowd.tiles.used, present(maps[1])))
    for k, first in enumerate(range(0, int(used), handful())):
        sight, kind, part = few(maps, crowd, first)
        light = laid(light, peopled(stage, sight, kind, part, eye, pixel, there[k]), first)
    return put(picture, crowd.tiles, light)


@jax.jit
def present(kind):
    """Which kinds there are among every few tiles [few, kind]."""
    return (kind.reshape(-1, handful() * TILE * TILE, 1) == jnp.arange(len(KINDS))).any(1)


@jax.jit
def few(maps, crowd: Crowd, first):
    """Maps [..., T, 256] and their bodies, of a few tiles."""
    sight, kind = jax.tree.map(
        lambda f: lax.dynamic_slice_in_dim(f, first, handful(), f.ndim - 2), maps
    )
    return sight, kind, Crowd(crowd.solids, crowd.tiles.part(first))


@partial(jax.jit, donate_argnums=0)
def laid(light, part, first):
    return lax.dynamic_update_slice_in_dim(light, part, first, 1)


def peopled(stage: Stage, sight: Sight, kind, crowd: Crowd, eye, pixel, there):
    """The light of a few tiles, in which there are some of the kinds."""
    sky = light = backdrop(stage, sight.d)
    if there[SOIL]:
        light = jnp.where(kind == SOIL, cut_light(stage, sight, kind), light)
    if there[GROUND]:
        light = jnp.where(kind == GROUND, ground_light(stage, sight, kind, crowd), light)
    if there[WATER] or there[GLASS]:
        wet = (kind == WATER) | (kind == GLASS)
        light = jnp.where(wet, water_light(stage, sight, kind, crowd), light)
    hit, width, cover = body_met(crowd, eye, sight.d, sight.far, pixel)
    return bodies_in(covered(sky, light, sight), stage, sight, eye, crowd, hit, width, cover)


@exact
def body_met(crowd: Crowd, eye, d, far, pixel):
    """What rays meet of bodies, how wide they are there, and how much it hides of what is far."""
    hit = crowd.cast(eye[:, None, None], d)
    width = jnp.maximum(pixel * hit.safe, 1e-9)
    return hit, width, hit.covers(width, far)


@jax.jit
def bodies_in(light, stage: Stage, sight: Sight, eye, crowd: Crowd, hit: Hit, width, cover):
    """Bodies where they are before all else."""
    p = eye[:, None, None] + hit.safe * sight.d
    sun = crowd.sunlit(p + 1e-3 * hit.normal, stage.sky.sun)
    body = hazed(stage, solid(stage, hit, p, sight.d, width, sun), sight.d, hit.safe)
    return light + cover * (body - light)
