"""EQ1115: a quota or profile leaves room for what the controller writes beside it."""

import changes
import forests
from elasticquota.structs import replace
from elasticquota.validation import chains, object_size
from elasticquota.validation.change import Change


MOST = object_size.LARGEST
LINE = (
    "has 1025 KiB of JSON and may have 1024, so that its status fits beside it into the store "
    "(1.5 MiB). Shorten its texts, such as owner references, or take labels off. [EQ1115]"
)


def judged(change: Change) -> list[str]:
    return [each.line for each in chains.judge(change, forests.forest("a ..4")).refused]


def edited(size: int, old_size: int) -> list[str]:
    """An edit of metadata that no rule reads."""
    old = changes.change("", "a ..4").quota
    return judged(Change(old, replace(old, generation=2), size=size, old_size=old_size))


def test_a_new_quota_may_have_as_much_as_leaves_room_and_no_byte_more() -> None:
    assert judged(changes.change("", "a ..4", size=MOST)) == []
    assert judged(changes.change("", "a ..4", size=MOST + 1)) == [LINE]


def test_an_edit_of_other_metadata_may_not_make_a_quota_too_large() -> None:
    assert edited(MOST, 5) == []
    assert edited(MOST + 1, 5) == [LINE]


def test_a_quota_that_is_too_large_may_get_smaller() -> None:
    assert edited(2 * MOST, 2 * MOST) == []
    assert edited(MOST + 1, 2 * MOST) == []
    assert edited(2 * MOST + 1, 2 * MOST) != []


def test_a_quota_that_is_too_large_may_be_deleted() -> None:
    assert judged(replace(changes.removal("a ..4", "a"), old_size=2 * MOST)) == []
