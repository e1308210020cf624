"""The fair rule on single levels: ties, shrinking guarantees, sizes; Koordinator's are vectors."""

from collections.abc import Sequence

import pytest

from levels import Level
from oracle import Claim


def shares_of(total: int, claims: Sequence[Claim]) -> list[int]:
    return Level(total, tuple(claims)).shares()


def test_the_example_of_the_docstring() -> None:
    asked = {"A": (5, 10, 40), "B": (20, 15, 60), "C": (40, 20, 50), "D": (70, 15, 80)}
    claims = [Claim(hi, low, weight) for hi, low, weight in asked.values()]
    assert shares_of(100, claims) == [5, 20, 35, 40]


def borrower(room: int, weight: int) -> Claim:
    return Claim(room, 0, weight)


def test_a_new_device_takes_none_from_any_quota() -> None:
    claims = [borrower(99, 6), borrower(99, 6), borrower(99, 2)]
    assert shares_of(10, claims) == [5, 4, 1]
    assert shares_of(11, claims) == [5, 5, 1]


def test_equal_claims_differ_by_one_unit_at_most_in_favour_of_the_earlier() -> None:
    assert shares_of(5, [borrower(3, 1), borrower(1, 1), borrower(3, 1)]) == [2, 1, 2]
    assert shares_of(7, [borrower(9, 4)] * 3) == [3, 2, 2]


def test_identical_quotas_do_not_drift_apart() -> None:
    caps, weights = (6, 29, 13, 18, 21, 11), (1, 1, 1, 1, 1, 2)
    claims = [borrower(cap, weight) for cap, weight in zip(caps, weights, strict=True)]
    assert shares_of(75, claims) == [6, 15, 13, 15, 15, 11]


def test_units_go_in_the_order_in_which_they_are_due() -> None:
    # Due at .05 .15 .25 .35 .45 for the wide one, then at .5 for each narrow one, at .55 again for
    # the wide one; its real share is 6, those of the narrow ones 0.6.
    claims = [borrower(99, 10), *[borrower(9, 1)] * 5]
    assert shares_of(9, claims) == [5, 1, 1, 1, 1, 0]
    assert shares_of(11, claims) == [6, 1, 1, 1, 1, 1]


def test_several_units_in_a_row_go_to_one_who_is_due_them() -> None:
    # Two units for a level of 1/50: due at .025 and .075 for the wide one, at .5 for all others.
    assert shares_of(2, [borrower(99, 20), *[borrower(9, 1)] * 80]) == [2, *[0] * 80]


def test_who_is_full_is_handed_no_more_even_when_next_due() -> None:
    assert shares_of(2, [borrower(1, 20), *[borrower(9, 1)] * 80]) == [1, 1, *[0] * 79]
    # Rounding alone fills the wide one: its real share is 4.8 of 5, a sixth would be due at .458.
    assert shares_of(6, [borrower(5, 12), *[borrower(9, 1)] * 3]) == [5, 1, 0, 0]


def test_who_is_only_rounded_up_to_full_still_waits_for_its_turn() -> None:
    """Three are due two thirds of a unit each: the first two get one, the last is as small."""
    claims = [borrower(room, 1) for room in (2, 0, 1, 1)]
    assert shares_of(2, claims) == [1, 0, 1, 0]


def test_when_all_are_full_what_is_left_stays_with_the_parent() -> None:
    assert shares_of(4, [borrower(1, 1)] * 3) == [1, 1, 1]


def test_the_unit_due_last_is_reclaimed_from_one_who_was_full_just_now() -> None:
    # At level 2/3 the wide one is full to the brim, with a last unit due at .65, and each narrow
    # one is rounded up to a unit due at .5: one too many in all.
    assert shares_of(22, [borrower(20, 30), *[borrower(9, 1)] * 3]) == [19, 1, 1, 1]


def test_a_guarantee_that_fits_is_kept_whatever_the_weights() -> None:
    claims = [Claim(100, 10, 100), Claim(100, 100, 1), Claim(0, 90, 1)]
    assert shares_of(110, claims) == [10, 100, 0]


def test_guarantees_that_do_not_fit_shrink_in_proportion_to_min() -> None:
    # Levels at which Koordinator hands out 110 of 100 and 150 of 50.
    busy = [Claim(60_000, 60_000, 1), Claim(90_000, 50_000, 1)]
    assert shares_of(100_000, busy) == [54_545, 45_455]
    five = [Claim(n * 10_000, n * 80_000, n) for n in range(1, 6)]
    assert shares_of(50_000, five) == [3333, 6667, 10_000, 13_333, 16_667]
    assert shares_of(100, [Claim(80, 80, 1), Claim(80, 80, 9)]) == [50, 50]
    assert shares_of(7, [Claim(5, 5, 1)] * 3) == [3, 2, 2]


def test_a_small_request_is_met_before_large_guarantees_shrink_further() -> None:
    # min 90 and 90 of 100: the first asks for 20 only, and level 1/2 gives it all of that.
    assert shares_of(100, [Claim(20, 90, 1), Claim(90, 90, 1)]) == [20, 80]


def test_weight_zero_gets_nothing_above_the_guarantee() -> None:
    assert shares_of(100, [Claim(70, 15, 0), Claim(40, 0, 3)]) == [15, 40]
    assert shares_of(100, [Claim(70, 15, 0)]) == [15]


@pytest.mark.parametrize("total", [0, -1, -(10**30)])
def test_nothing_to_share_gives_no_quota_anything(total: int) -> None:
    assert shares_of(total, [Claim(9, 5, 1), Claim(9, 0, 1)]) == [0, 0]


def test_a_quota_without_pods_claims_nothing() -> None:
    assert shares_of(10, []) == []


def test_unlimited_weights_neither_overflow_nor_starve() -> None:
    unlimited = 2**63 - 1
    assert shares_of(10, [borrower(10, unlimited)] * 2) == [5, 5]
    assert shares_of(10, [borrower(10, unlimited), borrower(10, unlimited), borrower(9, 10)]) == [
        5, 5, 0,
    ]  # fmt: skip


def test_sizes_beyond_64_bits_are_exact() -> None:
    million = 10**30
    assert shares_of(3 * million + 1, [borrower(9 * million, million)] * 3) == [
        million + 1, million, million,
    ]  # fmt: skip


def test_many_siblings_with_a_breakpoint_each_are_quick() -> None:
    claims = [borrower(n * n, 1 + n % 7) for n in range(1, 3001)]
    assert sum(shares_of(10**9, claims)) == 10**9
