"""A resource list maps resource names to integer amounts in accounting units.

Millicores for cpu, whole units for everything else (``quantity.amount``). What a missing key means
depends on the list, and each function says it: in a limit it is unlimited, in an amount it is 0.
All functions return new dictionaries and leave their arguments alone.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from elasticquota import quantity


Resources = Mapping[str, int]

EMPTY: Resources = MappingProxyType({})


def parse(mapping: Mapping[str, quantity.Written]) -> Resources:
    """A written resource list in accounting units. Raises ``QuantityError`` naming the key."""
    parsed: dict[str, int] = {}
    for key, value in mapping.items():
        try:
            parsed[key] = quantity.amount(key, value)
        except quantity.QuantityError as error:
            raise quantity.QuantityError(f"{key}: {error}") from None
    return parsed


def text(resources: Resources) -> dict[str, str]:
    """Canonical quantities, sorted by key."""
    return {key: quantity.text(key, amount) for key, amount in sorted(resources.items())}


def add(*lists: Resources) -> dict[str, int]:
    """The sum over all keys; a missing key is 0."""
    total: dict[str, int] = {}
    for resources in lists:
        for key, amount in resources.items():
            total[key] = total.get(key, 0) + amount
    return total


def subtract(a: Resources, b: Resources) -> dict[str, int]:
    """``a - b`` over all keys of both; a missing key is 0; differences may be negative."""
    left = dict(a)
    for key, amount in b.items():
        left[key] = left.get(key, 0) - amount
    return left


def cut(a: Resources, limit: Resources) -> dict[str, int]:
    """``a`` with no amount above ``limit``; a key missing in ``limit`` is unlimited."""
    return {key: min(amount, limit.get(key, amount)) for key, amount in a.items()}


def maximum(a: Resources, b: Resources) -> dict[str, int]:
    """The larger amount of each key; a missing key is 0."""
    return {key: max(a.get(key, 0), b.get(key, 0)) for key in (*a, *b)}


def minimum(a: Resources, b: Resources) -> dict[str, int]:
    """The smaller amount of each key, as of two limits; a missing key is unlimited."""
    return {**a, **cut(b, a)}


def masked(a: Resources, keys: Iterable[str]) -> dict[str, int]:
    """``a`` reduced to ``keys``; keys that ``a`` does not have stay missing."""
    return {key: a[key] for key in keys if key in a}


def fits(a: Resources, limit: Resources) -> bool:
    """No amount is above ``limit``; a key missing in ``limit`` is unlimited, in ``a`` is 0.

    Only keys of both are compared, so ``a`` without a key fits a limit below 0.
    """
    for key, amount in a.items():  # noqa: SIM110 - three times as fast as all(), asked per pod
        if amount > limit.get(key, amount):
            return False
    return True


def exceeding(a: Resources, limit: Resources) -> tuple[str, ...]:
    """The keys whose amount is above ``limit``, sorted; a key missing in ``limit`` is unlimited."""
    return tuple(sorted(key for key, amount in a.items() if amount > limit.get(key, amount)))


def positive(a: Resources) -> dict[str, int]:
    """``a`` without the keys that are 0 or negative."""
    return {key: amount for key, amount in a.items() if amount > 0}
