"""The quotas that an edit affects, and no others."""

from collections.abc import Callable, Iterable

import pytest

import forests
from elasticquota.forest import settings
from elasticquota.forest.affected import Affected
from elasticquota.forest.incremental import IncrementalForest
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.model.selector import Requirement, Selector
from elasticquota.structs import replace


LINE = "dept 20..100; a<dept 10..40; b<dept 10..60; sub<dept 0.. parent; c<sub ..9; lone 5..9"


def followed(quotas: Iterable[Quota]) -> IncrementalForest:
    return IncrementalForest(settings.USUAL, quotas)


def reached(line: str, name: str, edit: Callable[[Quota], Quota | None]) -> Affected:
    stored = {quota.key: quota for quota in forests.quotas(line)}
    old = stored[Key("ns", name)]
    found = followed(stored.values()).update({old.key: edit(old)})
    assert found is not None
    return found


def test_what_only_the_quota_uses_concerns_no_other_quota() -> None:
    found = reached(LINE, "a", lambda quota: replace(quota, strict_queue=True))
    assert found == Affected(changed=frozenset("a"), statuses=frozenset("a"))


def test_what_a_root_says_concerns_every_quota() -> None:
    (root,) = forests.quotas("blue root=blue")
    assert followed([root]).update({root.key: replace(root, total={"device": 5})}) is None


def test_a_min_concerns_the_younger_siblings_who_get_no_more_of_the_parents() -> None:
    found = reached(LINE, "a", lambda quota: replace(quota, min={"device": 11}))
    assert (found.changed, found.bounded) == (frozenset("ab"), frozenset())


def test_a_min_concerns_the_children_among_whom_it_is_handed_out() -> None:
    found = reached(LINE, "dept", lambda quota: replace(quota, min={"device": 10}))
    assert found.changed == {"dept", "b"}


def test_who_is_refused_takes_the_guarantee_from_all_below() -> None:
    line = "dept 20..; sub<dept 5..; c<sub 5..; d<c 3.. parent; e<d 1.."
    found = reached(line, "sub", lambda quota: replace(quota, min={"device": 21}))
    assert found.changed == {"sub", "c", "d", "e"}


def test_a_max_bounds_the_waiting_pods_of_all_below() -> None:
    found = reached(LINE, "sub", lambda quota: replace(quota, max={"device": 3}))
    assert (found.changed, found.bounded) == (frozenset({"sub"}), frozenset({"sub", "c"}))


def test_other_resources_in_max_are_reported_to_the_children() -> None:
    line = "dept ..9; a<dept ..5 gpu=..2; b<dept"
    found = reached(line, "dept", lambda quota: replace(quota, max={"device": 9, "gpu": 2}))
    assert found.statuses == {"dept", "a", "b"}
    assert found.changed == {"dept"}


def test_other_amounts_in_max_tell_the_children_nothing() -> None:
    found = reached(LINE, "dept", lambda quota: replace(quota, max={"device": 99}))
    assert found.statuses == {"dept"}


def test_a_namespace_is_reported_to_all_who_bind_it() -> None:
    line = "a binds=x; b binds=x,y; c binds=z"
    found = reached(line, "a", lambda quota: replace(quota, namespaces=("y",)))
    assert found.statuses == {"a", "b"}
    assert found.namespaces == {"x", "y"}
    assert found.bounded == {"a"}


def test_who_may_name_a_quota_bounds_its_own_waiting_pods() -> None:
    found = reached(LINE, "sub", lambda quota: replace(quota, allowed_namespaces=()))
    assert found.bounded == {"sub"}


def test_other_nodes_bound_its_own_waiting_pods() -> None:
    gpu = Selector((Requirement("gpu", "Exists", ()),))
    found = reached(LINE, "sub", lambda quota: replace(quota, nodes=gpu))
    assert found.bounded == {"sub"}


@pytest.mark.parametrize("namespace", ["ns", "c"])
def test_a_quota_that_goes_leaves_its_namespaces_to_others(namespace: str) -> None:
    line = f"a binds=x; b; c<b 1.. binds=x,y ns={namespace}"
    stored = {quota.name: quota for quota in forests.quotas(line)}
    forest, key = followed(stored.values()), stored["c"].key
    found, back = forest.update({key: None}), forest.update({key: stored["c"]})
    assert found is not None
    assert back is not None
    assert found.come_or_gone == {"c"}
    assert found.statuses == {"a", "c"}
    assert found.namespaces == {"x", "y"} | ({"c"} if namespace == "c" else set())
    assert back.namespaces == found.namespaces
