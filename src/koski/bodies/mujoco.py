"""Rigid bodies by MuJoCo.

The ground is not MuJoCo's height field: that gives a pair of geoms at most 50 contacts, so that a
body wider than a few cells stands on some of them only, and pushes sideways what has once sunk
into it.  Instead each body has feet, points and balls on its surface, and each foot a plane of its
own, laid tangent to the ground beneath it before every substep.  Below a plane all is solid.

Meshes touch by their convex hulls; split into Compound parts what is far from convex.
"""

from functools import lru_cache

import numpy as np

from koski.bodies.engine import HEAVY, LOAD, POSE, SPEED, WARM, Engine, Ground, Spec
from koski.bodies.mesh import Cornered
from koski.bodies.shapes import Box, Capsule, Cylinder, Shape, Sphere
from koski.bodies.turns import apply, matrix, rotate
from koski.core.water import G
from koski.extras import need

mj = need("mujoco", "bodies")

STIFF = 0.02  # time in which a contact pushes back [s]: in less, what slides or is hit would hop
GRIP = 0.05  # time in which the ground's friction takes hold [s], for the same reason
FIRM = (0.95, 0.99, 0.001, 0.5, 2.0)  # how little a contact gives: MuJoCo's solimp
DEEP = 0.05  # what lies deeper in another is pushed no harder [m]: it comes out at 1.2 m/s
POINT = 1e-4  # radius of a foot that is a point [m]
ABYSS = 1e6  # how far down the ground is beyond its edge [m]
ROLL = 0.02  # resistance to rolling, as a share of the radius
SIDES = 12  # feet round a rim
ACROSS = 4  # feet along an edge of a box or an axis, but for the first, at most
HULL = 32  # feet of a hull, at most
MEETS_ALL = {"contype": 1, "conaffinity": 3}  # a free body
MEETS_FREE = {"contype": 2, "conaffinity": 1}  # what nothing moves
MEETS_NONE = {"contype": 0, "conaffinity": 0}  # feet and their planes: they have pairs


