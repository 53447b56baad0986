"""Rigid bodies as light meets them: where rays hit them, and where they keep the sun away.

A body is made of parts, and these of solids of a few forms, which stay as they are while bodies
move: only the places of the parts change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from koski.bodies.shapes import Shape
from koski.bodies.turns import matrix
from koski.core.errors import InputError
from koski.core.phase import phase
from koski.core.pytree import pytree
from koski.render.forms import Form, dot, rows, turned, turned_back, unit
from koski.render.parts import Look, last, pack
from koski.render.spot import entries
from koski.render.tiles import PIXELS, SOFT, Tiles, handful

LEAST = 1e-4  # rays start on surfaces: what is nearer is not hit [m]
FAR = 4.0  # a body that moved this many times its size between two moments was put there
THIN = 0.5  # outlines are no softer than this share of half the least size of a part
SHARP = 1e-6  # least width of a penumbra [m]


@dataclass(frozen=True)
class Still:
    """A body as it was at one moment."""

    body: Any  # tells it from others, and is the same at other moments
    shape: Shape
    position: np.ndarray  # [m]
    rotation: np.ndarray  # (w, x, y, z)
    look: Look

    @staticmethod
    def of(body) -> Still:
        if isinstance(body, Still):
            return body
        if not isinstance(getattr(body, "shape", None), Shape):
            raise InputError(f"a body in a picture has a shape such as Box((2, 1, 1)), not {body}")
        color = getattr(body, "color", None)
        look = Look(
            color if color is None or isinstance(color, str) else tuple(map(float, color)),
            getattr(body, "material", None),
            float(getattr(body, "density", Look.density)),
        )
        position, rotation = (np.array(f, float) for f in (body.position, body.rotation))
        return Still(body, body.shape, position, rotation, look)


@pytree
class Parts:
    """The parts of all bodies, padded to a power of two."""

    at: jax.Array  # their middles [3, n] [m]
    turn: jax.Array  # their axes, as columns [3, 3, n]
    half: jax.Array  # half their size along these [3, n] [m]
    color: jax.Array  # linear, a factor on that of the material [3, n]
    material: jax.Array  # its number [n]
    body: jax.Array  # which body each belongs to, −1 if that is nowhere [n]


@pytree
class Solids:
    """All bodies at one moment."""

    parts: Parts
    forms: tuple[Form, ...]

    @staticmethod
    def of(bodies: Iterable, between: float = 1.0, before: Iterable | None = None) -> Solids:
        """Bodies as they are or, given those of `before`, at a share of the way from there."""
        now = [Still.of(body) for body in bodies]
        packed = pack(tuple((s.shape, s.look) for s in now))
        position, rotation = poses(now)
        if before is not None and between < 1:
            was = {s.body: s for s in map(Still.of, before)}
            position, rotation = moved(
                poses([was.get(s.body, s) for s in now]),
                (position, rotation),
                between,
                FAR * np.array([s.shape.reach for s in now] + [0.0]),
            )
        lost = ~(np.isfinite(position).all(1) & np.isfinite(rotation).all(1))
        position[lost], rotation[lost] = 0.0, (1.0, 0.0, 0.0, 0.0)
        turn = matrix(rotation)[packed.body]
        at = position[packed.body] + (turn @ packed.at[..., None])[..., 0]
        parts = Parts(
            last(at),
            last(turn @ packed.turn),
            packed.half,
            packed.color,
            packed.material,
            last(np.where(lost[packed.body], -1, packed.body)),
        )
        return Solids(parts, packed.forms)


def poses(stills: list[Still]) -> tuple[np.ndarray, np.ndarray]:
    """Positions [n, 3] and rotations [n, 4], and last those of nobody."""
    position = [s.position for s in stills] + [np.full(3, np.nan)]
    rotation = [s.rotation for s in stills] + [np.full(4, np.nan)]
    return np.stack(position), np.stack(rotation)


def moved(old, new, share: float, far: np.ndarray):
    """Poses on the way from old to new ones; what went too far was not on the way."""
    way, turn = new[0] - old[0], new[1]
    near = (np.linalg.norm(way, axis=1) <= far)[:, None]
    same = np.sign((old[1] * turn).sum(1, keepdims=True) + 1e-30)  # −q is the rotation q
    back = (1 - share) * near
    return new[0] - back * way, turn + back * (same * old[1] - turn)


# ── rays ─────────────────────────────────────────────────────────────────────────────────


@pytree
class Hit:
    """What rays meet first; at a distance of inf they meet nothing."""

    t: jax.Array  # distance [...] [m]
    part: jax.Array  # number of the part [...]
    normal: jax.Array  # out of its surface [3, ...]
    point: jax.Array  # in the axes of the part, from its middle [3, ...] [m]
    facing: jax.Array  # the normal in these axes [3, ...]
    half: jax.Array  # half the size of the part [3, ...] [m]
    color: jax.Array  # linear [3, ...]
    material: jax.Array  # its number [...]
    inside: jax.Array  # about how far inside the outline of the solid rays meet it [...] [m]
    next: jax.Array  # distance of the next solid [...] [m]

    @property
    def safe(self):
        """The distance, 0 where nothing is met."""
        return jnp.where(self.t < jnp.inf, self.t, 0)

    def covers(self, width, until):
        """How much of rays this wide bodies hide of what these meet at the distance `until`.

        Less than all along their outlines, and where they go in there.  One body before another
        hides all of it.
        """
        room = jnp.minimum(width, THIN * self.half.min(0))
        whole = jnp.where(self.next < until, 1, jnp.clip(self.inside / room, 0, 1))
        return whole * jnp.clip((until - self.t) / width, 0, 1)


@partial(jax.jit, static_argnames="hollow")
def cast(solids: Solids, tiles: Tiles, origin, direction, hollow: bool = True) -> Hit:
    """Follow rays [3, T, 256] to the first solid; origins may be one for all, [3, 1, 1].

    A ray from within a solid meets its surface from inside or, unless it is hollow, right there.
    """
    find = partial(nearest, hollow=hollow)
    return by_chunks(find, solids, tiles, (origin, direction), missed(direction.shape[1:]))


def missed(shape) -> Hit:
    none, flat = jnp.zeros(shape, jnp.int32), jnp.zeros((3, *shape))
    up = flat.at[2].set(1)
    never = jnp.full(shape, jnp.inf)
    return Hit(never, none, up, flat, up, flat + 1, flat + 1, none, never, never)


def nearest(solids: Solids, tiles: Tiles, o, d, hollow: bool) -> Hit:
    """What the rays of a few tiles meet first."""
    parts, shape = solids.parts, d.shape[1:]
    never, none = jnp.full(shape, jnp.inf), jnp.zeros(shape, jnp.int32)
    met = Met(never, none, never, never)
    ends = [0]
    for form, start, count in zip(solids.forms, tiles.start, tiles.count):
        first, faces = ends[-1], faces_of(form)

        def meet(met, solid, there, form=form, first=first, faces=faces):
            mine = rows(form, solid)
            part = rows(parts, mine.part)
            w, ahead = beside(o - part.at, d)
            near, far, entry, exit = mine.meet(part.turn, w, d)
            near, far = near + ahead, far + ahead
            hit = there & (near <= far) & (far > LEAST)
            t = jnp.maximum(near, 0)
            inside = mine.inside(far - t)
            if hollow:
                within = near <= LEAST
                t, entry = jnp.where(within, far, near), jnp.where(within, exit, entry)
                inside = jnp.where(within, jnp.inf, inside)
            return met.or_nearer(hit, t, first + solid * faces + entry, inside)

        met = through(tiles.members, start, count, meet, met)
        ends.append(first + form.part.size * faces)
    return described(solids, ends, met, o, d)


class Met(NamedTuple):
    """The nearest solid so far."""

    t: jax.Array
    code: jax.Array  # of the solid and its face
    inside: jax.Array
    next: jax.Array  # where rays enter the one after it

    def or_nearer(self, hit, t, code, inside) -> Met:
        """Another solid, where it is hit and is nearer."""
        nearer = hit & (t < self.t)
        after = jnp.where(nearer, self.t, jnp.where(hit, jnp.minimum(self.next, t), self.next))
        return Met(
            jnp.where(nearer, t, self.t),
            jnp.where(nearer, code, self.code),
            jnp.where(nearer, inside, self.inside),
            after,
        )


def described(solids: Solids, ends, met: Met, o, d) -> Hit:
    """All about the points that rays meet.  Phases, for what is looked up is used many times."""
    forms, parts = list(zip(solids.forms, ends, ends[1:])), solids.parts
    part = phase(owner)(forms, met.code)
    at, turn = phase(rows)((parts.at, parts.turn), part)
    point = phase(local)(at, turn, met.t, o, d)
    facing = jnp.zeros_like(point)
    for form, first, end in forms:
        row, face, here = numbers(form, first, end, met.code)
        surface = phase(form.surface)(row, face)
        facing = phase(jnp.where)(here, form.normal(surface, point), facing)
    facing = unit(facing)
    half, color, material = rows((parts.half, parts.color, parts.material), part)
    normal = turned(turn, facing)
    return Hit(met.t, part, normal, point, facing, half, color, material, met.inside, met.next)


def owner(forms, code):
    """The part that a code stands for."""
    part = jnp.zeros_like(code)
    for form, first, end in forms:
        row, _, here = numbers(form, first, end, code)
        part = jnp.where(here, rows(form.part, row), part)
    return part


def numbers(form, first: int, end: int, code):
    """Which solid of a form and which of its faces a code stands for, and whether it is of it."""
    here = (code >= first) & (code < end)
    code, faces = jnp.where(here, code - first, 0), jnp.int32(faces_of(form))
    return lax.div(code, faces), lax.rem(code, faces), here


def local(at, turn, t, o, d):
    """The points at distances t along rays in the axes of parts."""
    w, ahead = beside(o - at, d)
    return turned_back(turn, w + jnp.where(t < jnp.inf, t - ahead, 0) * d)


def faces_of(form) -> int:
    """How many faces rays can tell apart."""
    return len(getattr(form, "axis", (0,)))


def beside(w, d):
    """Rays from where they are nearest to a middle, w from their origin, and how far that is."""
    ahead = -dot(w, d)
    return w + ahead * d, ahead


# ── shadows ──────────────────────────────────────────────────────────────────────────────


@jax.jit
def sunlit(solids: Solids, tiles: Tiles, points, sun, softness=SOFT):
    """The share of the sun that is seen from points [3, T, 256].

    Its edge is as wide as the sun, whose radius has the sine `softness`, spreads on the way.
    """
    return by_chunks(
        lambda solids, tiles, p: 1 - shaded(solids, tiles, p, toward(sun), softness),
        solids,
        tiles,
        (points,),
        jnp.ones(points.shape[1:]),
    )


def shaded(solids: Solids, tiles: Tiles, p, axes, softness):
    """The share of the sun, on the last of the axes, that is hidden from points of a few tiles."""
    hidden, parts = jnp.zeros(p.shape[1:]), solids.parts
    for form, start, count in zip(solids.forms, tiles.start, tiles.count):

        def cover(hidden, solid, there, form=form):
            mine = rows(form, solid)
            part = rows(parts, mine.part)
            x, y, z = turned(axes, p - part.at)
            turn = jnp.stack([turned(axes, part.turn[:, j]) for j in range(3)], 1)
            out, height, most = mine.shadow(turn, x, y)
            blur = jnp.maximum(softness * (height - z), SHARP)
            share = jnp.clip(0.5 - 0.5 * out / blur, 0, 1)
            share = share * share * (3 - 2 * share) * most(blur)
            return hidden + jnp.where(there & (height > z), share, 0)

        hidden = through(tiles.members, start, count, cover, hidden)
    return jnp.minimum(hidden, 1)


def toward(sun):
    """Axes, as rows, the last of which leads to the sun."""
    sun = jnp.asarray(sun, jnp.float32)
    sun = sun * lax.rsqrt(jnp.maximum(dot(sun, sun), 1e-30))
    aside = jnp.where(jnp.abs(sun[0]) < 0.7, jnp.eye(3)[0], jnp.eye(3)[1])
    first = jnp.cross(aside, sun)
    first = first * lax.rsqrt(dot(first, first))
    return jnp.stack([first, jnp.cross(sun, first), sun])


# ── lists ────────────────────────────────────────────────────────────────────────────────


def through(members, start, count, f: Callable, so_far):
    """Fold f(so far, solid [t, 1], whether there is one) over the lists of a few tiles."""

    def step(k, so_far):
        at = jnp.minimum(start + k, len(members) - 1)
        solid = entries(members, at)
        there = k < count
        return f(so_far, jnp.where(there, solid, 0)[:, None], there[:, None])

    return lax.fori_loop(0, count.max(), step, so_far)


def by_chunks(f: Callable, solids: Solids, tiles: Tiles, maps, start):
    """f(solids, tiles, *maps) of a few tiles at a time, and `start` where nothing is listed.

    The tiles with the longest lists come first, so that those done together are alike.
    """

    few = handful()
    if len(tiles.index) == few:
        return f(solids, tiles, *maps)

    def step(k, so_far):
        def cut(g):
            if g.shape[-1] != PIXELS:
                return g
            return lax.dynamic_slice_in_dim(g, k * few, few, g.ndim - 2)

        def laid(g, new):
            return lax.dynamic_update_slice_in_dim(g, new, k * few, g.ndim - 2)

        return jax.tree.map(laid, so_far, f(solids, tiles.part(k * few), *map(cut, maps)))

    return lax.fori_loop(0, -(-tiles.used // few), step, start)
