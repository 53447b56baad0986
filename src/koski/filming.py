"""Films and pictures from the command line: a world, a renderer, and frame after frame."""

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console

from koski import cache, pack
from koski.core.errors import InputError, duration, number
from koski.render import picture as pictures
from koski.render.camera import clear_of
from koski.render.film import Film
from koski.render.moves import Before, Move, parse
from koski.render.picture import Picture, graded, looking, sized
from koski.running import Scale, find_scene, lengths, progress
from koski.scene import Scene
from koski.world import World

SECONDS, FPS, SIZE = 10.0, 30.0, "1280x720"  # of a film
MEMORY = 8.0  # foam and wet ground are of so long ago [s]
LOOKS = 15.0  # per second of it
PLACES = 200  # along a camera's way, that are checked
WORLD, SEEN = "world.koski", "seen.koski"  # what is saved after each part


@dataclass(frozen=True)
class Order:
    """What is to be seen; two films of the same order have the same frames."""

    what: str
    solver: str | None = None
    coupling: str | None = None
    cells: int | None = None
    camera: str | None = None
    size: str = SIZE
    quality: str = "good"
    sun: str | None = None
    water: str | None = None
    start: float = 0.0
    fps: float = FPS
    speed: float = 1.0
    cell: float | None = None
    height: float | None = None

    @property
    def scene(self) -> Scene:
        scale = Scale(self.cell, self.height)
        return find_scene(self.what, self.cells, self.solver, scale)


def film(order: Order, out: Path, seconds: float = SECONDS, resume=False, sheet=None) -> None:
    """Check everything, then make the frames and tell how it goes."""
    cache.enable()
    size, frames = checked(order, seconds)
    scene = order.scene
    reel = Film(out, size, order.fps)
    if sheet is not None:
        pictures.check(sheet)
    saved = reel.resume(asdict(order)) if resume else None
    if reel.done > frames:
        raise InputError(f"{out} has {reel.done} frames already: ask for more than {seconds:g} s")
    world = World.load(saved / WORLD) if saved else World(scene, coupling=order.coupling)
    move, renderer = aimed(order, world, frames), new_renderer(order, world)
    if not resume:
        reel.begin(asdict(order))
    console, begun, first = Console(stderr=True), time.perf_counter(), reel.done
    try:
        with reel, progress(console, "frames") as bar:
            task = bar.add_task(scene.name, total=frames, completed=first, speed="")
            for made in shoot(order, reel, world, renderer, move, frames, saved):
                each = (time.perf_counter() - begun) / (made - first)
                bar.update(task, completed=made, speed=f"{each:.2f} s a frame")
            if sheet is not None:
                reel.sheet(sheet)
    except KeyboardInterrupt:
        where = f"are in {out}" if reel.frames else "are made"
        console.print(f"{reel.frames} of {frames} frames {where}: --resume goes on from there")
        raise
    console.print(f"{frames} frames in {time.perf_counter() - begun:.0f} s")
    for path in (out, sheet):
        if path is not None:
            console.print(f"wrote {path}")


def shoot(order, reel: Film, world: World, renderer, move: Move, frames, saved) -> Iterator[int]:
    """Let time pass, look, draw: one frame after the other, from what was saved or from nothing."""
    before = recall(world, renderer, saved) if saved else run_up(world, renderer, order.start)
    for k in range(reel.done, frames):
        world.step(order.speed / order.fps)
        renderer.see(world.frame, world.bodies, world.terrain)
        camera = move(k / order.fps, before)
        came = before and before[1]
        reel.add(renderer.draw(camera, *sized(order.size), order.quality, before=came))
        before = k / order.fps, camera
        reel.keep(partial(keep, world, renderer, before))
        yield k + 1


def picture(order: Order, out: Path) -> None:
    """One picture of the water at the order's start."""
    cache.enable()
    size, _ = checked(order, SECONDS)
    pictures.check(out)
    world = World(order.scene, coupling=order.coupling)
    move, renderer = aimed(order, world, 1), new_renderer(order, world)
    run_up(world, renderer, order.start)
    renderer.draw(move(0.0), *size, order.quality).view(Picture).save(out)
    Console(stderr=True).print(f"wrote {out}")


# ── before ───────────────────────────────────────────────────────────────────────────────


def checked(order: Order, seconds: float) -> tuple[tuple[int, int], int]:
    """Width and height of the frames, and how many there are, if the order makes sense."""
    fps = number("fps", order.fps, 0.1, 1000)
    frames = round(duration("seconds", seconds, low=1e-3) * fps)
    if frames < 1:
        raise InputError(
            f"a film of {seconds:g} s has no frame at {fps:g} a second: make it longer"
        )
    duration("start", order.start)
    number("speed", order.speed, 1e-4, 1e4)
    graded(order.quality)
    look(order)
    return sized(order.size), frames


def look(order: Order):
    """What the light is like."""
    if order.sun is None:
        return looking({"water": order.water})
    angles = order.sun.split(",")
    if len(angles) != 2:
        raise InputError(
            f"the sun is its elevation and its azimuth, such as 35,215, not {order.sun!r}"
        )
    elevation = number("the sun's elevation", angles[0], -12, 90)
    azimuth = number("the sun's azimuth", angles[1])
    return looking({"elevation": elevation, "azimuth": azimuth, "water": order.water})


def aimed(order: Order, world: World, frames: int) -> Move:
    """How the camera moves, if nowhere through the ground."""
    width, height = sized(order.size)
    text = world.view if order.camera is None else order.camera
    move = parse(text, world.terrain, world.bodies, width / height)
    for k in np.unique(np.linspace(0, frames - 1, PLACES).round()):
        clear_of(move(k / order.fps), world.terrain)
    return move


def new_renderer(order: Order, world: World):
    from koski.render.renderer import Renderer

    return Renderer(world.terrain, look(order))


def run_up(world: World, renderer, seconds: float) -> Before:
    """Let time pass before the first picture, and see what leaves traces in it."""
    renderer.begin(world.frame)
    for length in lengths(max(seconds - MEMORY, 0), 1.0):
        world.step(length)
    renderer.see(world.frame, world.bodies, world.terrain)
    for length in lengths(min(seconds, MEMORY), LOOKS):
        world.step(length)
        renderer.see(world.frame, world.bodies, world.terrain)
    return None


# ── to go on from ────────────────────────────────────────────────────────────────────────


def keep(world: World, renderer, before: Before, folder: Path) -> None:
    """Save all that the next frame depends on."""
    world.save(folder / WORLD)
    pack.save(folder / SEEN, {"renderer": renderer.keep(), "before": before})


def recall(world: World, renderer, folder: Path) -> Before:
    """Let a renderer see the saved world, and remember; the camera of the frame before."""
    seen = pack.load(folder / SEEN)
    renderer.see(world.frame, world.bodies, world.terrain)
    renderer.recall(seen["renderer"])
    return seen["before"]