class MujocoEngine(Engine):
    """The default engine."""

    def build(self) -> None:
        spec = mj.MjSpec()
        self.set_options(spec)
        if self.walls and self.land is not None:
            add_walls(spec, *self.land.size)
        free = [s.mass for s in self.specs.values() if s.moves == "free"] or [1.0]
        feet = [
            self.add_body(spec, f"{key}", body, HEAVY * max(free))
            for key, body in self.specs.items()
        ]
        self.model = spec.compile()
        self.model.stat.meaninertia = np.mean(free)  # the scale of what the solver may neglect
        self.data = mj.MjData(self.model)
        self.data.warning.number[:] = 1  # or the first of each would be written to a file
        self.jointed = self.those("free", "driven")
        self.driven = self.those("driven")[self.jointed]
        names = [name for some in feet for name in some]
        self.feet = np.array([self.model.geom(f"foot {n}").id for n in names], int)
        self.planes = np.array([self.model.geom(f"plane {n}").id for n in names], int)
        self.model.geom_sameframe[self.planes] = mj.mjtSameFrame.mjSAMEFRAME_NONE  # they move
        self.radius = self.model.geom_size[self.feet, 0]
        self.rolling = self.radius > POINT

    def set_options(self, spec) -> None:
        option = spec.option
        option.gravity = 0, 0, -G
        option.integrator = mj.mjtIntegrator.mjINT_IMPLICITFAST
        option.cone = mj.mjtCone.mjCONE_ELLIPTIC
        option.impratio = 10  # friction firmer than pressure, or things creep down slopes
        option.iterations = 100  # seldom more than a few; cut short, heaps explode
        option.disableflags |= mj.mjtDisableBit.mjDSBL_AUTORESET  # `mend` knows better
        spec.memory = 2**26 + 2**20 * len(self.specs)  # for contacts; unused, it is free

    def add_body(self, spec, name: str, body: Spec, heavy: float) -> list[str]:
        """Add a body, its frame at the centre of mass, and return the names of its feet."""
        free, fixed = body.moves == "free", body.moves == "fixed"
        one = spec.worldbody.add_body(mocap=fixed, gravcomp=0 if free else 1)
        if not fixed:
            one.add_freejoint()
            mass = body.mass if free else heavy
            one.explicitinertial, one.mass, one.ipos = True, mass, (0, 0, 0)
            i = mass / body.mass * body.inertia
            one.fullinertia = i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]
        touch = {"friction": (body.friction, 0, 0), "solref": springs(body.bounce), "solimp": FIRM}
        names: list[str] = []
        for k, (shape, at, turn) in enumerate(body.shape.parts()):
            at = np.subtract(at, body.shape.centroid)
            meets = MEETS_ALL if free else MEETS_FREE
            form = geom(spec, f"{name} {k}", shape)
            one.add_geom(pos=at, quat=turn, condim=3, **form, **touch, **meets)
            if free and self.land is not None:
                balls = feet(shape, self.land.cell)
                points = at + rotate(turn, balls[:, :3])
                for point, radius in zip(points.tolist(), balls[:, 3].tolist()):
                    names.append(f"{name} {len(names)}")
                    self.add_foot(spec, one, names[-1], point, radius, body)
        return names

    def add_foot(self, spec, one, name: str, at, radius: float, body: Spec) -> None:
        ball, plane = mj.mjtGeom.mjGEOM_SPHERE, mj.mjtGeom.mjGEOM_PLANE
        one.add_geom(name=f"foot {name}", type=ball, size=(radius, 0, 0), pos=at, **MEETS_NONE)
        spec.worldbody.add_geom(name=f"plane {name}", type=plane, size=(1, 1, 1), **MEETS_NONE)
        rolls = max(ROLL * radius, 1e-6)
        spec.add_pair(
            geomname1=f"plane {name}",
            geomname2=f"foot {name}",
            condim=6 if radius > POINT else 3,
            friction=(body.friction, body.friction, rolls, rolls, rolls),
            solref=springs(body.bounce),
            solreffriction=(GRIP, 1.0),
            solimp=FIRM,
        )

    def advance(self, n: int, dt: float) -> None:
        m, d = self.model, self.data
        m.opt.timestep = dt
        self.write()
        speed = d.qvel.reshape(-1, 6)
        steady = speed[self.driven]
        for _ in range(n):
            speed[self.driven] = steady
            if self.land is not None:
                mj.mj_kinematics(m, d)
                self.lay_planes(self.land)
            mj.mj_step1(m, d)
            soften(d)
            mj.mj_step2(m, d)
        self.read()

    def write(self) -> None:
        """The rows as MuJoCo has them: spin in the body's own frame."""
        rows, d = self.rows[self.jointed], self.data
        inward = matrix(rows[:, POSE][:, 3:]).swapaxes(1, 2)
        d.qpos[:] = rows[:, POSE].ravel()
        spin = apply(inward, rows[:, SPEED][:, 3:])
        d.qvel[:] = np.hstack([rows[:, SPEED][:, :3], spin]).ravel()
        d.qacc_warmstart[:] = rows[:, WARM].ravel()
        d.xfrc_applied[1:] = np.where(self.those("free")[:, None], self.rows[:, LOAD], 0.0)
        d.mocap_pos[:], d.mocap_quat[:] = np.split(self.rows[~self.jointed, POSE], [3], axis=1)

    def read(self) -> None:
        d = self.data
        pose, speed = d.qpos.reshape(-1, 7), d.qvel.reshape(-1, 6)
        self.rows[self.jointed, POSE] = pose
        spin = apply(matrix(pose[:, 3:]), speed[:, 3:])
        self.rows[self.jointed, SPEED] = np.hstack([speed[:, :3], spin])
        self.rows[self.jointed, WARM] = d.qacc_warmstart.reshape(-1, 6)

    def lay_planes(self, land: Ground) -> None:
        """Lay each foot's plane where its ball would touch the ground."""
        at = self.data.geom_xpos[self.feet]
        off = not self.walls and land.beyond(*at[:, :2].T)
        if self.rolling.any():
            _, sx, sy = land.under(*at[self.rolling, :2].T)
            reach = self.radius[self.rolling] / np.sqrt(1 + sx * sx + sy * sy)
            at[self.rolling, :2] += np.stack([reach * sx, reach * sy], 1)
        height, sx, sy = land.under(*at[:, :2].T)
        at[:, 2] = np.where(off, -ABYSS, height)
        self.model.geom_pos[self.planes] = at
        self.model.geom_quat[self.planes] = facing(sx, sy)


def facing(sx: np.ndarray, sy: np.ndarray) -> np.ndarray:
    """The shortest turn [n, 4] of the z axis to the normals of slopes."""
    k = np.sqrt(1 + sx * sx + sy * sy)
    return np.stack([k + 1, sy, -sx, 0 * k], 1) / np.sqrt(2 * k * (k + 1))[:, None]


def soften(d) -> None:
    """Let what lies deep in another, as after a fall or a dig, come out no faster than shallow.

    A contact aims at the acceleration −B v − K I r of its depth r.  Beyond DEEP, r is DEEP; bouncy
    contacts, of damping ratio B / 2√K, need to be deeper by that ratio.
    """
    if d.nefc:
        K, B, I, _ = d.efc_KBIP.reshape(-1, 4).T
        d.efc_aref[:] += K * I * np.minimum(d.efc_pos + DEEP * 2 * np.sqrt(K) / B, 0.0)


