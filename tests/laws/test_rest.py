"""Law: sharing comes to rest. Demand that was not met may go, and nobody's share moves."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

import arbitrary
from elasticquota.sharing import level


def trimmed(claim: level.Claim, hi: int) -> level.Claim:
    return replace(claim, hi=hi, lo=min(hi, claim.min))


@given(arbitrary.levels())
def test_asking_for_exactly_what_one_got_gives_the_same(given_level: arbitrary.Level) -> None:
    found = level.share(given_level.total, given_level.claims)
    content = [
        trimmed(claim, share) for claim, share in zip(given_level.claims, found, strict=True)
    ]
    assert level.share(given_level.total, content) == found


@given(arbitrary.levels(), st.integers(1, 9))
def test_giving_up_unmet_demand_moves_nobody(given_level: arbitrary.Level, by: int) -> None:
    if given_level.guaranteed > given_level.total:
        return
    found = level.share(given_level.total, given_level.claims)
    for place, claim in enumerate(given_level.claims):
        claims = list(given_level.claims)
        claims[place] = trimmed(claim, max(found[place], claim.hi - by))
        assert level.share(given_level.total, claims) == found


@given(arbitrary.levels())
def test_one_who_leaves_with_its_share_moves_nobody(given_level: arbitrary.Level) -> None:
    if given_level.guaranteed > given_level.total:
        return
    found = level.share(given_level.total, given_level.claims)
    for place, share in enumerate(found):
        claims = given_level.claims[:place] + given_level.claims[place + 1 :]
        others = found[:place] + found[place + 1 :]
        assert level.share(given_level.total - share, claims) == others
