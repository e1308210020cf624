"""The kinds of laws that ``python -m laws`` runs, in turn: a line here adds a kind.

Each is a command that tries some cases from a seed and ends with 0 if all hold. What it prints
names the failure.
"""

from collections.abc import Callable
from typing import Final, NamedTuple


class Kind(NamedTuple):
    """One kind of laws."""

    name: str
    command: Callable[[int, list[str]], list[str]]
    """The words after the interpreter's name, for a seed and some laws (none: all)."""


def _properties(seed: int, laws: list[str]) -> list[str]:
    """Laws of random examples; what is printed of a failure names the law."""
    chosen = laws or ["tests/properties"]
    options = ["-q", "-x", "-p", "no:cacheprovider", f"--hypothesis-seed={seed}"]
    return ["-m", "pytest", *options, *([] if laws else ["-n", "auto"]), *chosen]


KINDS: Final = (Kind("tests/properties", _properties),)
