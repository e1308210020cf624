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
