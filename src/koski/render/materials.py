"""What the ground and the bodies are made of: colour, and how rough they are.

All of it is mixed from two tiles of noise, read at sizes that share no multiple and at different
angles, so that nothing seems to repeat; from afar each is read where it is averaged.
"""

from __future__ import annotations

from math import cos, sin

import jax
import jax.numpy as jnp
import numpy as np

from koski.bodies import fleet
from koski.core.pytree import pytree
from koski.core.terrain import Terrain
from koski.render.light import beside
from koski.render.noise import Tile, crackle, each, even, fractal, smooth

SOFT = (0.25, 0.5, 0.25)  # weights of a place and those beside it
CLOUDS, STONES, TILT_X, TILT_Y = range(4)  # layers of the noise

# linear Rec. 709 albedo
SAND = (0.37, 0.293, 0.195)
GRAVEL = (0.27, 0.228, 0.172)
SILT = (0.20, 0.17, 0.115)
LUSH = (0.066, 0.082, 0.030)
MEADOW = (0.118, 0.124, 0.052)
STRAW = (0.200, 0.172, 0.096)
FOREST = (0.040, 0.052, 0.027)
SOIL = (0.165, 0.115, 0.072)
ROCK = (0.225, 0.208, 0.185)
DARK_ROCK = (0.115, 0.108, 0.10)
SCREE = (0.235, 0.215, 0.185)
SNOW = (0.80, 0.835, 0.88)

MATERIALS = {name: k for k, name in enumerate(fleet.MATERIALS)}  # of bodies
TIMBER = (0.33, 0.215, 0.115)
HEART = (0.20, 0.115, 0.055)
BOARD = (0.40, 0.275, 0.15)
STEEL = (0.42, 0.425, 0.43)
RUST = (0.20, 0.11, 0.06)
GRANITE = (0.27, 0.26, 0.25)
GRAINS = 3.0  # how far those of stone go until they repeat [m]
PLANKS = 5  # across a face of a crate
LEAVES = 0.6  # how much less than bare ground what grows darkens when it is wet
SHINE = (0.10, 0.07, 0.65, 0.08, 0.45)  # of each material: how much it mirrors


@pytree
class Site:
    """What the ground's materials depend on besides the place."""

    low: jax.Array  # lowest ground [m]
    relief: jax.Array  # from there to the highest [m]
    scale: jax.Array  # side of a cell [m]: textures are as large as the terrain asks for

    @staticmethod
    def of(terrain: Terrain) -> Site:
        low, high = terrain.b.min(), terrain.b.max()
        return Site(low, high - low, jnp.float32(terrain.grid.cell))

    @property
    def shore(self):
        """How far above the water its sand reaches [m]."""
        return jnp.clip(jnp.minimum(0.75 * self.scale, 0.2 * self.relief), 1e-3, 4.0)

    @property
    def bare(self):
        """1 for the flat floor of a tank, where nothing grows; 0 for a landscape."""
        return 1 - smooth(1.0, 4.0, self.relief / self.scale)


