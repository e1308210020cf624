"""The fair rule: siblings share what their parent has, guarantees first, then one common level.

Each sibling first gets its floor ``lo``: the guaranteed part of what it asks for. What is left
after the floors goes to all siblings at one level L, by weight (water-filling)::

    share = min(hi, lo + weight * L)

``hi`` is all that the sibling asks for. L rises until nothing is left. A sibling that reaches
``hi`` stops, and the others go on. That is the whole rule: it needs no rounds, no order of arrival
and no memory.

The published example, 100 units among four teams (request, min, weight = max)::

         request  min  weight |  lo   hi  hi-lo | 45 left after the floors    | share
    A          5   10      40 |   5    5      0 | full at once                |     5
    B         20   15      60 |  15   20      5 | full at L = 5/60            |    20
    C         40   20      50 |  20   40     20 | 50 * L = 15.4               |    35
    D         70   15      80 |  15   70     55 | 80 * L = 24.6               |    40
                              |  55             | L = (45 - 5) / (50 + 80)    |   100

Three details remain.

*Whole units.* A GPU cannot be divided, so each share is rounded to whole units. The k-th unit of a
sibling above its floor is due when the level reaches ``(k - 1/2) / weight``. Units are handed out
in the order in which they are due; at the same level the earlier sibling comes first (the method of
Sainte-Lague). One more unit in the total only adds one entry at the end of that list. So a new node
takes a unit from no sibling, and more demand of one sibling never raises the share of another.
Rounding by largest remainders is more usual, but breaks both properties.

*Floors that do not fit.* When the total is smaller than the sum of the floors, the same rule fills
the floors, with min as the weight: guarantees shrink in proportion to min. No sibling gets more
than its floor.

*Finding the level.* The search starts with all siblings and L = rest / sum of weights. This is too
low if some siblings would get more than they ask for. Such a sibling is full at every higher level
too, so it leaves with what it asks for, and L is computed again for the others. The search ends
when no sibling would get too much. These are Newton's steps on a convex function: each halves the
error or the sum of weights, so there are at most as many steps as digits, in practice two or three.
The level found may be too low by less than half a unit of any sibling. That does no harm: the units
due up to any level are the first entries of the list above, and the missing units at its end are
handed out one by one.

All numbers are exact integers, so no unit or size loses precision. Proofs, and counter-examples of
other rules: algorithm 1.2 to 1.5.
"""

import heapq
from collections.abc import Sequence
from operator import add, gt, sub


def share(
    total: int,
    lo: Sequence[int],
    hi: Sequence[int],
    weights: Sequence[int],
    mins: Sequence[int],
) -> list[int]:
    """Return what each sibling gets of ``total`` whole accounting units, in the given order.

    Each list has one entry per sibling, none negative. ``lo``: the floor, which is min(hi, min).
    ``hi``: the limited request. ``weights``: the part of what is left after the floors; a sibling
    with weight 0 gets nothing above ``lo``. ``mins``: the weights when the floors do not fit.

    The sum is ``total``, or less when every sibling with a weight has reached ``hi``. A negative
    ``total`` counts as 0. Equal siblings differ by at most one unit, in favor of the earlier.
    """
    left = total - sum(lo)
    if left < 0:
        return _fill(max(total, 0), lo, mins)
    return list(map(add, lo, _fill(left, list(map(sub, hi, lo)), weights)))


def _fill(total: int, caps: Sequence[int], weights: Sequence[int]) -> list[int]:
    """Share ``total`` units at one level, each sibling up to its cap; weight 0 gets nothing."""
    shares = [0] * len(caps)
    growing, full = list(weights), []
    rest, weight_sum = total, sum(weights)
    # rest / weight_sum is the level of the siblings that are still growing.
    while weight_sum:
        # The number of units due up to the level: weight * level + 1/2, rounded down.
        twice_rest, twice_sum = 2 * rest, 2 * weight_sum
        shares = [(twice_rest * weight + weight_sum) // twice_sum for weight in growing]
        if not any(map(gt, shares, caps)):
            break
        leaving = [
            sibling
            for sibling, (units, cap) in enumerate(zip(shares, caps, strict=True))
            if units >= cap and cap * weight_sum <= growing[sibling] * rest
        ]
        for sibling in leaving:
            rest -= caps[sibling]
            weight_sum -= growing[sibling]
            growing[sibling] = 0
        full += leaving
    for sibling in full:
        shares[sibling] = caps[sibling]
    missing = total - sum(shares)
    if missing and weight_sum:
        _fix_rounding(missing, shares, caps, weights)
    return shares


def _fix_rounding(
    missing: int, shares: list[int], caps: Sequence[int], weights: Sequence[int]
) -> None:
    """Add the next due units until none is missing; remove the last ones if there are too many.

    The k-th unit is due at (2k - 1) / weight, twice the level. Two such ratios that differ are at
    least 1 / max(weight)^2 apart. They are compared as integers, scaled by more than
    max(weight)^2, so that different ratios stay different.
    """
    step = 1 if missing > 0 else -1
    shift = 2 * max(weights).bit_length()
    queue = [
        (step * (((2 * units + step) << shift) // weight), step * sibling)
        for sibling, (units, cap, weight) in enumerate(zip(shares, caps, weights, strict=True))
        if weight and (units < cap if step > 0 else units)
    ]
    heapq.heapify(queue)
    while queue:
        _, signed_sibling = queue[0]
        sibling = step * signed_sibling
        shares[sibling] += step
        missing -= step
        if not missing:
            return
        if 0 < shares[sibling] < caps[sibling]:
            due = step * (((2 * shares[sibling] + step) << shift) // weights[sibling])
            heapq.heapreplace(queue, (due, signed_sibling))
        else:
            heapq.heappop(queue)
