"""Numbers and lists of things in sentences."""

from collections.abc import Sequence
from typing import Final


_MOST_NAMED: Final = 3


def counted(number: int, noun: str) -> str:
    """``1 pod``, ``3 pods``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def some(texts: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = len(texts) - _MOST_NAMED
    shown = ", ".join(texts[:_MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown
