"""Times are written as the API server writes them, and read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elasticquota.model import moments


@given(st.integers(0, 253_402_300_799))
def test_a_written_time_is_read_back(seconds: int) -> None:
    assert moments.read(moments.text(seconds * 1000)) == seconds * 1000


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (951_782_400_000, "2000-02-29T00:00:00Z"),
        (1_772_323_200_000, "2026-03-01T00:00:00Z"),
        (1_764_092_746_123, "2025-11-25T17:45:46Z"),
    ],
)
def test_a_time_in_text(time: int, text: str) -> None:
    assert moments.text(time) == text


@pytest.mark.parametrize("time", [-1, 253_402_300_800_000])
def test_a_time_of_another_age_is_refused(time: int) -> None:
    with pytest.raises(ValueError, match="no time of the years"):
        moments.text(time)


@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00:00+01:00"),
        *("2026-13-01T00:00:00Z", "0000-01-01T00:00:00Z", "٢٠٢٦-01-01T00:00:00Z"),
    ],
)
def test_what_the_api_server_does_not_write_is_no_moment(text: str) -> None:
    assert moments.read(text) is None
