"""The kinds of laws that ``python -m laws`` runs, in turn: a line here adds a kind.

Each is a command that tries some cases from a seed and ends with 0 if all hold. What it prints
names the failure.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple


class Kind(NamedTuple):
    """One kind of laws."""

    name: str
    command: Callable[[int, list[str]], list[str]]
    """The words after the interpreter's name, for a seed and some laws (none: all)."""
    failed: re.Pattern[str]
    """Finds a law that failed in a line of what is printed."""
    path: str = ""
    """``PYTHONPATH``, where the program needs one."""


def _properties(seed: int, laws: list[str]) -> list[str]:
    """Laws of random examples; what is printed of a failure names the law."""
    chosen = laws or ["tests/properties"]
    options = ["-q", "-x", "-p", "no:cacheprovider", f"--hypothesis-seed={seed}"]
    return ["-m", "pytest", *options, *([] if laws else ["-n", "auto"]), *chosen]


def _small_worlds(seed: int, indexes: list[str]) -> list[str]:
    """So many small worlds from a block of the lists on; one alone is printed step by step."""
    if indexes:
        return ["-m", "small_worlds", "--only", indexes[0], "-v"]
    return ["-m", "small_worlds", "--start", str(seed % _BLOCKS), "--count", str(_WORLDS)]


_BLOCKS: Final = 2**24
"""Small families of worlds end before; one world in twelve is to run, of 32 in a block."""
_WORLDS: Final = 20_000
"""About a minute on two cores."""
KINDS: Final = (
    Kind("tests/properties", _properties, re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)),
    Kind(
        "small-worlds",
        _small_worlds,
        re.compile(r"^to see it: .*--only (\d+)", re.MULTILINE),
        "operator:tests/support/generators",
    ),
)
