"""Formats numbers and lists of things in sentences."""

from collections.abc import Mapping, Sequence
from typing import Final

from elasticquota.forest import wording


_MOST_NAMED: Final = 3


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 pod``, ``3 pods``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def some(texts: Sequence[str]) -> str:
    """The first few texts, and how many more there are."""
    return wording.named(texts, _MOST_NAMED)


def kinds(numbers: Mapping[tuple[str, str], int]) -> str:
    """Kinds (kind, apiVersion) with their numbers of objects: ``Secret v1 (2), Service v1 (1)``."""
    return ", ".join(f"{kind} {api} ({count})" for (kind, api), count in sorted(numbers.items()))
