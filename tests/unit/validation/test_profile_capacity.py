"""EP1201-capacity: a capacity below what the quotas of its tree are guaranteed is warned of."""

import pytest

import forests
from elasticquota.model.capacity_mode import NODES, CapacityMode
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile, Ratio
from elasticquota.structs import replace
from elasticquota.validation import profile_capacity
from elasticquota.validation.profile_change import ProfileChange


DEVICE = forests.DEVICE
TREE = "pool 8.. root=blue parent; a<pool 5..20; b<pool 3..20"
PROFILE = Profile(Key("ns", "pool"), "1", "2026", "pool", tree_id="blue")
AT = "spec.capacity"
WHY = "which the quotas below 'pool' are guaranteed; all of these guarantees shrink in proportion"
TODO = "Raise it, or lower the min of quotas below. [EP1201]"


def lines(new: Profile, old: Profile | None = PROFILE, tree: str = TREE) -> list[str]:
    found = profile_capacity.check(ProfileChange(old, new), forests.forest(tree))
    return [violation.line for violation in found]


def elastic(most: int) -> CapacityMode:
    return CapacityMode("Elastic", max={DEVICE: most})


@pytest.mark.parametrize(
    ("mode", "key"), [(elastic(7), "max"), (CapacityMode("Declared", total={DEVICE: 7}), "total")]
)
def test_less_than_the_guarantees_is_warned_of_with_both_numbers(
    mode: CapacityMode, key: str
) -> None:
    new = replace(PROFILE, capacity=mode)
    assert lines(new) == [f"{AT}.{key}.{DEVICE}: 7 is less than 8, {WHY}. {TODO}"]
    assert lines(new, old=None) != []


def test_as_much_as_the_guarantees_is_fine() -> None:
    assert lines(replace(PROFILE, capacity=elastic(8))) == []


def test_the_ratio_of_the_profile_counts() -> None:
    (line,) = lines(replace(PROFILE, capacity=elastic(8), ratio=Ratio(9, 10)))
    assert f"max.{DEVICE}: 8 times resourceRatio is less than 8, which" in line


def test_an_edit_of_something_else_is_not_warned_of() -> None:
    low = replace(PROFILE, capacity=elastic(7))
    assert lines(replace(low, quota_labels={"x": "y"}), old=low) == []


def test_what_the_capacity_does_not_name_is_not_judged() -> None:
    assert lines(replace(PROFILE, capacity=CapacityMode("Declared", total={"cpu": 1}))) == []
    assert lines(replace(PROFILE, capacity=NODES)) == []


def test_a_tree_that_does_not_exist_yet_has_no_guarantees() -> None:
    assert lines(replace(PROFILE, capacity=elastic(7)), old=None, tree="") == []
