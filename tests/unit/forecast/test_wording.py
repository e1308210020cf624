"""Ranges are said in the unit that people would take, with the ends rounded outwards."""

import pytest

from elasticquota.forecast import wording
from elasticquota.model.wait_estimate import WaitRange


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (600, 2400, "10 to 40 min"),
        (619, 2401, "10 to 41 min"),
        (0, 60, "less than 1 min"),
        (10, 300, "less than 5 min"),
        (5400, 3 * 3600, "90 min to 3 h"),
        (2 * 3600, 5 * 3600, "2 to 5 h"),
        (3600, 3600, "about 60 min"),
        (40 * 3600, 3 * 86_400, "40 h to 3 days"),
        (30, None, "no upper limit known"),
        (7200, None, "at least 2 h"),
    ],
)
def test_a_range_in_words(low: int, high: int | None, text: str) -> None:
    assert wording.expected(WaitRange(low, high)) == text


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "0 s"),
        (1, "1 s"),
        (5_000, "5 s"),
        (90_000, "1 min 30 s"),
        (120_000, "2 min"),
        (3_660_000, "1 h 1 min"),
        (3_600_001, "1 h 1 min"),
        (90_000_000, "1 d 1 h"),
    ],
)
def test_a_duration_has_its_two_largest_units_rounded_up(milliseconds: int, text: str) -> None:
    assert wording.duration(milliseconds) == text
