"""Classes of named fields: ``class Node(Struct, frozen=True)``.

They are msgspec's. A dataclass takes 25 times as long to define and eight times as long to create,
and a command defines up to 170 of them at its start. Decoders stay in ``elasticquota.wire``.
Source: ``docs/decisions/0020-dependencies.md``.
"""

from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict, force_setattr, replace


__all__ = ["Struct", "asdict", "field", "field_names", "fields_of", "force_setattr", "replace"]


def field_names(kind: type[Struct]) -> tuple[str, ...]:
    """The names of the fields, in their order."""
    return kind.__struct_fields__


def fields_of(kind: type[Struct], value: Struct) -> dict[str, Any]:
    """The fields of ``kind`` by name; ``value`` is one of these, or of a class with more fields."""
    return {name: getattr(value, name) for name in kind.__struct_fields__}
