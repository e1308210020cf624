"""What a new quota is given."""

import pytest

import forests
from elasticquota import names
from elasticquota.defaulting import quota_defaults
from elasticquota.model.key import Key


FOREST = forests.forest("blue root=blue parent; dept<blue parent; plain parent")


NEW: dict[str, tuple[str, dict[str, str], dict[str, str]]] = {
    "no parent is the default root": ("a", {}, {names.PARENT: names.ROOT_QUOTA}),
    "so is an empty one": ("a", {names.PARENT: ""}, {names.PARENT: names.ROOT_QUOTA}),
    "the tree is the parent's": ("a", {names.PARENT: "dept"}, {names.TREE_ID: "blue"}),
    "the default tree has no id to give": ("a", {names.PARENT: "plain"}, {}),
    "an unknown parent is left to the rules": ("a", {names.PARENT: "ghost"}, {}),
    "what is written stays": ("a", {names.PARENT: "dept", names.TREE_ID: "red"}, {}),
    "a root keeps its own tree": (
        "green",
        {names.IS_ROOT: "true", names.TREE_ID: "green"},
        {names.PARENT: names.ROOT_QUOTA},
    ),
    "a reserved quota gets nothing": (names.ROOT_QUOTA, {}, {}),
}


@pytest.mark.parametrize(("name", "written", "added"), NEW.values(), ids=NEW)
def test_a_new_quota_gets_the_labels_that_it_lacks_once(
    name: str, written: dict[str, str], added: dict[str, str]
) -> None:
    assert quota_defaults.labels(name, written, FOREST) == added
    assert quota_defaults.labels(name, written | added, FOREST) == {}


EDITED: dict[str, tuple[str, dict[str, str], str, str]] = {
    "a tree that is left out": ("a", {names.PARENT: "red"}, "blue", "blue"),
    "a tree that is emptied": ("a", {names.TREE_ID: ""}, "blue", "blue"),
    "another tree, which is left to the rules": ("a", {names.TREE_ID: "red"}, "blue", ""),
    "a tree that was never there": ("a", {}, "", ""),
    "that of a reserved quota, which may be taken off": (names.DEFAULT_QUOTA, {}, "blue", ""),
}


@pytest.mark.parametrize(("name", "written", "tree", "kept"), EDITED.values(), ids=EDITED)
def test_an_edit_keeps_the_tree_that_it_leaves_out(
    name: str, written: dict[str, str], tree: str, kept: str
) -> None:
    stored = {names.PARENT: "dept", names.TREE_ID: tree} if tree else {}
    found = quota_defaults.kept(name, written, stored)
    assert found == ({names.TREE_ID: kept} if kept else {})


@pytest.mark.parametrize(
    ("before", "asked"),
    [("dept", ""), ("open", "dept"), ("", "dept")],
    ids=["stays", "moves", "root"],
)
def test_an_edit_asks_for_a_parent_only_where_it_moves_the_quota(before: str, asked: str) -> None:
    forest = forests.forest("dept parent adopts=x; open parent")
    stored = {names.PARENT: before} if before else {}
    found = quota_defaults.parent_to_ask(Key("y", "a"), {names.PARENT: "dept"}, stored, forest)
    assert found == asked


def test_a_parent_whose_list_leaves_the_namespace_out_is_named() -> None:
    forest = forests.forest("dept parent adopts=x; open parent")

    def found(namespace: str, parent: str) -> str:
        return quota_defaults.parent_to_ask(
            Key(namespace, "a"), {names.PARENT: parent}, None, forest
        )

    assert found("y", "dept") == "dept"
    assert [found("x", "dept"), found("ns", "dept"), found("y", "open")] == ["", "", ""]


def test_a_parent_to_come_is_named_as_its_list_may_leave_the_quota_out() -> None:
    def found(parent: str) -> str:
        return quota_defaults.parent_to_ask(Key("y", "a"), {names.PARENT: parent}, None, FOREST)

    assert [found("ghost"), found("a")] == ["ghost", ""]
