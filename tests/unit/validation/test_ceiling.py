"""EQ1105: a max that never comes true is worth a warning."""

import changes
from elasticquota.validation import ceiling


def test_a_max_above_the_parents_is_reported() -> None:
    assert changes.lines(ceiling.check, "dept ..40", "a<dept ..60") == [
        "spec.max.device: 60 is above 40, the max of parent 'dept', which limits it. "
        "Lower it, or raise the max of 'dept'. [EQ1105]"
    ]


def test_no_max_is_reported() -> None:
    assert changes.lines(ceiling.check, "dept ..40", "a<dept 10..") == [
        "spec.max: is not given, so the quota may borrow everything that is free in its tree. "
        "Name a max to limit that. [EQ1105]"
    ]


def test_a_max_below_that_of_children_is_reported() -> None:
    before = "dept ..40; a<dept ..30; b<dept ..10; c<dept"
    assert changes.lines(ceiling.check, before, "dept ..20 parent") == [
        "spec.max.device: 20 is below the max of children, which it limits: a 30. "
        "Raise it, or lower theirs. [EQ1105]"
    ]
    assert changes.lines(ceiling.check, before, "dept ..30 parent") == []


def test_a_max_within_the_parents_or_beside_it_is_fine() -> None:
    assert changes.lines(ceiling.check, "dept ..40", "a<dept ..40 gpu=..8") == []
    assert changes.lines(ceiling.check, "a", "b ..40") == []


def test_a_move_under_a_lower_max_is_reported() -> None:
    assert len(changes.lines(ceiling.check, "dept ..40; a ..60", "a<dept ..60")) == 1


def test_an_edit_of_something_else_is_not_warned_of() -> None:
    assert changes.lines(ceiling.check, "dept ..40; a<dept ..60", "a<dept 5..60") == []
