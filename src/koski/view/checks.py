"""Whether a value that came from a page is of the type that a message says."""

from __future__ import annotations

import types
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from koski.core.errors import InputError

LONGEST = 200  # text of a page [characters]


@dataclass(frozen=True)
class Within:
    """A number from `low` to `high`."""

    low: float
    high: float


@cache
def fields_of(cls: type) -> dict[str, Any]:
    """The fields of a message with their types."""
    return get_type_hints(cls, include_extras=True)


def refuse(constant: str):
    raise ValueError(f"{constant} is not JSON")


def checked(name: str, hint: Any, value: Any) -> Any:
    """The value, if it is of the type."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        if value is None:
            return None
        return checked(name, next(h for h in get_args(hint) if h is not type(None)), value)
    if origin is Annotated:
        kind, within = get_args(hint)
        number = checked(name, kind, value)
        if not within.low <= number <= within.high:
            raise InputError(f"{name} must be from {within.low:g} to {within.high:g}")
        return number
    if origin is Literal:
        if not isinstance(value, str) or value not in get_args(hint):
            raise InputError(f"{name} must be one of {', '.join(map(repr, get_args(hint)))}")
        return value
    if hint is float and type(value) in (int, float) and abs(value) < 1e300:
        return float(value)
    if hint is int and type(value) is int:
        return value
    if hint is bool and type(value) is bool:
        return value
    if hint is str and type(value) is str and len(value) <= LONGEST:
        return value
    wanted = {float: "a finite number", int: "a whole number", bool: "true or false"}
    raise InputError(f"{name} must be {wanted.get(hint, f'a text of at most {LONGEST} letters')}")
