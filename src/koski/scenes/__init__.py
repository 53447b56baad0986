"""Scenes by name: each file here is one, its docstring tells what to see."""

import importlib
import inspect
import pkgutil
from dataclasses import replace

from koski.core.errors import InputError, nearest
from koski.scene import Scene


def names() -> list[str]:
    """All there are, as the command line knows them."""
    return sorted(m.name.replace("_", "-") for m in pkgutil.iter_modules(__path__))


def load(name: str, size: int | None = None, solver: str | None = None) -> Scene:
    """Build a scene by name, at its own size or with about `size` cells along its longer side."""
    if size is not None and (not isinstance(size, int) or size < 8):
        raise InputError(f"size must be a whole number of at least 8 cells, not {size!r}")
    make = module(name).scene
    scene = make() if size is None else make(size)
    scene = replace(scene, name=name)
    return scene if solver is None else scene.with_solver(solver)


def about(name: str) -> str:
    """What to see, in one line."""
    return (inspect.getdoc(module(name)) or "").splitlines()[0]


def module(name: str):
    if name not in names():
        raise InputError(f"there is no scene {name!r}: {nearest(name, names())}")
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