def above_water(terrain: Terrain, depth=0.0) -> jax.Array:
    """How high the ground stands above the water near it [m], from the water at the start.

    Where there is none, above the bottom of the hollow it lies in, if it lies in one: beds of
    streams to come.
    """
    b = np.asarray(terrain.b, np.float32)
    depth = np.broadcast_to(np.asarray(depth, np.float32), b.shape)
    shore = float(Site.of(terrain).shore)
    side = max(2, max(b.shape) // 40)
    rows, cols = (-(-n // side) for n in b.shape)
    pad = ((0, rows * side - b.shape[0]), (0, cols * side - b.shape[1]))

    def blocks(f):
        f = np.pad(f, pad, mode="edge").reshape(rows, side, cols, side)
        return f.transpose(0, 2, 1, 3).reshape(rows, cols, -1)

    def spread(f, times=1):
        """Smooth over the blocks, then laid out on the cells."""
        for _ in range(times):
            f = (windows(f, 1) * np.outer(SOFT, SOFT)).sum((2, 3))
        wide = jax.image.resize(jnp.asarray(f), (rows * side, cols * side), "linear")
        return wide[: b.shape[0], : b.shape[1]]

    ground, water = blocks(b), blocks(depth)
    film = float(np.clip(0.02 * terrain.grid.cell, 1e-3, 1))  # rain that runs off makes no bed
    wet = water > film
    here = wet.any(-1).astype(np.float32)
    level = np.where(wet, ground + water, 0).sum(-1) / np.maximum(wet.sum(-1), 1)
    near = spread(here, 6)
    level = spread(here * level, 6) / jnp.maximum(near, 1e-6)
    off = jnp.abs(terrain.b - level)  # what is dry below the level lies behind a dam: no beach
    beach = off + 3 * shore * jnp.clip(1 - 10 * near, 0, 1)

    usual = np.median(windows(ground.mean(-1), 4), (2, 3))
    dent = 3 * shore * (1 - (spread(usual) - terrain.b) / terrain.grid.cell)
    bottom = spread(windows(ground.min(-1), 2).min((2, 3)))
    bed = jnp.maximum(2 * (terrain.b - bottom), dent)
    dry = jnp.maximum(jnp.where(near > 1e-3, jnp.minimum(bed, beach), bed), 0)
    return jnp.where(depth > film, jnp.asarray(-depth), dry)


def windows(f, reach: int):
    """The values about each place, `reach` to every side [..., 2 reach + 1, 2 reach + 1]."""
    wide = np.pad(f, reach, mode="edge")
    return np.lib.stride_tricks.sliding_window_view(wide, (2 * reach + 1,) * 2)


def noise(seed: int = 0, n: int = 512) -> Tile:
    """Clouds, stones and the two slopes of a rough ground, each from 0 to 1."""
    clouds = even(fractal(n, seed, 1.45, 7))
    dot, edge = crackle(n, seed + 1, 40, 0.12)
    fine = crackle(n, seed + 5, 97, 0.1)[1]
    stones = even(
        np.minimum(edge, 0.6) - 0.35 * dot + 0.5 * fine + 0.12 * fractal(n, seed + 9, 1.4)
    )
    height = 0.5 * fractal(n, seed + 11, 2.0, 8) + 1.1 * np.sqrt(np.minimum(edge, 0.5))
    tilt_y, tilt_x = np.gradient(height)
    tilts = (np.clip(0.5 + f / (6 * tilt_x.std()), 0, 1) for f in (tilt_x, tilt_y))
    return Tile.of(np.stack([clouds, stones, *tilts]))


def read(noise: Tile, x, y, footprint, *looks):
    """Look at the noise several times: (layer, side of the tile [m], angle [rad]); about zero."""

    def look(layer, side, angle):
        c, s, k = cos(angle), sin(angle), 1 / side
        u, v = (c * x + s * y) * k + 0.31, (c * y - s * x) * k + 0.17
        return noise.seen(u, v, footprint * k, layer) - 0.5

    return each(look, *looks)


def mix(a, b, share):
    return a + share * (b - a)


def ground(noise: Tile, site: Site, x, y, z, steepness, wet, footprint=0.0, above=None):
    """Albedo of the ground [3, ...].

    (x, y) are where its textures are read, `steepness` is the tangent of its slope, `footprint`
    the width of a pixel there [m] and `above` the height over the water nearby (`above_water`),
    else over the lowest ground.
    """
    s = site.scale
    broad, patch, tuft, stone, grit = read(
        noise, x, y, footprint + 0 * x,
        (CLOUDS, 331 * s, 0.3), (CLOUDS, 53 * s, 1.1), (CLOUDS, 8.3 * s, 2.0),
        (STONES, 29 * s, 0.7), (STONES, 4.7 * s, 1.6),
    )  # fmt: skip
    stone = stone * (1 - smooth(5.0, 30.0, s))  # none as large as houses
    above = (z - site.low if above is None else above) / site.shore
    high = (z - site.low) / jnp.maximum(site.relief, 1e-3)
    ragged = 0.6 * patch + 0.5 * tuft

    def colour(c):
        return beside(c, x)

    def weight(low, high, f):
        return smooth(low, high, f)[None]

    growth = 0.5 + 0.6 * broad + 0.4 * patch
    grass = mix(colour(LUSH), colour(MEADOW), weight(-0.2, 1.1, growth + 0.5 * tuft))
    parched = growth + 0.6 * high + 0.6 * tuft + 0.6 * (1 - smooth(1.0, 4.0, above))
    grass = mix(grass, colour(STRAW), 0.6 * weight(0.3, 1.5, parched))
    grass = grass * (1 + 0.45 * tuft + 0.4 * grit)
    forest = colour(FOREST) * (1 + 0.7 * tuft + 0.6 * grit)
    leafy = growth + 0.3 * patch + 0.3 * tuft + 0.6 * steepness - 0.25 * high
    wooded = smooth(6.0, 25.0, s) * smooth(0.15, 0.75, leafy)
    c = mix(grass, forest, wooded[None])

    soil = colour(SOIL) * (1 + 0.5 * tuft + 0.5 * grit)
    c = mix(c, soil, weight(0.42, 0.8, steepness + 0.35 * ragged))
    scree = colour(SCREE) * (1 + 0.35 * patch + 0.7 * grit)
    c = mix(c, scree, 0.7 * weight(0.5, 0.85, steepness + 0.45 * stone + 0.35 * patch))

    sand = colour(SAND) * (1 + 0.2 * patch + 0.14 * tuft + 0.16 * grit)
    pebbles = colour(GRAVEL) * (1 + 0.9 * grit)
    sand = mix(sand, pebbles, 0.8 * weight(0.1, 0.6, 0.5 * broad + 0.6 * patch + 0.4 * stone))
    sand = mix(sand, colour(SILT) * (1 + 0.4 * tuft), 0.6 * weight(2.0, 8.0, -above + 2 * patch))
    sand = mix(sand, soil, 0.6 * smooth(5.0, 30.0, s))
    strewn = smooth(0.7, 1.9, above + 1.2 * patch + 1.4 * tuft + 0.5 * grit)
    sandy = jnp.maximum(1 - strewn, site.bare)
    c = mix(c, sand, sandy[None])

    strata = 0.5 + 0.9 * stone + 0.6 * patch + 0.35 * grit
    rock = mix(colour(DARK_ROCK), colour(ROCK), weight(-0.1, 0.9, strata))
    rock = rock * (1 + 0.3 * broad + 0.35 * tuft)
    rocky = smooth(0.75, 1.05, steepness + 0.3 * patch + 0.3 * stone)
    c = mix(c, rock, rocky[None])

    mountain = smooth(1200.0, 2200.0, site.relief)
    snow = mountain * smooth(0.72, 0.8, high + 0.12 * ragged - 0.12 * steepness)
    c = mix(c, colour(SNOW), snow[None])
    grown = (1 - sandy) * (1 - rocky)
    return jnp.clip(moist(c, wet * (1 - LEAVES * grown)), 0.005, 0.9)


def moist(c, wet):
    """Wet ground is darker and its colour deeper: light goes round in its pores once more."""
    return c * (1 - wet * (0.80 - 0.62 * jnp.sqrt(jnp.maximum(c, 0))))


def bump(noise: Tile, x, y, footprint, scale, rough=1.0):
    """Slopes of what is too small for the terrain: stones, tufts, grains; none from afar."""
    sides = (11.3 * scale, 3.1 * scale)
    fx, fy, gx, gy = read(
        noise, x, y, footprint + 0 * x,
        *((layer, side, 0.0) for side in sides for layer in (TILT_X, TILT_Y)),
    )  # fmt: skip
    return 0.5 * rough * (fx + 0.8 * gx), 0.5 * rough * (fy + 0.8 * gy)


# ── bodies ───────────────────────────────────────────────────────────────────────────────────


def body(noise: Tile, material, p, n, size, colour, footprint=0.0):
    """Albedo [3, ...] and gloss [...] of bodies at points p with normals n, both their own.

    `size` is half their extent along each axis [3, ...] [m], `colour` a factor on that of the
    material; paint is white.
    """
    face = jnp.abs(n)
    on_z = face[2] >= jnp.maximum(face[0], face[1])
    on_x = ~on_z & (face[0] >= face[1])
    u, hu = (jnp.where(on_x, f[1], f[0]) for f in (p, size))
    v, hv = (jnp.where(on_z, f[1], f[2]) for f in (p, size))
    across = jnp.where(on_z, size[2], jnp.where(on_x, size[0], size[1]))
    which = jnp.where(on_z, 2.0, jnp.where(on_x, 0.0, 1.0)) + 3 * (
        jnp.where(on_z, n[2], jnp.where(on_x, n[0], n[1])) > 0
    )
    turned = hv > hu  # planks and grain lie along the longer side
    u, v = jnp.where(turned, v, u), jnp.where(turned, u, v)
    hu, hv = jnp.maximum(jnp.where(turned, hv, hu), 1e-3), jnp.maximum(jnp.minimum(hu, hv), 1e-3)
    unit = jnp.maximum(hv, 0.2 * hu)
    plank, upright, brace, gap = boards(u, v, hu, hv)
    crate = material == MATERIALS["crate"]
    along = jnp.where(crate & upright, v, jnp.where(crate & brace, u + v, u))
    off = jnp.where(crate & upright, u, jnp.where(crate & brace, v - u, v))
    begin = 0.37 * which + jnp.where(crate, 0.173 * plank, 0.0)

    def look(layer, x, y):
        """Noise that repeats after so many metres along and across."""
        x, y, blur = along / x + begin, off / y + 1.7 * begin, footprint / jnp.minimum(x, y)
        return noise.seen(x, y, blur, layer) - 0.5

    grain, fibre, spots, mottle, grit = each(
        look,
        (CLOUDS, 26 * unit, 2.2 * unit),
        (CLOUDS, 9 * unit, 0.9 * unit),
        (STONES, 7 * unit, 7 * unit),
        (CLOUDS, 6.1 * unit, 6.1 * unit),
        (STONES, GRAINS, GRAINS),
    )

    def tone(c):
        return beside(c, u)

    end = across > 1.5 * hu  # sawn across: rings
    ring = jnp.sin(jnp.sqrt(u * u + v * v) / unit * 34 + 1.5 * mottle)
    rough = 0.8 * grain + 0.7 * fibre
    wood = mix(tone(HEART), tone(TIMBER), smooth(-0.5, 0.5, rough)[None])
    sawn = tone(BOARD) * (0.85 + 0.12 * ring + 0.3 * mottle)[None]
    wood = jnp.where(end, sawn, wood)

    aged = jnp.sin(12.9898 * plank + 4.1 * which)  # no two planks are quite alike
    board = tone(BOARD) * (gap * (1 + gap * (0.16 * aged + 0.45 * rough)))[None]
    worn = smooth(0.0, 0.7, spots + mottle)
    joint = jnp.abs(u / unit - jnp.round(u / unit))  # of plates, as long as they are half high
    steel = mix(tone(STEEL) * (1 + 0.1 * mottle)[None], tone(RUST), (0.5 * worn)[None])
    steel = steel * (0.5 + 0.5 * smooth(0.01, 0.03, joint))[None]
    granite = tone(GRANITE) * (1 + 0.35 * spots + 0.4 * mottle + 0.5 * grit)[None]
    albedo = jnp.broadcast_to((1 - 0.12 * worn + 0.06 * mottle)[None], wood.shape)  # paint
    for name, c in (("wood", wood), ("crate", board), ("metal", steel), ("stone", granite)):
        albedo = jnp.where(material == MATERIALS[name], c, albedo)
    shine = jnp.asarray(SHINE, jnp.float32)[material]
    return jnp.clip(albedo * colour, 0.01, 0.9), shine * (1 - 0.4 * worn)


def boards(u, v, hu, hv):
    """The planks of a crate: which one, is it upright or a brace, and how dark the gaps are."""
    frame = 0.17 * hv
    lie, stand = hv - jnp.abs(v), hu - jnp.abs(u)  # from the face's edges
    upright = stand < frame
    lying = ~upright & (lie < frame)
    slant = (u * (hv - frame) - v * (hu - frame)) / jnp.hypot(hu, hv)
    brace = ~upright & ~lying & (jnp.abs(slant) < 0.6 * frame)
    row = (v / hv + 1) * (PLANKS / 2)
    plank = jnp.where(
        upright, 21 + jnp.sign(u),
        jnp.where(lying, 31 + jnp.sign(v), jnp.where(brace, 41.0, jnp.floor(row))),
    )  # fmt: skip
    between = 0.4 * hv * jnp.abs(row - jnp.round(row))
    inner, off = jnp.minimum(lie, stand) - frame, jnp.abs(slant) - 0.6 * frame
    seam = jnp.where(
        upright, frame - stand,
        jnp.where(
            lying, jnp.minimum(frame - lie, stand - frame),
            jnp.where(brace, jnp.minimum(-off, inner), between),
        ),
    )  # fmt: skip
    under = ~(upright | lying | brace)  # inner planks lie deeper, in the frame's shadow
    depth = jnp.minimum(inner, off)
    shade = jnp.where(under, 0.35 + 0.50 * smooth(0.0, 0.12, depth / hv), 1.0)
    return plank, upright, brace, jnp.minimum(shade, 0.35 + 0.65 * smooth(0.0, 0.03, seam / hv))
