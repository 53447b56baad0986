"""Small waters to be drawn, all of one grid, in pictures of one size: compiled once."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np

import koski
from koski.core.frame import Frame
from koski.render.camera import Camera
from koski.render.light import MEDIA, Medium
from koski.render.renderer import Renderer

W, H = 128, 96
N, CELL = 48, 0.5
MIDDLE = N * CELL / 2
PURE = MEDIA["pure"]


def flat(tile, value):
    """A tile that is the same everywhere."""
    return replace(tile, low=jnp.float32(value), step=jnp.float32(0))


def ground(b) -> koski.Terrain:
    return koski.Terrain.create(b, cell=CELL)


def seen(terrain, level, t=0.0, u=0.0, v=0.0) -> Frame:
    """The moment at which the water stands at a level."""
    surface = jnp.maximum(terrain.b, jnp.asarray(level, jnp.float32))
    u, v = (jnp.broadcast_to(jnp.asarray(f, jnp.float32), surface.shape) for f in (u, v))
    return Frame(surface - terrain.b, surface, u, v, jnp.float32(t))


def smooth(renderer: Renderer) -> Renderer:
    """Without ripples, and with ground of one colour."""
    renderer.ripples = replace(renderer.ripples, calm=0.0, fast=0.0)
    renderer.noise = flat(renderer.noise, 0.5)
    return renderer


def tank(depth: float) -> Renderer:
    """Smooth water over a level floor, without a sky: all light is from the floor."""
    terrain = ground(np.zeros((N, N)))
    renderer = smooth(Renderer(terrain))
    renderer.see(seen(terrain, depth))
    renderer.sky = replace(renderer.sky, table=0 * renderer.sky.table)
    return renderer


def exposed(renderer: Renderer, camera: Camera, water: Medium | None = None) -> np.ndarray:
    """The light of a picture."""
    if water is not None:
        renderer.medium = water
    return np.asarray(renderer.expose(camera, W, H))
