"""A clear sky: sunlight scattered by air and haze in a round atmosphere.      Nishita 1993

    L(d) = ∫ Σ β ρ(h) (E₀ p(γ) e^(−τ(s, sun)) + m(h)) e^(−τ(eye, s)) ds

summed over air (Rayleigh) and haze (Mie), with ozone in τ.  Light scattered more than once is even
on all sides, of radiance m at each height (Hillaire 2020); without it the horizon is brown.

Sunlight overhead is about π per area, so white ground in full sun has a radiance of about 1.
"""

import jax
import jax.numpy as jnp
import numpy as np

from koski.core.errors import number
from koski.core.pytree import pytree
from koski.render.light import beside, dot
from koski.render.spot import entries
from koski.render.tone import LUMINANCE

outer = np.multiply.outer


def f32(x) -> np.ndarray:
    return np.asarray(x, np.float32)


EARTH, TOP, EYE = 6360.0, 6460.0, 6360.2  # radii of the ground, the air's end and the eye [km]
# Per channel, at the ground [1/km]; scale heights [km].
AIR, AIR_HEIGHT = f32((7.2e-3, 13.6e-3, 30.3e-3)), 8.0  # at 645, 550, 450 nm
HAZE, HAZE_TAKES, HAZE_HEIGHT = 0.018, 0.020, 1.2
OZONE = f32((1.5e-3, 1.88e-3, 0.085e-3))  # in a layer 30 km deep around 25 km
FORWARD = 0.78  # the asymmetry g of haze
SUN = f32((1.09, 1.11, 1.16)) * np.pi  # E₀; white with the sky's light at noon
SUN_RADIUS = 0.00465  # [rad]
GROUND = f32((0.13, 0.13, 0.11))  # albedo of the land beyond the horizon

ROWS, COLUMNS = 64, 64  # of the table: √sin(elevation), sin(half the azimuth from the sun)
VIEW_STEPS, SUN_STEPS = 32, 24
HEIGHTS = f32(80 * np.linspace(0, 1, 10) ** 2)  # where light scattered often is known [km]


@pytree
class Sky:
    """The light of sun and sky for one position of the sun."""

    sun: jax.Array  # unit vector toward the sun [3]
    sunlight: jax.Array  # irradiance on a plane that faces the sun [3]
    ambient: jax.Array  # irradiance of level ground by the sky alone [3]
    ground: jax.Array  # radiance of the land far below the horizon [3]
    heading: jax.Array  # level unit vector toward the sun [2]
    table: jax.Array  # radiance [3, ROWS × COLUMNS]
    exposure: jax.Array  # what a photographer would set

    @classmethod
    def create(cls, elevation_deg: float = 35.0, azimuth_deg: float = 135.0) -> "Sky":
        """The sky under a sun this high, in a direction from +x counter-clockwise [degrees]."""
        elevation = np.radians(number("the sun's elevation", elevation_deg, -12, 90))
        azimuth = np.radians(number("the sun's azimuth", azimuth_deg))
        heading = f32((np.cos(azimuth), np.sin(azimuth)))
        table, sunlight, ambient, ground = scatter(elevation)
        sun = f32((*(heading * np.cos(elevation)), np.sin(elevation)))
        exposure = expose(sunlight * max(sun[2], 0) + ambient)
        return cls(*map(jnp.asarray, (sun, sunlight, ambient, ground, heading, table, exposure)))

    def radiance(self, d):
        """The sky in the directions `d` [3, ...], without the sun; hazy land below the horizon."""
        level = jax.lax.rsqrt(jnp.maximum(d[0] * d[0] + d[1] * d[1], 1e-12))
        cos = (d[0] * self.heading[0] + d[1] * self.heading[1]) * level
        row = jnp.sqrt(jnp.clip(d[2], 0, 1)) * (ROWS - 1)
        column = jnp.sqrt(jnp.clip(0.5 - 0.5 * cos, 0, 1)) * (COLUMNS - 1)
        above = between(self.table, row, column)
        haze = jnp.exp(10 * jnp.minimum(d[2], 0))
        return above * haze + beside(self.ground, haze) * (1 - haze)

    def disc(self, d, blur=0.0):
        """The sun in the directions `d`, widened to an angle `blur` [rad], its energy kept."""
        width2 = SUN_RADIUS**2 + jnp.square(blur)
        off = d - beside(self.sun, d[0])
        lobe = jnp.exp(-dot(off, off) / width2)
        whole = jnp.pi * width2 * (1 - jnp.exp(-4 / width2))
        return beside(self.sunlight, lobe) * (lobe / whole)


