"""A section of the configuration file: a mapping with fixed keys, written in camel case.

The annotations of its fields say what a key takes. ``msgspec.Meta`` gives bounds, lengths and
patterns, and `ValueCheck` any other rule. Rules between two keys are in ``__post_init__``, which
raises ValueError. The text below a field is its meaning.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from elasticquota.structs import Struct, asdict


class Section(Struct, frozen=True, rename="camel"):
    """Base of all sections."""


class ValueCheck(Struct, frozen=True):
    """In an annotation: a rule for a value that has the right type."""

    fault: Callable[[Any], str]
    """Returns what is wrong; empty: nothing."""


def keys(kind: type[Section]) -> Mapping[str, str]:
    """The fields of a section by their keys, in their order."""
    return dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))


def required(kind: type[Section]) -> tuple[str, ...]:
    """The keys without a default."""
    return kind.__struct_encode_fields__[: -len(kind.__struct_defaults__) or None]


def plain(section: Section) -> Any:
    """The section as it is written in a file: mappings by key, lists and single values."""
    return msgspec.to_builtins(section)


def row(section: Section) -> dict[str, Any]:
    """The fields of a section that are given, for the value of the core package that has the same.

    A section in it is given by its own method ``row``.
    """
    return {name: _row(found) for name, found in asdict(section).items() if found is not None}


def _row(found: Any) -> Any:
    if isinstance(found, tuple):
        return tuple(map(_row, found))
    convert = getattr(found, "row", None)
    return found if convert is None else convert()
