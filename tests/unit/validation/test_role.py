"""EQ1106: a quota keeps its role while it holds anything."""

import changes
from elasticquota.model.key import Key
from elasticquota.validation import role


FIELD = "metadata.labels[quota.scheduling.koordinator.sh/is-parent]"


def test_a_parent_with_children_cannot_become_a_leaf() -> None:
    assert changes.lines(role.check, "dept; a<dept; b<dept", "dept leaf") == [
        f"{FIELD}: must stay 'true' while the quota has children: a, b. "
        "Move or delete them first. [EQ1106]"
    ]


def test_children_that_are_not_attached_count_too() -> None:
    assert changes.lines(role.check, "dept; a<dept tree=red", "dept leaf") != []


def test_a_leaf_with_pods_cannot_become_a_parent() -> None:
    pods = (Key("ns", "p1"), Key("ns", "p2"))
    assert changes.lines(role.check, "a", "a parent", pods=pods) == [
        f"{FIELD}: must not become 'true' while the quota has live pods: ns/p1, ns/p2. "
        "Let them end first. [EQ1106]"
    ]


def test_empty_quotas_may_change_their_role() -> None:
    assert changes.lines(role.check, "dept parent", "dept leaf") == []
    assert changes.lines(role.check, "a", "a parent") == []


def test_a_quota_for_which_others_wait_is_created_as_a_parent() -> None:
    before = "a<dept; b<dept"
    assert changes.lines(role.check, before, "dept leaf") == [
        f"{FIELD}: must be 'true', as quotas wait for this one as their parent: a, b. "
        "Set it, or give them another parent. [EQ1106]"
    ]
    assert changes.lines(role.check, before, "dept parent") == []
    assert changes.lines(role.check, before, "c leaf") == []


def test_creations_and_other_edits_pass() -> None:
    assert changes.lines(role.check, "dept; a<dept", "dept 5.. parent") == []
    assert changes.lines(role.check, "dept", "b parent") == []
