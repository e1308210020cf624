"""Law: sharing comes to rest. Demand that was not met may go, and nobody's share moves."""

from dataclasses import replace

from hypothesis import assume, given
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


@given(arbitrary.levels(), st.integers(0, 6), st.integers(1, 9))
def test_giving_up_unmet_demand_moves_nobody(
    given_level: arbitrary.Level, place: int, by: int
) -> None:
    assume(place < len(given_level.claims) and given_level.guaranteed <= given_level.total)
    claims = list(given_level.claims)
    found = level.share(given_level.total, claims)
    assume(found[place] < claims[place].hi)
    claims[place] = trimmed(claims[place], max(found[place], claims[place].hi - by))
    assert level.share(given_level.total, claims) == found


@given(arbitrary.levels(), st.integers(0, 6))
def test_one_who_leaves_with_its_share_moves_nobody(
    given_level: arbitrary.Level, place: int
) -> None:
    assume(place < len(given_level.claims) and given_level.guaranteed <= given_level.total)
    claims = list(given_level.claims)
    found = level.share(given_level.total, claims)
    del claims[place]
    left = given_level.total - found.pop(place)
    assert level.share(left, claims) == found
