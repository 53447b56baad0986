"""What rays meet, as short words: run with and without products fused with sums, to compare."""

import hashlib

import jax
import jax.numpy as jnp
import numpy as np
from sights import MIDDLE, H, N, W, ground, seen

from everything import rough
from koski.bodies.shapes import Box
from koski.render.camera import Camera
from koski.render.fields import land, sea
from koski.render.paint import body_met, met, spread
from koski.render.parts import Look
from koski.render.renderer import Renderer, aim
from koski.render.solids import Still
from koski.render.tiles import take


def word(tree) -> str:
    """The bits of all arrays, but for what is zero but for rounding."""
    leaves = [np.where(np.abs(f) < 1e-12, 0, f) for f in map(np.asarray, jax.tree.leaves(tree))]
    return hashlib.sha256(b"".join(f.tobytes() for f in leaves)).hexdigest()[:12]


def words() -> dict[str, str]:
    terrain = ground(3 * rough(N, N, seed=4, relief=1.0))
    frame = seen(terrain, 1.0, 0.0)
    renderer = Renderer(terrain)
    renderer.see(frame)
    turn = np.array((0.9, 0.1, 0.3, 0.2)) / np.sqrt(0.95)
    crate = Still(0, Box((3, 2, 2)), np.array((MIDDLE, 5, 1.5)), turn, Look())
    renderer.bodies = renderer.bodies_before = [crate]
    camera = Camera.create((MIDDLE, -0.4 * MIDDLE, 6.0), (MIDDLE, MIDDLE, 0.5))
    d, stage = aim(camera, H, W, (H, W)), renderer.stage(1.0)
    eye, pixel = jnp.asarray(camera.eye), jnp.float32(1e-3)
    args = stage, eye, d, pixel, spread(stage, camera, H, W)
    crowd = renderer.crowd(camera, W, H, 1.0)
    far = jnp.full_like(take(d[0], crowd.tiles), 20.0)
    return {
        "maps": word((land(terrain.b, terrain.grid), sea(frame, stage.land))),
        "rays": word(d),
        "land and water": word(met(*args)),
        "bodies": word(body_met(crowd, eye, take(d, crowd.tiles), far, pixel)),
        "in float32": word(jax.jit(met.__wrapped__)(*args)),
    }


if __name__ == "__main__":
    print(" ".join(words().values()))