def expose(level: np.ndarray) -> np.ndarray:
    """What suits this irradiance of level ground: nearly as bright a picture at dusk as at noon."""
    return f32(1.2 * max(LUMINANCE @ level / np.pi, 1e-3) ** -0.6)


def between(table, row, column):
    """Values of a table [3, ROWS × COLUMNS] between its rows and columns, [3, ...]."""
    i = jnp.clip(row.astype(jnp.int32), 0, ROWS - 2)
    j = jnp.clip(column.astype(jnp.int32), 0, COLUMNS - 2)
    # Once for all channels: fused into each look-up, this costs more than they do.
    at, s, t = jax.lax.optimization_barrier((i * COLUMNS + j, row - i, column - j))

    def corner(step):
        return entries(table, at + step)

    near = corner(0) * (1 - t) + corner(1) * t
    far = corner(COLUMNS) * (1 - t) + corner(COLUMNS + 1) * t
    return near * (1 - s) + far * s


def densities(height):
    """Air, haze and ozone relative to their most.  Below ground they grow, so that it is dark."""
    air = np.exp(np.clip(-height / AIR_HEIGHT, -20, 20))
    haze = np.exp(np.clip(-height / HAZE_HEIGHT, -20, 20))
    return air, haze, np.maximum(1 - np.abs(height - 25) / 15, 0)


def takes(air, haze, ozone):
    """Optical depth, [3, ...], of these amounts [km at the ground's density]."""
    return outer(AIR, air) + HAZE_TAKES * haze + outer(OZONE, ozone)


def turns(air, haze):
    """The part of it that is scattered."""
    return outer(AIR, air) + HAZE * haze


def to_top(r, up):
    """Way from radius `r` to the end of the atmosphere, `up` the sine of the elevation [km]."""
    return np.sqrt(np.maximum(r * r * (up * up - 1) + TOP * TOP, 0)) - r * up


def steps(n: int):
    """Midpoints and widths of `n` steps over 0..1, short at first."""
    edge = np.linspace(0, 1, n + 1) ** 2
    return f32((edge[1:] + edge[:-1]) / 2), f32(np.diff(edge))


def along(r, up, way):
    """Radius after a way [..., steps] from radius `r` in the direction `up`."""
    r, up = np.asarray(r)[..., None], np.asarray(up)[..., None]
    return np.sqrt(r * r + way * (way + 2 * r * up))


def sun_through(r, up):
    """What the air leaves, [3, ...], of a sun at elevation sine `up` on its way to radius `r`."""
    way, width = steps(SUN_STEPS)
    whole = np.asarray(to_top(r, up))
    height = along(r, up, whole[..., None] * way) - EARTH
    return np.exp(-takes(*((rho @ width) * whole for rho in densities(height))))


def march(r, up, gamma, high, whole):
    """Along rays of length `whole` from radius `r`: the height, air and haze of each step; what
    arrives from there of all light, and of the sun's; and what comes through the whole ray.

    `up` and `high` are the sines of the elevation of ray and sun, `gamma` the cosine between them.
    """
    way, width = steps(VIEW_STEPS)
    s = whole[..., None] * way
    here = along(r, up, s)
    air, haze, ozone = (rho * width * whole[..., None] for rho in densities(here - EARTH))
    tau = takes(air, haze, ozone)
    seen = np.exp(tau / 2 - np.cumsum(tau, -1))
    sun_up = ((r * high)[..., None] + s * gamma[..., None]) / here
    lit = seen * sun_through(np.broadcast_to(here, sun_up.shape), sun_up)
    return here - EARTH, air, haze, seen, lit, np.exp(-tau.sum(-1))


