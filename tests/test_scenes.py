"""Every scene runs with every solver, at any size, and says what to see."""

import json

import numpy as np
import pytest

import koski
from koski import scenes
from koski.solvers import NAMED

NAMES = scenes.names()


def test_the_scenes_promised_are_there():
    core = "dam-break river lake-drop rain-on-hills beach-waves island-tsunami whirlpool"
    more = "flooded-valley sewage fish-tank beach raindrops collapse lake-ripples stepped-falls"
    assert set(f"{core} {more}".split()) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_scene_says_what_to_see_and_starts_at_any_size(name):
    assert 30 < len(scenes.about(name)) < 110
    for size in (33, 64):
        grid = scenes.load(name, size).terrain.grid
        assert max(grid.shape) == size


@pytest.mark.parametrize("name", NAMES)
def test_a_scene_too_large_for_the_memory_says_so_before_it_takes_any(name):
    with pytest.raises(koski.InputError, match="GiB is free: choose fewer cells"):
        scenes.load(name, 400_000)


WITH_BODIES = [name for name in NAMES if scenes.load(name, 32).bodies]
PLAIN = [name for name in NAMES if name not in WITH_BODIES]
LAYERS = ["two-layer", "one-layer"]  # without bodies they are pipes, bit for bit
OTHERS = [name for name in NAMED if name not in [*LAYERS, "two-layer-paper"]]


@pytest.mark.parametrize(
    "name, solver",
    [
        pytest.param(a, b, marks=[pytest.mark.long] if (i + j) % 9 else [])
        for i, a in enumerate(PLAIN)
        for j, b in enumerate(OTHERS)
    ]
    + [("river", solver) for solver in LAYERS]
    + [("lake-drop-box", "two-layer")]  # the other scenes with bodies have tests of their own
    + [pytest.param("lake-drop-box", b, marks=pytest.mark.long) for b in ("one-layer", "shallow")],
)
def test_a_scene_runs_with_every_solver(name, solver):
    world = koski.World(scenes.load(name, 32, solver))
    for _ in range(3):
        world.step(2.0 if name in PLAIN else 0.2)
    frame = world.frame
    assert np.isfinite(frame.depth).all() and np.isfinite(frame.velocity).all()
    assert float(frame.depth.min()) >= 0 and float(frame.depth.max()) > 0
    assert abs(world.volume.drift) < 1e-6


def test_an_unknown_scene_suggests_the_nearest():
    with pytest.raises(koski.InputError, match="did you mean 'dam-break'"):
        scenes.load("dam-brake")
    with pytest.raises(koski.InputError, match="there are "):
        scenes.load("zzz")


def test_the_rivers_water_reaches_the_far_side_and_sewage_its_dye():
    world = koski.World(scenes.load("sewage", 64))
    world.step(300.0)
    assert world.volume.went > 0
    assert 0.02 < float(world.frame.dyes["sewage"].max()) <= 1.0  # diluted, never thickened


def test_a_scene_keeps_its_bed_when_the_solver_is_changed():
    scene = scenes.load("river", 32, "linear")
    assert scene.solver.manning == 0.03
    assert json.dumps(scene.seconds)
