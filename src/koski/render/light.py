"""Light at the water's surface and in the water.      Maes 2006 §4.1; METHODS §10

    mirrored      R = f₀ + (1 − f₀)(1 − cos)⁵                               eq. 7, Schlick
    to the eye    R · reflection + (1 − R) · (bed + scattered)               eq. 8–9
    through       10^(−a c l) · e^(−k l) = e^(−κ l),    κ = a c ln 10 + k    eq. 10–11
    bed           albedo/π · entering · e^(−κ depth) · e^(−κ l)              eq. 12, first term
    scattered     ∫ k/4π · entering · e^(−κ (depth(s) + s)) ds               eq. 12, sum as δ → 0

The paper's sum has no k/4π: with it what is scattered is what was taken away, spread evenly over
all directions, so k = 0 is clear water and no light comes from nothing.  The light comes straight
down, as in the paper.  The n² by which radiance falls on leaving water is left out: between white
ground and surface the light goes to and fro until it is out.
"""

import jax
import jax.numpy as jnp
import numpy as np

from koski.core.pytree import pytree

F0 = 0.02  # mirrored by water at normal incidence
INTO_WATER = 1 / 1.33  # ratio of refractive indices, for a ray that goes in
OUT_OF_WATER = 1.33
SKY_MIRRORED = F0 + (1 - F0) / 21  # Schlick's R for an even sky: the mean over the hemisphere
SHORT = 0.02  # optical path below which (1 − e^−x)/x is summed as a series


@pytree
class Medium:
    """What is in the water.  A leaf may be [3], or [3, ...] to differ from place to place."""

    absorption: jax.Array | np.ndarray  # a, decadic [1/m]
    scattering: jax.Array | np.ndarray  # k [1/m]; scatters evenly, so b (1 − g) of a real water
    concentration: jax.Array | float = 1.0  # c, a factor on the absorption

    @property
    def absorbs(self):
        """a c ln 10 [1/m]: 10^(−a c l) is e to the minus this times l."""
        return jnp.asarray(self.absorption) * self.concentration * float(np.log(10))

    @property
    def takes(self):
        """κ [1/m], all that is lost from a ray: absorbed or scattered away."""
        return self.absorbs + self.scattering


def beside(c, like):
    """Constants per channel, [3], as [3, 1, ...] that broadcast beside a map [...]."""
    c = jnp.asarray(c, jnp.float32)
    return c.reshape(c.shape + (1,) * (jnp.ndim(like) + 1 - c.ndim))


def dot(a, b):
    """a · b of vectors [3, ...], as [...]."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def schlick(cos, f0=F0):
    """Share of the light that the surface mirrors.      eq. 7

    From under water, `cos` is that of the ray outside; 1 where there is none.
    """
    m = 1 - jnp.clip(cos, 0, 1)
    m2 = m * m
    return f0 + (1 - f0) * m2 * m2 * m


def reflect(d, n):
    """The ray `d` mirrored at a surface of normal `n`."""
    return d - 2 * dot(d, n) * n


def refract(d, n, ratio=INTO_WATER) -> tuple[jax.Array, jax.Array]:
    """The ray `d` bent at a surface whose normal `n` is on the side it comes from, after Snell.

    `ratio` is n₁/n₂.  Also where it cannot leave: there the ray is mirrored instead.
    """
    cos = -dot(d, n)
    cos2 = 1 - ratio * ratio * (1 - cos * cos)
    total = cos2 < 0
    bent = ratio * d + (ratio * cos - jnp.sqrt(jnp.maximum(cos2, 0))) * n
    return jnp.where(total, reflect(d, n), bent), total


def beer(medium: Medium, length):
    """What absorption leaves of light, [3, ...]: 10^(−a c l).      eq. 10"""
    return jnp.exp(-beside(medium.absorbs, length) * length)


def through(medium: Medium, length):
    """What absorption and scattering leave of light, [3, ...]: e^(−κ l).      eq. 10–11"""
    return jnp.exp(-beside(medium.takes, length) * length)


def entering(sun, sky, cos):
    """Light just below a level surface, per area: each source less what is mirrored of it.

    `sun` on a plane that faces it, at `cos` from the vertical; `sky` on level ground.
    """
    cos = jnp.maximum(cos, 0)
    return beside(sun, cos) * (cos * (1 - schlick(cos))) + beside(sky, cos) * (1 - SKY_MIRRORED)


def bed_light(medium: Medium, depth, sun, sky, cos=1.0):
    """Light that reaches level ground under `depth` of water, per area.      eq. 12"""
    light = entering(sun, sky, cos)
    return beside(light, depth) * through(medium, depth)


def scattered(medium: Medium, length, depth, light, start=0.0):
    """Radiance that a view ray gathers from impurities, each of which scatters once.      eq. 12

    The ray runs `length` through the water, from `start` to `depth` below the surface; `light` is
    what enters.  As the depth is linear along the ray, the integral is

        k/4π · light · e^(−κ start) · l (1 − e^(−x))/x,    x = κ (l + depth − start).
    """
    way = jnp.maximum(length + depth - start, 0)  # down and back again, beyond the first point
    x = beside(medium.takes, way) * way
    mean = jnp.where(x > SHORT, (1 - jnp.exp(-x)) / jnp.maximum(x, SHORT), 1 - x / 2 + x * x / 6)
    glow = beside(medium.scattering, way) * beside(light, way) / (4 * np.pi)
    return glow * beside(through(medium, start), way) * mean * length


def medium(absorption, scattering, concentration=1.0) -> Medium:
    """A medium from three numbers each."""
    rgb = np.asarray((absorption, scattering), np.float32)
    return Medium(rgb[0], rgb[1], concentration)


# Decadic absorption and k per metre.  The colours of suspended matter are set by eye around the
# numbers told here; a scattering that goes mostly forward counts as b (1 − g).
MEDIA: dict[str, Medium] = {
    # Nothing in it: no light comes back but from the ground.      Maes 2006 §4.1
    "pure": medium((0.648, 0.053, 0.036), (0, 0, 0)),
    # A clear mountain lake: less absorption, as three narrow bands overdo the colour of water,
    # and a few fine particles, which give the deep its blue.
    "lake": medium((0.648, 0.053, 0.036), (0.03, 0.036, 0.042), concentration=0.2),
    # Chlorophyll of 70 mg/m³, as in Maes 2006 fig. 9: more than pure by 0.06 C^0.65 a*(λ) and some
    # yellow matter, after Morel 1991.  By half in this water: b = 0.3 C^0.62 at 35 mg/m³, g = 0.96.
    "chlorophyll": medium((0.80, 0.21, 0.49), (0.11, 0.11, 0.11), concentration=0.5),
    # 60 g/m³ of iron-rich river silt: 0.06 e^(−0.0123 (λ − 443 nm)) m²/g absorbed, 0.5 m²/g
    # scattered (Babin 2003), g = 0.93.  So muddy a water is seen in its first decimetres: its red
    # is that of the broad band around 610 nm.
    "silt": medium((0.30, 0.45, 1.44), (2.1, 2.1, 2.1)),
    # 20 g/m³ of rock flour: colourless but for a little iron, and so fine that it scatters blue
    # the more; what red it scatters, the water takes.
    "glacier": medium((0.648, 0.053, 0.076), (0.5, 0.8, 0.9)),
}
