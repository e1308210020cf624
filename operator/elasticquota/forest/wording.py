"""Parts of messages; in lists a few items are named and the rest is counted."""

from collections.abc import Sequence

from elasticquota import pool_keys, quantity
from elasticquota.resources import Resources


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


def counted(number: int, noun: str) -> str:
    """Return ``1 node`` or ``2 nodes``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def needs(request: Resources, key: str, who: str = "") -> str:
    """Return ``needs 4 cpu``, with ``who`` needs it where that is not clear."""
    text = f"needs {quantity.text(key, request.get(key, 0))} {pool_keys.title(key)}"
    return f"{who} {text}" if who else text
