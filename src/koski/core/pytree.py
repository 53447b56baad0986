"""The one way to declare data: frozen dataclasses that JAX can map over."""

from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

import jax

T = TypeVar("T")


def static(default: Any) -> Any:
    """A field that is part of the program, not of the data: changing it compiles anew."""
    return field(default=default, metadata={"static": True})


@dataclass_transform(frozen_default=True, field_specifiers=(field, static))
def pytree(cls: type[T]) -> type[T]:
    """A frozen dataclass whose fields are JAX leaves, but for those declared `static`."""
    cls = dataclass(frozen=True)(cls)  # type: ignore[assignment]
    names = fields(cls)  # type: ignore[arg-type]
    meta = [f.name for f in names if f.metadata.get("static")]
    data = [f.name for f in names if not f.metadata.get("static")]
    return jax.tree_util.register_dataclass(cls, data_fields=data, meta_fields=meta)
