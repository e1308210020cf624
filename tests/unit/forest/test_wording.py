"""Messages name a few things at most and count the rest."""

import pytest

from elasticquota.forest import wording


@pytest.mark.parametrize(
    ("items", "listed", "named"),
    [
        ("", "", ""),
        ("a", "a", "a"),
        ("abcde", "a; b; c; d; e", "a, b, c, d, e"),
        ("abcdef", "a; b; c; d; e; and 1 more", "a, b, c, d, e and 1 more"),
        ("abcdefgh", "a; b; c; d; e; and 3 more", "a, b, c, d, e and 3 more"),
    ],
)
def test_five_are_named_and_the_others_are_counted(items: str, listed: str, named: str) -> None:
    assert (wording.listed(items, "; "), wording.named(items)) == (listed, named)


def test_who_has_little_room_names_fewer() -> None:
    assert wording.listed("abcd", "; ", 2) == "a; b; and 2 more"
    assert wording.named([1, 2, 3], 2) == "1, 2 and 1 more"
