"""A resource list maps resource names to integer amounts in accounting units.

The unit is the millicore for cpu and one for everything else (``quantity.amount``). A missing key
is unlimited in a limit and 0 in an amount; each function says which it takes. All functions return
new dictionaries and do not change their arguments.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Final

from elasticquota import names, pool_keys, quantity


Resources = Mapping[str, int]

EMPTY: Resources = MappingProxyType({})

# What Koordinator writes: the largest int64 by 2000, "unlimited" that survives sums (K 3.5).
_UNLIMITED: Final = 4_611_686_018_427_387


def unlimited(key: str) -> int:
    """Return the amount that stands for no limit, as in the max of root quotas (K 3.5)."""
    return _UNLIMITED * 1000 if pool_keys.resource(key) == names.CPU else _UNLIMITED


def parse(mapping: Mapping[str, quantity.Written]) -> Resources:
    """Parse a resource list into accounting units. Raises ``QuantityError`` that names the key."""
    parsed: dict[str, int] = {}
    for key, value in mapping.items():
        try:
            parsed[key] = quantity.amount(key, value)
        except quantity.QuantityError as error:
            raise quantity.QuantityError(f"{key}: {error}") from None
    return parsed


def text(resources: Resources) -> dict[str, str]:
    """Format amounts as canonical quantities, sorted by key."""
    return {key: quantity.text(key, amount) for key, amount in sorted(resources.items())}


def add(*lists: Resources) -> dict[str, int]:
    """Return the sum over all keys; a missing key is 0."""
    total: dict[str, int] = {}
    for resources in lists:
        for key, amount in resources.items():
            total[key] = total.get(key, 0) + amount
    return total


def subtract(a: Resources, b: Resources) -> dict[str, int]:
    """Return ``a - b`` over all keys of both; a missing key is 0; results may be negative."""
    left = dict(a)
    for key, amount in b.items():
        left[key] = left.get(key, 0) - amount
    return left


def cut(a: Resources, limit: Resources) -> dict[str, int]:
    """Return ``a`` cut to ``limit``; a key missing in ``limit`` is unlimited."""
    return {key: min(amount, limit.get(key, amount)) for key, amount in a.items()}


def maximum(a: Resources, b: Resources) -> dict[str, int]:
    """Return the larger amount of each key; a missing key is 0."""
    return {key: max(a.get(key, 0), b.get(key, 0)) for key in (*a, *b)}


def minimum(a: Resources, b: Resources) -> dict[str, int]:
    """Return the smaller of two limits for each key; a missing key is unlimited."""
    return {**a, **cut(b, a)}


def masked(a: Resources, keys: Iterable[str]) -> dict[str, int]:
    """Return ``a`` reduced to ``keys``; keys that ``a`` does not have stay missing."""
    return {key: a[key] for key in keys if key in a}


def without(a: Resources, keys: AbstractSet[str]) -> dict[str, int]:
    """Return ``a`` without ``keys``."""
    return {key: amount for key, amount in a.items() if key not in keys}


def fits(a: Resources, limit: Resources) -> bool:
    """Whether no amount is above ``limit``; a key missing in ``limit`` is unlimited.

    Only keys of both are compared, so ``a`` without a key fits even a limit below 0.
    """
    for key, amount in a.items():  # noqa: SIM110 - three times as fast as all(), asked per pod
        if amount > limit.get(key, amount):
            return False
    return True


def exceeding(a: Resources, limit: Resources) -> tuple[str, ...]:
    """Return the keys with an amount above ``limit``, sorted; a key missing there is unlimited."""
    return tuple(sorted(key for key, amount in a.items() if amount > limit.get(key, amount)))


def beyond(a: Resources, limit: Resources) -> dict[str, int]:
    """Return what ``a`` has above ``limit``; a key missing there is unlimited."""
    return {key: more for key, most in limit.items() if (more := a.get(key, 0) - most) > 0}


def positive(a: Resources) -> dict[str, int]:
    """Return ``a`` without the keys that are 0 or negative."""
    return {key: amount for key, amount in a.items() if amount > 0}
