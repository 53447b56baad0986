"""What water does to bodies.

Along vertical lines that are spread evenly over each part, a few more than its window has cells,
w of it is under water:                      w = min(s, z+) − max(z−, b), at least 0

    buoyancy   ρ g w, upward                                        per area   Kellomäki 2014 §4
    drag       ½ C ρ (w / l) √(dv² + SLOW²) dv, level; dv = water − body, at that point
    damping    − 2 ζ ρ √(g w) v_z, of what heaves, rolls and pitches

all at the middle of the height w.  The papers take the lines through the cells: a body of few
cells then rocks and bobs as it drifts across them, so that ours are the body's own.  They damp
by the share that is submerged, and nothing comes to rest; this does.  What few lines make of a part
is a little too large or small, too high or aside: its volume and centroid are then made true.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp

from koski.bodies.extents import col, spans
from koski.bodies.groups import Group
from koski.bodies.raster import of
from koski.bodies.turns import apply, matrix, product
from koski.core.grid import Grid
from koski.core.inputs import RHO
from koski.core.phase import phase
from koski.core.pytree import pytree
from koski.core.stencil import TINY
from koski.core.water import G

SLOW = 0.1  # against slower water drag is linear [m/s]: if quadratic, bodies would creep for ever


@pytree
class Motion:
    """Where bodies are and how they move, in the world's frame."""

    position: jax.Array  # of the origin [B, 3] [m]
    rotation: jax.Array  # (w, x, y, z) [B, 4]
    velocity: jax.Array  # of the centre of mass [B, 3] [m/s]
    spin: jax.Array  # [B, 3] [rad/s]


@pytree
class Props:
    """What does not change about bodies, in their own frame."""

    mass: jax.Array  # [B] [kg]
    center: jax.Array  # of mass [B, 3] [m]
    inertia: jax.Array  # about it [B, 3, 3] [kg m²]
    drag: jax.Array  # C, of a length of water as wide as a cell [B]
    damping: jax.Array  # ζ, 1 for what barely bobs [B]


@pytree
class Wrench:
    """What the water does to each body, in the world's frame."""

    force: jax.Array  # [B, 3] [N]
    torque: jax.Array  # about the centre of mass [B, 3] [N m]
    submerged: jax.Array  # [B] [m³]


@pytree
class Load:
    """What the water does to bodies or to parts of them, [n, 3] or [n]."""

    volume: jax.Array  # under water [m³]
    moment: jax.Array  # of that about the centre of mass, along x and y [n, 2] [m⁴]
    force: jax.Array  # of drag and damping [N]
    torque: jax.Array  # [N m]
    rate: jax.Array  # at which those slow the body, at most [1/s]


@pytree
class Lines:
    """Vertical lines through parts, from their middles [m]."""

    x: jax.Array  # [n, 1, L]
    y: jax.Array  # [n, L, 1]
    low: jax.Array  # where they enter the part, inf if they do not [n, L, L]
    high: jax.Array  # where they leave it, −inf if they do not


def forces(
    groups: Sequence[Group],
    motion: Motion,
    props: Props,
    surface,
    ground,
    u,
    v,
    dt,
    grid: Grid,
) -> Wrench:
    """Sum buoyancy, drag and damping over each body.

    The surface is that which a body feels, −inf where there is none.  Where drag and damping
    would take a body past rest within the step, they are cut to what at most stops it.
    """
    bodies = len(motion.position)
    load = Load(*(jnp.zeros((bodies, *k)) for k in ((), (2,), (3,), (3,), ())))
    for group in groups:
        parts = immerse(group, motion, props, (surface, ground, u, v), grid)
        by_body = partial(jax.ops.segment_sum, segment_ids=group.body, num_segments=bodies)
        load = jax.tree.map(lambda a, b: a + b, load, jax.tree.map(by_body, parts))
    cut = 1 / jnp.maximum(dt * load.rate, 1)[:, None]
    zero = jnp.zeros(bodies)
    x, y = load.moment[:, 0], load.moment[:, 1]
    return Wrench(
        RHO * G * jnp.stack([zero, zero, load.volume], -1) + cut * load.force,
        RHO * G * jnp.stack([y, -x, zero], -1) + cut * load.torque,
        load.volume,
    )


def immerse(group: Group, motion: Motion, props: Props, maps, grid: Grid) -> Load:
    """The load on each part."""
    own, its = jax.tree.map(partial(of, group.body), (motion, props))
    turn = matrix(own.rotation)
    lines, area = phase(thread)(group, turn)
    middle = apply(turn, group.at)
    water = phase(look)(own.position + middle, lines, maps, grid)
    arm = middle - apply(turn, its.center)
    w, r, f, rate = phase(press)(lines, water, arm, turn, own, its, grid)

    def total(*maps):
        return jnp.stack([area * f.sum((1, 2)) for f in maps], -1)

    return Load(
        total(w)[:, 0],
        total(w * r[0], w * r[1]),
        total(*f),
        total(*cross(r, f)),
        total(rate)[:, 0],
    )


