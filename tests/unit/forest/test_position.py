"""Where a quota stands, and why it stands nowhere."""

import pytest

import changes
import forests
from elasticquota import names, structs
from elasticquota.forest import acceptance, position
from elasticquota.model.key import Key
from elasticquota.model.verdict import Verdict
from elasticquota.validation import parentage


def verdict(line: str, name: str, namespace: str = "ns") -> Verdict:
    return forests.forest(line).verdicts[Key(namespace, name)]


def circular(path: str) -> str:
    message = f"the parents must not form a cycle, but {path}"
    return f"{message}. Name a parent that is not below this quota. [EQ1101]"


def other_tree(claimed: str, parent: str, tree: str) -> str:
    message = f"'{claimed}' must be the tree id of parent '{parent}', which is in {tree}"
    return f"{message}. Leave the label out, and it is filled in. [EQ1107]"


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
    assert verdict("a<ghost", "a") == Verdict(
        "ParentNotFound", "there is no quota 'ghost'. Create it, or correct the name. [EQ1101]"
    )
    assert forest.verdicts[Key("ns", "b")] == Verdict(
        "ParentNotFound", "parent 'a' is in no tree itself (ParentNotFound)"
    )
    assert forest.path("b") == ()
    assert forest.descendants("a") == ()
    assert forest.effective_min("a") == {}
    assert "c" in forest.tree_of


@pytest.mark.parametrize(
    ("parent", "remedy"),
    [
        ("b", "Name another parent, or set spec.isParent of 'b' to true"),
        (names.DEFAULT_QUOTA, "Name another parent"),
        (names.SYSTEM_QUOTA, "Name another parent"),
    ],
)
def test_a_parent_must_be_marked_as_one(parent: str, remedy: str) -> None:
    assert verdict(f"b leaf; a<{parent}", "a") == Verdict(
        "ParentNotAParent", f"'{parent}' is not a parent quota. {remedy}. [EQ1101]"
    )


def test_a_quota_is_not_its_own_parent() -> None:
    assert verdict("a<a", "a") == Verdict(
        "CycleDetected",
        "'a' is the quota itself, but a parent must be another quota. Name another parent, or "
        "leave it out for the root. [EQ1101]",
    )


def test_every_quota_of_a_cycle_says_the_way_round() -> None:
    forest = forests.forest("a<c; b<a; c<b; d<c")
    messages = {key.name: verdict.message for key, verdict in forest.verdicts.items()}
    assert messages == {
        "a": circular("a -> c -> b -> a"),
        "b": circular("b -> a -> c -> b"),
        "c": circular("c -> b -> a -> c"),
        "d": "parent 'c' is in no tree itself (CycleDetected)",
    }


def test_a_long_cycle_is_shown_in_part() -> None:
    line = "; ".join(f"q{n}<q{(n + 1) % 12}" for n in range(12))
    assert verdict(line, "q0").message == circular(
        "q0 -> q1 -> q2 -> q3 -> q4 -> q5 -> q6 -> q7 -> (4 more) -> q0"
    )


def test_a_cycle_of_eight_is_shown_whole() -> None:
    line = "; ".join(f"q{n}<q{(n + 1) % 8}" for n in range(8))
    assert verdict(line, "q0").message == circular(
        "q0 -> q1 -> q2 -> q3 -> q4 -> q5 -> q6 -> q7 -> q0"
    )


def test_a_child_claims_no_other_tree_than_its_parents() -> None:
    line = "top root=blue parent; a<top tree=red; b; c<b tree=blue"
    assert verdict(line, "a") == Verdict("TreeMismatch", other_tree("red", "top", "tree 'blue'"))
    in_default = other_tree("blue", "b", "the default tree")
    assert verdict(line, "c") == Verdict("TreeMismatch", in_default)


def test_only_the_root_quota_of_a_tree_claims_it_from_the_top() -> None:
    assert verdict("top root=blue; a tree=blue", "a") == Verdict(
        "TreeMismatch", other_tree("blue", names.ROOT_QUOTA, "the default tree")
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


@pytest.mark.parametrize("top", ["q0", "q0 root=blue"])
def test_a_tree_has_32_levels(top: str) -> None:
    forest = forests.forest("; ".join([top, *(f"q{n}<q{n - 1}" for n in range(1, 40))]))
    assert forest.accepted("q31")
    assert forest.verdicts[Key("ns", "q32")] == Verdict(
        "TooDeep",
        "the tree would be 33 levels deep, and must not be deeper than 32. Name a parent that is "
        "closer to the root. [EQ1101]",
    )
    assert forest.verdicts[Key("ns", "q33")].message == (
        "parent 'q32' is in no tree itself (TooDeep)"
    )


@pytest.mark.parametrize("levels", [31, 32, 33, 40])
def test_the_webhook_refuses_the_level_that_the_controller_does_not_accept(levels: int) -> None:
    line = [f"q{n}<q{n - 1} parent" if n else "q0" for n in range(levels)]
    before = "; ".join(line[:-1])
    refused = changes.lines(parentage.check, before, line[-1])
    last = forests.forest("; ".join(line)).verdicts[Key("ns", f"q{levels - 1}")]
    assert bool(refused) is not last.accepted


def test_quotas_without_end_below_each_other_are_judged_quickly() -> None:
    line = "; ".join(["q0", *(f"q{n}<q{n - 1}" for n in range(1, 3000))])
    assert len(forests.forest(line).tree_of) == 32 + 2


def test_the_default_quota_is_no_parent_whatever_it_says() -> None:
    forest = forests.forest(f"{names.DEFAULT_QUOTA} parent; a<{names.DEFAULT_QUOTA}")
    assert forest.verdicts[Key("ns", "a")].reason == "ParentNotAParent"
    assert forest.verdicts[Key("ns", names.DEFAULT_QUOTA)].reason == "ReservedName"
