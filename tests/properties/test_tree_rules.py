"""Law: a tree that the rules accept is followed as written; faults do not depend on the order."""

import random
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

import foreign_objects
import levels
import translation_laws
import translations
from elasticquota.integrations.ack import tree_rules
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.integrations import ack_trees
from elasticquota.wire.integrations.ack_trees import QuotaTree


CUT = ("the max; cut to it", "not bound")


AMOUNTS = st.dictionaries(st.sampled_from(("cpu", "memory")), st.integers(0, 2), max_size=1)
NODES: Any = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "min": AMOUNTS,
            "max": AMOUNTS,
            "namespaces": st.lists(st.sampled_from("stuv"), min_size=1, max_size=1),
        },
    ),
    lambda below: st.fixed_dictionaries(
        {"children": st.lists(below, max_size=3)},
        optional={"max": AMOUNTS, "namespaces": st.just(["s"])},
    ),
    max_leaves=5,
)
"""Small trees without names, of which about half have no fault."""


def named(node: Any, name: str = "n") -> Any:
    """The same with a name for each node, which no other has."""
    children = node.get("children", [])
    below = [named(child, f"{name}{index}") for index, child in enumerate(children)]
    return {**node, "name": name, "children": below}


def read(manifest: Any) -> QuotaTree:
    return ack_trees.read(msgspec.convert(manifest, SpecManifest))


@given(NODES)
def test_what_the_rules_accept_is_followed_without_a_cut_and_nothing_else(root: Any) -> None:
    manifest = translations.tree({"name": "root", "children": [named(root)]})
    said = translations.texts(translations.of_ack(manifest))
    cut = [text for text in said if any(words in text for words in CUT)]
    assert bool(cut) == bool(tree_rules.faults(read(manifest)))


@given(foreign_objects.TREES, levels.DICE)
def test_an_edit_that_only_moves_nodes_adds_no_fault(trees: list[Any], dice: random.Random) -> None:
    for manifest in trees:
        tree = read(manifest)
        moved = read(translation_laws.shuffled(manifest, dice))
        assert tree_rules.added(tree, moved) == ()
        assert len(tree_rules.faults(tree)) == len(tree_rules.faults(moved))
