"""How a camera moves: functions of the film's time [s], and what the command line calls them.

A move is asked for the camera at a time, and may look at the one before, with its time.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from koski.core.errors import InputError, nearest, number
from koski.core.terrain import Terrain
from koski.render.camera import FOV, SOUTH, Camera, floor, orbit, overview

Before = tuple[float, Camera] | None  # the time and the camera of the frame before
Move = Callable[..., Camera]  # (t, before=None) -> Camera

TURN = 5.0  # of an orbit [°/s]
EASE = 0.6  # in which a follower makes up for most of what it lags behind [s]


def stay(camera: Camera) -> Move:
    """Look from one place all the time."""
    return lambda t, before=None: camera


def circle(center, distance, azimuth=SOUTH, elevation=20.0, turn=TURN, **lens) -> Move:
    """Orbit a centre, `turn` degrees a second counterclockwise."""
    turn = number("turn", turn)
    orbit(center, distance, azimuth, elevation, **lens)  # checks them
    return lambda t, before=None: orbit(center, distance, azimuth + turn * t, elevation, **lens)


def flight(keys: Sequence[dict[str, Any]], **lens) -> Move:
    """Fly smoothly through keys, each with a time `t` [s], an `eye`, a `target`, perhaps a `fov`.

    Cubic between the keys, with the slope at each from its two neighbours.  Catmull & Rom 1974
    """
    times, views = waypoints(keys, lens.pop("fov", FOV))
    slopes = np.gradient(views, times, axis=0) if len(times) > 1 else np.zeros_like(views)

    def at(t: float, before: Before = None) -> Camera:
        t = min(max(t, times[0]), times[-1])
        k = int(np.clip(np.searchsorted(times, t, "right") - 1, 0, max(len(times) - 2, 0)))
        n = min(k + 1, len(times) - 1)
        span = max(times[n] - times[k], 1e-9)
        s = (t - times[k]) / span
        view = (
            (1 + 2 * s) * (1 - s) ** 2 * views[k]
            + s * (1 - s) ** 2 * span * slopes[k]
            + s * s * (3 - 2 * s) * views[n]
            + s * s * (s - 1) * span * slopes[n]
        )
        return Camera.create(view[:3], view[3:6], fov=np.clip(view[6], 1, 170), **lens)

    return at


def waypoints(keys: Sequence[dict[str, Any]], fov: float) -> tuple[np.ndarray, np.ndarray]:
    """The times of the keys, and eye, target and fov at each [n, 7], checked."""
    if not isinstance(keys, (list, tuple)) or not keys:
        raise InputError("a flight is a list of at least one key such as"
                         ' {"t": 0, "eye": [0, 0, 9], "target": [5, 5, 0]}')  # fmt: skip
    times, views = [], []
    for n, key in enumerate(keys, 1):
        if not isinstance(key, dict) or not {"t", "eye", "target"} <= set(key):
            raise InputError(f"key {n} of a flight must have a t, an eye and a target")
        if unknown := set(key) - {"t", "eye", "target", "fov"}:
            raise InputError(
                f"key {n} of a flight has a {min(unknown)!r}: it takes t, eye, target and fov"
            )
        times.append(number(f"t of key {n}", key["t"]))
        one = Camera.create(key["eye"], key["target"], fov=key.get("fov", fov))
        views.append([*one.eye, *one.target, one.fov])
    if np.any(np.diff(times) <= 0):
        raise InputError("the times t of a flight's keys must grow from key to key")
    return np.array(times), np.array(views, float)


def follow(body, terrain: Terrain, distance=None, height=None, **lens) -> Move:
    """Stay behind a body and above it, smoothly; who hardly moves is not overtaken.

    The camera makes up for a share 1 − exp(−dt / EASE) of what it lags behind, and keeps clear of
    the ground.
    """
    reach = body.shape.reach
    back = number("distance", 8 * reach if distance is None else distance, low=1e-3)
    high = number("height", 0.4 * back if height is None else height, low=0)

    def at(t: float, before: Before = None) -> Camera:
        spot, speed = np.array(body.position), np.array(body.velocity[:2])
        then = None if before is None else (np.array(before[1].eye), np.array(before[1].target))
        way = heading(speed, None if then is None else (then[1] - then[0])[:2])
        eye, target = spot - back * way + [0, 0, high], spot
        if before is not None and then is not None:
            share = 1 - np.exp(-max(t - before[0], 0.0) / EASE)
            eye, target = then[0] + share * (eye - then[0]), then[1] + share * (target - then[1])
        eye[2] = max(eye[2], floor(terrain, eye[0], eye[1]) + 0.1 * high + 0.05 * reach)
        return Camera.create(eye, target, **lens)

    return at


def heading(speed: np.ndarray, was: np.ndarray | None) -> np.ndarray:
    """Where a body goes, as [3]; the slower it is, the more where one looked before."""
    was = np.array([0.0, 1.0]) if was is None else was / max(np.linalg.norm(was), 1e-9)
    way = speed + 0.5 * was
    way = way if np.linalg.norm(way) > 1e-3 else was
    return np.append(way / np.linalg.norm(way), 0.0)


# ── as the command line has it ───────────────────────────────────────────────────────────


def parse(text: str | None, terrain: Terrain, bodies: Sequence = (), aspect=16 / 9) -> Move:
    """The move that a text such as 'orbit:turn=10' stands for; of nothing, a view of all."""
    if text is None:
        return stay(overview(terrain, aspect))
    kind, _, rest = text.strip().partition(":")
    if kind not in FORMS:
        raise InputError(f"there is no camera {kind!r}: {nearest(kind, FORMS)}")
    form, keys, make = FORMS[kind]
    values, named = words(rest)
    for name in named:
        if name not in keys:
            raise InputError(f"the camera {kind!r} has no {name!r}: {nearest(name, keys)}")
    move = make(values, named, terrain, bodies)
    if move is None:
        raise InputError(f"the camera {kind!r} is written as in {form!r}, not {text!r}")
    return move


def words(text: str) -> tuple[list[str], dict[str, float]]:
    """What stands between commas: plain values, and numbers with a name."""
    values, named = [], {}
    for word in filter(None, (w.strip() for w in text.split(","))):
        name, equals, value = (w.strip() for w in word.partition("="))
        if equals:
            named[name] = number(f"{name} of the camera", value)
        else:
            values.append(word)
    return values, named


def as_orbit(values, named, terrain: Terrain, bodies) -> Move | None:
    """Round the middle of the terrain, far enough to see all of it."""
    if values:
        return None
    center = np.array([*np.array(terrain.grid.size) / 2, float(terrain.b.mean())])
    far = float(np.linalg.norm(overview(terrain, aspect=1.2).eye - center))
    return circle(center, **{"distance": far, **named})


def as_flight(values, named, terrain, bodies) -> Move | None:
    if len(values) != 1:
        return None
    try:
        keys = json.loads(Path(values[0]).read_text())
    except OSError as e:
        raise InputError(f"cannot read the flight {values[0]}: {e.strerror or e}") from None
    except ValueError as e:
        raise InputError(f"the flight {values[0]} is no JSON: {e}") from None
    return flight(keys, **named)


def as_follower(values, named, terrain, bodies) -> Move | None:
    if len(values) != 1 or not values[0].isdigit():
        return None
    if not bodies:
        raise InputError("there is no body to follow: choose another camera, such as 'orbit'")
    if int(values[0]) >= len(bodies):
        raise InputError(f"there is no body {values[0]}: they are 0 to {len(bodies) - 1}")
    return follow(bodies[int(values[0])], terrain, **named)


def as_eye(values, named, terrain, bodies) -> Move | None:
    if len(values) not in (6, 7):
        return None
    *view, fov = (number("a place of the camera", v) for v in (*values, FOV)[:7])
    return stay(Camera.create(view[:3], view[3:], **{"fov": fov, **named}))


LENS = ("fov", "aperture", "focus", "shutter")
FORMS: dict[str, tuple[str, tuple[str, ...], Callable[..., Move | None]]] = {
    "orbit": (
        "orbit:azimuth=30,elevation=20,distance=80,turn=10",
        ("azimuth", "elevation", "distance", "turn", *LENS),
        as_orbit,
    ),
    "fly": ("fly:FILE.json", LENS, as_flight),
    "follow": ("follow:0,distance=10,height=4", ("distance", "height", *LENS), as_follower),
    "eye": ("eye:x,y,z,tx,ty,tz", LENS, as_eye),
}
