"""What server and page tell each other: one dataclass a message, JSON with its name as `type`.

What comes from the page is checked here, field by field, before anything else sees it.  The
page's own types are made from these by `koski.view.typescript`.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from koski.core.errors import InputError, nearest
from koski.view.checks import LONGEST, Within, checked, fields_of, refuse

FAR = 1e7  # no place in any world is farther away [m]


Place = Annotated[float, Within(-FAR, FAR)]  # [m]
Length = Annotated[float, Within(0, FAR)]  # [m]
Count = Annotated[int, Within(0, 2**53)]

Tool = Literal[
    "pour", "drain", "rain", "dig", "raise", "smooth", "push", "dye", "grab", "lift"
]  # fmt: skip
Prop = Literal["crate", "log", "boulder", "ball", "car", "gate"]
Overlay = Literal["", "pressure", "raw", "blocked"]
Side = Literal["west", "east", "south", "north"]
EdgeKind = Literal["wall", "periodic", "drain", "level", "inflow", "absorbing"]

# ── from the page ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Look:
    """The part of the world in view [m], and what to lay over it."""

    x0: Place
    y0: Place
    x1: Place
    y1: Place
    overlay: Overlay


@dataclass(frozen=True)
class Ack:
    """This frame was drawn."""

    seq: Count


@dataclass(frozen=True)
class Touch:
    """A hand with a tool comes down, moves or goes up; while it is down the tool acts."""

    tool: Tool
    phase: Literal["down", "move", "up"]
    x: Place
    y: Place
    z: Place
    radius: Length
    strength: Annotated[float, Within(0.1, 10)]
    body: Count | None


@dataclass(frozen=True)
class Drop:
    """Let a thing fall from a little above whatever is there."""

    prop: Prop
    x: Place
    y: Place
    size: Annotated[float, Within(0.2, 5)]
    turn: Annotated[float, Within(-100, 100)]  # [rad]


@dataclass(frozen=True)
class Spring:
    """A lasting spring, or a drain where the discharge [m³/s] is negative."""

    x: Place
    y: Place
    discharge: Annotated[float, Within(-1e6, 1e6)]
    radius: Length


@dataclass(frozen=True)
class Unspring:
    """Stop the spring that is at a place."""

    x: Place
    y: Place


@dataclass(frozen=True)
class Unbody:
    """Take a body away."""

    body: Count


@dataclass(frozen=True)
class Rain:
    """Rain over all from now on [mm/h]."""

    rate: Annotated[float, Within(0, 1e5)]


@dataclass(frozen=True)
class Undo:
    """Take the last edit of the terrain back."""


@dataclass(frozen=True)
class Redo:
    """Make the last undone edit again."""


@dataclass(frozen=True)
class Clock:
    """Stop time, let it run, let one tick pass, or begin anew."""

    action: Literal["pause", "play", "step", "reset"]


@dataclass(frozen=True)
class Speed:
    """Seconds of the water's time per second."""

    factor: Annotated[float, Within(0.05, 4)]


@dataclass(frozen=True)
class Open:
    """Go to another scene, with so many cells along its longer side."""

    scene: str
    cells: Annotated[int, Within(32, 1024)] | None


@dataclass(frozen=True)
class Solver:
    """Go on with another solver; the water carries over."""

    name: str


@dataclass(frozen=True)
class Coupling:
    """Let bodies and water meet in another way."""

    name: str


@dataclass(frozen=True)
class Knob:
    """Turn a number of the solver, such as "friction" or "base.friction"."""

    path: str
    value: Annotated[float, Within(-1e9, 1e9)]


@dataclass(frozen=True)
class Edge:
    """Give a side of the world another rule; the value is a level [m] or a discharge [m³/s]."""

    side: Side
    kind: EdgeKind
    value: Annotated[float, Within(-1e6, 1e6)]


@dataclass(frozen=True)
class Hand:
    """Ask for the tools, or give them up."""

    want: bool


@dataclass(frozen=True)
class Clean:
    """Remove all bodies that viewers dropped."""


# ── to the page ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class SceneInfo:
    name: str
    about: str


@dataclass(frozen=True)
class Welcome:
    """The first that a viewer hears."""

    version: str
    viewer: str  # its name, for the header X-Koski-Viewer
    scenes: list[SceneInfo]
    solvers: list[str]
    couplings: list[str]


