"""What a new quota is given."""

import pytest

import forests
from elasticquota import names
from elasticquota.defaulting import quota_defaults
from elasticquota.model.key import Key


FOREST = forests.forest("blue root=blue parent; dept<blue parent; plain parent")


def test_a_quota_without_parent_hangs_under_the_default_root() -> None:
    assert quota_defaults.labels("a", {}, FOREST) == {names.PARENT: names.ROOT_QUOTA}
    assert quota_defaults.labels("a", {names.PARENT: ""}, FOREST) == {
        names.PARENT: names.ROOT_QUOTA
    }


def test_the_tree_is_the_parents() -> None:
    assert quota_defaults.labels("a", {names.PARENT: "dept"}, FOREST) == {names.TREE_ID: "blue"}


def test_a_parent_of_the_default_tree_has_no_tree_id_to_give() -> None:
    assert quota_defaults.labels("a", {names.PARENT: "plain"}, FOREST) == {}


def test_an_unknown_parent_is_left_to_the_rules() -> None:
    assert quota_defaults.labels("a", {names.PARENT: "ghost"}, FOREST) == {}


def test_what_is_written_stays() -> None:
    written = {names.PARENT: "dept", names.TREE_ID: "red"}
    assert quota_defaults.labels("a", written, FOREST) == {}


def test_a_root_keeps_its_own_tree() -> None:
    written = {names.IS_ROOT: "true", names.TREE_ID: "green"}
    assert quota_defaults.labels("green", written, FOREST) == {names.PARENT: names.ROOT_QUOTA}


def test_reserved_quotas_get_nothing() -> None:
    assert quota_defaults.labels(names.ROOT_QUOTA, {}, FOREST) == {}


def test_twice_is_once() -> None:
    written = {names.PARENT: "dept"}
    written |= quota_defaults.labels("a", written, FOREST)
    assert quota_defaults.labels("a", written, FOREST) == {}


def test_an_edit_that_leaves_out_the_tree_keeps_it() -> None:
    stored = {names.PARENT: "dept", names.TREE_ID: "blue"}
    assert quota_defaults.kept("a", {names.PARENT: "red"}, stored) == {names.TREE_ID: "blue"}
    assert quota_defaults.kept("a", {names.TREE_ID: ""}, stored) == {names.TREE_ID: "blue"}


def test_an_edit_that_names_a_tree_is_left_to_the_rules() -> None:
    assert quota_defaults.kept("a", {names.TREE_ID: "red"}, {names.TREE_ID: "blue"}) == {}


def test_what_was_never_there_is_not_kept() -> None:
    assert quota_defaults.kept("a", {}, {}) == {}


def test_the_tree_of_a_reserved_quota_may_be_taken_off() -> None:
    assert quota_defaults.kept(names.DEFAULT_QUOTA, {}, {names.TREE_ID: "blue"}) == {}


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
