"""Totals are resource lists that change in place, for sums that events keep up to date.

Amounts are in accounting units (``resources``). A total never has a key with amount 0, so equal
sums are equal dictionaries, whatever happened before.
"""

from elasticquota.resources import Resources


def add(total: dict[str, int], amounts: Resources) -> None:
    """Add ``amounts`` to ``total``; amounts of 0 create no key."""
    for key, amount in amounts.items():
        if amount:
            total[key] = total.get(key, 0) + amount


def subtract(total: dict[str, int], amounts: Resources) -> None:
    """Subtract ``amounts``, which were added before; a key whose amount comes to 0 is removed.

    Raises ``KeyError`` for a key that the total does not have.
    """
    for key, amount in amounts.items():
        if amount:
            left = total[key] - amount
            if left:
                total[key] = left
            else:
                del total[key]


def raise_to(total: dict[str, int], amounts: Resources) -> None:
    """Raise each of ``total`` to that of ``amounts``, where it is less."""
    for key, amount in amounts.items():
        if amount > total.get(key, 0):
            total[key] = amount
