"""Draw docs/pictures: maps of every method on the same two scenes, of scenes that show a method
and of bodies; and every scene as a camera sees it, some from elsewhere too.

    make gallery                        # all
    python docs/gallery.py bodies       # only these: methods, scenes, bodies, films or views
    python docs/gallery.py films:sluice,hill  # of the films, only these

The pictures of the methods share their colours: the same blue is the same depth in all of them.
"""

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
from matplotlib.figure import Figure
from PIL import Image, ImageOps
from rich.console import Console

from koski import Scene, World, cache, scenes
from koski.filming import Order, aimed, new_renderer, run_up
from koski.io import picture
from koski.io.picture import Look
from koski.render.picture import sized
from koski.running import progress
from koski.solvers import name_of

FOLDER = Path(__file__).parent / "pictures"
PICKER = FOLDER.parents[1] / "src/koski/view/web/public/scenes"
SMALL = 320, 180  # a scene in the page's picker [px]
SCENES = ("fish-tank", "beach", "raindrops", "collapse", "lake-ripples", "stepped-falls")
WHIRLPOOLS = {"whirlpool": None, "whirlpool-linear": "linear"}  # pictures, and their solvers
BODIES = {"river-dam": "mixed", "river-dam-floaters": "floaters"}  # how they and water meet
FILMED = {"river-dam": "1280x720"}  # sizes that are not 960x540
VIEWS = {"under-water": ("ice-jam", "eye:66,22,0.6,78,30,2.6,75")}  # of scenes, from elsewhere
MOMENTS = {  # of scenes that are at their best before they end [s]
    "collapse": 0.5,
    "dam-break": 9.0,
    "fish-tank": 0.5,
    "hill": 14.0,
    "island-tsunami": 50.0,
    "lake-drop": 1.5,
    "lake-ripples": 2.0,
    "logs-and-car": 9.5,
    "sluice": 12.0,
    "tunnel": 3.0,
}
BYTES = 150_000  # a picture of a scene is no larger
TRIALS = {"lake-drop": 5.0, "dam-break": 9.0}  # when to look [s]
HEAD = """# Scenes

`koski play NAME` puts your hands into one, `koski film NAME -o x.mp4` films it as here, `koski run
NAME` draws maps of it, and `koski.World(koski.scenes.load("NAME"))` gives it to your program;
`--solver` changes what moves the water.  `make gallery` draws and writes this page.
"""
WIDE, COLOURS = 720, 192  # of a picture with bodies [px]
SIZE = 192  # cells along a side of a trial
METHODS: dict[str, dict[str, float]] = {  # solvers, with numbers that are not their own
    "pipe": {},
    "linear": {},
    "shallow": {},
    "shallow-semi-lagrangian": {},
    "wave": {},
    "wave cfl=1": {"cfl": 1.0},
    "wave cfl=20": {"cfl": 20.0},
    "wave-history": {},
    "columns": {},
}


def main(*kinds: str) -> None:
    """Draw the pictures of these kinds, or all, and show how far it is."""
    cache.enable()
    console = Console(stderr=True)
    asked = {kind: KINDS.get(kind) or filmed(kind) for kind in kinds or KINDS}
    with progress(console, "pictures") as bar:
        task = bar.add_task("", total=sum(count for count, _ in asked.values()), speed="")
        for kind, (_, draw) in asked.items():
            bar.update(task, description=kind)
            for path in draw():
                bar.update(task, advance=1)
                console.print(f"{path.name}  {path.stat().st_size / 1000:.0f} kB")


def methods() -> Iterator[Path]:
    """Draw every method on the same scenes."""
    trials = [alike([tried(name, method) for method in METHODS]) for name in TRIALS]
    for method, *looks in zip(METHODS, *trials):
        path = FOLDER / f"method-{method.replace(' cfl=', '-cfl-')}.jpg"
        compare(path, method, dict(zip(TRIALS, looks)))
        yield path


def maps() -> Iterator[Path]:
    """Draw the scenes that show what one method can."""
    for name, solver in (dict.fromkeys(SCENES) | WHIRLPOOLS).items():
        world = run(scenes.load(name.removesuffix("-linear"), solver=solver))
        path = FOLDER / f"{name}.jpg"
        picture.save(path, world.frame, world.terrain, f"{name} · {name_of(world.solver)}")
        yield path


def filmed(kind: str) -> tuple[int, Callable[[], Iterator[Path]]]:
    """Draw only these films: `films:one,another`."""
    names = kind.removeprefix("films:").split(",")
    return len(names), lambda: films(names)