def often(high):
    """Mean radiance, [3, heights], of light scattered at least once, or by the ground.

    At each height the mean m₁ over all directions of light scattered once, and the share f of an
    even light that comes back to where it was scattered: m₁ (1 + f + f² …).      Hillaire 2020 §5.5
    """
    r = EARTH + HEIGHTS[:, None, None]
    up = f32(np.arange(-15, 16, 2) / 16)[:, None]
    around = f32(np.cos(np.pi * (np.arange(6) + 0.5) / 6))
    gamma = np.sqrt(1 - up * up) * around * np.sqrt(1 - high * high) + up * high
    ground2 = EARTH * EARTH + r * r * (up * up - 1)
    down = (up < 0) & (ground2 > 0)
    way = np.where(down, -r * up - np.sqrt(np.maximum(ground2, 0)), to_top(r, up))
    _, air, haze, seen, lit, left = march(r, up, gamma, high, way)
    sun_up = np.clip((r * high + way * gamma) / EARTH, 0, 1)
    bounce = GROUND[:, None, None, None] * left * down
    by_ground = bounce * sun_up * sun_through(EARTH, sun_up) / np.pi
    first = (turns(air, haze) * lit).sum(-1) / (4 * np.pi) + by_ground
    back = (turns(air, haze) * seen).sum(-1) + bounce
    return SUN[:, None] * first.mean((-2, -1)) / (1 - back.mean((-2, -1)))


def phases(cos):
    """Rayleigh's p, and for haze that of Cornette and Shanks."""
    g, rest = FORWARD, 1 + cos * cos
    haze = (1 - g * g) / (2 + g * g) / (1 + g * g - 2 * g * cos) ** 1.5
    return 3 / (16 * np.pi) * rest, 3 / (8 * np.pi) * rest * haze


def scatter(elevation: float) -> tuple[np.ndarray, ...]:
    """The table, the sun's and the sky's irradiance, and the radiance of far land.

    In NumPy: it is made once, in less time than it would take to compile.
    """
    up = np.square(np.linspace(0, 1, ROWS, dtype=np.float32))[:, None]  # sine of the elevation
    half = np.linspace(0, 1, COLUMNS, dtype=np.float32)  # sine of half the azimuth from the sun
    high, low = f32((np.sin(elevation), np.cos(elevation)))
    gamma = np.sqrt(1 - up * up) * (1 - 2 * half * half) * low + up * high
    eye = np.full_like(up, EYE)
    height, air, haze, seen, lit, _ = march(eye, up, gamma, high, to_top(eye, up))
    by_air, by_haze = phases(gamma)
    once = AIR[:, None, None] * by_air * (lit * air).sum(-1) + HAZE * by_haze * (lit * haze).sum(-1)
    mean = np.stack([np.interp(height, HEIGHTS, m) for m in often(high)])
    sky = SUN[:, None, None] * once + (seen * mean * turns(air, haze)).sum(-1)

    rise = np.clip((elevation + 0.014) / 0.018, 0, 1)  # the disc comes over the horizon
    sunlight = SUN * rise * sun_through(EYE, max(high, 0))
    around = 2 * np.trapezoid(sky, 2 * np.arcsin(half), axis=-1)
    ambient = np.trapezoid(around * up[:, 0], up[:, 0], axis=-1)  # ∫ L sin e dω, dω = d(sin e) da
    land = GROUND / np.pi * (sunlight * max(high, 0) + ambient)
    return tuple(f32(x) for x in (sky.reshape(3, -1), sunlight, ambient, land))
