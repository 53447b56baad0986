"""Pictures of a world, frame after frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from koski.core.errors import InputError, nearest
from koski.core.frame import Frame
from koski.core.terrain import Terrain
from koski.render import fields, foam, materials, shadows, tone
from koski.render.camera import Camera, axes, rays
from koski.render.caustics import Caustics
from koski.render.crowd import Crowd, in_the_way
from koski.render.detail import Detail
from koski.render.exact import exact
from koski.render.fields import Land, Sea
from koski.render.light import MEDIA
from koski.render.noise import Tile
from koski.render.paint import painted
from koski.render.ripples import Ripples
from koski.render.sky import Sky
from koski.render.solids import Solids, Still
from koski.render.stage import Stage
from koski.render.tiles import TILE, put, take, tiles
from koski.render.under import dive, submerged

QUALITY = {"draft": 1, "good": 2, "best": 4}  # samples along each side of a pixel
BLUR = {"draft": 4, "good": 12, "best": 32}  # pictures that are laid together for a blur
NEAR = 12  # cells about a body whose ground its shadow may reach
TURN = 2.399963  # the golden angle: samples of a lens lie on a spiral [rad]


@dataclass(frozen=True)
class Look:
    """How a world is lit, and what is in its water."""

    elevation: float = 36.0  # of the sun [degrees]
    azimuth: float = 200.0  # where it stands, from +x counter-clockwise [degrees]
    water: str = "lake"
    exposure: float = 1.4  # times what suits the light

    def __post_init__(self):
        if self.water not in MEDIA:
            raise InputError(f"there is no water {self.water!r}: {nearest(self.water, MEDIA)}")


class Renderer:
    """Draws one world.  What it keeps from frame to frame is what leaves traces: foam, wet sand."""

    def __init__(self, terrain: Terrain, look: Look = Look()):
        self.look = look
        self.sky = Sky.create(look.elevation, look.azimuth)
        # put once where they are needed, not anew for each program
        self.medium, self.ripples = jax.device_put(
            (MEDIA[look.water], Ripples.create(terrain.grid.cell))
        )
        self.lace, self.caustics, self.noise = jax.device_put(textures())
        self.detail = Detail.start(terrain)
        self.above: Any = None  # how high the ground is above the water near it
        self.sea: Sea | None = None
        self.before: Sea | None = None
        self.bodies: list[Still] = []
        self.bodies_before: list[Still] = []
        self.t = self.dt = 0.0
        self.terrain: Any = None
        self.lay(terrain)

    def lay(self, terrain: Terrain) -> None:
        """Let the ground be this one from now on."""
        if self.terrain is None or terrain.b is not self.terrain.b:
            self.terrain, self.ground = terrain, np.asarray(terrain.b)
            self.land = Land.of(terrain)
            self.shade = shadows.cast(self.land, self.sky.sun)
            self.site = materials.Site.of(terrain)

    def begin(self, frame: Frame) -> None:
        """Let beaches and beds be where there is water now, not where it is first seen."""
        self.above = materials.above_water(self.terrain, frame.depth)

    def see(self, frame: Frame, bodies: Iterable = (), terrain: Terrain | None = None) -> None:
        """Look at the next moment of the world."""
        self.lay(terrain or self.terrain)
        bodies = list(bodies)
        t = float(frame.t)
        self.dt, self.t = max(t - self.t, 0.0) if self.sea is not None else 0.0, t
        if self.above is None:
            self.begin(frame)
        self.before, self.sea = self.sea, fields.sea(frame, self.land)
        self.bodies_before, self.bodies = self.bodies, [Still.of(body) for body in bodies]
        self.level = np.asarray(frame.surface)
        self.detail = self.detail.step(
            frame, self.terrain, in_the_way(bodies, frame, self.land), self.dt
        )

    def draw(
        self,
        camera: Camera,
        width: int,
        height: int,
        quality: str = "good",
        between: float = 1.0,
        before: Camera | None = None,
    ) -> np.ndarray:
        """The picture as bytes [height, width, 3], `between` the last two moments seen.

        `before` is where the camera was a frame ago: an open shutter blurs its motion as well.
        """
        if quality not in QUALITY:
            raise InputError(f"there is no quality {quality!r}: {nearest(quality, QUALITY)}")
        if self.sea is None:
            raise InputError("there is nothing to draw yet: let the renderer see a frame first")
        side, shots = QUALITY[quality], [(camera, (0.0, 0.0), between)]
        if camera.aperture > 0 or camera.shutter > 0:
            side, shots = 1, list(blurred(camera, between, BLUR[quality], before))
        shown = mean(self.shoot(*shot, width, height, side) for shot in shots)
        return tone.to_bytes(tone.srgb(shown))

    def shoot(self, camera: Camera, shift, between, width: int, height: int, side: int):
        """One picture as film shows it, linear [3, height, width], of side² samples a pixel."""
        light = self.expose(camera, width * side, height * side, between, shift, side)
        return developed(light, self.look.exposure * self.sky.exposure, height, width, side)

    def expose(
        self, camera: Camera, width: int, height: int, between=1.0, shift=(0.0, 0.0), side=1
    ):
        """Radiance [3, H, W], its sides padded to whole tiles; of side² samples a pixel."""
        stage = self.stage(between)
        shape = -(-height // TILE) * TILE, -(-width // TILE) * TILE
        d = aim(camera, height, width, shape, shift, side)
        eye, pixel = jnp.asarray(camera.eye), jnp.deg2rad(camera.fov) / height
        crowd = self.crowd(camera, width, height, between)
        if not submerged(stage, eye):
            return painted(stage, camera, d, pixel, crowd)
        picture = dive(stage, eye, d, pixel)
        if crowd is None:
            return picture
        return put(picture, crowd.tiles, dive(stage, eye, take(d, crowd.tiles), pixel, crowd))

    def stage(self, between: float) -> Stage:
        """All that light meets."""
        sea: Any = self.sea
        if between < 1 and self.before is not None:
            sea = fields.between(self.before, sea, between)
        return Stage(
            land=self.land,
            sea=sea,
            shade=self.shade,
            sky=self.sky,
            medium=self.medium,
            detail=self.detail,
            ripples=self.ripples,
            lace=self.lace,
            caustics=self.caustics,
            site=self.site,
            noise=self.noise,
            above=self.above,
            t=jnp.float32(self.t - (1 - between) * self.dt),
        )

    # ── bodies ───────────────────────────────────────────────────────────────────────────

    def crowd(self, camera: Camera, width: int, height: int, between: float) -> Crowd | None:
        """The bodies, and in which tiles of the picture they are met."""
        if not self.bodies:
            return None
        bodies = Solids.of(self.bodies, between, self.bodies_before)
        level, lowest = np.array([self.around(b.position) for b in self.bodies], np.float32).T
        sun = np.asarray(self.sky.sun)
        return Crowd(bodies, tiles(bodies, camera, height, width, level, lowest, sun))

    def cell(self, position) -> tuple[int, int]:
        """Row and column of the cell at a place, or next to it."""
        i, j = np.clip(np.asarray(position[:2]) / self.land.grid.cell, 0, 1e9).astype(int)
        return min(j, self.land.grid.ny - 1), min(i, self.land.grid.nx - 1)

    def around(self, position) -> tuple[float, float]:
        """The level of the water at a place, −inf if there is none; the lowest ground about [m]."""
        j, i = self.cell(position)
        about = self.ground[max(j - NEAR, 0) : j + NEAR + 1, max(i - NEAR, 0) : i + NEAR + 1]
        wet = self.level[j, i] > self.ground[j, i] + fields.SHOWN
        return self.level[j, i] if wet else -np.inf, about.min()

    # ── keeping ──────────────────────────────────────────────────────────────────────────

    def keep(self) -> dict[str, Any]:
        """What the next frames depend on, beside the world."""
        return {"detail": self.detail, "above": self.above, "sea": self.sea, "t": self.t}

    def recall(self, kept: dict[str, Any]) -> None:
        for name, value in kept.items():
            setattr(self, name, value)


@cache
def textures() -> tuple[Tile, Caustics, Tile]:
    """What is painted once for all pictures: lace of foam, nets of light, noise of the ground."""
    return foam.lace(), Caustics.create(), materials.noise()


aim = exact(rays, static_argnames=("height", "width", "shape", "side"))


@partial(jax.jit, static_argnames=("height", "width", "side"))
def developed(light, exposure, height: int, width: int, side: int):
    """Radiance as film shows it, the mean of the samples of each pixel, without the padding."""
    picture = tone.filmic(light, exposure)[:, : height * side, : width * side]
    return picture.reshape(3, height, side, width, side).mean((2, 4))


def mean(pictures: Iterable[jax.Array]) -> jax.Array:
    """Of pictures that come one after the other; one alone is left as it is."""
    rest = iter(pictures)
    total, count = next(rest), 1
    for picture in rest:
        total, count = total + picture, count + 1
    return total / count if count > 1 else total


def blurred(
    camera: Camera, between: float, count: int, before: Camera | None = None
) -> Iterable[tuple[Camera, Any, float]]:
    """Cameras all over the lens, at times while the shutter is open, each a little aside."""
    for k in range(count):
        back = float(camera.shutter) * ((k + 0.5) / count)
        there = back_to(before or camera, camera, back)
        right, up, ahead = map(np.asarray, axes(there))
        sharp: Any = np.asarray(there.eye) + float(camera.focus) * ahead
        r, a = float(camera.aperture) * np.sqrt((k + 0.5) / count), TURN * k
        eye: Any = np.asarray(there.eye) + r * (np.cos(a) * right + np.sin(a) * up)
        shift = (k * 0.7548777 % 1 - 0.5, k * 0.5698403 % 1 - 0.5)
        aimed = replace(camera, eye=eye.astype(np.float32), target=sharp.astype(np.float32))
        yield aimed, shift, max(between - back, 0.0)


def back_to(before: Camera, camera: Camera, share: float) -> Camera:
    """Where a camera was, a share of a frame ago."""

    def then(name: str):
        now = np.asarray(getattr(camera, name))
        return now + np.float32(share) * (np.asarray(getattr(before, name)) - now)

    return replace(camera, eye=then("eye"), target=then("target"), up=then("up"))
