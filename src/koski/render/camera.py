"""Where one looks from, and where what one looks at lies in the picture."""

import jax
import jax.numpy as jnp
import numpy as np

from koski.brush import sample
from koski.core.errors import InputError, number
from koski.core.pytree import pytree
from koski.core.terrain import Terrain

UP, NORTH = np.array([0, 0, 1], np.float32), np.array([0, 1, 0], np.float32)
FOV = 40.0  # [°]
SKY, RIM = 0.15, 0.02  # of an overview: share left above the land, and beside and below it
SOUTH = -90.0  # azimuth, from +x counter-clockwise [°]
DOWN = 32.0  # how far above the land an overview stands [°]
POINTS = 48  # of the terrain each way, that an overview must show


@pytree
class Camera:
    """An eye, what it looks at, and through which lens."""

    eye: jax.Array  # [3] [m]
    target: jax.Array  # [3] [m]
    up: jax.Array  # [3]
    fov: jax.Array  # from the bottom of the picture to its top [°]
    aperture: jax.Array  # radius of the lens [m]; 0 is a pinhole, through which all is sharp
    focus: jax.Array  # how far away it is sharp [m]
    shutter: jax.Array  # share of the time between two frames for which it is open

    @staticmethod
    def create(
        eye, target, up=UP, fov: float = FOV, aperture: float = 0.0, focus=None, shutter=0.0
    ) -> "Camera":
        """A camera that makes sense; it is sharp at its target unless `focus` says otherwise."""
        eye, target, up = point("eye", eye), point("target", target), point("up", up)
        far = float(np.linalg.norm(target - eye))
        if far < 1e-6 * max(1.0, float(np.abs(eye).max())):
            raise InputError(f"a camera at {place(eye)} that looks at itself sees nothing:"
                             " move its eye or its target")  # fmt: skip
        lens = (
            number("fov", fov, 1, 170),
            number("aperture", aperture, low=0),
            number("focus", far if focus is None else focus, low=1e-3),
            number("shutter", shutter, 0, 1),
        )
        return Camera(eye, target, up, *map(np.float32, lens))  # type: ignore[arg-type]


def point(name: str, value) -> np.ndarray:
    """Three finite numbers, or an InputError that names them."""
    try:
        xyz = np.array(value, np.float32)
    except (TypeError, ValueError):
        xyz = np.zeros(0, np.float32)
    if xyz.shape != (3,) or not np.isfinite(xyz).all():
        raise InputError(f"the camera's {name} must be three finite numbers, not {value!r}")
    return xyz


def place(xyz) -> str:
    return "({:g}, {:g}, {:g})".format(*(round(float(x), 3) for x in xyz))


# ── what it sees ─────────────────────────────────────────────────────────────────────────


