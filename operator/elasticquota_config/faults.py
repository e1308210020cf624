"""Describes each fault of a configuration in one line: path, what is wanted, what was found."""

import difflib
import typing
from collections.abc import Sequence
from typing import Any, Final

import pydantic
from pydantic import BaseModel


_WANTED: Final = {
    "int_type": "a whole number",
    "bool_type": "true or false",
    "string_type": "a text",
    "tuple_type": "a list",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
    "dict_type": "a mapping of keys to values",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "literal_error": "one of {expected}",
    "too_short": "a list that is not empty",
    "string_too_short": "a text that is not empty",
    "string_pattern_mismatch": "a Kubernetes name (lower case letters, digits, '-' and '.')",
    "string_too_long": "at most {max_length} characters long",
}


def lines(error: pydantic.ValidationError, model: type[BaseModel]) -> list[str]:
    """The faults found while reading a ``model``, one line each, sorted by path."""
    faults = error.errors(include_url=False)
    return sorted(_line(fault["type"], fault["loc"], fault, model) for fault in faults)


def _line(kind: str, location: Sequence[int | str], fault: Any, model: type[BaseModel]) -> str:
    path = ".".join(str(part) for part in location if part != "[key]") or "the file"
    if kind == "extra_forbidden":
        return f"{path}: unknown key{nearest(str(location[-1]), _keys(location[:-1], model))}"
    if kind == "missing":
        return f"{path}: must be given"
    if kind == "invalid_key":
        return f"{path}: keys must be texts"
    if kind == "value_error":
        return f"{path}: {fault['ctx']['error']}"
    wanted = _WANTED.get(kind)
    if wanted is None:
        return f"{path}: {fault['msg']}"
    return f"{path}: must be {wanted.format(**fault.get('ctx', {}))}, got {_shown(fault['input'])}"


def nearest(word: str, known: Sequence[str]) -> str:
    """End of the sentence that refuses ``word``: the nearest known word, or all of them."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f", did you mean {near[0]}?" if near else f"; known here: {', '.join(known)}"


def _keys(location: Sequence[int | str], model: type[BaseModel]) -> list[str]:
    section: Any = model
    for part in location:
        if isinstance(part, str):
            fields = section.model_fields.values()
            section = _model(next(each.annotation for each in fields if each.alias == part))
    return [field.alias for field in section.model_fields.values()]


def _model(annotation: Any) -> Any:
    """The section class of an annotation, also of a list or an optional section."""
    if isinstance(annotation, type):
        return annotation
    return next(each for each in typing.get_args(annotation) if isinstance(each, type))


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
