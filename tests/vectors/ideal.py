"""What a level shares out if units could be cut: exact fractions, the textbook way, in rounds.

A second opinion on ``sharing.level``, written from the rule and not from its code (semantics 4).
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple


class Claim(NamedTuple):
    """One sibling: what it is guaranteed of its request, the request, its weight and its min."""

    lo: int
    hi: int
    weight: int
    min: int


def share(total: int, claims: Sequence[Claim]) -> list[Fraction]:
    """Floors first, in proportion to min where they do not fit; the rest by weight up to hi."""
    floors = [claim.lo for claim in claims]
    if sum(floors) > total:
        return _pour(max(total, 0), floors, [claim.min for claim in claims])
    rooms = [claim.hi - claim.lo for claim in claims]
    poured = _pour(total - sum(floors), rooms, [claim.weight for claim in claims])
    return [floor + water for floor, water in zip(floors, poured, strict=True)]


def _pour(amount: int, rooms: Sequence[int], widths: Sequence[int]) -> list[Fraction]:
    water = [Fraction(0)] * len(rooms)
    open_ = {index for index, room in enumerate(rooms) if room > 0 and widths[index] > 0}
    left = Fraction(amount)
    while open_:
        level = left / sum(widths[index] for index in open_)
        full = {index for index in open_ if rooms[index] <= widths[index] * level}
        for index in full or open_:
            water[index] = Fraction(rooms[index]) if full else widths[index] * level
        if not full:
            break
        left -= sum(rooms[index] for index in full)
        open_ -= full
    return water
