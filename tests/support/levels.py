"""Claims for tests of levels: one sibling's figures together, instead of in columns."""

from collections.abc import Sequence
from typing import NamedTuple

from elasticquota.sharing import level


class Claim(NamedTuple):
    """What one sibling claims; the fields of ``level.share``."""

    lo: int
    hi: int
    weight: int
    min: int


def share(total: int, claims: Sequence[Claim]) -> list[int]:
    """What each claim gets."""
    lo, hi, weights, mins = ([claim[i] for claim in claims] for i in range(4))
    return level.share(total, lo, hi, weights, mins)
