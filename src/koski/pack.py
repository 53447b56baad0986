"""Any of our data as one file and back, to the bit: plain arrays and JSON, no pickle.

A file is a NumPy `.npz` whose entry `tree` says in JSON how the other entries fit together.
"""

import dataclasses
import importlib
import io
import json
import os
from collections.abc import Callable
from typing import Any
from zipfile import BadZipFile

import jax
import numpy as np

from koski.core.errors import InputError
from koski.files import replace_file

FORMAT = "koski 1"


def save(path: str | os.PathLike, what: Any) -> None:
    """Write to a file that is either wholly there or not at all."""
    arrays: dict[str, np.ndarray] = {}
    tree = {"format": FORMAT, "what": describe(what, arrays)}
    buffer = io.BytesIO()
    np.savez(buffer, tree=np.array(json.dumps(tree)), **arrays)  # type: ignore[arg-type]
    replace_file(path, buffer.getvalue())


def load(path: str | os.PathLike) -> Any:
    """Read back what `save` wrote."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        tree = json.loads(str(arrays.pop("tree")))
        if tree["format"] != FORMAT:
            raise InputError(f"{path} is of format {tree['format']!r}; this koski reads {FORMAT!r}")
        return build(tree["what"], arrays)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except OSError as e:
        raise InputError(f"{path} cannot be read ({e.strerror or e})") from None
    except (EOFError, ValueError, KeyError, TypeError, AttributeError, ImportError, BadZipFile):
        raise InputError(f"{path} is not a saved world, or is damaged") from None


def describe(x: Any, arrays: dict[str, np.ndarray]) -> Any:
    """The JSON for a value; its arrays go into `arrays` under numbered names."""
    if x is None or isinstance(x, (bool, int, float, str)):
        return x
    if isinstance(x, (jax.Array, np.ndarray, np.generic)):
        key = f"a{len(arrays)}"
        arrays[key] = np.asarray(x)
        return {"array": key}
    if isinstance(x, dict):
        return {"dict": {str(k): describe(v, arrays) for k, v in x.items()}}
    if isinstance(x, (list, tuple)):
        return {"list": [describe(v, arrays) for v in x], "tuple": isinstance(x, tuple)}
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        values = {f.name: describe(getattr(x, f.name), arrays) for f in dataclasses.fields(x)}
        return {"is": ours(type(x)), "with": values}
    if callable(x):
        return {"function": ours(x)}
    raise InputError(f"cannot save {x!r}: it is not made of koski's data")


def build(tree: Any, arrays: dict[str, np.ndarray]) -> Any:
    """The value that a JSON description stands for."""
    if not isinstance(tree, dict):
        return tree
    if "array" in tree:
        return jax.numpy.asarray(arrays[tree["array"]])
    if "dict" in tree:
        return {k: build(v, arrays) for k, v in tree["dict"].items()}
    if "list" in tree:
        values = [build(v, arrays) for v in tree["list"]]
        return tuple(values) if tree["tuple"] else values
    if "function" in tree:
        return find(tree["function"], lambda f: callable(f) and not isinstance(f, type))
    cls = find(tree["is"], lambda c: isinstance(c, type) and dataclasses.is_dataclass(c))
    return cls(**{name: build(v, arrays) for name, v in tree["with"].items()})


def ours(x: Any) -> str:
    """The name of a class or function of koski's own."""
    if not x.__module__.startswith("koski.") or getattr(x, "__qualname__", "<").count("<"):
        raise InputError(f"cannot save {x!r}: only koski's own solvers and schemes can be saved")
    return f"{x.__module__}:{x.__qualname__}"


def find(name: str, fits: Callable[[Any], bool]) -> Any:
    """The class or function of that name, from koski and nowhere else."""
    module, _, attribute = name.partition(":")
    if not module.startswith("koski.") or "." in attribute:
        raise InputError(f"the file names {name!r}, which is not koski's")
    found = getattr(importlib.import_module(module), attribute)
    if not fits(found) or found.__module__ != module:
        raise InputError(f"the file names {name!r}, which is not koski's")
    return found
