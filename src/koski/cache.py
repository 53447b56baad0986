"""Compiled programs kept between runs, so that the second start is quick."""

import os
import sys
from pathlib import Path

import jax


def folder() -> Path:
    """The user's cache folder for koski, by the platform's custom."""
    if "XDG_CACHE_HOME" in os.environ:
        return Path(os.environ["XDG_CACHE_HOME"]) / "koski"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "koski"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "koski" / "cache"
    return Path.home() / ".cache" / "koski"


def enable() -> None:
    """Let JAX keep what it compiles, unless the user has told it where already."""
    if jax.config.values.get("jax_compilation_cache_dir") is not None:
        return
    try:
        path = folder() / "xla"
        path.mkdir(parents=True, exist_ok=True)
    except OSError:
        return  # a home that cannot be written to only costs time
    jax.config.update("jax_compilation_cache_dir", str(path))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
