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

Exact integers throughout: any unit, any size, no drift. O(n log n) for n siblings. Proofs and
counter-examples of other rules: the design's algorithm reference, 1.2 to 1.5.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """What one sibling claims of one resource, in whole accounting units, none negative."""

    lo: int
    """The guaranteed part of the limited request: min(hi, min)."""
    hi: int
    """The limited request."""
    weight: int
    """Its part in what is left over; with weight 0 it gets nothing above ``lo``."""
    min: int
    """The guarantee itself, which counts where guarantees have to shrink."""


def share(total: int, claims: Sequence[Claim]) -> list[int]:
    """What each claim gets of ``total`` units, in the order of ``claims``.

    The sum is ``total`` unless the claims that may take more are all full. A negative ``total``
    is 0. Equal claims differ by at most one unit, in favour of the earlier.
    """
    floors = [claim.lo for claim in claims]
    left = total - sum(floors)
    if left < 0:
        return _pour(max(total, 0), floors, [claim.min for claim in claims])
    room = [claim.hi - claim.lo for claim in claims]
    water = _pour(left, room, [claim.weight for claim in claims])
    return [floor + units for floor, units in zip(floors, water, strict=True)]


def _pour(amount: int, room: Sequence[int], widths: Sequence[int]) -> list[int]:
    """``amount`` units in vessels of this ``room``; where the width is 0 nothing flows in."""
    open_room = [space if width else 0 for space, width in zip(room, widths, strict=True)]
    if sum(open_room) <= amount:
        return open_room
    held, width_sum = _level(amount, open_room, widths)
    # As many units as are due up to the level: width * level + 1/2, rounded down.
    water = [
        min(space, (2 * width * held + width_sum) // (2 * width_sum))
        for space, width in zip(open_room, widths, strict=True)
    ]
    return _settle(amount, water, open_room, widths)


def _level(amount: int, room: Sequence[int], widths: Sequence[int]) -> tuple[int, int]:
    """The level as a fraction: what the vessels that do not fill up hold, and their widths' sum.

    ``amount`` must be less than the sum of ``room``, so that one of them does not fill up. In the
    order in which they would fill up, whoever is full below the level so far leaves with its room.
    """
    ratio = _ordered_ratios(widths)
    takers = sorted((ratio(room[i], widths[i]), i) for i in range(len(room)) if room[i])
    width_sum = sum(widths[i] for _, i in takers)
    for _, i in takers:
        if room[i] * width_sum > widths[i] * amount:
            break
        amount -= room[i]
        width_sum -= widths[i]
    return amount, width_sum


def _settle(amount: int, water: list[int], room: Sequence[int], widths: Sequence[int]) -> list[int]:
    """Move the few units by which rounding misses ``amount``, in the order in which they are due.

    At most half a unit per vessel: the next ones due are handed out, the last ones taken back.
    """
    missing = amount - sum(water)
    step = 1 if missing > 0 else -1
    ratio = _ordered_ratios(widths)

    def movable(i: int) -> bool:
        return water[i] < room[i] if step > 0 else water[i] > 0

    def turn(i: int) -> tuple[int, int]:
        unit = water[i] + 1 if step > 0 else water[i]
        return step * ratio(2 * unit - 1, widths[i]), step * i

    queue = [turn(i) for i in range(len(water)) if movable(i)]
    heapq.heapify(queue)
    for _ in range(abs(missing)):
        i = step * queue[0][1]
        water[i] += step
        if movable(i):
            heapq.heapreplace(queue, turn(i))
        else:
            heapq.heappop(queue)
    return water


def _ordered_ratios(widths: Sequence[int]) -> Callable[[int, int], int]:
    """A function of (number, width) that orders exactly as number / width does.

    Two different fractions with such widths lie at least 1 / max(width)^2 apart, so scaled by more
    than that they differ in their whole part. Integers compare faster than fractions.
    """
    shift = 2 * max(widths).bit_length()

    def ratio(number: int, width: int) -> int:
        return (number << shift) // width

    return ratio
