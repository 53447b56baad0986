"""Rigid bodies by Bullet, through PyBullet.

A body's frame in Bullet is that of its centre of mass and its main axes of inertia.  Bullet's
memory of its contacts cannot be carried over, so that whoever keeps an engine starts it afresh.
Its long bodies that spin fast in the air, at 10 rad/s and more, spin up by themselves.

Meshes touch by their convex hulls; split into Compound parts what is far from convex.
"""

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from koski.bodies.engine import HEAVY, LOAD, POSE, SPEED, Engine, Ground, Spec
from koski.bodies.mesh import Cornered
from koski.bodies.shapes import Box, Capsule, Cylinder, Shape, Sphere
from koski.bodies.turns import STILL, multiply
from koski.core.water import G
from koski.extras import need

bullet = need("pybullet", "bullet")

ROLL = 0.02  # resistance to rolling, as a share of the radius
ROOM = 50.0  # how far the ground may rise or sink before it is made anew, at least [m]
FREE, FIRM = (1, 3), (2, 1)  # the group of a body and those it meets: free, and what nothing moves


class Client:
    """PyBullet's functions on a world of our own."""

    def __init__(self):
        self.number = bullet.connect(bullet.DIRECT)

    def __getattr__(self, name: str):
        return partial(getattr(bullet, name), physicsClientId=self.number)

    def __del__(self):
        bullet.disconnect(physicsClientId=self.number)


