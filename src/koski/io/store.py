"""Frames as a Zarr store that xarray, and whatever reads CF conventions, opens."""

import json
import os
import shutil
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from koski.core.errors import InputError
from koski.core.frame import Frame
from koski.core.terrain import Terrain
from koski.extras import need
from koski.files import writable, writing

BATCH = 16  # frames written at a time

VARIABLES = {  # name → units, CF standard name (or none), long name
    "depth": ("m", "flood_water_thickness", "depth of the water"),
    "surface": (
        "m",
        "water_surface_height_above_reference_datum",
        "height of the water surface, of the ground where dry",
    ),
    "u": ("m s-1", "sea_water_x_velocity", "velocity of the water along x"),
    "v": ("m s-1", "sea_water_y_velocity", "velocity of the water along y"),
    "ground": ("m", "surface_altitude", "height of the ground"),
    "x": ("m", "projection_x_coordinate", "distance east of the grid's corner"),
    "y": ("m", "projection_y_coordinate", "distance north of the grid's corner"),
    "time": ("s", None, "time since the start"),
}


def check(path: str | os.PathLike) -> Path:
    """Raise now what would otherwise be raised after all the work."""
    path = writable(path)
    if path.exists() and not is_store(path):
        raise InputError(f"{path} exists and is no Zarr store: give another name, or remove it")
    need("zarr", "store")
    return path


def is_store(path: Path) -> bool:
    return path.is_dir() and ((path / "zarr.json").exists() or (path / ".zgroup").exists())


class Store:
    """Takes frames one by one; under its name only once all are written."""

    def __init__(self, path: str | os.PathLike, terrain: Terrain, about: dict[str, Any]):
        self.path = check(path)
        self.part = self.path.with_name(f".{self.path.name}.part")
        self.terrain = terrain
        self.about = about
        self.waiting: list[Frame] = []
        self.begun = False

    def __enter__(self) -> "Store":
        with writing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self.part, ignore_errors=True)
        return self

    def __exit__(self, failure, *_) -> None:
        if failure is None:
            self._write()
            with writing(self.path):
                if self.path.exists():
                    shutil.rmtree(self.path)
                os.replace(self.part, self.path)
        shutil.rmtree(self.part, ignore_errors=True)

    def add(self, frame: Frame) -> None:
        self.waiting.append(frame)
        if len(self.waiting) >= BATCH:
            self._write()

    def _write(self) -> None:
        if not self.waiting:
            return
        data = dataset(self.waiting, self.terrain, self.about)
        with writing(self.path):
            if self.begun:
                fresh = data.drop_vars(["x", "y", "ground"])
                fresh.to_zarr(self.part, append_dim="time", consolidated=True)
            else:
                data.to_zarr(self.part, mode="w", zarr_format=2, consolidated=True)
        self.begun, self.waiting = True, []


def dataset(frames: list[Frame], terrain: Terrain, about: dict[str, Any]):
    """Frames as an xarray Dataset with CF names, units and coordinates."""
    xr = need("xarray", "store")
    axes, (x, y) = ("time", "y", "x"), terrain.grid.axes
    data: dict[str, Any] = {
        name: (axes, np.stack([np.asarray(getattr(f, name)) for f in frames]), described(name))
        for name in ("depth", "surface", "u", "v")
    }
    for name in frames[0].dyes:
        maps = np.stack([np.asarray(f.dyes[name]) for f in frames])
        data[f"dye_{name}"] = (axes, maps, {"units": "kg m-3", "long_name": f"{name} in the water"})
    data["ground"] = (("y", "x"), np.asarray(terrain.b), described("ground"))
    coords = {
        "time": ("time", np.array([float(f.t) for f in frames]), described("time")),
        "y": ("y", y, described("y")),
        "x": ("x", x, described("x")),
    }
    facts = {"Conventions": "CF-1.11", "source": "koski", "cell": terrain.grid.cell, **about}
    return xr.Dataset(data, coords, facts)


def described(name: str) -> dict[str, str]:
    units, standard, long = VARIABLES[name]
    return {"units": units, "long_name": long} | ({"standard_name": standard} if standard else {})


def parameters(solver: Any) -> str:
    """A solver's numbers and schemes as JSON, for the record."""

    def plain(x):
        if is_dataclass(x) and not isinstance(x, type):  # such as the base flow of another
            return {f.name: plain(getattr(x, f.name)) for f in fields(x)}
        if callable(x):
            return x.__name__
        return np.asarray(x).tolist() if np.ndim(x) == 0 and x is not None else str(x)

    return json.dumps(plain(solver))
