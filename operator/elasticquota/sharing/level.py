"""Siblings share what their parent has: guarantees first, then one water level for all.

Each sibling is a vessel whose floor stands at ``lo``, what it is guaranteed of what it asks for,
and whose rim is at ``hi``, all it asks for. Its width is its weight. Whatever is left after the
floors is poured in, and water finds one level L in all vessels: each holds ``lo + weight * L``,
but never more than ``hi``. Whoever is full stops taking part, so the rest rises higher. That is
the whole fair rule, and it needs no rounds, no order of arrival and no memory.

The published example, 100 units among four teams (request, min, weight = max)::

         request  min  weight |  lo   hi  room | 45 left after the floors    | share
    A          5   10      40 |   5    5     0 | full at once                |     5
    B         20   15      60 |  15   20     5 | full at L = 5/60            |    20
    C         40   20      50 |  20   40    20 | 50 * L = 15.4               |    35
    D         70   15      80 |  15   70    55 | 80 * L = 24.6               |    40
                              |  55            | L = (45 - 5) / (50 + 80)    |   100

Two things remain.

*Whole units.* A GPU cannot be cut, so the water is counted in units. The k-th unit of a vessel is
due when the level reaches ``(k - 1/2) / weight``, and units are handed out in the order in which
they are due, siblings of equal claim in their given order (Sainte-Lague's method; a share is the
real one, rounded). One more unit to share extends that list at its end, so adding a node takes a
unit from nobody; and more demand elsewhere never raises mine. Rounding by largest remainders, as
is more usual, breaks both.

*Too little even for the floors.* Then the floors themselves are filled by the same rule, with min
as the width: guarantees shrink in proportion to min. A floor that is reached is not exceeded.

*How the level is found.* From below. With everybody taking part the level comes out too low, for
some vessels would hold more than fits. Who is full at that level is full at every higher one, so
they leave with what fits, and the level of the others is higher. When nobody holds too much, that
is it. These are Newton's steps on a convex function: each halves the error or the width, so there
are as many as digits at most, and two or three in practice. A level that is too low by less than
half a unit of anybody does no harm: the units due up to it are the first ones of the list above,
whatever level it is, and what is missing at its end is handed out one by one.

Exact integers throughout: any unit, any size, no drift. Proofs and counter-examples of other rules:
algorithm 1.2 to 1.5.
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
    """What each sibling gets of ``total`` whole accounting units, in the given order.

    One entry per sibling, none negative. ``lo``: the guaranteed part of the limited request,
    min(hi, min). ``hi``: the limited request. ``weights``: its part in what is left over; with
    weight 0 it gets nothing above ``lo``. ``mins``: the guarantee, for where guarantees shrink.

    The sum is ``total`` unless all siblings that may take more are full. A negative ``total`` is 0.
    Equal siblings differ by at most one unit, in favour of the earlier.
    """
    left = total - sum(lo)
    if left < 0:
        return _pour(max(total, 0), lo, mins)
    return list(map(add, lo, _pour(left, list(map(sub, hi, lo)), weights)))


def _pour(amount: int, room: Sequence[int], widths: Sequence[int]) -> list[int]:
    """``amount`` units in vessels of this ``room``; where the width is 0 nothing flows in."""
    water = [0] * len(room)
    rising, full = list(widths), []
    held, width_sum = amount, sum(widths)
    # held / width_sum is the level at which the rising ones stand.
    while width_sum:
        # As many units as are due up to the level: width * level + 1/2, rounded down.
        twice_held, twice_sum = 2 * held, 2 * width_sum
        water = [(twice_held * width + width_sum) // twice_sum for width in rising]
        if not any(map(gt, water, room)):
            break
        leaving = [
            place
            for place, (units, space) in enumerate(zip(water, room, strict=True))
            if units >= space and space * width_sum <= rising[place] * held
        ]
        for place in leaving:
            held -= room[place]
            width_sum -= rising[place]
            rising[place] = 0
        full += leaving
    for place in full:
        water[place] = room[place]
    missing = amount - sum(water)
    if missing and width_sum:
        _settle(missing, water, room, widths)
    return water


def _settle(missing: int, water: list[int], room: Sequence[int], widths: Sequence[int]) -> None:
    """Move the few units by which rounding missed: hand out the next due, or take back the last.

    The k-th unit is due at (2k - 1) / width. Two different ratios with such widths lie at least
    1 / max(width)^2 apart, so scaled by more than that they differ in their whole part.
    """
    step = 1 if missing > 0 else -1
    shift = 2 * max(widths).bit_length()
    queue = [
        (step * (((2 * units + step) << shift) // width), step * place)
        for place, (units, space, width) in enumerate(zip(water, room, widths, strict=True))
        if width and (units < space if step > 0 else units)
    ]
    heapq.heapify(queue)
    while queue:
        _, signed_place = queue[0]
        place = step * signed_place
        water[place] += step
        missing -= step
        if not missing:
            return
        if 0 < water[place] < room[place]:
            due = step * (((2 * water[place] + step) << shift) // widths[place])
            heapq.heapreplace(queue, (due, signed_place))
        else:
            heapq.heappop(queue)
