"""A verdict names a handful of things and counts the rest: messages stay readable at any size."""

from collections.abc import Sequence


_MOST_NAMED = 5


def listed(items: Sequence[str], separator: str, most: int = _MOST_NAMED) -> str:
    """The first items, and as another one how many more there are: ``a; b; and 3 more``."""
    hidden = len(items) - most
    shown = separator.join(items[:most])
    return f"{shown}{separator}and {hidden} more" if hidden > 0 else shown


def named(items: Sequence[object], most: int = _MOST_NAMED) -> str:
    """The first items in a sentence, and how many more there are: ``a, b and 3 more``."""
    hidden = len(items) - most
    shown = ", ".join(map(str, items[:most]))
    return f"{shown} and {hidden} more" if hidden > 0 else shown
