"""One step of water with bodies in it, compiled: poses go in, forces come out."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
from jax import lax

from koski.bodies.footprint import footprint, push_aside, submerged
from koski.bodies.forces import Motion, Props, forces
from koski.bodies.groups import Group
from koski.core.inputs import Inputs
from koski.core.loop import CODE, until
from koski.core.pytree import pytree
from koski.core.solver import Solver
from koski.core.terrain import Terrain

SHARE = 0.5  # of what a floater displaces that it pushes aside   Kellomäki 2014, fig. 13
DRY = 1e-3  # shallower water is not felt [m]
MOST = 1000  # substeps of the water in one step of the bodies


@pytree
class Bodies:
    """All bodies of a world, as the water needs them; arrays have room for more."""

    groups: tuple[Group, ...]
    motion: Motion
    before: Motion  # at the step before
    seen: Motion  # where blockers stand for the water: they lag a little behind, see `lagging`
    props: Props
    blocks: jax.Array  # which of them block the water [B]
    floats: jax.Array  # and which let it through, but push it aside


def couple(
    solver: Solver, state, terrain: Terrain, inputs: Inputs, bodies: Bodies, seconds, lone=False
):
    """Let the water meet the bodies and run, then find what it does to them."""
    grid = terrain.grid
    surface = level(solver, state, terrain)
    d = lax.cond(
        bodies.floats.any(), aside, lambda d, *_: d, state.water.d, surface, terrain, bodies
    )
    state = replace(state, water=replace(state.water, d=d))
    if hasattr(solver, "meet"):
        met = footprint(bodies.groups, bodies.seen, bodies.blocks, surface, grid)
        inputs = replace(inputs, blockers=met)  # type: ignore[type-var]
    state = until(solver, state, terrain, inputs, seconds, MOST, lone)
    s, u, v = feel(solver, state, terrain, inputs)
    wrench = forces(bodies.groups, bodies.motion, bodies.props, s, terrain.b, u, v, seconds, grid)
    return state, wrench


def aside(d, surface, terrain: Terrain, bodies: Bodies):
    """Let floaters push aside a share of what their motion displaced."""
    under = (
        submerged(bodies.groups, motion, bodies.floats, surface, terrain.b, terrain.grid)
        for motion in (bodies.motion, bodies.before)
    )
    return push_aside(d, next(under) - next(under), SHARE, terrain.grid)


def level(solver, state, terrain: Terrain):
    """The surface of the water, where bodies are that of the water about them."""
    if hasattr(solver, "level"):
        return solver.level(state, terrain)
    return solver.frame(state, terrain).surface


def feel(solver, state, terrain: Terrain, inputs: Inputs):
    """The surface and the velocity that bodies feel; no surface, −inf, where it is dry."""
    if hasattr(solver, "feel"):
        return solver.feel(state, terrain, inputs)
    frame = solver.frame(state, terrain)
    return jnp.where(frame.depth > DRY, frame.surface, -jnp.inf), frame.u, frame.v


run = jax.jit(couple, donate_argnums=1, static_argnames="lone", compiler_options=CODE)
