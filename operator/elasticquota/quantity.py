"""Parses and formats quantities: exact numbers with a Kubernetes suffix.

Grammar and rounding are those of apimachinery's ``resource.Quantity`` (semantics 1): binary
suffixes Ki to Ei, decimal suffixes n to E, or a decimal exponent. A fraction of a nano unit is
rounded away from zero, and a number with a binary suffix is capped at 2^63-1. Three points are
stricter than in Go: at most 64 characters, an exponent between -24 and 24, at least one digit.
The bounds are checked before any arithmetic, so ``1e99999999`` costs nothing.

Output is canonical: no fractions, and the largest suffix that is exact.
"""

import re
from functools import lru_cache
from typing import Final

from elasticquota import names, pool_keys, texts


Written = str | int | float
"""The types that a quantity may have in a manifest."""

NANO: Final = 10**9
"""Nano units in a whole unit."""

_MILLI: Final = 10**6
_LONGEST: Final = 64
_SHORT: Final = 8
"""Most characters of an exact amount of bytes that people read."""
_LONGEST_INTEGER: Final = 200
_LARGEST_EXPONENT: Final = 24
_BINARY_CAP: Final = (2**63 - 1) * NANO

_GRAMMAR: Final = re.compile(
    r"(?P<sign>[+-]?)(?=\.?[0-9])(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?"
    r"(?:(?P<suffix>[KMGTPE]i|[numkMGTPE])|[eE](?P<exponent>[+-]?[0-9]+))?"
)
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL: Final = {
    "n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18,
}  # fmt: skip

_BINARY_RESOURCES: Final = frozenset({"memory", "ephemeral-storage"})
_BINARY_STEPS: Final = tuple((1 << shift, suffix) for suffix, shift in reversed(_BINARY.items()))
_DECIMAL_STEPS: Final = tuple(
    (10**power, suffix) for suffix, power in reversed(_DECIMAL.items()) if power > 0
)


class QuantityError(ValueError):
    """A text that is no quantity; the message is one sentence that names the text."""


def parse(value: Written) -> int:
    """Return ``value`` in nano units, exactly.

    Numbers without quotes occur in custom resources, where the API server keeps what the client
    sent; a float counts as its shortest decimal text. Raises ``QuantityError``.
    """
    if type(value) is int:
        if value.bit_length() > _LONGEST_INTEGER:
            raise QuantityError(
                f"an integer of {value.bit_length()} bits is not a usable quantity: "
                f"it has more than {_LONGEST_INTEGER} bits"
            )
        return value * NANO
    return _parse(value if isinstance(value, str) else repr(value))


# Typed, because a float may be refused although the equal integer is accepted.
@lru_cache(maxsize=65536, typed=True)
def amount(resource: str, value: Written) -> int:
    """Return ``value`` in accounting units of ``resource``: millicores for cpu, else whole units.

    Fractions of the unit are rounded away from zero, as in K 2.0. Raises ``QuantityError``.
    """
    return accounted(resource, thousandths(value))


def thousandths(value: Written) -> int:
    """Return ``value`` in thousandths, as the API server keeps it in resource lists.

    Fractions of a thousandth are rounded away from zero. Raises ``QuantityError``.
    """
    return _up(parse(value), _MILLI)


def accounted(resource: str, thousandths: int) -> int:
    """Convert thousandths into the accounting unit of ``resource``, rounded away from zero."""
    return thousandths if pool_keys.resource(resource) == names.CPU else _up(thousandths, 1000)


def whole(resource: str, amount: int) -> float:
    """Return ``amount`` accounting units in whole units, cores for cpu, as metrics have it."""
    return amount / 1000 if pool_keys.resource(resource) == names.CPU else float(amount)


@lru_cache(maxsize=65536)
def text(resource: str, amount: int) -> str:
    """Format ``amount`` accounting units canonically: ``1500m``, ``2``, ``16Gi``, ``4k``."""
    resource = pool_keys.resource(resource)
    if resource == names.CPU:
        if amount % 1000:
            return f"{amount}m"
        amount //= 1000
    # As in Go: an amount below 1024 is written in decimal.
    steps = _BINARY_STEPS if _is_binary(resource) and abs(amount) >= 1024 else _DECIMAL_STEPS
    smallest, _ = steps[-1]
    if amount == 0 or amount % smallest:
        return str(amount)
    return next(f"{amount // unit}{suffix}" for unit, suffix in steps if amount % unit == 0)


@lru_cache(maxsize=65536)
def shown(resource: str, amount: int) -> str:
    """Format ``amount`` accounting units for people: ``25.6``, ``16Gi``, ``562.06Mi``.

    Cpu is exact, in cores. Memory and the like are canonical if that is short, or else rounded to
    hundredths of their unit. Programs read ``text``.
    """
    plain, sign = pool_keys.resource(resource), "-" if amount < 0 else ""
    if plain == names.CPU:
        whole, part = divmod(abs(amount), 1000)
        return f"{sign}{whole}.{part:03}".rstrip("0").rstrip(".")
    exact = text(plain, amount)
    if len(exact) <= _SHORT or not _is_binary(plain):
        return exact
    unit, suffix = next(step for step in _BINARY_STEPS if step[0] <= abs(amount))
    whole, part = divmod((abs(amount) * 100 + unit // 2) // unit, 100)
    return f"{sign}{whole}.{part:02}".rstrip("0").rstrip(".") + suffix


def _is_binary(resource: str) -> bool:
    return resource in _BINARY_RESOURCES or resource.startswith("hugepages-")


@lru_cache(maxsize=65536)
def _parse(written: str) -> int:
    if len(written) > _LONGEST:
        raise QuantityError(
            f"'{texts.printable(written[:16])}...' is not a quantity: "
            f"it has more than {_LONGEST} characters"
        )
    match = _GRAMMAR.fullmatch(written)
    if match is None:
        raise QuantityError(
            f"'{texts.printable(written)}' is not a quantity; write a number with an optional "
            "suffix like 500m, 2, 1.5, 64k or 16Gi"
        )
    suffix = match["suffix"] or ""
    exponent = int(match["exponent"]) if match["exponent"] else _DECIMAL.get(suffix, 0)
    if abs(exponent) > _LARGEST_EXPONENT:
        raise QuantityError(
            f"'{written}' is not a usable quantity: "
            f"its exponent must be between -{_LARGEST_EXPONENT} and {_LARGEST_EXPONENT}"
        )
    fraction = match["fraction"] or ""
    shift = _BINARY.get(suffix, 0)
    numerator = (int(match["whole"] + fraction) << shift) * NANO * 10 ** max(exponent, 0)
    nano = _up(numerator, 10 ** (len(fraction) + max(-exponent, 0)))
    if shift:
        nano = min(nano, _BINARY_CAP)
    return -nano if match["sign"] == "-" else nano


def _up(number: int, unit: int) -> int:
    """``number / unit`` rounded away from zero, so that a small amount never becomes 0."""
    return -(-number // unit) if number >= 0 else number // unit
