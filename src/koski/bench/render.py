"""How long a picture takes: python -m koski.bench.render [SCENE] [--size 960x540] [--cells 256]

Frames of each quality, the best and the median, of the water as it is after some seconds; and,
where there is an accelerator, how far its picture is from the one that the CPU draws.
"""

import argparse
import time

import jax
import numpy as np

from koski import scenes
from koski.render.camera import Camera, overview
from koski.render.renderer import QUALITY, Renderer
from koski.world import World

SECONDS, FPS = 4.0, 10.0  # of water before the pictures
ROUNDS, WHILE = 5, 2.0  # pictures at least, and how long [s]: until then clocks are at speed


def seen(scene: str, cells: int | None, devices: list) -> tuple[list[Renderer], Camera]:
    """Renderers that watched the same moments of a scene, and a camera that shows all of it."""
    world = World(scenes.load(scene, cells))
    grounds = [jax.device_put(world.terrain, device) for device in devices]
    renderers = [Renderer(terrain) for terrain in grounds]
    for frame in world.frames(FPS, SECONDS):
        for renderer, terrain, device in zip(renderers, grounds, devices):
            renderer.see(jax.device_put(frame, device), world.bodies, terrain)
    return renderers, overview(world.terrain)


def times(renderer: Renderer, camera: Camera, width: int, height: int, quality: str) -> list[float]:
    """Of frames, one after the other [ms]."""
    renderer.draw(camera, width, height, quality)
    spent: list[float] = []
    began = time.perf_counter()
    while len(spent) < ROUNDS or time.perf_counter() - began < WHILE:
        start = time.perf_counter()
        renderer.draw(camera, width, height, quality)
        spent.append(1e3 * (time.perf_counter() - start))
    return spent


def apart(scene: str, cells: int | None, width: int, height: int) -> np.ndarray:
    """How far pictures of the accelerator and the CPU are apart, by pixel [1/255]."""
    devices = [jax.devices()[0], jax.devices("cpu")[0]]
    renderers, camera = seen(scene, cells, devices)
    pictures = []
    for renderer, device in zip(renderers, devices):
        with jax.default_device(device):
            pictures.append(renderer.draw(camera, width, height, "good").astype(int))
    return np.abs(pictures[0] - pictures[1]).max(-1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("scene", nargs="?", default="lake-drop")
    parser.add_argument("--size", default="960x540")
    parser.add_argument("--cells", type=int, default=256)
    args = parser.parse_args()
    width, height = map(int, args.size.split("x"))
    print(f"{jax.devices()[0].device_kind}, {args.scene} at {args.cells}², {args.size}")
    (renderer,), camera = seen(args.scene, args.cells, jax.devices()[:1])
    for quality in QUALITY:
        spent = times(renderer, camera, width, height, quality)
        print(f"{quality:6s} {min(spent):8.1f} ms, median {np.median(spent):.1f} ms", flush=True)
    if jax.default_backend() != "cpu":
        far = apart(args.scene, args.cells, width, height)
        print(f"from the CPU's: at most {far.max()}/255; more than 2 in {(far > 2).sum()} pixels")


if __name__ == "__main__":
    main()
