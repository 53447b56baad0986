"""The one way to declare data: frozen dataclasses that JAX can map over."""

from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

import jax
from jax.tree_util import GetAttrKey

T = TypeVar("T")


def static(default: Any) -> Any:
    """A field that is part of the program, not of the data: changing it compiles anew."""
    return field(default=default, metadata={"static": True})


@dataclass_transform(frozen_default=True, field_specifiers=(field, static))
def pytree(cls: type[T]) -> type[T]:
    """A frozen dataclass whose fields are JAX leaves, but for those declared `static`."""
    cls = dataclass(frozen=True)(cls)  # type: ignore[assignment]
    meta = [f.name for f in fields(cls) if f.metadata.get("static")]  # type: ignore[arg-type]
    data = [f.name for f in fields(cls) if not f.metadata.get("static")]  # type: ignore[arg-type]

    # Not jax.tree_util.register_dataclass: two of its classes with equal fields compare as equal
    # tree structures, and now and then JAX runs the program compiled for the other.
    def aside(x):
        return (cls, *(getattr(x, name) for name in meta))

    def flatten(x):
        return [getattr(x, name) for name in data], aside(x)

    def flatten_with_keys(x):
        return [(GetAttrKey(name), getattr(x, name)) for name in data], aside(x)

    def unflatten(aux, children):
        x = object.__new__(cls)
        x.__dict__.update(zip(data, children), **dict(zip(meta, aux[1:])))
        return x

    jax.tree_util.register_pytree_with_keys(cls, flatten_with_keys, unflatten, flatten)
    return cls
