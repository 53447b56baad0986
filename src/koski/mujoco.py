"""Water for your own MuJoCo model: its bodies float, block the water and are pushed by it.

    import koski.mujoco

    world = koski.World(terrain, depth=2.0)
    water = koski.mujoco.Water(model, data, world, bodies=["hull"])
    while data.time < 10:
        mujoco.mj_step(model, data)
        water.step()

The model keeps its own joints, contacts and gravity.  In the world its bodies are bodies like any
other, which the model places: `world.bodies` has them, pictures show them, and what koski itself
drops bumps into them, without pushing them back.

The water is moved by the time that the model's clock has made, in stretches of at most `every`
seconds, less while a body crosses cells faster; the forces are held in between.   koski[bodies]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary, ref

import numpy as np

from koski.bodies.body import Body
from koski.bodies.engine import POSE, SPEED
from koski.bodies.fleet import STEP, kind_of
from koski.bodies.mesh import Convex, Mesh
from koski.bodies.shapes import Box, Capsule, Compound, Cylinder, Part, Shape, Sphere, vector
from koski.bodies.turns import apply, matrix, multiply, rotate
from koski.core.errors import InputError, nearest, number
from koski.core.inputs import RHO
from koski.extras import need
from koski.world import World

mj = need("mujoco", "bodies")

FINE = 512  # faces of a mesh that is taken as it is; of a finer one, the hull
ROUND = 64  # points of a hull that stands for something finer
RIDERS: WeakKeyDictionary[World, ref[Water]] = WeakKeyDictionary()  # each world's, if it has one
SOFT = 1e-9  # of a second, that clocks may be off


class Water:
    """What the water of a world does to named bodies of a model, by default to all that move.

    Their shapes are their geoms, with those of bodies welded to them: those that touch things, or
    all if none does.  Geoms that overlap count twice.  `origin` is where the corner of the world's
    grid lies in the model.  A world has one Water.

    What you set in `data.xfrc_applied` is yours: the water's force is added to it in each step, and
    is not there any more once you have set it anew.  Set it; do not add to what is there.
    """

    def __init__(
        self,
        model,
        data,
        world: World,
        bodies: Iterable[str] | None = None,
        kind: str = "auto",
        drag: float = 1.0,
        damping: float = 1.0,
        origin: Any = (0.0, 0.0, 0.0),
        every: float = STEP,
    ):
        check(model, data, world)
        RIDERS[world] = ref(self)
        self.model, self.data, self.world = model, data, world
        self.origin = np.array(vector("origin", origin))
        self.every = number("every", every, low=1e-4, high=STEP)
        number("model.opt.timestep", model.opt.timestep, low=1e-9, high=STEP)
        self.ids = numbers(model, bodies)
        self.names = [name_of(model, i) for i in self.ids]
        loads = [laden(model, i) for i in self.ids]
        self.center = np.array([shape.center for shape, _ in loads])
        self.root = model.body_rootid[self.ids]
        self.given = np.zeros((len(loads), 6))  # force and torque, as the water gives them
        self.own = data.xfrc_applied[self.ids]  # and as the user does
        self.left = self.own.copy()  # what the step before left there
        pose, _ = self.look()
        self.bodies: tuple[Body, ...] = tuple(
            put(world, shape, mass, at, i, model, kind, drag, damping)
            for (shape, mass), at, i in zip(loads, pose, self.ids)
        )
        self.t = self.due = data.time
        self.plan()

    def step(self) -> None:
        """Follow the model: call it after, or before, each `mj_step`."""
        data = self.data
        if data.time < self.t:  # the model was reset
            self.t, self.given[:] = data.time, 0.0
            self.plan()
        if data.time + self.model.opt.timestep > self.due + SOFT and data.time > self.t:
            self.advance(data.time - self.t)
            self.t = data.time
            self.plan()
        now = data.xfrc_applied[self.ids]
        self.own = np.where(now == self.left, self.own, now)
        data.xfrc_applied[self.ids] = self.own + self.given
        self.left = data.xfrc_applied[self.ids]

    def close(self) -> None:
        """Take the bodies out of the water, and the water's forces off them."""
        now = self.data.xfrc_applied[self.ids]
        self.data.xfrc_applied[self.ids] = np.where(now == self.left, self.own, now)
        for body in self.bodies:
            body.remove()
        self.bodies, self.ids = (), self.ids[:0]
        RIDERS.pop(self.world, None)

    # ── inside ───────────────────────────────────────────────────────────────────────────

    def plan(self) -> None:
        """Say when the water is next due: after no more than one of its turns with the bodies."""
        turns = self.fleet.turns(self.every, self.world.terrain.grid.cell)
        self.due = self.t + turns[0]

    def advance(self, seconds: float) -> None:
        """Put the bodies where the model has them, move the water, and see what it does."""
        pose, speed = self.look()
        fleet = self.fleet
        rows = [fleet.engine.row(body._key) for body in self.bodies]
        fleet.engine.rows[rows, POSE] = pose
        fleet.engine.rows[rows, SPEED] = speed
        self.world.step(seconds)
        at = [fleet.slots[body._key] for body in self.bodies]
        force, torque = fleet.force[at], fleet.torque[at]
        arm = pose[:, :3] + self.origin - self.data.xipos[self.ids]  # the model's point of attack
        self.given = np.hstack([force, torque + np.cross(arm, force)])

    def look(self) -> tuple[np.ndarray, np.ndarray]:
        """Place and rotation, velocity and spin of the centres of mass, in the world's frame."""
        m, d = self.model, self.data
        mj.mj_kinematics(m, d)  # of qpos and qvel as they are now: a step leaves the ones before
        mj.mj_comPos(m, d)
        mj.mj_comVel(m, d)
        turn = d.xmat[self.ids].reshape(-1, 3, 3)
        center = d.xpos[self.ids] + apply(turn, self.center)
        spin, drift = np.split(d.cvel[self.ids], 2, axis=1)
        velocity = drift + np.cross(spin, center - d.subtree_com[self.root])
        pose = np.hstack([center - self.origin, d.xquat[self.ids]])
        bad = ~np.isfinite(np.hstack([pose, velocity, spin])).all(1)
        if bad.any():
            raise InputError(
                f"{self.names[int(bad.argmax())]!r} has no pose, for the model's simulation has"
                " failed: shorten model.opt.timestep, or check what drives it"
            )
        return pose, np.hstack([velocity, spin])

    @property
    def fleet(self):
        return self.world._fleet


