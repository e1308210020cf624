"""Whose limit binds a pod: its user's, one group's, and that of all applications (Y9)."""

from elasticquota import names
from elasticquota.forest import user_limits
from elasticquota.model import limit
from elasticquota.model.holder import NO_HOLDER, Holder
from elasticquota.model.key import Key
from elasticquota.model.limit import Limit, QuotaLimits
from elasticquota.model.quota import Quota


def quota(name: str, *each: Limit, applications: int = 0) -> Quota:
    return Quota(Key("teams", name), name, "", limits=QuotaLimits(applications, each))


def bound(holder: Holder, *path: Quota) -> list[tuple[str, str, int]]:
    """Quota, whose, and how many applications."""
    found = user_limits.of(holder, path)
    return [(place.quota, str(place.subject), most) for place, _, most in found]


ROOT = Quota(Key("system", names.ROOT_QUOTA), "root", "")
NAMED = Limit(("ann", "bob"), applications=1)
OTHERS = Limit((limit.ALL,), applications=2)


def test_a_user_has_the_limit_that_names_it_else_that_of_all_others() -> None:
    team = quota("team", NAMED, OTHERS)
    assert bound(Holder("bob"), team) == [("team", "user bob", 1)]
    assert bound(Holder("eve"), team) == [("team", "user eve", 2)]


def test_each_quota_of_the_path_looks_for_the_user_again() -> None:
    assert bound(Holder("ann"), quota("leaf", OTHERS), quota("dept", NAMED), ROOT) == [
        ("leaf", "user ann", 2),
        ("dept", "user ann", 1),
    ]


def test_who_is_in_no_limit_is_not_limited() -> None:
    assert bound(Holder("eve", ("ops",)), quota("team", NAMED, Limit((), ("dev",)))) == []


def test_of_many_groups_the_first_that_the_nearest_quota_names_counts_everywhere() -> None:
    leaf = quota("leaf", Limit((), ("ops",), applications=3), Limit((), ("dev",), applications=4))
    dept = quota("dept", Limit((), ("dev",), applications=5), Limit((), ("ops",), applications=6))
    assert bound(Holder("ann", ("dev", "ops")), leaf, dept) == [
        ("leaf", "group ops", 3),
        ("dept", "group ops", 6),
    ]


def test_a_quota_that_names_none_of_the_groups_leaves_the_choice_to_the_one_above() -> None:
    leaf = quota("leaf", Limit((), ("sales",), applications=3))
    dept = quota("dept", Limit((), ("dev",), applications=5))
    assert bound(Holder("ann", ("dev",)), leaf, dept) == [("dept", "group dev", 5)]


def test_all_other_groups_are_one() -> None:
    leaf = quota("leaf", Limit((), ("dev",), applications=3), Limit((), (limit.ALL,), {}, 4))
    assert bound(Holder("ann", ("ops",)), leaf) == [("leaf", "group *", 4)]


def test_for_an_unknown_user_only_the_limit_of_all_users_binds() -> None:
    leaf = quota("leaf", OTHERS, Limit((), ("dev",)), Limit((), (limit.ALL,)), applications=9)
    assert bound(NO_HOLDER, leaf) == [("leaf", "all", 9), ("leaf", "user nobody", 2)]
