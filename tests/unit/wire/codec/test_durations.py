"""How long an answer says to wait."""

import pytest

from elasticquota.wire.codec import durations


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        # Whole seconds.
        ("0", 0),
        ("30", 30_000),
        # Numbers with units.
        ("500ms", 500),
        ("1m30s", 90_000),
        ("2h", 7_200_000),
        ("1h0m5s7ms", 3_605_007),
        # A day is the most.
        ("86400", 86_400_000),
        ("24h", 86_400_000),
    ],
)
def test_seconds_and_durations_are_read(text: str, milliseconds: int) -> None:
    assert durations.read(text) == milliseconds


@pytest.mark.parametrize(
    "text",
    ["", "-1", "1.5h", "5 s", "soon", "1s1m", "1m1m", "s", "86401", "25h", "٣", "9" * 5_000, "1\n"],
)
def test_anything_else_is_none(text: str) -> None:
    assert durations.read(text) is None
