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
the narrow vessels would hold more than fits. Who is full at that level is full at every higher one,
so they leave with what fits, and the level of the others is higher. When nobody leaves, that is it.
These are Newton's steps on a convex function: each halves the error or the width, so there are as
many as digits at most, and two or three in practice.

Exact integers throughout: any unit, any size, no drift. Proofs and counter-examples of other rules:
the design's algorithm reference, 1.2 to 1.5.
"""

import heapq
import math
from collections.abc import Sequence
from operator import add, sub
from typing import Final


_NEVER: Final = math.inf


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
    if not all(widths):
        room = [space if width else 0 for space, width in zip(room, widths, strict=True)]
    if sum(room) <= amount:
        return list(room)
    rising = [width if space else 0 for space, width in zip(room, widths, strict=True)]
    held, width_sum = amount, sum(rising)
    full: list[int] = []
    while True:
        # As many units as are due up to the level held / width_sum: rounded to the nearest.
        twice_held, twice_sum = 2 * held, 2 * width_sum
        water = [(twice_held * width + width_sum) // twice_sum for width in rising]
        # Nobody is full who comes out below its room, which is soon seen.
        leaving = [
            place
            for place, units in enumerate(water)
            if units >= room[place] and rising[place]
            if room[place] * width_sum <= rising[place] * held
        ]
        if not leaving:
            break
        for place in leaving:
            held -= room[place]
            width_sum -= rising[place]
            rising[place] = 0
        full += leaving
    for place in full:
        water[place] = room[place]
    missing = amount - sum(water)
    if missing:
        _settle(missing, water, room, widths)
    return water


def _settle(missing: int, water: list[int], room: Sequence[int], widths: Sequence[int]) -> None:
    """Move the few units by which rounding missed: hand out the next due, or take back the last.

    The k-th unit is due at (2k - 1) / width. In floating point first: a quotient of integers is
    rounded to the nearest float, so order may be lost but never turns round, and whoever is next
    is among those not behind the ``missing``-th. Who of them it is, integers say: two different
    ratios with such widths lie at least 1 / max(width)^2 apart, so scaled by more than that they
    differ in their whole part.
    """
    if missing > 0:
        step = 1
        due = [
            (units + units + 1) / width if units < space else _NEVER
            for units, space, width in zip(water, room, widths, strict=True)
        ]
    else:
        step = -1
        due = [
            (1 - units - units) / width if units else _NEVER
            for units, width in zip(water, widths, strict=True)
        ]
    last = sorted(due)[abs(missing) - 1]
    close = [place for place, when in enumerate(due) if when <= last]
    if len(close) == 1:
        water[close[0]] += step
        return
    shift = 2 * max([widths[place] for place in close]).bit_length()
    queue = [
        (step * (((2 * water[place] + step) << shift) // widths[place]), step * place)
        for place in close
    ]
    heapq.heapify(queue)
    for _ in range(abs(missing)):
        place = step * queue[0][1]
        water[place] += step
        if 0 < water[place] < room[place]:
            when = step * (((2 * water[place] + step) << shift) // widths[place])
            heapq.heapreplace(queue, (when, step * place))
        else:
            heapq.heappop(queue)