def axes(camera: Camera) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Unit vectors to the right, up and ahead, each [3]; looking straight down, north is up."""
    ahead = unit(camera.target - camera.eye)
    right = jnp.cross(ahead, camera.up)
    right = jnp.where(jnp.sum(right**2) > 1e-8, right, jnp.cross(ahead, NORTH))
    right = unit(right)
    return right, jnp.cross(right, ahead), ahead


def unit(v) -> jax.Array:
    return v * jax.lax.rsqrt(jnp.maximum(jnp.sum(v * v), 1e-30))


def rays(
    camera: Camera, height: int, width: int, shape=None, shift=(0.0, 0.0), side: int = 1
) -> jax.Array:
    """Unit directions [3, H, W] through the middles of square pixels, row 0 at the top.

    `shape`, where it is larger than height × width, goes on beyond the right and the bottom;
    `shift` moves the points within their pixels (columns, rows).  In each square of `side` × `side`
    no two are in one row or column: edges that nearly lie or stand are as smooth as others.
    """
    right, up, ahead = axes(camera)
    rows, columns = shape or (height, width)
    half = jnp.tan(jnp.deg2rad(camera.fov) / 2)
    i, j = jnp.arange(columns), jnp.arange(rows)[:, None]
    aside = [(k % side + 0.5) / side - 0.5 for k in (j, i)]
    x = (2 * (i + 0.5 + shift[0] + aside[0]) - width) * (half / height)
    y = (height - 2 * (j + 0.5 + shift[1] - aside[1])) * (half / height)
    d = ahead[:, None, None] + right[:, None, None] * x + up[:, None, None] * y
    return d * jax.lax.rsqrt(1 + x * x + y * y)


def project(camera: Camera, points, height: int, width: int):
    """Column, row and distance along the axis [m] of points [3, ...]; behind it is negative.

    Pixel [r, c] has its middle at (c + ½, r + ½).
    """
    eye = camera.eye.reshape((3,) + (1,) * (jnp.ndim(points) - 1))
    x, y, z = (jnp.tensordot(axis, points - eye, 1) for axis in axes(camera))
    half = jnp.tan(jnp.deg2rad(camera.fov) / 2)
    scale = height / (2 * half) / jnp.where(jnp.abs(z) > 1e-9, z, 1e-9)
    return width / 2 + x * scale, height / 2 - y * scale, z


def clear_of(camera: Camera, terrain: Terrain) -> Camera:
    """The camera, unless it is under the ground; under water is fine."""
    z, ground = float(camera.eye[2]), floor(terrain, *camera.eye[:2])
    if z <= ground:
        raise InputError(
            f"the camera at {place(camera.eye)} is under the ground, which is {ground:.3g} m high"
            f" there: raise it by more than {ground - z:.2g} m"
        )
    return camera


def floor(terrain: Terrain, x, y) -> float:
    """How high the ground is [m]; beside the terrain, where it is lowest."""
    width, depth = terrain.grid.size
    if 0 <= x <= width and 0 <= y <= depth:
        return float(sample(terrain.b, x, y, terrain.grid.cell))
    return float(terrain.b.min())


# ── where to stand ───────────────────────────────────────────────────────────────────────


def orbit(center, distance, azimuth: float = SOUTH, elevation: float = 20.0, **lens) -> Camera:
    """Look at a centre from a distance [m], standing in a direction from +x counter-clockwise."""
    center, distance = point("center", center), number("distance", distance, low=1e-3)
    way = toward(number("azimuth", azimuth), number("elevation", elevation, -90, 90))
    return Camera.create(center + distance * way, center, **lens)


def toward(azimuth: float, elevation: float) -> np.ndarray:
    """The unit vector to where an orbiting camera stands."""
    a, e = np.deg2rad(azimuth), np.deg2rad(elevation)
    return np.array([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)])


def overview(
    terrain: Terrain,
    aspect: float = 16 / 9,
    azimuth: float = SOUTH,
    elevation: float = DOWN,
    fov: float = FOV,
    **lens,
) -> Camera:
    """Show the whole of a terrain, from the south unless `azimuth` says otherwise, under some sky.

    The camera stands `elevation` above the middle of the land, and as near as all land fits in
    the picture, with a share SKY free above it and RIM on the other sides.
    """
    land, way = outline(terrain), toward(azimuth, elevation)
    ahead = -way[:2] / max(np.hypot(*way[:2]), 1e-9)
    middle = np.array([*np.array(terrain.grid.size) / 2, float(terrain.b.mean())])
    half = np.tan(np.deg2rad(fov) / 2)
    top, bottom = np.arctan((1 - 2 * SKY) * half), -np.arctan((1 - 2 * RIM) * half)

    def tilt(distance) -> tuple[float, bool]:
        """How far down to look [rad], the land in the middle, and whether all of it is seen."""
        x, y, z = land - (middle + distance * way)[:, None]
        along, across = ahead[0] * x + ahead[1] * y, ahead[1] * x - ahead[0] * y
        rise = np.arctan2(z, along)
        down = (top + bottom - rise.max() - rise.min()) / 2
        deep = np.cos(down) * along - np.sin(down) * z
        wide = np.abs(across) <= (1 - 2 * RIM) * half * aspect * deep
        return down, bool(np.ptp(rise) <= top - bottom and wide.all())

    near, far = 0.0, float(np.ptp(land, axis=1).sum())
    while not tilt(far)[1]:
        far *= 2
    for _ in range(30):
        mid = (near + far) / 2
        near, far = (near, mid) if tilt(mid)[1] else (mid, far)
    eye, down = middle + far * way, tilt(far)[0]
    look = np.array([*ahead * np.cos(down), -np.sin(down)])
    return Camera.create(eye, eye + far * look, fov=fov, **lens)


def outline(terrain: Terrain) -> np.ndarray:
    """Points [3, n] of the ground, coarsely, with its border and its highest cell."""
    b, grid = np.asarray(terrain.b, float), terrain.grid
    rows, columns = (np.unique(np.linspace(0, n - 1, POINTS).round().astype(int)) for n in b.shape)
    j, i = (f.ravel() for f in np.meshgrid(rows, columns, indexing="ij"))
    top = np.unravel_index(b.argmax(), b.shape)
    j, i = np.append(j, top[0]), np.append(i, top[1])
    x = np.where(i == 0, 0, np.where(i == grid.nx - 1, grid.nx, i + 0.5)) * grid.cell
    y = np.where(j == 0, 0, np.where(j == grid.ny - 1, grid.ny, j + 0.5)) * grid.cell
    return np.stack([x, y, b[j, i]])
