"""One sibling set in one resource, in rounds: the inner loop of the usual method.

Each round distributes the remainder by weight, in whole units by largest remainders, and collects
what exceeds a request. The next round distributes that, until nothing is left or no child requests
more.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(slots=True)
class Record:
    """One child of a sibling set in one resource; amounts in accounting units."""

    min: int
    """Scaled to the parent's total."""
    weight: int
    lends: bool
    request: int = 0
    """Limited by max."""
    runtime: int = 0


def redistribute(total: int, records: Iterable[Record]) -> None:
    """Set the runtime of all ``records``, which come in the order of their names to break ties.

    A child below its min keeps it (or lends it); the rest of ``total`` is distributed in rounds to
    the children that request more. Minima are granted even when they exceed ``total``.
    """
    hungry: list[Record] = []
    pool = total
    for record in records:
        if record.request > record.min:
            hungry.append(record)
            record.runtime = record.min
        else:
            record.runtime = record.request if record.lends else record.min
        pool -= record.runtime
    while pool > 0 and hungry:
        weights = sum(record.weight for record in hungry)
        if weights <= 0:
            return
        pool = _round(pool, weights, hungry)
        hungry = [record for record in hungry if record.runtime < record.request]


def _round(pool: int, weights: int, hungry: list[Record]) -> int:
    """Distribute ``pool`` by largest remainders; returns what exceeded the requests."""
    remainders: list[int] = []
    left = pool
    for record in hungry:
        part, remainder = divmod(record.weight * pool, weights)
        record.runtime += part
        remainders.append(remainder)
        left -= part
    if left:
        # The sort is stable, also in reverse: equal remainders stay in the order of the names.
        order = sorted(range(len(hungry)), key=remainders.__getitem__, reverse=True)
        for i in order[:left]:
            hungry[i].runtime += 1
    excess = 0
    for record in hungry:
        if record.runtime > record.request:
            excess += record.runtime - record.request
            record.runtime = record.request
    return excess