class BulletEngine(Engine):
    """The engine for those who have Bullet already; for Python up to 3.11."""

    def __init__(self, substep: float = 0.005, walls: bool = True):
        super().__init__(substep, walls)
        self.bullet = Client()

    def build(self) -> None:
        self.bullet.resetSimulation()
        self.bullet.setPhysicsEngineParameter(deterministicOverlappingPairs=1)
        if self.land is not None:
            self.add_ground(self.land)
            if self.walls:
                self.add_walls(*self.land.size)
        free = [s.mass for s in self.specs.values() if s.moves == "free"] or [1.0]
        made = [self.add_body(spec, HEAVY * max(free)) for spec in self.specs.values()]
        self.bodies = [body for body, _ in made]
        self.axes = np.array([axes for _, axes in made])
        self.seen = np.full_like(self.rows, np.nan)  # what Bullet knows of the rows

    def add_ground(self, land: Ground) -> None:
        """Lay the ground as a height field with room to rise and sink.

        Its bounds and its origin, half-way between low and high, stay as they were made.
        """
        b = land.table[:, 0]
        low, high = b.min(), b.max()
        room = max(high - low, ROOM)
        self.band = low - room, high + room
        bounds = b.copy()
        bounds[[0, -1]] = self.band
        self.field = -1
        self.field = self.lay(land, bounds)
        body = self.bullet.createMultiBody(0, self.field)
        self.lay(land, b)
        middle = land.size[0] / 2, land.size[1] / 2, (low + high) / 2
        self.bullet.resetBasePositionAndOrientation(body, middle, xyzw(STILL))
        self.bullet.changeDynamics(body, -1, lateralFriction=1, restitution=1)
        self.bullet.setCollisionFilterGroupMask(body, -1, *FIRM)

    def lay(self, land: Ground, heights: np.ndarray) -> int:
        """Write heights into the field, or into a new one."""
        ny, nx = land.heights.shape
        return self.bullet.createCollisionShape(
            bullet.GEOM_HEIGHTFIELD,
            meshScale=(land.cell, land.cell, 1),
            heightfieldData=heights.tolist(),
            numHeightfieldRows=nx + 2,
            numHeightfieldColumns=ny + 2,
            replaceHeightfieldIndex=self.field,
        )

    def add_walls(self, width: float, depth: float) -> None:
        """Invisible walls round the ground."""
        corners = (0, 0, 0), (0, 0, 0), (width, 0, 0), (0, depth, 0)
        for at, inward in zip(corners, ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0))):
            plane = self.bullet.createCollisionShape(bullet.GEOM_PLANE, planeNormal=inward)
            wall = self.bullet.createMultiBody(0, plane, basePosition=at)
            self.bullet.setCollisionFilterGroupMask(wall, -1, *FIRM)

    def add_body(self, spec: Spec, heavy: float) -> tuple[int, np.ndarray]:
        """Make a body; its number, and the turn of its main axes in the shape."""
        moments, turn = np.linalg.eigh(spec.inertia)
        turn[:, 2] = np.cross(turn[:, 0], turn[:, 1])  # no mirror
        axes = quaternion(turn)
        inverse = axes * [1, -1, -1, -1]
        parts = spec.shape.parts()
        places = [turn.T @ np.subtract(at, spec.shape.centroid) for _, at, _ in parts]
        turns = [xyzw(multiply(inverse, rotation)) for _, _, rotation in parts]
        with tempfile.TemporaryDirectory() as folder:
            forms = [form(part, Path(folder) / f"{k}.obj") for k, (part, _, _) in enumerate(parts)]
            shape = self.bullet.createCollisionShapeArray(
                **{name: [f[name] for f in forms] for name in forms[0]},
                collisionFramePositions=[p.tolist() for p in places],
                collisionFrameOrientations=turns,
            )
        free = spec.moves == "free"
        mass = {"free": spec.mass, "driven": heavy, "fixed": 0.0}[spec.moves]
        body = self.bullet.createMultiBody(mass, shape)
        rounded = [p.radius for p, _, _ in parts if isinstance(p, (Sphere, Capsule, Cylinder))]
        roll = ROLL * min(rounded) if len(rounded) == len(parts) else 0.0
        self.bullet.changeDynamics(
            body,
            -1,
            lateralFriction=spec.friction,
            restitution=spec.bounce,
            rollingFriction=roll,
            spinningFriction=roll,
            linearDamping=0,
            angularDamping=0,
            localInertiaDiagonal=(moments * mass / spec.mass).tolist(),
        )
        self.bullet.setCollisionFilterGroupMask(body, -1, *(FREE if free else FIRM))
        return body, axes

    def ground(self, heights, cell: float) -> None:
        old = self.land
        super().ground(heights, cell)
        if self.stale or old is None or self.land is None:
            return
        self.lift(old, self.land)
        b = self.land.table[:, 0]
        if self.band[0] < b.min() and b.max() < self.band[1]:
            self.lay(self.land, b)
        else:
            self.stale = True

    def lift(self, old: Ground, new: Ground) -> None:
        """Raise bodies with the ground under them: Bullet's is thin, and would end up above."""
        for i in np.flatnonzero(self.those("free")):
            low, high = np.array(self.bullet.getAABB(self.bodies[i]))
            (w, s), (e, n) = (np.floor(p[:2] / new.cell).astype(int) for p in (low, high))
            window = slice(max(s - 1, 0), max(n + 2, 1)), slice(max(w - 1, 0), max(e + 2, 1))
            rise = new.heights[window] - np.maximum(old.heights[window], low[2])
            self.rows[i, POSE][2] += rise.max(initial=0.0)

    def advance(self, n: int, dt: float) -> None:
        p = self.bullet
        p.setTimeStep(dt)
        self.write()
        free, driven = self.numbers("free"), self.numbers("driven")
        load = self.rows[self.those("free"), LOAD]
        load[:, 2] -= G * np.array([s.mass for s in self.specs.values() if s.moves == "free"])
        loads = list(zip(free, load[:, :3].tolist(), load[:, 3:].tolist()))
        speeds = list(zip(driven, self.rows[self.those("driven"), SPEED].tolist()))
        for _ in range(n):
            for body, force, torque in loads:
                at, _ = p.getBasePositionAndOrientation(body)
                p.applyExternalForce(body, -1, force, at, bullet.WORLD_FRAME)
                p.applyExternalTorque(body, -1, torque, bullet.WORLD_FRAME)
            for body, speed in speeds:
                p.resetBaseVelocity(body, speed[:3], speed[3:])
            p.stepSimulation()
        self.read()

    def write(self) -> None:
        """Tell Bullet of the rows that others have changed."""
        fresh = ~(self.rows[:, :13] == self.seen[:, :13]).all(1)
        turns = multiply(self.rows[:, POSE][:, 3:], self.axes)
        for i in np.flatnonzero(fresh):
            body, row = self.bodies[i], self.rows[i]
            self.bullet.resetBasePositionAndOrientation(body, row[POSE][:3], xyzw(turns[i]))
            self.bullet.resetBaseVelocity(body, row[SPEED][:3], row[SPEED][3:])

    def read(self) -> None:
        for i, body in enumerate(self.bodies):
            at, turn = self.bullet.getBasePositionAndOrientation(body)
            speed, spin = self.bullet.getBaseVelocity(body)
            self.rows[i, :13] = *at, turn[3], *turn[:3], *speed, *spin
        inward = self.axes * [1, -1, -1, -1]
        self.rows[:, POSE][:, 3:] = multiply(self.rows[:, POSE][:, 3:], inward)
        self.seen = self.rows.copy()
        self.catch()

    def catch(self) -> None:
        """Put on the ground what was so fast that it went through."""
        if self.land is None:
            return
        x, y, z = self.rows[:, POSE][:, :3].T
        height = self.land.under(x, y)[0]
        sunk = (z < height) & self.those("free") & ~self.land.beyond(x, y)
        for i in np.flatnonzero(sunk):
            low, high = np.array(self.bullet.getAABB(self.bodies[i]))
            self.rows[i, POSE][2] = height[i] + (high - low)[2] / 2
            self.rows[i, SPEED] = 0.0

    def keep(self) -> dict[str, Any]:
        self.stale = True
        return super().keep()

    def numbers(self, moves: str) -> list[int]:
        """Bullet's numbers of the bodies that move so."""
        return [b for b, spec in zip(self.bodies, self.specs.values()) if spec.moves == moves]


