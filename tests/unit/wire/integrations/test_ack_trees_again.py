"""A tree that comes again is read where its text is another one, and nowhere else."""

from typing import Any

import msgspec

import translations
from elasticquota.wire.codec.metadata import ClosedManifest
from elasticquota.wire.integrations import ack_trees
from elasticquota.wire.integrations.ack_trees import Node, QuotaTree


def node(name: Any, *children: Any, **facts: Any) -> Any:
    return {"name": name, "children": list(children), **facts}


def tree(*children: Any) -> ClosedManifest:
    written = msgspec.json.encode(translations.tree(node("r", *children)))
    return msgspec.json.decode(written, type=ClosedManifest)


def read(manifest: ClosedManifest, before: QuotaTree | None = None) -> list[Node]:
    """The departments; the same as of a tree that was never seen."""
    found = ack_trees.read(manifest, before)
    assert found == ack_trees.read(manifest)
    assert found.root is not None
    return list(found.root.children)


def kept(before: list[Node], after: list[Node]) -> list[str]:
    """Who was not read again."""
    return [each.name for each in after if any(each is other for other in before)]


def test_only_what_was_edited_is_read_again() -> None:
    before = ack_trees.read(tree(node("a"), node("b", node("x"), node("y"))))
    assert before.root is not None
    old, new = before.root.children, read(tree(node("a"), node("b", node("x"), node("z"))), before)
    assert kept(list(old), new) == ["a"]
    assert kept(list(old[1].children), list(new[1].children)) == ["x"]


def test_a_tree_that_says_the_same_is_the_same_with_its_faults() -> None:
    manifest = tree(node("a", min=7), node(7))
    before = ack_trees.read(manifest)
    again = ack_trees.read(tree(node("a", min=7), node(7)), before)
    assert again.root is before.root
    assert again.faults == before.faults != ()


def test_who_stands_elsewhere_now_is_read_again_for_its_path_is_another() -> None:
    before = ack_trees.read(tree(node("a"), node("b", min=7)))
    (moved,) = read(tree(node("b", min=7)), before)
    assert moved.faults == ("spec.root.children[0].min: must be a map, got 7",)


def test_what_could_not_be_read_moves_nobody_into_its_place() -> None:
    before = ack_trees.read(tree(node(7), node("b"), node("c")))
    assert [each.where for each in read(tree(node(7), node("b"), node("d")), before)] == [
        "spec.root.children[1]",
        "spec.root.children[2]",
    ]
    assert read(tree(node(7), node(7)), before) == []


def test_a_number_that_becomes_a_truth_value_is_another_text() -> None:
    before = ack_trees.read(tree(node("a", max={"cpu": 1})))
    (found,) = read(tree(node("a", max={"cpu": True})), before)
    assert found.max == {}
    assert "got true" in found.faults[0]