@dataclass(frozen=True)
class KnobInfo:
    path: str
    label: str
    value: float
    low: float
    high: float
    step: float
    unit: str
    tip: str


@dataclass(frozen=True)
class EdgeInfo:
    side: Side
    kind: EdgeKind
    value: float


@dataclass(frozen=True)
class WorldInfo:
    """The world but for what moves; a new epoch is another world."""

    epoch: int
    scene: str
    nx: int
    ny: int
    cell: float  # [m]
    solver: str
    coupling: str
    view: str  # the scene's camera, or ""
    knobs: list[KnobInfo]
    edges: list[EdgeInfo]
    rain: float  # [mm/h]


@dataclass(frozen=True)
class PartInfo:
    """A simple shape: box [x, y, z], sphere [radius], cylinder [radius, length over all],
    capsule [radius, length between the centres of its ends], axes along z; or a mesh."""

    shape: Literal["box", "sphere", "cylinder", "capsule", "mesh"]
    size: list[float]
    place: list[float]
    turn: list[float]  # (w, x, y, z)
    vertices: list[float]
    faces: list[int]


@dataclass(frozen=True)
class BodyInfo:
    key: int
    kind: str
    moves: str
    color: list[float]  # sRGB, 0 … 1
    material: str
    parts: list[PartInfo]


@dataclass(frozen=True)
class Bodies:
    """All bodies; the i-th pose of a frame with this version is that of the i-th body."""

    epoch: int
    version: int
    bodies: list[BodyInfo]


@dataclass(frozen=True)
class SpringInfo:
    x: float
    y: float
    discharge: float
    radius: float


@dataclass(frozen=True)
class Springs:
    """All springs and drains."""

    springs: list[SpringInfo]


@dataclass(frozen=True)
class Stats:
    """How it goes; volumes in m³."""

    t: float
    paused: bool
    speed: float
    factor: float  # seconds of water per second
    fps: float  # states per second
    rtkc: float
    cells: int
    bodies: int
    steps: int
    start: float
    came: float
    went: float
    now: float
    drift: float
    viewers: int
    hand: bool  # the tools are mine
    taken: bool  # the tools are somebody's
    undo: int
    redo: int


@dataclass(frozen=True)
class Notice:
    """One sentence for people."""

    level: Literal["info", "error"]
    text: str


@dataclass(frozen=True)
class FieldHeader:
    name: str
    low: float
    high: float
    tiles: list[int]


@dataclass(frozen=True)
class FrameHeader:
    """What a binary frame begins with."""

    epoch: int
    seq: int
    t: float
    tile: int
    bodies: int
    poses: int
    fields: list[FieldHeader]


ToServer = (
    Look | Ack | Touch | Drop | Spring | Unspring | Unbody | Rain | Undo | Redo | Clock | Speed
    | Open | Solver | Coupling | Knob | Edge | Hand | Clean
)  # fmt: skip
ToPage = Welcome | WorldInfo | Bodies | Springs | Stats | Notice
READ: dict[str, type] = {c.__name__: c for c in get_args(ToServer)}


def read(text: str) -> ToServer:
    """A message of a page, if all of it is as it should be."""
    try:
        raw = json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError, TypeError):
        raise InputError("a message must be JSON") from None
    if not isinstance(raw, dict) or not isinstance(raw.get("type"), str):
        raise InputError('a message must be a JSON object with a "type"')
    name = raw.pop("type")[:LONGEST]
    if name not in READ:
        raise InputError(f"there is no message {name!r}: {nearest(name, READ)}")
    hints = fields_of(READ[name])
    if unknown := sorted(set(raw) - set(hints)):
        raise InputError(f"{name} has no field {unknown[0][:LONGEST]!r}")
    if missing := sorted(set(hints) - set(raw)):
        raise InputError(f"{name} lacks its field {missing[0]!r}")
    return READ[name](**{f: checked(f"{name}.{f}", hints[f], v) for f, v in raw.items()})


def write(message: ToPage | ToServer) -> str:
    """A message as JSON."""
    named = {"type": type(message).__name__} | dataclasses.asdict(message)
    return json.dumps(named, separators=(",", ":"), allow_nan=False)
