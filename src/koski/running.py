"""One run from the command line: a world, a progress bar, and what is kept of it."""

import json
import math
import os
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import jax
import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from koski import cache, scenes
from koski.core.edges import Drain, Edges
from koski.core.errors import InputError, duration, number
from koski.core.frame import Frame
from koski.io import dem
from koski.io import picture as pictures
from koski.io.store import Store, parameters
from koski.scene import Scene, downpour
from koski.solvers import name_of
from koski.world import World

FRAMES = 300  # of a long run, unless asked otherwise


@dataclass(frozen=True)
class Scale:
    """How large a heightmap is, where its file does not tell or is not to be believed."""

    cell: float | None = None  # side of a cell [m]
    height: float | None = None  # that the range of a plain image stands for [m]


def find_scene(what: str, size: int | None, solver: str | None, scale: Scale = Scale()) -> Scene:
    """A scene by name, or rain on a heightmap from a file."""
    path = Path(what)
    if not (path.suffix or os.path.exists(path)) or what in scenes.names():
        if scale != Scale():
            raise InputError(f"--cell and --height are for heightmaps: {what} is a scene")
        return scenes.load(what, size, solver)
    if size is not None:
        raise InputError("a heightmap has the cells it has: do not ask for another number")
    if path.suffix == ".koski":
        raise InputError(f"{what} is a saved world: koski play {what} goes on with it")
    terrain = dem.load(path, cell=scale.cell, height=scale.height, edges=Edges.all(Drain()))
    rain = downpour(path.name, terrain)
    return rain if solver is None else rain.with_solver(solver)


def run(what, solver, coupling, size, scale, seconds, fps, out, picture, as_json) -> None:
    """Check everything, then run, draw, keep and report."""
    cache.enable()
    if picture is not None:
        pictures.check(picture)
    scene = find_scene(what, size, solver, scale)
    seconds = scene.seconds if seconds is None else duration("seconds", seconds)
    fps = min(10.0, FRAMES / max(seconds, 1e-9)) if fps is None else number("fps", fps, 1e-6, 1e6)
    world = World(scene, coupling=coupling)
    name = name_of(world.solver)
    console = Console(stderr=True)
    frame, spent, low, fast, rush = world.frame, [], math.inf, 0.0, 0.0
    with ExitStack() as stack:
        store = stack.enter_context(Store(out, world.terrain, about(world, name))) if out else None
        bar = stack.enter_context(progress(console))
        task = bar.add_task(f"{scene.name} · {name}", total=max(seconds, 1e-9), speed="")
        for length in lengths(seconds, fps):
            start = time.perf_counter()
            world.step(length)
            frame = jax.block_until_ready(world.frame)
            spent.append(time.perf_counter() - start)
            low, fast = min(low, float(frame.depth.min())), max(fast, float(frame.speed.max()))
            rush = max(rush, swiftest(world))
            if store:
                store.add(frame)
            bar.update(task, advance=length, speed=f"{length / spent[-1]:.1f} × real time")
    name = name_of(world.solver)  # which may have made way for one that bodies can block
    if picture is not None:
        pictures.save(picture, frame, world.terrain, f"{scene.name} · {name}", world.bodies)
    report = summary(world, name, seconds, sum(spent), low, fast, rush, frame)
    if as_json:
        print(json.dumps(report))
    else:
        tell(console, report, compiling(spent), out, picture)


def about(world: World, solver: str) -> dict:
    """What a store of frames says of the run."""
    return {"scene": world.name, "solver": solver, "parameters": parameters(world.solver)}


def swiftest(world: World) -> float:
    """The speed of the fastest body [m/s]."""
    return max((float(np.linalg.norm(body.velocity)) for body in world.bodies), default=0.0)


def lengths(seconds: float, fps: float) -> list[float]:
    """The stretches between frames; the last may be short."""
    whole, rest = divmod(seconds * fps, 1)
    return [1 / fps] * int(whole) + ([rest / fps] if rest > 1e-6 else [])


def progress(console: Console, unit: str = "s") -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn(f"{{task.completed:.0f}}/{{task.total:.0f}} {unit}"),
        TextColumn("[cyan]{task.fields[speed]}"),
        TimeRemainingColumn(),
        console=console,
    )


def compiling(spent: list[float]) -> float:
    """How much longer the first of several frames took than the others usually did [s]."""
    return max(spent[0] - float(np.median(spent[1:])), 0.0) if len(spent) > 2 else 0.0


def summary(world: World, solver, seconds, wall, low, fast, rush, frame: Frame) -> dict:
    """What a script wants to know."""
    v = world.volume
    cells = world.terrain.grid.cells
    finite = all(bool(np.isfinite(np.asarray(f)).all()) for f in (frame.depth, frame.u, frame.v))
    report = {
        "scene": world.name,
        "solver": solver,
        "cells": cells,
        "steps": world.steps,
        "seconds": seconds,
        "wall_s": wall,
        "rtkc": cells / 1000 * world.t / wall if wall else 0.0,
        "volume": {"start": v.start, "in": v.came, "out": v.went, "end": v.now, "drift": v.drift},
        "min_depth": low if math.isfinite(low) else float(frame.depth.min()),
        "max_speed": fast,
        "finite": finite,
    }
    if world.bodies:
        blockers = sum(body.kind == "blocker" for body in world.bodies)
        report["bodies"] = {"count": len(world.bodies), "blockers": blockers, "max_speed": rush}
    return report


def tell(console: Console, r: dict, first: float, out, picture) -> None:
    """What a person wants to know: how fast it ran once it was compiled."""
    v, wall = r["volume"], r["wall_s"] - first
    rtkc = r["rtkc"] * r["wall_s"] / max(wall, 1e-9)
    console.print(
        f"{r['cells']:,} cells, {r['steps']:,} steps, {r['seconds']:g} s in {wall:.1f} s"
        f" ({r['seconds'] / max(wall, 1e-9):.1f} × real time, {rtkc:,.0f} rtkc)"
        + (f" after {first:.1f} s of compiling" if first > 0.1 else "")
    )
    console.print(
        f"water {v['start']:.4g} m³ + {v['in']:.4g} in − {v['out']:.4g} out = {v['end']:.4g} m³"
        f" (drift {v['drift']:.1e}), fastest {r['max_speed']:.1f} m/s"
    )
    if bodies := r.get("bodies"):
        few = "1 body" if bodies["count"] == 1 else f"{bodies['count']} bodies"
        console.print(
            f"{few}, {bodies['blockers']} of them in the water's way,"
            f" fastest {bodies['max_speed']:.1f} m/s"
        )
    for path in (out, picture):
        if path is not None:
            console.print(f"wrote {path}")
