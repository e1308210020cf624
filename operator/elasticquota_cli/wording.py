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


def duration(milliseconds: int) -> str:
    """A time for people, in its two largest units: ``5 s``, ``2 min``, ``1 h 30 min``."""
    seconds = -(-milliseconds // 1000)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return _two(*divmod(seconds, 60), "min", "s")
    if seconds < 86_400:
        return _two(*divmod(-(-seconds // 60), 60), "h", "min")
    return _two(*divmod(-(-seconds // 3600), 24), "d", "h")


def _two(large: int, small: int, of_large: str, of_small: str) -> str:
    return f"{large} {of_large} {small} {of_small}" if small else f"{large} {of_large}"
