"""EQ1107: a quota is in its parent's tree, for good."""

import pytest

import changes
from elasticquota.validation import tree_identity


TREES = (
    "blue root=blue parent; red root=red parent; a<blue; dept parent; waits<ghost parent tree=blue"
)
TREE = "metadata.labels[quota.scheduling.koordinator.sh/tree-id]"
PARENT = "metadata.labels[quota.scheduling.koordinator.sh/parent]"
MOVE = "To use another tree, create a quota there and start the pods again in it."

REFUSED: dict[str, tuple[str, str]] = {
    "a tree other than the parent's": (
        "b<blue tree=red",
        f"{TREE}: 'red' must be the tree id of parent 'blue', which is in tree 'blue'. "
        "Leave the label out, and it is filled in.",
    ),
    "a tree below a parent of the default tree": (
        "b<dept tree=red",
        f"{TREE}: 'red' must be the tree id of parent 'dept', which is in the default tree. "
        "Leave the label out, and it is filled in.",
    ),
    "a tree directly below the default root": (
        "b tree=red",
        f"{TREE}: 'red' must be the tree id of parent 'koordinator-root-quota', which is in "
        "the default tree. Leave the label out, and it is filled in.",
    ),
    "another tree id": (
        "a<blue tree=red",
        f"{TREE}: must not change from the default tree to tree 'red'. {MOVE}",
    ),
    "a move to a parent of another tree": (
        "a<red",
        f"{PARENT}: 'red' is in tree 'red', but the quota is in tree 'blue' and must stay "
        f"there. {MOVE}",
    ),
    "a move to the default tree": (
        "a",
        f"{PARENT}: 'koordinator-root-quota' is in the default tree, but the quota is in "
        f"tree 'blue' and must stay there. {MOVE}",
    ),
    "a root that stops being one": (
        "blue tree=blue",
        "metadata.labels[quota.scheduling.koordinator.sh/is-root]: must not change: the root "
        f"of a tree stays what it is. {MOVE}",
    ),
    "a root with another id": (
        "red root=green",
        f"{TREE}: must not change from tree 'red' to tree 'green'. {MOVE}",
    ),
}


@pytest.mark.parametrize(("entry", "sentence"), REFUSED.values(), ids=REFUSED)
def test_another_tree_is_refused(entry: str, sentence: str) -> None:
    assert changes.lines(tree_identity.check, TREES, entry) == [f"{sentence} [EQ1107]"]


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param("b<blue tree=blue", id="the parent's tree"),
        pytest.param("b<blue", id="no tree, which means the parent's"),
        pytest.param("b<dept", id="no tree below a parent of the default tree"),
        pytest.param("b<ghost tree=red", id="a parent that another rule refuses"),
        pytest.param("a<blue tree=blue", id="the parent's tree filled in later"),
        pytest.param("b<waits tree=blue", id="what a parent that waits for its own claims"),
        pytest.param("a<blue 5..", id="an edit of something else"),
        pytest.param("green root=green", id="a new root, as the controller writes it"),
    ],
)
def test_the_rest_passes(entry: str) -> None:
    assert changes.lines(tree_identity.check, TREES, entry) == []


def test_a_quota_that_stands_in_no_tree_may_be_put_into_one() -> None:
    knot = "red root=red parent; a<b parent; b<a parent"
    assert changes.lines(tree_identity.check, knot, "a<red parent") == []