def thread(group: Group, turn) -> tuple[Lines, jax.Array]:
    """Put lines through each part, and find the area that each of them stands for [n] [m²].

    That area gives the part its true volume; its centroid and its spread in height are made true
    by moving and stretching it.
    """
    m = product(turn, group.turn)
    first, last = group.form.bounds(m)
    many = group.window + group.window // 8  # 8 lines fit a log that lies askew to 5 %, 9 to 3 %
    apart = (last - first) / many
    k = jnp.arange(many) + 0.5
    x = col(first[:, 0]) + col(apart[:, 0]) * k
    y = (col(first[:, 1]) + col(apart[:, 1]) * k).swapaxes(1, 2)
    low, high = spans(group.form, m, x, y, jnp.maximum(apart[:, 0], apart[:, 1]))

    hit = low <= high
    h, z = jnp.where(hit, high - low, 0), jnp.where(hit, 0.5 * (high + low), 0)
    total = jnp.maximum(h.sum((1, 2)), TINY)
    moments = (x, y, z, z * z + h * h / 12)
    cx, cy, cz, czz = ((h * f).sum((1, 2)) / total for f in moments)
    up = turn[:, 2]
    true = (up * apply(group.spread, up)).sum(-1)
    stretch = jnp.sqrt(true / jnp.maximum(czz - cz * cz, TINY))
    tx, ty, tz = columns(apply(turn, group.centroid - group.at))
    low, high = (tz + col(stretch) * (f - col(cz)) for f in (low, high))
    area = jnp.where(total > TINY, group.volume / (total * stretch), 0)
    return Lines(x + (tx - col(cx)), y + (ty - col(cy)), low, high), area


def look(p, lines: Lines, maps, grid: Grid):
    """Surface and ground above p [n, 3], and other maps, where the lines are."""
    i = index(col(p[:, 0]) + lines.x, grid.nx, grid.cell, grid.wrap_x)
    j = index(col(p[:, 1]) + lines.y, grid.ny, grid.cell, grid.wrap_y)
    cells = jnp.where((i >= 0) & (j >= 0), j * grid.nx + i, grid.cells)
    beyond = -jnp.inf, 0, 0, 0
    s, b, *other = (
        f.ravel().at[cells].get(mode="fill", fill_value=e) for f, e in zip(maps, beyond)
    )
    z = col(p[:, 2])
    return s - z, b - z, *other


def press(lines: Lines, water, arm, turn, own: Motion, its: Props, grid: Grid):
    """What the water does along each line, per area: w, at which arm, drag and damping, their rate.

    The rate at which drag and damping slow a body is at most Σ k (1/m + (r × e) · I⁻¹ (r × e)),
    over all lines and the directions e that they act in.
    """
    s, b, u, v = water
    top, bottom = jnp.minimum(s, lines.high), jnp.maximum(lines.low, b)
    wet = top > bottom
    w = jnp.where(wet, top - bottom, 0)
    z = jnp.where(wet, 0.5 * (top + bottom), 0)
    r = tuple(c + a for c, a in zip((lines.x, lines.y, z), columns(arm)))
    turning = cross(columns(own.spin), r)
    du, dv, dw = (f - V - a for f, V, a in zip((u, v, 0), columns(own.velocity), turning))
    k = 0.5 * RHO / grid.cell * col(its.drag) * w * jnp.sqrt(du * du + dv * dv + SLOW**2)
    kz = 2 * RHO * col(its.damping) * jnp.sqrt(G * jnp.maximum(w, TINY))
    loose = product(product(turn, inverse(its.inertia)), turn.swapaxes(1, 2))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = (columns(loose[:, i]) for i in range(3))
    x, y, z = r
    level = (x * x + y * y) * zz + z * z * (xx + yy) - 2 * z * (x * xz + y * yz)
    upright = y * y * xx - 2 * x * y * xy + x * x * yy
    light = col(1 / jnp.maximum(its.mass, TINY))
    rate = k * (2 * light + level) + kz * (light + upright)
    return jax.tree.map(lambda f: jnp.where(wet, f, 0), (w, r, (k * du, k * dv, kz * dw), rate))


def index(x, n: int, cell: float, wrap: bool):
    """Which cell of a row holds x, −1 if none."""
    i = jnp.floor(x / cell)
    i = jnp.mod(i, n) if wrap else i
    return jnp.where((i >= 0) & (i < n), i, -1).astype(jnp.int32)


def cross(a, b):
    """a × b, of vectors given as three maps."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def inverse(m):
    """The inverses of matrices [n, 3, 3], of which small ones are scaled; zero of zero."""
    size = jnp.maximum(m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2], TINY)[:, None]
    a, b, c = (m[:, :, i] / size for i in range(3))
    bc = jnp.cross(b, c)
    det = jnp.maximum((a * bc).sum(-1, keepdims=True), TINY) * size
    return jnp.stack([f / det for f in (bc, jnp.cross(c, a), jnp.cross(a, b))], -2)


def columns(f):
    """The components of vectors [n, 3], beside maps."""
    return [col(f[:, i]) for i in range(3)]
