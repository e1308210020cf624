"""No adapter is blind: whatever a row expects, expecting something else is noticed."""

import copy
import dataclasses
from collections.abc import Iterator
from typing import Any, Final

from tests.vectors import prose, reading, runner
from tests.vectors.reading import Document


EXPECTING: Final = (
    "expected", "allowed", "schedulable", "monitored", "asserted", "fnv", "stages", "ops", "steps",
)  # fmt: skip
# Of operations and steps only the verdict is an expectation, and it is a boolean.
VERDICTS_ONLY: Final = ("ops", "steps")


def test_a_wrong_expectation_is_noticed_in_every_row(own_document: Document) -> None:
    for row in own_document.rows:
        if row.id in prose.PROSE:
            continue
        before = runner.differing(row)
        for path, value in leaves(row.written):
            if not expectation(path, value):
                continue
            wrong = dataclasses.replace(row, written=replaced(row.written, path, spoilt(value)))
            try:
                after = runner.differing(wrong)
            except reading.ReadingError:
                continue
            assert after != before, (row.id, path)


def expectation(path: tuple[Any, ...], value: Any) -> bool:
    """Whether this leaf is expected of the product."""
    if path[0] in VERDICTS_ONLY:
        return isinstance(value, bool) and (path[0] == "steps" or path[-1] == "allowed")
    return str(path[0]).startswith(EXPECTING)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every bare value below ``value`` with the way to it."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in inner:
        if isinstance(each, dict | list):
            yield from leaves(each, (*path, key))
        else:
            yield (*path, key), each


def replaced(value: Any, path: tuple[Any, ...], leaf: Any) -> Any:
    """A copy of ``value`` with another leaf."""
    copied = copy.deepcopy(value)
    place = copied
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = leaf
    return copied


def spoilt(value: Any) -> Any:
    """Another value of the same kind; amounts differ by more than rounding may."""
    match value:
        case bool():
            return not value
        case int():
            return value + 7
        case str() if value.isdecimal():
            return str(int(value) + 7)
        case str():
            return f"{value}x"
        case _:
            return [[]]
