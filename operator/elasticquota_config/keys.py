"""The keys of the configuration file: meaning, possible values and default of each.

All of it comes from the model, in its order. The meanings are the texts below the fields. Only the
source code has them, so it is parsed on the first use and not at every start of a process.
"""

import ast
import functools
import inspect
import itertools
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

import annotated_types
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from elasticquota_config import change, jobs, sections
from elasticquota_config import model as elasticquota_config_model
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
    for name, field in model.model_fields.items():
        path = (*above, str(field.alias))
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield Section(path, inspect.cleandoc(kind.__doc__ or ""))
            yield from _outline(kind, path)
        else:
            meaning = _meanings()[model.__name__].get(name, "")
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


@functools.cache
def _meanings() -> Mapping[str, Mapping[str, str]]:
    """Class -> field -> the text below it."""
    modules = (sections, jobs, elasticquota_config_model)
    nodes = [node for module in modules for node in _nodes(module)]
    return {node.name: dict(_texts(node.body)) for node in nodes if isinstance(node, ast.ClassDef)}


def _nodes(module: ModuleType) -> list[ast.stmt]:
    return ast.parse(inspect.getsource(module)).body


def _texts(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, below in itertools.pairwise(body):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, " ".join(text.split())
