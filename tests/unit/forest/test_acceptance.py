"""Who holds a name, which quotas are accepted, and what a refused one is still worth."""

from typing import Any

import pytest

import forests
from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.forest.settings import SharingTerms
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.model.verdict import ACCEPTED, Verdict
from elasticquota.structs import replace


def test_the_older_of_two_quotas_holds_the_name() -> None:
    forest = forests.forest("a ns=x ..5; a ns=y ..9")
    assert forest.quotas["a"].key == Key("x", "a")
    assert forest.verdicts[Key("x", "a")] == ACCEPTED
    assert forest.verdicts[Key("y", "a")] == Verdict(
        "NameConflict",
        "'a' is taken by the quota in namespace 'x'; names must be unique over all namespaces, "
        "because children and pods name a quota without its namespace. Choose another name. "
        "[EQ1102]",
    )


def test_uid_decides_between_quotas_of_the_same_second() -> None:
    pair = [
        Quota(Key(namespace, "a"), uid=uid, created="2026-01-01T00:00:00Z")
        for namespace, uid in (("x", "2"), ("y", "1"))
    ]
    assert acceptance.build(pair).quotas["a"].key == Key("y", "a")
    assert acceptance.build(pair[::-1]) == acceptance.build(pair)


def test_the_next_older_quota_takes_over_a_name_that_became_free() -> None:
    older, younger = forests.quotas("a ns=x ..5; a ns=y ..9")
    assert acceptance.build([older, younger]).quotas["a"] == older
    assert acceptance.build([younger]).verdicts == {Key("y", "a"): ACCEPTED}


def test_a_quota_that_cannot_be_read_stays_in_its_tree_without_guarantee() -> None:
    forest = forests.forest("a 10..20 bad")
    assert forest.verdicts[Key("ns", "a")] == Verdict(
        "InvalidSpec", "spec: cannot be read. [EQ1001]"
    )
    assert forest.path("a") == ("a", names.ROOT_QUOTA)
    assert not forest.accepted("a")
    assert forest.effective_min("a") == {}


def test_negative_amounts_are_never_taken_for_a_quota() -> None:
    quota = Quota(Key("ns", "a"), "1", "", min={"cpu": -1}, max={"cpu": -1500, "memory": 5})
    assert acceptance.build([quota]).verdicts[quota.key] == Verdict(
        "InvalidSpec",
        "spec.min.cpu: must not be negative, got -1m. [EQ1001]; "
        "spec.max.cpu: must not be negative, got -1500m. [EQ1001]",
    )


def test_many_faults_are_counted() -> None:
    quota = Quota(Key("ns", "a"), "1", "", faults=tuple(Fault("", f"fault {n}") for n in range(8)))
    assert acceptance.build([quota]).verdicts[quota.key].message == (
        "fault 0. [EQ1001]; fault 1. [EQ1001]; fault 2. [EQ1001]; fault 3. [EQ1001]; "
        "fault 4. [EQ1001]; and 3 more"
    )


def test_standing_nowhere_weighs_more_than_a_bad_spec() -> None:
    assert forests.verdicts("a<ghost bad") == {"a": "ParentNotFound"}


def test_an_unknown_name_takes_no_part() -> None:
    assert not forests.forest("a").accepted("nobody")


def test_an_object_gives_the_default_quota_its_bounds() -> None:
    forest = forests.forest(f"{names.DEFAULT_QUOTA} 5..9")
    assert forest.effective_min(names.DEFAULT_QUOTA) == {"device": 5}
    assert forest.quotas[names.DEFAULT_QUOTA].max == {"device": 9}
    assert forest.path(names.DEFAULT_QUOTA) == (names.DEFAULT_QUOTA, names.ROOT_QUOTA)


def test_the_default_quota_cannot_be_moved() -> None:
    for words, key in (("parent", "is-parent"), ("tree=blue", "tree-id")):
        forest = forests.forest(f"{names.DEFAULT_QUOTA} {words} 5..9")
        assert forest.verdicts[Key("ns", names.DEFAULT_QUOTA)] == Verdict(
            "ReservedName",
            f"metadata.labels[quota.scheduling.koordinator.sh/{key}]: 'koordinator-default-quota' "
            "is a leaf directly below 'koordinator-root-quota' in the default tree. Leave it out. "
            "[EQ1110]",
        )
        assert forest.path(names.DEFAULT_QUOTA) == (names.DEFAULT_QUOTA, names.ROOT_QUOTA)
        assert forest.is_leaf(names.DEFAULT_QUOTA)
        assert forest.effective_min(names.DEFAULT_QUOTA) == {}
        assert set(forest.trees) == {names.DEFAULT_TREE}


