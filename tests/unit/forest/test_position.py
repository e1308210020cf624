"""Where a quota stands, and why it stands nowhere."""

import pytest

import forests
from elasticquota import names, structs
from elasticquota.forest import acceptance, position
from elasticquota.model.key import Key
from elasticquota.model.verdict import Verdict


def verdict(line: str, name: str, namespace: str = "ns") -> Verdict:
    return forests.forest(line).verdicts[Key(namespace, name)]


def test_an_empty_cluster_has_the_default_tree_with_the_default_quota() -> None:
    forest = forests.forest("")
    assert set(forest.trees) == {names.DEFAULT_TREE}
    assert forest.trees[""].order == (names.ROOT_QUOTA, names.DEFAULT_QUOTA)
    assert forest.verdicts == {}
    assert all(forest.accepted(name) for name in names.RESERVED_QUOTAS)


def test_the_system_quota_stands_in_no_tree() -> None:
    forest = forests.forest("")
    assert names.SYSTEM_QUOTA in forest.quotas
    assert forest.path(names.SYSTEM_QUOTA) == ()
    assert position.of_all(forest.quotas)[names.SYSTEM_QUOTA] == Verdict(
        "ReservedName", "the system quota is in no tree"
    )


def test_a_tree_is_ordered_from_the_root_and_siblings_by_name() -> None:
    tree, forest = forests.default_tree("z; y<b; b; a<z; x<b")
    assert tree.order == (
        names.ROOT_QUOTA, "b", names.DEFAULT_QUOTA, "z", "x", "y", "a",
    )  # fmt: skip
    assert tree.children["b"] == ("x", "y")
    assert tree.children["a"] == ()
    assert forest.descendants(names.ROOT_QUOTA) == tree.order[1:]
    assert forest.descendants("b") == ("x", "y")


def test_a_path_leads_from_the_quota_to_the_root() -> None:
    forest = forests.forest("a; b<a; c<b; top root=blue; d<top")
    assert forest.path("c") == ("c", "b", "a", names.ROOT_QUOTA)
    assert forest.path("d") == ("d", "top")
    assert forest.path("nobody") == ()


def test_pods_belong_into_quotas_that_are_not_marked_as_parents() -> None:
    forest = forests.forest("a; b<a; empty parent")
    assert [forest.is_leaf(name) for name in ("a", "b", "empty", "nobody")] == [
        False, True, False, False,
    ]  # fmt: skip


def test_a_root_quota_is_the_top_of_its_own_tree() -> None:
    forest = forests.forest("top root=blue parent; a<top tree=blue; b<a")
    assert forest.trees["blue"].order == ("top", "a", "b")
    assert (forest.trees["blue"].id, forest.trees["blue"].root) == ("blue", "top")
    assert "top" not in forest.trees[""].order
    assert forest.tree_of["b"] == "blue"


def test_a_root_mark_without_a_tree_id_means_nothing() -> None:
    quota = forests.quotas("top root=blue")[0]
    forest = acceptance.build([structs.replace(quota, tree_id="")])
    assert forest.path("top") == ("top", names.ROOT_QUOTA)


def test_a_child_without_tree_id_takes_its_parents() -> None:
    assert forests.forest("top root=blue parent; a<top").tree_of["a"] == "blue"


def test_an_unknown_parent_leaves_the_quota_nowhere() -> None:
    forest = forests.forest("a<ghost 5..9; b<a; c")
    assert verdict("a<ghost", "a") == Verdict("ParentNotFound", "parent 'ghost' does not exist")
    assert forest.verdicts[Key("ns", "b")] == Verdict(
        "ParentNotFound", "parent 'a' is in no tree itself (ParentNotFound)"
    )
    assert forest.path("b") == ()
    assert forest.descendants("a") == ()
    assert forest.effective_min("a") == {}
    assert "c" in forest.tree_of


@pytest.mark.parametrize("parent", ["b", names.DEFAULT_QUOTA, names.SYSTEM_QUOTA])
def test_a_parent_must_be_marked_as_one(parent: str) -> None:
    assert verdict(f"b leaf; a<{parent}", "a") == Verdict(
        "ParentNotAParent",
        f"parent '{parent}' is not marked as a parent quota (spec.isParent: true)",
    )


def test_a_quota_is_not_its_own_parent() -> None:
    assert verdict("a<a", "a") == Verdict(
        "CycleDetected", "its parents lead back to itself: a -> a"
    )


def test_every_quota_of_a_cycle_says_the_way_round() -> None:
    forest = forests.forest("a<c; b<a; c<b; d<c")
    messages = {key.name: verdict.message for key, verdict in forest.verdicts.items()}
    assert messages == {
        "a": "its parents lead back to itself: a -> c -> b -> a",
        "b": "its parents lead back to itself: b -> a -> c -> b",
        "c": "its parents lead back to itself: c -> b -> a -> c",
        "d": "parent 'c' is in no tree itself (CycleDetected)",
    }


def test_a_long_cycle_is_shown_in_part() -> None:
    line = "; ".join(f"q{n}<q{(n + 1) % 12}" for n in range(12))
    assert verdict(line, "q0").message == (
        "its parents lead back to itself: "
        "q0 -> q1 -> q2 -> q3 -> q4 -> q5 -> q6 -> q7 -> (4 more) -> q0"
    )


def test_a_cycle_of_eight_is_shown_whole() -> None:
    line = "; ".join(f"q{n}<q{(n + 1) % 8}" for n in range(8))
    assert verdict(line, "q0").message == (
        "its parents lead back to itself: q0 -> q1 -> q2 -> q3 -> q4 -> q5 -> q6 -> q7 -> q0"
    )


def test_a_child_claims_no_other_tree_than_its_parents() -> None:
    line = "top root=blue parent; a<top tree=red; b; c<b tree=blue"
    assert verdict(line, "a") == Verdict(
        "TreeMismatch", "it claims tree 'red', but its parent 'top' is in tree 'blue'"
    )
    assert verdict(line, "c") == Verdict(
        "TreeMismatch", "it claims tree 'blue', but its parent 'b' is in the default tree"
    )


def test_only_the_root_quota_of_a_tree_claims_it_from_the_top() -> None:
    assert verdict("top root=blue; a tree=blue", "a") == Verdict(
        "TreeMismatch",
        "it claims tree 'blue', but its parent 'koordinator-root-quota' is in the default tree",
    )


def test_the_older_of_two_root_quotas_has_the_tree() -> None:
    line = "old root=blue parent; new root=blue parent; a<new"
    assert verdict(line, "new") == Verdict(
        "TreeMismatch", "tree 'blue' already has the older root quota 'old'"
    )
    assert verdict(line, "a").reason == "ParentNotFound"
    assert forests.forest(line).trees["blue"].root == "old"


def test_a_root_quota_has_no_parent() -> None:
    assert verdict("b; top<b root=blue", "top") == Verdict(
        "TreeMismatch",
        "it is the root quota of tree 'blue', so its parent must be 'koordinator-root-quota', "
        "not 'b'",
    )


def test_a_very_deep_tree_is_no_problem() -> None:
    line = "; ".join(["q0", *(f"q{n}<q{n - 1}" for n in range(1, 3000))])
    assert len(forests.forest(line).path("q2999")) == 3001
