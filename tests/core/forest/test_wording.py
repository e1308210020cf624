"""Messages name five things at most and count the rest."""

import pytest

from elasticquota.forest import wording


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ("", ""),
        ("a", "a"),
        ("abcde", "a, b, c, d, e"),
        ("abcdef", "a, b, c, d, e, and 1 more"),
        ("abcdefgh", "a, b, c, d, e, and 3 more"),
    ],
)
def test_five_are_named_and_the_others_are_counted(items: str, text: str) -> None:
    assert wording.listed(items, ", ") == text
