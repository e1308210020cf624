"""The keys of the configuration file: meaning, possible values and default of each.

All of it comes from the model, in its order. The meanings are the texts below the fields.
"""

import ast
import inspect
import itertools
import typing
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from elasticquota.structs import Struct
from elasticquota_config import change
from elasticquota_config.fields import section
from elasticquota_config.fields.section import Section
from elasticquota_config.model import Configuration


class Heading(Struct, frozen=True):
    """A section; its own keys come right after it."""

    path: tuple[str, ...]
    meaning: str


class ConfigurationKey(Struct, frozen=True):
    """A key with a value."""

    path: tuple[str, ...]
    meaning: str
    wanted: str
    """Possible values, in words."""
    default: object
    live: bool
    """Whether a running process takes a change (``elasticquota_config.change``)."""


def outline() -> tuple[Heading | ConfigurationKey, ...]:
    """All sections and keys, in the order of the model."""
    return tuple(_outline(Configuration, (), section.plain(Configuration())))


def value(found: Configuration, path: tuple[str, ...]) -> object:
    """The value at a path of `outline`, in plain lists and mappings."""
    at = section.plain(found)
    for part in path:
        at = at[part]
    return at


def _outline(
    kind: type[Section], above: tuple[str, ...], defaults: Mapping[str, Any]
) -> Iterator[Heading | ConfigurationKey]:
    hints, meanings = typing.get_type_hints(kind, include_extras=True), _meanings(kind)
    for key, name in section.keys(kind).items():
        path, hint = (*above, key), hints[name]
        if isinstance(hint, type) and issubclass(hint, Section):
            yield Heading(path, inspect.cleandoc(hint.__doc__ or ""))
            yield from _outline(hint, path, defaults[key])
        else:
            meaning, live = meanings.get(name, ""), change.is_live(path)
            yield ConfigurationKey(path, meaning, _wanted(hint), defaults[key], live)


def _meanings(kind: type[Section]) -> dict[str, str]:
    """The texts below the fields."""
    (found,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(found, ast.ClassDef)
    meanings = {}
    for field, text in itertools.pairwise(found.body):
        match field, text:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(said))),
            ):
                meanings[name] = " ".join(said.split())
    return meanings


def _wanted(hint: Any) -> str:
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is Annotated:
        bounds = [each for each in arguments[1:] if isinstance(each, Meta)]
        if arguments[0] is int:
            return f"{bounds[0].ge} to {bounds[0].le}"
        return _wanted(arguments[0])
    origin = typing.get_origin(hint)
    if origin is Literal:
        return _either(arguments)
    if origin is tuple:
        rows = isinstance(arguments[0], type) and issubclass(arguments[0], Section)
        return "list of mappings" if rows else "list of names"
    if origin is dict:
        return "mapping"
    return "true or false" if hint is bool else "text"


def _either(choices: tuple[str, ...]) -> str:
    words = [choice or "empty" for choice in choices]
    return f"{', '.join(words[:-1])} or {words[-1]}"
