"""Law: a whole-unit share is near the one there would be if units could be cut.

Rounding moves a share by half a unit, and settling the rest by at most half a unit for every
sibling: n siblings stay within (n + 1) / 2 (algorithm 1.4). Nobody who is due a whole
unit is left without one.
"""

from fractions import Fraction

from hypothesis import given

import levels
import oracle


@given(levels.levels())
def test_a_share_is_near_the_real_one(level: levels.Level) -> None:
    most = Fraction(1 + len(level.claims), 2)
    real = oracle.real_shares(level.total, level.claims)
    for share, ideal in zip(level.shares(), real, strict=True):
        assert abs(share - ideal) <= most


@given(levels.levels())
def test_nobody_who_is_due_a_unit_starves(level: levels.Level) -> None:
    real = oracle.real_shares(level.total, level.claims)
    for share, ideal, claim in zip(level.shares(), real, level.claims, strict=True):
        floor = claim.lo if level.fits else 0
        assert share > floor or ideal < floor + 1
