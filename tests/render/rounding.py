"""What rays meet, kept in a file: run with and without products fused with sums, to compare."""

import sys
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
from sights import MIDDLE, H, N, W, ground, seen

from everything import rough
from koski.bodies.shapes import Box
from koski.render.camera import Camera
from koski.render.fields import land, sea
from koski.render.paint import body_met, followed, met, spread
from koski.render.parts import Look
from koski.render.renderer import Renderer, aim
from koski.render.solids import Still
from koski.render.tiles import take
from koski.render.under import dive


def flat(tree) -> np.ndarray:
    """All numbers of a tree, one after the other."""
    return np.concatenate([np.ravel(np.asarray(f, float)) for f in jax.tree.leaves(tree)])


def found() -> dict[str, np.ndarray]:
    terrain = ground(3 * rough(N, N, seed=4, relief=1.0))
    frame = seen(terrain, 1.0, 0.0)
    renderer = Renderer(terrain)
    for t in (0.0, 0.3):
        moment = replace(frame, u=frame.u + 1.3, v=frame.v - 0.7, t=jnp.float32(t))
        renderer.see(moment)
    turn = np.array((0.9, 0.1, 0.3, 0.2)) / np.sqrt(0.95)
    crate = Still(0, Box((3, 2, 2)), np.array((MIDDLE, 5, 1.5)), turn, Look())
    renderer.bodies = renderer.bodies_before = [crate]
    camera = Camera.create((MIDDLE, -0.4 * MIDDLE, 6.0), (MIDDLE, MIDDLE, 0.5))
    d, stage = aim(camera, H, W, (H, W)), renderer.stage(1.0)
    eye, pixel = jnp.asarray(camera.eye), jnp.float32(1e-3)
    args = stage, eye, d, pixel, spread(stage, camera, H, W)
    crowd = renderer.crowd(camera, W, H, 1.0)
    far = jnp.full_like(take(d[0], crowd.tiles), 20.0)
    sight, kind = met(*args)
    near = jax.tree.map(lambda f: take(f, crowd.tiles), (sight, kind))
    in_float32 = jax.jit(followed.__wrapped__)
    above = {
        "maps": flat((land(terrain.b, terrain.grid), sea(frame, stage.land))),
        "carried": flat(renderer.detail),
        "rays": flat(d),
        "land and water": flat(sight),
        "bodies": flat(body_met(crowd, eye, take(d, crowd.tiles), far, pixel)),
        "from the water on": flat(followed(stage, sight, kind, None)),
        "from the water to bodies": flat(followed(stage, *near, crowd)),
        "in float32": flat(in_float32(stage, sight, kind, None)),
    }
    renderer.see(seen(terrain, 6.0, 0.6))
    renderer.bodies = [crate]
    diver = Camera.create((MIDDLE, MIDDLE, 5.0), (MIDDLE, 5, 3.0), fov=70)
    d, stage, eye = aim(diver, H, W, (H, W)), renderer.stage(1.0), jnp.asarray(diver.eye)
    crowd = renderer.crowd(diver, W, H, 1.0)
    return above | {
        "under water": flat(dive(stage, eye, take(d, crowd.tiles), pixel, crowd)),
    }


if __name__ == "__main__":
    np.savez(sys.argv[1], **found())