def springs(bounce: float) -> tuple[float, float]:
    """MuJoCo's time and damping ratio of a contact that gives back a share of the speed.

    A damped spring gives back exp(−π ζ / √(1 − ζ²)); its stiffness is the same for all.
    """
    if bounce < 1e-3:
        return STIFF, 1.0
    log = np.log(min(bounce, 0.99))
    zeta = float(-log / np.hypot(np.pi, log))
    return STIFF / zeta, zeta


def add_walls(spec, width: float, depth: float) -> None:
    """Invisible walls round the ground."""
    inward = (1, 0, 1, 0), (1, -1, 0, 0), (1, 0, -1, 0), (1, 1, 0, 0)
    plane = {"type": mj.mjtGeom.mjGEOM_PLANE, "size": (1, 1, 1), "friction": (0, 0, 0)}
    for at, turn in zip(((0, 0, 0), (0, 0, 0), (width, 0, 0), (0, depth, 0)), inward):
        spec.worldbody.add_geom(pos=at, quat=turn, solmix=1e-6, **plane, **MEETS_FREE)


def geom(spec, name: str, shape: Shape) -> dict:
    """How MuJoCo describes a simple shape."""
    kind = mj.mjtGeom
    match shape:
        case Box():
            return {"type": kind.mjGEOM_BOX, "size": np.divide(shape.size, 2)}
        case Sphere():
            return {"type": kind.mjGEOM_SPHERE, "size": (shape.radius, 0, 0)}
        case Capsule():
            return {"type": kind.mjGEOM_CAPSULE, "size": (shape.radius, shape.length / 2, 0)}
        case Cylinder():
            return {"type": kind.mjGEOM_CYLINDER, "size": (shape.radius, shape.length / 2, 0)}
        case Cornered():
            spec.add_mesh(
                name=name,
                uservert=np.unique(shape.corners.reshape(-1, 3), axis=0).ravel(),
                inertia=mj.mjtMeshInertia.mjMESH_INERTIA_CONVEX,
                maxhullvert=64,
            )
            return {"type": kind.mjGEOM_MESH, "meshname": name}
    raise TypeError(f"no geom for {shape!r}")


@lru_cache(maxsize=256)
def feet(shape: Shape, cell: float) -> np.ndarray:
    """Where a simple shape touches the ground [k, 4]: the centres of balls and their radii.

    They are a cell apart where that takes no more than a few.
    """
    match shape:
        case Box():
            grid = np.meshgrid(*(spread(s, cell) for s in shape.size), indexing="ij")
            points = np.stack(grid, -1).reshape(-1, 3)
            return balls(points[(np.abs(points) >= np.divide(shape.size, 2) - 1e-9).any(1)], POINT)
        case Sphere():
            return balls([(0, 0, 0)], shape.radius)
        case Capsule():
            return balls(axis(shape.length, cell), shape.radius)
        case Cylinder():
            turn, half = np.arange(SIDES) * 2 * np.pi / SIDES, shape.length / 2
            rim = [(shape.radius * np.cos(a), shape.radius * np.sin(a)) for a in turn]
            rims = balls([(x, y, z) for z in (-half, half) for x, y in rim], POINT)
            if half <= shape.radius:
                return rims
            rollers = balls(axis(shape.length - 2 * shape.radius, cell), shape.radius)
            return np.concatenate([rims, rollers])
        case Cornered():
            corners = np.unique(shape.corners.reshape(-1, 3).astype(float), axis=0)
            return balls(corners[np.unique((corners @ directions(HULL).T).argmax(0))], POINT)
    raise TypeError(f"no feet for {shape!r}")


def balls(points, radius: float) -> np.ndarray:
    points = np.asarray(points, float)
    return np.hstack([points, np.full((len(points), 1), radius)])


def spread(length: float, cell: float) -> np.ndarray:
    """Places along a length, both ends with them."""
    n = int(np.clip(np.ceil(length / cell), 1, ACROSS))
    return np.linspace(-length / 2, length / 2, n + 1)


def axis(length: float, cell: float) -> np.ndarray:
    z = spread(length, cell)
    return np.stack([0 * z, 0 * z, z], 1)


def directions(n: int) -> np.ndarray:
    """Unit vectors spread evenly: a spiral of golden angles."""
    z = 1 - (2 * np.arange(n) + 1) / n
    angle, r = np.pi * (3 - np.sqrt(5)) * np.arange(n), np.sqrt(1 - z * z)
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], 1)
