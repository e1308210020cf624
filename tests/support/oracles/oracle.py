"""A slow judge of sharing, written from the definition and from nothing else.

The k-th unit of a vessel of width w is due when the water level reaches (k - 1/2) / w; units are
handed out in the order in which they are due, and at one moment in the order of the siblings.
First come the floors; what is left is poured above them. Where not even the floors fit, they are
poured themselves, with min as the width (semantics 4, algorithm 1.4).

Three ways to the same answer: unit by unit from a heap, for small amounts; by bisection of the
level, for any; and the real water level in fractions, before there were whole units.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Claim:
    """What one sibling asks for, is guaranteed and weighs."""

    hi: int
    min: int
    weight: int

    @property
    def lo(self) -> int:
        return min(self.hi, self.min)


Pour = Callable[[int, Sequence[int], Sequence[int]], list[int]]


def unit_by_unit(amount: int, room: Sequence[int], widths: Sequence[int]) -> list[int]:
    """Whose unit is due next gets it, until there are no units or no takers."""
    held = [0] * len(room)
    queue = [(Fraction(1, 2 * widths[i]), i) for i in range(len(room)) if room[i] and widths[i]]
    heapq.heapify(queue)
    while queue and sum(held) < amount:
        _, i = heapq.heappop(queue)
        held[i] += 1
        if held[i] < room[i]:
            heapq.heappush(queue, (Fraction(2 * held[i] + 1, 2 * widths[i]), i))
    return held


def by_bisection(amount: int, room: Sequence[int], widths: Sequence[int]) -> list[int]:
    """Find the moment at which the last unit is due; those due before it are all handed out.

    Two different moments lie at least 1 / (2 * widest^2) apart, so on a grid twice as fine at most
    one moment lies between two neighbours.
    """
    grid = 4 * max([1, *widths]) ** 2

    def due(moment: int) -> list[int]:
        return [
            min(space, (2 * width * moment + grid) // (2 * grid)) if width else 0
            for space, width in zip(room, widths, strict=True)
        ]

    early, late = 0, grid * max([1, *room])
    if sum(due(late)) <= amount:
        return due(late)
    if amount <= 0:
        return [0] * len(room)
    while late - early > 1:
        middle = (early + late) // 2
        if sum(due(middle)) < amount:
            early = middle
        else:
            late = middle
    held = due(early)
    tied = [i for i, units in enumerate(due(late)) if units > held[i]]
    for i in tied[: amount - sum(held)]:
        held[i] += 1
    return held


def share(total: int, claims: Sequence[Claim], pour: Pour = by_bisection) -> list[int]:
    """What each claim gets of ``total``, in whole units."""
    total = max(0, total)
    floors = [claim.lo for claim in claims]
    left = total - sum(floors)
    if left < 0:
        return pour(total, floors, [claim.min for claim in claims])
    room = [claim.hi - claim.lo for claim in claims]
    above = pour(left, room, [claim.weight for claim in claims])
    return [floor + units for floor, units in zip(floors, above, strict=True)]


def real_shares(total: int, claims: Sequence[Claim]) -> list[Fraction]:
    """The shares if every unit could be cut: whoever is full leaves, the rest rises on."""
    floors = [Fraction(claim.lo) for claim in claims]
    left = Fraction(max(0, total)) - sum(floors)
    if left < 0:
        return _water(Fraction(max(0, total)), floors, [claim.min for claim in claims])
    room = [Fraction(claim.hi - claim.lo) for claim in claims]
    above = _water(left, room, [claim.weight for claim in claims])
    return [floor + water for floor, water in zip(floors, above, strict=True)]


def _water(amount: Fraction, room: Sequence[Fraction], widths: Sequence[int]) -> list[Fraction]:
    held = [Fraction(0)] * len(room)
    hungry = [i for i, space in enumerate(room) if space and widths[i]]
    while hungry and amount:
        rise = amount / sum(widths[i] for i in hungry)
        poured = {i: min(room[i] - held[i], widths[i] * rise) for i in hungry}
        for i, water in poured.items():
            held[i] += water
        amount -= sum(poured.values())
        hungry = [i for i in hungry if held[i] < room[i]]
    return held
