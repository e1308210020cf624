"""EQ1105: a max that never comes true is worth a warning."""

import changes
from elasticquota.rules import ceiling


def test_a_max_above_the_parents_is_told() -> None:
    assert changes.lines(ceiling.check, "dept ..40", "a<dept ..60") == [
        "spec.max.device: 60 is above 40, the max of parent 'dept', which limits it. [EQ1105]"
    ]


def test_no_max_is_told() -> None:
    assert changes.lines(ceiling.check, "dept ..40", "a<dept 10..") == [
        (
            "spec.max: is not given, so the quota may borrow everything that is free in its tree. "
            "[EQ1105]"
        )
    ]


def test_a_max_within_the_parents_or_beside_it_is_fine() -> None:
    assert changes.lines(ceiling.check, "dept ..40", "a<dept ..40 gpu=..8") == []
    assert changes.lines(ceiling.check, "a", "b ..40") == []


def test_a_move_under_a_lower_max_is_told() -> None:
    assert len(changes.lines(ceiling.check, "dept ..40; a ..60", "a<dept ..60")) == 1


def test_an_edit_of_something_else_is_not_warned_of() -> None:
    assert changes.lines(ceiling.check, "dept ..40; a<dept ..60", "a<dept 5..60") == []
