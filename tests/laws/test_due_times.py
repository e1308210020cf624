"""Law: units are handed out in the order in which they are due, whatever the shortcut."""

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import arbitrary
from elasticquota.sharing import level
from elasticquota.sharing.level import Claim


SMALL = st.builds(
    lambda lo, room, weight, more: Claim(lo, lo + room, weight, lo + more * (room == 0)),
    st.integers(0, 6),
    st.integers(0, 12),
    st.sampled_from((1, 1, 1, 20)) | st.integers(0, 9),
    st.integers(0, 4),
)


def by_hand(units: int, room: Sequence[int], widths: Sequence[int]) -> list[int]:
    """Sort all units by the level at which they are due and give out the first."""
    due = sorted(
        (Fraction(2 * unit - 1, 2 * width), position)
        for position, (space, width) in enumerate(zip(room, widths, strict=True))
        for unit in range(1, space + 1)
        if width
    )
    handed = [position for _, position in due[:units]]
    return [handed.count(position) for position in range(len(room))]


@given(st.lists(SMALL, max_size=8), st.integers(0, 60))
def test_a_share_is_the_guarantee_and_the_units_due_first(claims: list[Claim], total: int) -> None:
    floors = [claim.lo for claim in claims]
    if sum(floors) > total:
        expected = by_hand(total, floors, [claim.min for claim in claims])
    else:
        above = by_hand(
            total - sum(floors),
            [claim.hi - claim.lo for claim in claims],
            [claim.weight for claim in claims],
        )
        expected = [floor + units for floor, units in zip(floors, above, strict=True)]
    assert level.share(total, claims) == expected


def real_shares(given_level: arbitrary.Level) -> list[Fraction]:
    """The shares without whole units, by freezing whoever is full, round by round."""
    claims = given_level.claims
    room = [Fraction(claim.hi - claim.lo if claim.weight else 0) for claim in claims]
    left = Fraction(given_level.total - given_level.guaranteed)
    shares = [Fraction(0)] * len(claims)
    hungry = [i for i, space in enumerate(room) if space]
    while hungry and left:
        rise = left / sum(claims[i].weight for i in hungry)
        poured = {i: min(room[i] - shares[i], claims[i].weight * rise) for i in hungry}
        for i, amount in poured.items():
            shares[i] += amount
        left -= sum(poured.values())
        hungry = [i for i in hungry if shares[i] < room[i]]
    return [claim.lo + share for claim, share in zip(claims, shares, strict=True)]


@given(arbitrary.levels())
def test_a_share_is_near_the_real_one(given_level: arbitrary.Level) -> None:
    if given_level.guaranteed > given_level.total:
        return
    # Rounding moves half a unit, settling at most half a unit for every sibling.
    most = Fraction(1 + len(given_level.claims), 2)
    found = level.share(given_level.total, given_level.claims)
    assert all(
        abs(share - real) <= most
        for share, real in zip(found, real_shares(given_level), strict=True)
    )


@given(arbitrary.levels())
def test_nobody_who_is_due_a_unit_starves(given_level: arbitrary.Level) -> None:
    if given_level.guaranteed > given_level.total:
        return
    found = level.share(given_level.total, given_level.claims)
    for share, real, claim in zip(found, real_shares(given_level), given_level.claims, strict=True):
        assert share > claim.lo or real < claim.lo + 1