def check(model, data, world) -> None:
    for name, value, kind in (
        ("model", model, mj.MjModel),
        ("data", data, mj.MjData),
        ("world", world, World),
    ):
        if not isinstance(value, kind):
            raise InputError(
                f"{name} must be a {kind.__name__}, not {value!r}: Water(model, data, world)"
            )
    if (rider := RIDERS.get(world)) is not None and rider() is not None:
        raise InputError("this world has a Water already: close() it first, or make another world")
    if world.engine != "mujoco":
        raise InputError(
            f"a model of MuJoCo needs a World whose engine is 'mujoco', not {world.engine!r}"
        )


def put(world, shape, mass, pose, i: int, model, kind, drag, damping) -> Body:
    """Drop a body of the model into the world, which holds it until the model moves it."""
    at = pose[:3] - rotate(pose[3:], shape.center)
    still = model.body_weldid[i] == 0
    if kind == "auto":
        kind = "blocker" if still else kind_of(kind, mass / shape.volume, world.coupling)
    how = {"kind": kind, "drag": drag, "damping": damping, "color": color(model, i)}
    try:
        return world.drop(shape, at, mass=mass, rotation=pose[3:], fixed=True, **how)
    except InputError as e:
        raise InputError(f"{name_of(model, i)!r}: {e}") from None


# ── what a model's bodies are made of ────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False)
class Laden(Compound):
    """Shapes held together, with their mass spread in a way of its own."""

    center: tuple[float, ...] = (0.0, 0.0, 0.0)  # of mass [m]
    tensor: tuple[tuple[float, ...], ...] = ()  # inertia about it, of a mass of one [m²]

    @cached_property
    def centroid(self) -> np.ndarray:
        return np.array(self.center)

    @cached_property
    def inertia(self) -> np.ndarray:
        return self.volume * np.array(self.tensor)