def test_the_default_quota_cannot_be_marked_as_a_root() -> None:
    quota = Quota(Key("ns", names.DEFAULT_QUOTA), "1", "", is_root=True, tree_id="blue")
    forest = acceptance.build([quota])
    assert forest.verdicts[quota.key].reason == "ReservedName"
    assert set(forest.trees) == {names.DEFAULT_TREE}
    assert not forest.quotas[names.DEFAULT_QUOTA].is_root


def test_the_objects_that_koordinator_creates_for_root_and_system_change_nothing() -> None:
    line = f"{names.ROOT_QUOTA} parent ns=k; {names.SYSTEM_QUOTA} ..9 ns=k"
    forest = forests.forest(line)
    assert set(forest.verdicts.values()) == {ACCEPTED}
    bare = forests.forest("")
    assert (forest.quotas, forest.trees, forest.tree_of) == (bare.quotas, bare.trees, bare.tree_of)


def test_the_objects_of_root_and_system_may_name_no_parent_or_the_root() -> None:
    for parent in ("", names.ROOT_QUOTA):
        quota = Quota(Key("ns", names.ROOT_QUOTA), "1", "", parent=parent)
        assert acceptance.build([quota]).verdicts[quota.key] == ACCEPTED


@pytest.mark.parametrize(
    "said", [{"is_root": True}, {"tree_id": "blue"}, {"parent": "a"}, {"min": {"cpu": 1}}]
)
def test_the_objects_of_root_and_system_stand_where_they_are_built_in(said: dict[str, Any]) -> None:
    quota = Quota(Key("ns", names.SYSTEM_QUOTA), "1", "", **said)
    assert acceptance.build([quota]).verdicts[quota.key].reason == "ReservedName"


def test_objects_named_root_or_system_that_ask_for_something_are_refused() -> None:
    assert forests.verdicts(f"{names.SYSTEM_QUOTA} 5..") == {names.SYSTEM_QUOTA: "ReservedName"}
    assert forests.verdicts(f"{names.ROOT_QUOTA} root=blue") == {names.ROOT_QUOTA: "ReservedName"}
    forest = forests.forest(f"{names.SYSTEM_QUOTA} 5..")
    assert forest.accepted(names.SYSTEM_QUOTA)
    assert forest.verdicts[Key("ns", names.SYSTEM_QUOTA)].message == (
        "'koordinator-system-quota' is reserved: that quota is built in, and the controller keeps "
        "it. Leave out min, tree id and parent. [EQ1110]"
    )


def test_the_default_tree_guarantees_use_where_the_administrator_says_so() -> None:
    assert not acceptance.build(()).trees[names.DEFAULT_TREE].guarantees_use
    forest = acceptance.build((), SharingTerms(default_tree_guarantees_use=True))
    assert forest.trees[names.DEFAULT_TREE].guarantees_use
    assert [tree.id for tree in forest.trees.values() if tree.guarantees_use] == [""]


def test_all_trees_guarantee_use_where_the_administrator_says_so_and_they_do_not() -> None:
    quotas = forests.quotas("pool root=blue; other root=red; third root=green firm")
    said = [
        replace(each, guarantee_usage=False) if each.name == "other" else each for each in quotas
    ]
    found = acceptance.build(said, SharingTerms(guarantees_use=True)).trees
    assert {tree.root for tree in found.values() if tree.guarantees_use} == {"pool", "third"}
    usual = acceptance.build(said).trees
    assert {tree.root for tree in usual.values() if tree.guarantees_use} == {"third"}


def test_an_object_of_a_reserved_name_counts_only_in_the_releases_namespace() -> None:
    at_home = SharingTerms(home="quotas")
    for name in sorted(names.RESERVED_QUOTAS):
        forest = forests.forest(f"{name} ..0 ns=team firm observes", at_home)
        assert forest.verdicts[Key("team", name)] == Verdict(
            "ReservedName",
            f"'{name}' is reserved: it may be written only in namespace 'quotas'. Choose another "
            "name. [EQ1110]",
        )
        bare = forests.forest("", at_home)
        assert (forest.quotas, forest.trees) == (bare.quotas, bare.trees)
    line = f"{names.DEFAULT_QUOTA} ..0 ns=team; {names.DEFAULT_QUOTA} ..9 ns=quotas"
    assert forests.forest(line, at_home).quotas[names.DEFAULT_QUOTA].max == {"device": 9}
