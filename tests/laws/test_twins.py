"""Law: equal claims get the same, but for one unit that cannot be cut; the earlier one has it."""

from hypothesis import given

import arbitrary
from elasticquota.sharing import level
from elasticquota.sharing.level import Claim


@given(arbitrary.levels(most=4), arbitrary.claims())
def test_twins_are_within_one_unit(given_level: arbitrary.Level, twin: Claim) -> None:
    claims = [twin, *given_level.claims, twin]
    first, *_, last = level.share(given_level.total, claims)
    assert 0 <= first - last <= 1
