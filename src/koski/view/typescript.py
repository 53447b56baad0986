"""The page's types of messages, made from ours: python -m koski.view.typescript"""

from __future__ import annotations

import dataclasses
import inspect
import types
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from koski.view import messages
from koski.view.checks import fields_of

FILE = Path(__file__).parent / "web" / "src" / "messages.ts"
HEAD = "// Made from src/koski/view/messages.py by  python -m koski.view.typescript: edit that.\n"
SIMPLE = {float: "number", int: "number", str: "string", bool: "boolean", type(None): "null"}


def module() -> str:
    """The whole file."""
    classes = [
        c
        for c in vars(messages).values()
        if isinstance(c, type) and dataclasses.is_dataclass(c) and c.__module__ == messages.__name__
    ]
    said = {*get_args(messages.ToServer), *get_args(messages.ToPage)}
    parts = [interface(c, c in said) for c in classes]
    for name in ("Tool", "Prop", "Overlay", "Side", "EdgeKind"):
        parts.append(f"export type {name} = {typed(getattr(messages, name))};\n")
    for name in ("ToServer", "ToPage"):
        names = " | ".join(c.__name__ for c in get_args(getattr(messages, name)))
        parts.append(f"export type {name} = {names};\n")
    return "\n".join([HEAD, *parts])


def interface(cls: type, said: bool) -> str:
    """One message; those that travel by themselves say their type."""
    about = inspect.getdoc(cls) or ""
    about = "" if about.startswith(f"{cls.__name__}(") else about  # dataclass's own
    lines = [f"/** {' '.join(about.split())} */"] if about else []
    lines.append(f"export interface {cls.__name__} {{")
    if said:
        lines.append(f'  type: "{cls.__name__}";')
    for name, hint in fields_of(cls).items():
        lines.append(f"  {name}: {typed(hint)};{bounds(hint)}")
    return "\n".join([*lines, "}\n"])


def typed(hint: Any) -> str:
    origin = get_origin(hint)
    if origin is Annotated:
        return typed(get_args(hint)[0])
    if origin in (Union, types.UnionType):
        return " | ".join(typed(h) for h in get_args(hint))
    if origin is Literal:
        return " | ".join(f'"{v}"' for v in get_args(hint))
    if origin is list:
        return f"{typed(get_args(hint)[0])}[]"
    return SIMPLE.get(hint) or hint.__name__


def bounds(hint: Any) -> str:
    """The range of a number, as a comment."""
    if get_origin(hint) in (Union, types.UnionType):
        return "".join(bounds(h) for h in get_args(hint))
    if get_origin(hint) is not Annotated:
        return ""
    within = get_args(hint)[1]
    return f" // {within.low:g} … {within.high:g}"


if __name__ == "__main__":
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(module())