def numbers(model, names: Iterable[str] | None) -> np.ndarray:
    """The bodies of those names; of none, all that move and have a shape."""
    if names is None:
        moving = [i for i in range(1, model.nbody) if model.body_weldid[i] == i]
        found = [i for i in moving if solids(model, i)]
        if not found:
            raise InputError("no body of the model moves and has geoms: name those meant to float")
        return np.array(found)
    found = []
    for name in [names] if isinstance(names, str) else names:
        i = mj.mj_name2id(model, mj.mjtObj.mjOBJ_BODY, name)
        if i <= 0:
            known = [model.body(i).name for i in range(1, model.nbody) if model.body(i).name]
            raise InputError(f"the model has no body {name!r}: {nearest(name, known)}")
        for other in found:
            if i in welded(model, other) or other in welded(model, i):
                pair = f"{name_of(model, other)!r} and {name!r}"
                raise InputError(f"{pair} are one body to the water: name one of them, once")
        found.append(i)
    if not found:
        raise InputError("name at least one body of the model")
    return np.array(found)


def name_of(model, i: int) -> str:
    return model.body(i).name or f"body {i}"


def welded(model, i: int) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Body i and those below it with no joint between, and how they lie in its frame."""
    found = {i: (np.zeros(3), np.array([1.0, 0, 0, 0]))}
    for k in range(i + 1, model.nbody):
        if model.body_parentid[k] in found and model.body_weldid[k] == model.body_weldid[i]:
            at, turn = found[model.body_parentid[k]]
            place = at + rotate(turn, model.body_pos[k])
            found[k] = place, multiply(turn, model.body_quat[k])
    return found


def solids(model, i: int) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """The geoms that are body i to the water, and how they lie in its frame."""
    found = []
    for k, (at, turn) in welded(model, i).items():
        first = model.body_geomadr[k]
        for g in range(first, first + model.body_geomnum[k]):
            if model.geom_type[g] not in (mj.mjtGeom.mjGEOM_PLANE, mj.mjtGeom.mjGEOM_HFIELD):
                place = at + rotate(turn, model.geom_pos[g])
                found.append((g, place, multiply(turn, model.geom_quat[g])))
    touch = [s for s in found if model.geom_contype[s[0]] or model.geom_conaffinity[s[0]]]
    return touch or found


def laden(model, i: int) -> tuple[Laden, float]:
    """The shape and the mass of a body with all that is welded to it."""
    parts = tuple(
        Part(form(model, g), tuple(at), tuple(turn))  # type: ignore[arg-type]
        for g, at, turn in solids(model, i)
    )
    if not parts:
        raise InputError(
            f"{name_of(model, i)!r} has no geoms for the water to push: give it a box, sphere,"
            " capsule, cylinder, ellipsoid or mesh"
        )
    places = welded(model, i)
    mass = {k: float(model.body_mass[k]) for k in places}
    total = sum(mass.values())
    if not total > 0:  # only what never moves may weigh nothing
        solid = Compound(parts)
        total = RHO * solid.volume
        tensor = solid.inertia / solid.volume
        return Laden(parts, tuple(solid.centroid), tuple(map(tuple, tensor))), total
    middles = {k: at + rotate(turn, model.body_ipos[k]) for k, (at, turn) in places.items()}
    center = sum(mass[k] * middles[k] for k in places) / total
    inertia = np.zeros((3, 3))
    for k, (_, turn) in places.items():
        axes = matrix(multiply(turn, model.body_iquat[k]))
        arm = middles[k] - center
        inertia += axes @ np.diag(model.body_inertia[k]) @ axes.T
        inertia += mass[k] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Laden(parts, tuple(center), tuple(map(tuple, inertia / total))), total


def form(model, g: int) -> Shape:
    """A geom as a shape."""
    kind, (a, b, c) = model.geom_type[g], model.geom_size[g]
    match mj.mjtGeom(kind):
        case mj.mjtGeom.mjGEOM_BOX:
            return Box((2 * a, 2 * b, 2 * c))
        case mj.mjtGeom.mjGEOM_SPHERE:
            return Sphere(a)
        case mj.mjtGeom.mjGEOM_CAPSULE:
            return Capsule(a, 2 * b)
        case mj.mjtGeom.mjGEOM_CYLINDER:
            return Cylinder(a, 2 * b)
        case mj.mjtGeom.mjGEOM_ELLIPSOID:
            ball = Convex(ways())
            return Convex(ways() * (4 / 3 * np.pi / ball.volume) ** (1 / 3) * (a, b, c))
        case mj.mjtGeom.mjGEOM_MESH | mj.mjtGeom.mjGEOM_SDF:
            return mesh(model, model.geom_dataid[g])
    raise InputError(f"a geom of type {mj.mjtGeom(kind).name} cannot be put in water")


def mesh(model, k: int) -> Shape:
    """A closed mesh as it is, if it has few faces; else its hull, through a few of its corners.

    Such a hull cuts off what bulges between them, and is blown up to the mesh's volume again.
    """
    first, count = model.mesh_vertadr[k], model.mesh_vertnum[k]
    points, same = np.unique(model.mesh_vert[first : first + count], axis=0, return_inverse=True)
    first, count = model.mesh_faceadr[k], model.mesh_facenum[k]
    try:
        closed = Mesh(points, same[model.mesh_face[first : first + count]])
    except InputError:
        closed = None
    if closed is not None and count <= FINE:
        return closed
    if len(points) > ROUND:
        points = points[np.unique((points @ ways().T).argmax(0))]
    hull = Convex(points)
    if closed is not None and closed.volume > hull.volume:
        grown = (closed.volume / hull.volume) ** (1 / 3)
        hull = Convex(hull.centroid + grown * (points - hull.centroid))
    return hull


def ways() -> np.ndarray:
    """Unit vectors spread evenly, each with its opposite [ROUND, 3]: a spiral of golden angles."""
    k = np.arange(ROUND // 2)
    z = 1 - (2 * k + 1) / ROUND
    angle, r = np.pi * (3 - np.sqrt(5)) * k, np.sqrt(1 - z * z)
    half = np.stack([r * np.cos(angle), r * np.sin(angle), z], 1)
    return np.concatenate([half, -half])


def color(model, i: int) -> tuple[float, ...]:
    """The colour (r, g, b) of a body's first geom."""
    g = solids(model, i)[0][0]
    material = model.geom_matid[g]
    plain = (model.geom_rgba[g] == (0.5, 0.5, 0.5, 1)).all()  # none was given
    rgba = model.mat_rgba[material] if material >= 0 and plain else model.geom_rgba[g]
    return tuple(map(float, rgba[:3]))


# ── the world's ground in a model ────────────────────────────────────────────────────────


def ground(spec, world: World, origin: Any = (0.0, 0.0, 0.0), name: str = "ground"):
    """Add the world's ground to an MjSpec as a height field, and return its geom.

    It runs through the heights at the cells' centres and is level beyond the outermost.  It does
    not change where the ground is dug later.
    """
    corner, cell = np.array(vector("origin", origin)), world.terrain.grid.cell
    b = np.pad(np.asarray(world.terrain.b, float), 1, mode="edge")
    low, rise = b.min(), max(float(np.ptp(b)), 1e-3)
    ny, nx = b.shape
    half = 0.5 * cell * np.array([nx - 1, ny - 1])
    spec.add_hfield(
        name=name,
        size=(*half, rise, max(rise, 2 * cell)),
        nrow=ny,
        ncol=nx,
        userdata=((b - low) / rise).ravel(),
    )
    at = corner + np.array([*(half - 0.5 * cell), low])
    kind = mj.mjtGeom.mjGEOM_HFIELD
    return spec.worldbody.add_geom(name=name, type=kind, hfieldname=name, pos=at)
