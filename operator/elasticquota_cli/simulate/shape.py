"""Converts documents to msgspec types; a sentence describes each mismatch."""

import re
from typing import Final, TypeVar

import msgspec

from elasticquota_cli.simulate.documents import Document


T = TypeVar("T")

_PLACE: Final = re.compile(r"(?P<problem>.*) - at `(?P<path>[^`]*)`")
_EXPECTED: Final = re.compile(r"Expected `(?P<wanted>[^`]*)`(?:, got `(?P<got>[^`]*)`)?")
_MISSING: Final = re.compile(r"Object missing required field `([^`]*)`")
_TYPES: Final = {
    "object": "a map",
    "array": "a list",
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "nothing",
}


def convert(document: Document, shape: type[T], faults: list[str]) -> T | None:
    """The content as a ``shape``, or None and a fault."""
    try:
        return msgspec.convert(document.content, shape)
    except msgspec.ValidationError as error:
        faults.append(f"{document.where}: {_sentence(str(error))}")
        return None


def _sentence(problem: str) -> str:
    match = _PLACE.fullmatch(problem)
    path = match["path"].removeprefix("$").removeprefix(".") if match else ""
    problem = match["problem"] if match else problem
    missing = _MISSING.fullmatch(problem)
    if missing:
        problem = f"must have {missing[1]}"
    expected = _EXPECTED.fullmatch(problem)
    if expected:
        problem = f"must be {_words(expected['wanted'])}"
        if expected["got"]:
            problem += f", got {_words(expected['got'])}"
    return f"{path}: {problem}" if path else problem


def _words(types: str) -> str:
    known = [each for each in types.split(" | ") if each != "null"] or ["null"]
    return " or ".join(_TYPES.get(each, each) for each in known)
