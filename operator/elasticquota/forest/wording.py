"""Lists in messages: a few items are named and the rest is counted, so messages stay short."""

from collections.abc import Sequence


_MOST_NAMED = 5


def listed(items: Sequence[str], separator: str, most: int = _MOST_NAMED) -> str:
    """Join the first ``most`` items and count the rest: ``a; b; and 3 more``."""
    hidden = len(items) - most
    shown = separator.join(items[:most])
    return f"{shown}{separator}and {hidden} more" if hidden > 0 else shown


def named(items: Sequence[object], most: int = _MOST_NAMED) -> str:
    """Join the first ``most`` items in a sentence and count the rest: ``a, b and 3 more``."""
    hidden = len(items) - most
    shown = ", ".join(map(str, items[:most]))
    return f"{shown} and {hidden} more" if hidden > 0 else shown
