"""The keys of the configuration file: meaning, possible values and default of each.

All of it comes from the model, in its order. The meanings are the texts below the fields.
"""

import inspect
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import annotated_types
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from elasticquota_config import change
from elasticquota_config.model import Configuration


@dataclass(frozen=True, slots=True)
class Section:
    """A mapping of keys; its own keys come right after it."""

    path: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class Key:
    """A key with a value."""

    path: tuple[str, ...]
    meaning: str
    wanted: str
    """Possible values, in words."""
    default: object
    live: bool
    """Whether a running process takes a change (``elasticquota_config.change``)."""


def outline() -> tuple[Section | Key, ...]:
    """All sections and keys, in the order of the model."""
    return tuple(_outline(Configuration, ()))


def value(found: Configuration, path: tuple[str, ...]) -> object:
    """The value at a path of `outline`, in plain lists and mappings."""
    at: Any = found.model_dump(mode="json", by_alias=True)
    for part in path:
        at = at[part]
    return at


def _outline(model: type[BaseModel], above: tuple[str, ...]) -> Iterator[Section | Key]:
    for field in model.model_fields.values():
        path = (*above, str(field.alias))
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield Section(path, inspect.cleandoc(kind.__doc__ or ""))
            yield from _outline(kind, path)
        else:
            meaning = " ".join((field.description or "").split())
            default = value(Configuration(), path)
            yield Key(path, meaning, _wanted(field), default, change.is_live(path))


def _wanted(field: FieldInfo) -> str:
    origin, arguments = typing.get_origin(field.annotation), typing.get_args(field.annotation)
    if origin is Literal:
        return _either(arguments)
    if origin is tuple:
        rows = isinstance(arguments[0], type) and issubclass(arguments[0], BaseModel)
        return "list of mappings" if rows else "list of names"
    if origin is dict:
        return "mapping"
    if field.annotation is bool:
        return "true or false"
    if field.annotation is int:
        least = next(each.ge for each in field.metadata if isinstance(each, annotated_types.Ge))
        most = next(each.le for each in field.metadata if isinstance(each, annotated_types.Le))
        return f"{least} to {most}"
    return "text"


def _either(choices: tuple[str, ...]) -> str:
    words = [choice or "empty" for choice in choices]
    return f"{', '.join(words[:-1])} or {words[-1]}"
