"""Draw docs/pictures: every method on the same two scenes, scenes that show a method, bodies.

    make gallery

The pictures of the methods share their colours: the same blue is the same depth in all of them.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image

from koski import Scene, World, scenes
from koski.io import picture
from koski.io.picture import Look
from koski.solvers import name_of

FOLDER = Path(__file__).parent / "pictures"
SCENES = ("fish-tank", "beach", "raindrops", "collapse", "lake-ripples", "stepped-falls")
BODIES = {  # pictures of docs/bodies.md: the scene, how bodies and water meet, when to look [s]
    "river-dam": ("river-dam", "mixed", None),
    "river-dam-floaters": ("river-dam", "floaters", None),
    "hill": ("hill", "mixed", None),
    "logs-and-car": ("logs-and-car", "mixed", 9.0),
    "harbour": ("harbour", "mixed", None),
}
TRIALS = {"lake-drop": 5.0, "dam-break": 9.0}  # when to look [s]
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


def main() -> None:
    count = len(METHODS) + len(SCENES) + len(BODIES)
    for k, path in enumerate(pictures(), start=1):
        print(f"{k:2}/{count}  {path.name}  {path.stat().st_size / 1000:.0f} kB", flush=True)


def pictures() -> Iterator[Path]:
    """Draw one picture after the other."""
    trials = [alike([tried(name, method) for method in METHODS]) for name in TRIALS]
    for method, *looks in zip(METHODS, *trials):
        path = FOLDER / f"method-{method.replace(' cfl=', '-cfl-')}.jpg"
        compare(path, method, dict(zip(TRIALS, looks)))
        yield path
    for name in SCENES:
        world = run(scenes.load(name))
        path = FOLDER / f"{name}.jpg"
        picture.save(path, world.frame, world.terrain, f"{name} · {name_of(world.solver)}")
        yield path
    yield from map(with_bodies, BODIES)


def with_bodies(picture_of: str) -> Path:
    """Draw a scene with bodies, small and in few colours."""
    name, coupling, seconds = BODIES[picture_of]
    scene = scenes.load(name)
    world = run(replace(scene, coupling=coupling, seconds=seconds or scene.seconds))
    title = f"{name} · {name_of(world.solver)} · {coupling}"
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


if __name__ == "__main__":
    main()
