"""Parts of messages; in lists a few items are named and the rest is counted."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from elasticquota import names, pool_keys, quantity, texts
from elasticquota.resources import Resources


_MOST_NAMED = 5
_FEW: Final = 3
_OF_ONE: Final[Mapping[str, str]] = {
    "are": "is",
    "do": "does",
    "follow": "follows",
    "have": "has",
    "hold": "holds",
    "lack": "lacks",
    "start": "starts",
    "wait": "waits",
    "were": "was",
}


def listed(items: Sequence[str], separator: str, most: int = _MOST_NAMED) -> str:
    """Join the first ``most`` items and count the rest: ``a; b; and 3 more``."""
    hidden = len(items) - most
    shown = separator.join(items[:most])
    return f"{shown}{separator}and {hidden} more" if hidden > 0 else shown


def named(items: Sequence[object], most: int = _MOST_NAMED, *, more: bool = False) -> str:
    """Join the first ``most`` items in a sentence and count the rest: ``a, b and 3 more``.

    ``more``: there are others, not counted: ``a, b and more``, or ``a, b and at least 3 more``.
    """
    hidden = len(items) - most
    shown = ", ".join(map(str, items[:most]))
    if hidden > 0:
        return f"{shown} and {'at least ' if more else ''}{hidden} more"
    return f"{shown} and more" if more else shown


def some(items: Sequence[object]) -> str:
    """Name the first three items of a list that stands beside other facts, and count the rest."""
    return named(items, _FEW)


def meant(name: str, known: Iterable[str], likeness: float = 0.5) -> str:
    """Return ``Did you mean 'a100'?`` for the nearest known name; empty: none is as near."""
    near = texts.nearest(name, known, likeness)
    return f"Did you mean '{near}'?" if near else ""


def counted(number: int, noun: str) -> str:
    """Return ``1 node`` or ``2 nodes``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def agreed(number: int, phrase: str) -> str:
    """Return ``phrase``, which begins with the verb of many, for ``number``: ``is cordoned``."""
    verb, space, rest = phrase.partition(" ")
    return f"{_OF_ONE[verb] if number == 1 else verb}{space}{rest}"


@lru_cache(maxsize=4096)
def title(key: str, *, one: bool = False) -> str:
    """Return a resource as sentences name it: ``cpu``, ``pod slots``, ``cpu of pool a100``."""
    resource, of, pool = pool_keys.title(key).partition(" of pool ")
    if resource == names.PODS:
        resource = "pod slot" if one else "pod slots"
    return f"{resource}{of}{pool}"


def amount(key: str, held: int) -> str:
    """Return ``4 cpu`` or ``1 pod slot``; ``held`` in accounting units."""
    text = quantity.shown(key, held)
    return f"{text} {title(key, one=text == '1')}"


def amounts(held: Resources) -> str:
    """Return ``4 cpu, 8Gi memory``, sorted by resource."""
    return ", ".join(amount(key, held[key]) for key in sorted(held))


def amount_is(key: str, held: int) -> str:
    """Return ``4 cpu are`` or ``1 cpu is``; ``held`` in accounting units."""
    text = amount(key, held)
    return f"{text} {'is' if text.startswith('1 ') else 'are'}"


def bounds(key: str, low: Resources, most: Resources) -> str:
    """Return ``guaranteed 24, limit 48``; a key that ``most`` lacks has no limit."""
    limit = f"limit {quantity.shown(key, most[key])}" if key in most else "no limit"
    return f"guaranteed {quantity.shown(key, low.get(key, 0))}, {limit}"


def needs(request: Resources, key: str, who: str = "") -> str:
    """Return ``needs 4 cpu``, with ``who`` needs it where that is not clear."""
    text = f"needs {amount(key, request.get(key, 0))}"
    return f"{who} {text}" if who else text