def films(names: Iterable[str] = scenes.names()) -> Iterator[Path]:
    """Draw scenes as their own cameras see them; the page of `koski play` has them small."""
    for name in names:
        image = seen(name)
        small = ImageOps.fit(Image.fromarray(image), SMALL, Image.Resampling.LANCZOS)
        small.save(PICKER / f"{name}.jpg", quality=70, optimize=True, progressive=True)
        yield keep(FOLDER / f"film-{name}.jpg", image)
    page()


def views() -> Iterator[Path]:
    """Draw scenes from other places than their own cameras stand at."""
    for title, (name, camera) in VIEWS.items():
        yield keep(FOLDER / f"{title}.jpg", seen(name, camera))


def seen(name: str, camera: str | None = None) -> np.ndarray:
    """A scene at its moment, as a camera sees it."""
    moment = MOMENTS.get(name, scenes.load(name).seconds)
    order = Order(name, camera=camera, size=FILMED.get(name, "960x540"), start=moment)
    world = World(order.scene)
    renderer = new_renderer(order, world)
    run_up(world, renderer, moment)
    image = renderer.draw(aimed(order, world, 1)(0.0), *sized(order.size), order.quality)
    jax.clear_caches()  # one process has not the memory maps for the programs of all scenes
    return image


def page() -> None:
    """Write docs/scenes.md: what every scene shows, and what it tells of itself."""
    told = [HEAD]
    for name in scenes.names():
        title, _, more = (inspect.getdoc(scenes.module(name)) or "").partition("\n\n")
        told.append(f"## {name}\n\n{title}\n\n![{title}](pictures/film-{name}.jpg)\n")
        told += [more + "\n"] if more else []
    (FOLDER.parent / "scenes.md").write_text("\n".join(told), encoding="utf-8")


def keep(path: Path, image: np.ndarray) -> Path:
    """Write a picture as well as it fits into BYTES."""
    for quality in range(88, 50, -3):
        Image.fromarray(image).save(path, quality=quality, optimize=True, progressive=True)
        if path.stat().st_size <= BYTES:
            break
    return path


def bodies() -> Iterator[Path]:
    yield from map(with_bodies, BODIES)


def with_bodies(picture_of: str) -> Path:
    """Draw a scene with bodies, small and in few colours."""
    coupling = BODIES[picture_of]
    world = run(replace(scenes.load("river-dam"), coupling=coupling))
    title = f"river-dam · {name_of(world.solver)} · {coupling}"
    drawn = Image.fromarray(picture.draw(world.frame, world.terrain, title, world.bodies))
    path = FOLDER / f"bodies-{picture_of}.png"
    small = drawn.resize((WIDE, WIDE * drawn.height // drawn.width), Image.Resampling.LANCZOS)
    few = small.quantize(COLOURS, kmeans=2, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    return path


def tried(name: str, method: str) -> Look:
    """What is seen of a scene with another solver, which keeps the roughness of its bed."""
    scene = scenes.load(name, SIZE, method.split()[0])
    solver = replace(scene.solver, **METHODS[method])
    world = run(replace(scene, solver=solver, seconds=TRIALS[name]))
    return picture.look(world.frame, world.terrain)


def run(scene: Scene) -> World:
    world = World(scene)
    world.step(scene.seconds)
    return world


def alike(looks: list[Look]) -> list[Look]:
    """The same colours for the same depths, and streaks of one length for one speed."""
    deep, fast = max(s.deep for s in looks), max(s.fast for s in looks)
    return [replace(s, deep=deep, fast=fast) for s in looks]


def compare(path: Path, title: str, looks: dict[str, Look]) -> None:
    """Draw maps of several scenes side by side."""
    figure = Figure((12, 6.2), dpi=picture.DPI, layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", weight="bold", fontsize=16, color=picture.INK)
    for ax, (name, s) in zip(figure.subplots(1, len(looks)), looks.items()):
        picture.chart(ax, s, (560, 560))
        ax.set_title(f"{name}, {picture.clock(s.t)}", loc="left", color=picture.INK)
        ax.set_box_aspect(1)
    figure.savefig(path)


KINDS: dict[str, tuple[int, Callable[[], Iterator[Path]]]] = {  # how many, and who draws them
    "methods": (len(METHODS), methods),
    "scenes": (len(SCENES) + len(WHIRLPOOLS), maps),
    "bodies": (len(BODIES), bodies),
    "films": (len(scenes.names()), films),
    "views": (len(VIEWS), views),
}

if __name__ == "__main__":
    main(*sys.argv[1:])
