"""Files that are wholly there or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from koski.core.errors import InputError


@contextmanager
def writing(path: str | os.PathLike) -> Iterator[None]:
    """Say in one sentence why something cannot be written."""
    try:
        yield
    except OSError as e:
        raise InputError(f"cannot write {path}: {e.strerror or e}") from None


def writable(path: str | os.PathLike) -> Path:
    """The path, if a file or folder can be made there; nothing is written to find out."""
    path = Path(path)
    with writing(path):
        path.exists()  # the system objects to names that it cannot have
        there = next((p for p in path.absolute().parents if p.exists()), Path("/"))
    if not there.is_dir():
        raise InputError(f"cannot write {path}: {there} is a file, not a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"cannot write {path}: no permission to write in {there}")
    return path


def replace_file(path: str | os.PathLike, data: bytes) -> None:
    """Put bytes under a name in one go: what was there stays until all is on the disk."""
    path = writable(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(part, "wb") as f:
                f.write(data)
                f.flush()
                os.fsync(f.fileno())
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
