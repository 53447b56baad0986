"""The maps that the page draws: ground, water, foam, wet ground, dyes, and overlays on request."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from koski.core.frame import Frame
from koski.core.inputs import RHO
from koski.core.terrain import Terrain
from koski.core.water import G
from koski.render.detail import Detail
from koski.solvers.owed import WET

OVERLAYS = "pressure", "raw", "blocked"  # sent only to who asks
STIRS = 0.5  # slower water passes bodies without foam [m/s]
SHOWN = 1e-3  # shallower water does not set the range of the surface [m]
SLIGHT = 5e-4  # of a cell: what heights must change by to be seen
SLOW = 0.01  # and velocities, over the square root of a cell's side [m/s]
FAINT = 0.01  # and foam and wetness
PALE = 3e-3  # and dyes, as a share of the strongest
LIGHT = 50.0  # and pressure, per cell's side [Pa]


def seen(solver, state, terrain: Terrain, detail: Detail, dt) -> tuple[dict, Detail]:
    """All maps by name, with foam and wetness `dt` later."""
    frame = solver.frame(state, terrain)
    maps, stirred = told(state, frame, terrain)
    detail = detail.step(frame, terrain, stirred, dt)
    return maps | {"foam": detail.foam, "wet": detail.wet}, detail


@jax.jit
def told(state, frame: Frame, terrain: Terrain):
    """What the page is told of the water, and where bodies stir it."""
    blocked, raw, pressure = bodies(state, frame.surface, terrain.b)
    maps = {
        "ground": terrain.b,
        "surface": level(frame),
        "depth": frame.depth,
        "u": frame.u,
        "v": frame.v,
    }
    maps |= {f"dye:{name}": c for name, c in frame.dyes.items()}
    if blocked is None:
        return maps | dict.fromkeys(OVERLAYS, jnp.zeros_like(frame.depth)), None
    share = jnp.where(blocked, taken(frame, terrain.b), 0)
    maps |= {"raw": raw, "pressure": pressure, "blocked": share}
    return maps, blocked & (frame.speed > STIRS)


def level(frame):
    """The surface; where it is dry, kept within the range of where it is wet."""
    wet = frame.depth > SHOWN
    low = jnp.where(wet, frame.surface, jnp.inf).min()
    high = jnp.where(wet, frame.surface, -jnp.inf).max()
    ground = frame.surface.min()
    low, high = jnp.where(wet.any(), low, ground), jnp.where(wet.any(), high, ground)
    return jnp.where(wet, frame.surface, jnp.clip(frame.surface, low, high))


def taken(frame, b):
    """The share of each column below the surface that is no water."""
    return jnp.clip(1 - frame.depth / jnp.maximum(frame.surface - b, SHOWN), 0, 1)


def bodies(state, surface, b):
    """The cells that bodies block, how far they push the surface there, and their pressure."""
    if not hasattr(state, "top"):
        return None, None, None
    blocked, d = state.top > -jnp.inf, state.water.d
    if hasattr(state, "under"):
        under = state.under
        raw = jnp.where(d > WET, state.floor + d, b + under)
    else:
        under = jnp.minimum(d, state.room)
        raw = b + jnp.where(d - under > WET, state.crown + (d - under), under)
    # the water below a body is pressed down to b + under from where it would stand
    pressure = jnp.where(under > WET, RHO * G * jnp.maximum(surface - (b + under), 0), 0)
    return blocked, jnp.where(blocked, raw - surface, 0), jnp.where(blocked, pressure, 0)


def least(names, cell: float, strongest: dict[str, float]) -> dict[str, float]:
    """What each map must change by for a tile to be sent again."""
    height, speed = SLIGHT * cell, SLOW * cell**0.5
    known = {"u": speed, "v": speed, "foam": FAINT, "wet": FAINT, "blocked": FAINT}
    known |= {"pressure": LIGHT * cell}
    return {
        n: PALE * strongest.get(n, 1.0) if n.startswith("dye:") else known.get(n, height)
        for n in names
    }
