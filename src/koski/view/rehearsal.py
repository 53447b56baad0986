"""New forms of a world are compiled on a twin, in a thread of their own: the water never waits.

A body of a new shape, a dye, another solver or edge make another program, which takes seconds to
compile the first time.  So what asks for it is done to a twin of the world first, and to the
world itself when the program is there.
"""

from __future__ import annotations

import copy
import threading
from typing import Any

import jax
import jax.numpy as jnp

from koski.bodies.fleet import Fleet
from koski.bodies.groups import key
from koski.render.detail import Detail
from koski.view.frames import Press
from koski.view.overlays import seen
from koski.view.sandbox import Sandbox
from koski.view.undo import Edits
from koski.world import World

TICK = 1 / 30  # [s]


def twin(box: Sandbox) -> Sandbox:
    """A sandbox that looks the same, and shares nothing that changes."""
    other = copy.copy(box)
    other.world, other.edits, other.grip = clone(box.world), Edits(), None
    other.asked, other.dropped = dict(box.asked), set(box.dropped)
    return other


def clone(world: World) -> World:
    other = World.__new__(World)
    vars(other).update(vars(world))
    other.state = jax.tree.map(jnp.copy, world.state)
    other.springs = list(world.springs)
    fleet = world._fleet
    if fleet is not None:
        other._fleet = Fleet.recall(fleet.keep())
        other._fleet.groups = fleet.groups
    return other


def form(box: Sandbox) -> Any:
    """All that a compiled step depends on; equal forms run the same program."""
    world, fleet = box.world, box.world._fleet
    shape = jax.tree.structure((world.solver, world.state, world.terrain))
    if fleet is None:
        return shape, None
    if fleet.still is None:
        fleet.still = fleet.describe(world.terrain.grid)
    groups = tuple((*key(group), len(group.body)) for group in fleet.groups)
    return shape, (fleet.blocks, fleet.room, groups)


class Rehearsal(threading.Thread):
    """Let a twin take a step and be looked at; `failed` says why it could not."""

    def __init__(self, box: Sandbox):
        super().__init__(name="koski rehearsal", daemon=True)
        self.box, self.form = box, form(box)
        self.failed: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            self.box.step(TICK)
            world = self.box.world
            none = Detail.start(world.terrain, painted=False)
            maps, _ = seen(world.solver, world.state, world.terrain, none, TICK)
            Press().sheets(maps, dict.fromkeys(maps, 1.0), 1)
        except Exception as e:
            self.failed = e
