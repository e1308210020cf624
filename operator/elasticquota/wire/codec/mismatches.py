"""What msgspec says of a value of another type, as a fault in our words.

msgspec raises one sentence with the path at its end, and no values. So this one module takes it
apart; what it does not know stays as msgspec says it.
"""

import re
from typing import Final

import msgspec

from elasticquota.model.fault import Fault


_PLACE: Final = re.compile(r"(?P<problem>.*) - at `\$?\.?(?P<path>[^`]*)`")
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


def fault(error: msgspec.ValidationError) -> Fault:
    """Return where the value is, below what was converted, and what it must be."""
    problem = str(error)
    place = _PLACE.fullmatch(problem)
    if place is None:
        return Fault("", _words(problem))
    return Fault(place["path"], _words(place["problem"]))


def _words(problem: str) -> str:
    missing = _MISSING.fullmatch(problem)
    if missing:
        return f"must have {missing[1]}"
    expected = _EXPECTED.fullmatch(problem)
    if expected is None:
        return problem
    got = f", got {_types(expected['got'])}" if expected["got"] else ""
    return f"must be {_types(expected['wanted'])}{got}"


def _types(types: str) -> str:
    known = [each for each in types.split(" | ") if each != "null"] or ["null"]
    return " or ".join(_TYPES.get(each, each) for each in known)
