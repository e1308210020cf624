"""A verdict names a handful of things and counts the rest: messages stay readable at any size."""

from collections.abc import Sequence


_MOST_NAMED = 5


def listed(items: Sequence[str], separator: str) -> str:
    """The first five items, then how many more there are."""
    hidden = len(items) - _MOST_NAMED
    shown = separator.join(items[:_MOST_NAMED])
    return f"{shown}{separator}and {hidden} more" if hidden > 0 else shown