def form(shape: Shape, file: Path) -> dict:
    """How Bullet describes a simple shape; a hull by way of a file."""
    says = {"radii": 1.0, "halfExtents": [1.0] * 3, "lengths": 1.0, "fileNames": ""}
    match shape:
        case Box():
            half = [s / 2 for s in shape.size]
            return {"shapeTypes": bullet.GEOM_BOX, **says, "halfExtents": half}
        case Sphere():
            return {"shapeTypes": bullet.GEOM_SPHERE, **says, "radii": shape.radius}
        case Capsule() | Cylinder():
            kind = bullet.GEOM_CAPSULE if isinstance(shape, Capsule) else bullet.GEOM_CYLINDER
            says |= {"radii": shape.radius, "lengths": shape.length}
            return {"shapeTypes": kind, **says}
        case Cornered():
            points = shape.corners.reshape(-1, 3)
            lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points]
            lines += [f"f {i} {i + 1} {i + 2}" for i in range(1, len(points), 3)]
            file.write_text("\n".join(lines))
            return {"shapeTypes": bullet.GEOM_MESH, **says, "fileNames": str(file)}
    raise TypeError(f"no form for {shape!r}")


def xyzw(q) -> list[float]:
    """A quaternion in Bullet's order."""
    return [float(x) for x in (*q[1:], q[0])]


def quaternion(turn: np.ndarray) -> np.ndarray:
    """The quaternion q of a rotation matrix R: q e = (R e) q for each axis e."""
    one = np.eye(4)
    gaps = [
        multiply(one, np.array([0, *e])) - multiply(np.array([0, *(turn @ e)]), one)
        for e in np.eye(3)
    ]
    return np.linalg.svd(np.hstack(gaps).T)[2][-1]
