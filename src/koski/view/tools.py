"""What a hand does with a tool while it is down: a little every tick, more the longer.

Rates suit the brush, so that a tank and a valley feel alike: a column of the brush's radius r
rises by a share of √(g r) each second, the ground by a share of r.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, hypot, pi

import numpy as np

from koski.bodies.body import Body
from koski.core.errors import InputError
from koski.core.water import G
from koski.view.messages import Touch
from koski.world import World

POUR = 0.2  # rise of the water [√(g r)]
RAIN = 0.02  # the same, of the rain brush
DIG = 0.4  # lowering of the ground at the centre [r/s]
SMOOTH = 8.0  # of the neighbours' mean [1/s]
PUSH = 6.0  # of the hand's velocity that water takes on [1/s]
FASTEST = 1.5  # hand that water follows [√(g r)]
DYE = 0.3  # amount per m² and second, over r
PULL = 6.0  # of the way to the hand that a body goes [1/s]
HURRY = 4.0  # fastest that it is pulled [√(g reach)]
LIFT = 1.0  # fastest that a gate is lifted [reach/s]
STEPS = 8  # marks of a brush between two ticks, at most
EARTH = ("dig", "raise", "smooth")


@dataclass(frozen=True)
class Grip:
    """A tool that is held down: where it is, was a tick ago and came down."""

    touch: Touch
    x: float  # at the last tick [m]
    y: float
    z0: float  # where the hand came down [m]
    body0: float = 0.0  # and how high the body was then [m]
    fresh: bool = True  # has not acted yet
    gone: bool = False  # was taken up, and acts once more if fresh

    @staticmethod
    def of(touch: Touch, world: World) -> Grip:
        high = float(held(world, touch.body).position[2]) if touch.body is not None else 0.0
        return Grip(touch, touch.x, touch.y, touch.z, high)

    def moved(self, touch: Touch) -> Grip:
        """The hand is elsewhere now; tool and body stay those that it came down with."""
        first = self.touch
        return replace(self, touch=replace(touch, tool=first.tool, body=first.body))

    def acted(self) -> Grip:
        return replace(self, x=self.touch.x, y=self.touch.y, fresh=False)


def act(world: World, grip: Grip, dt: float, wall: float) -> None:
    """Let the tool act for one tick: `dt` of the water's time, `wall` of the hand's [s]."""
    t = grip.touch
    if t.tool == "grab":
        return pull(held(world, t.body), t, dt, world)
    if t.tool == "lift":
        return lift(held(world, t.body), grip, dt)
    r = max(t.radius, world.terrain.grid.cell)
    far = hypot(t.x - grip.x, t.y - grip.y)
    n = min(max(ceil(2 * far / r), 1), STEPS)
    velocity = (t.x - grip.x) / wall, (t.y - grip.y) / wall
    for k in range(1, n + 1):
        x, y = (a + (b - a) * k / n for a, b in ((grip.x, t.x), (grip.y, t.y)))
        if inside(world, x, y):
            mark(world, t.tool, x, y, t.radius, r, t.strength / n, velocity, dt, wall)


def mark(world: World, tool: str, x, y, radius, r, strength, velocity, dt, wall) -> None:
    """One mark of a brush."""
    rise, area = (G * r) ** 0.5 * dt * strength, pi * r * r
    match tool:
        case "pour":
            world.pour(x, y, POUR * rise * area, radius)
        case "drain":
            world.drain(x, y, POUR * rise * area, radius)
        case "rain":
            world.pour(x, y, RAIN * rise * area, radius)
        case "dig":
            world.dig(x, y, DIG * r * wall * strength, radius)
        case "raise":
            world.raise_(x, y, DIG * r * wall * strength, radius)
        case "smooth":
            world.smooth(x, y, radius, min(SMOOTH * wall * strength, 1.0))
        case "dye":
            world.dye(x, y, DYE * r * area * dt * strength, radius)
        case "push":
            most = FASTEST * (G * r) ** 0.5 / max(hypot(*velocity), 1e-9)
            share = min(PUSH * dt, 1.0) * strength * min(most, 1.0)
            world.push(x, y, share * velocity[0], share * velocity[1], radius)


def pull(body: Body, t: Touch, dt: float, world: World) -> None:
    """Draw a free body towards the hand; whatever is in its way is pushed."""
    if body.moves != "free":
        raise InputError(f"this body is {body.moves}: it can be lifted but not dragged")
    width, height = world.terrain.grid.size
    goal = np.clip([t.x, t.y, t.z], [0, 0, -np.inf], [width, height, np.inf])
    most = HURRY * (G * body.shape.reach) ** 0.5
    velocity = PULL * t.strength * (goal - body.position)
    speed = float(np.linalg.norm(velocity))
    velocity = velocity * min(1.0, most / max(speed, 1e-9)) + [0, 0, G * dt / 2]
    body.place(velocity=velocity, spin=0.9 * body.spin)


def lift(body: Body, grip: Grip, dt: float) -> None:
    """Move a gate up or down as far as the hand has moved; it stays where it is left."""
    if body.moves == "free":
        raise InputError("this body is free: drag it instead")
    if body.moves == "driven":
        body.drive(None)
    place = body.position
    most = LIFT * body.shape.reach * dt * grip.touch.strength
    goal = grip.body0 + grip.touch.z - grip.z0
    place[2] += float(np.clip(goal - place[2], -most, most))
    body.place(position=place)


def held(world: World, key: int | None) -> Body:
    """The body of that number."""
    for body in world.bodies:
        if body.key == key:
            return body
    raise InputError("there is no such body: it may have been removed")


def inside(world: World, x: float, y: float) -> bool:
    width, height = world.terrain.grid.size
    return 0 <= x <= width and 0 <= y <= height
