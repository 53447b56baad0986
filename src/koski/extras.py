"""Things that not everybody needs, imported on use."""

import importlib
from typing import Any

from koski.core.errors import InputError


def need(module: str, extra: str) -> Any:
    """Import a module, or say which extra of koski brings it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise InputError(f"this needs {name}: run  pip install 'koski[{extra}]'") from None
