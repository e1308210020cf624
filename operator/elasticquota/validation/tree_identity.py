"""EQ1107: a quota is in the tree of its parent and never changes trees.

The tree id of a child is its parent's. If the label is left out, admission fills it in; without it
the parent's counts too. A move between trees is refused, because the running pods of the quota
cannot move to the nodes of the other tree.
"""

from collections.abc import Iterator
from typing import Final

from elasticquota import names
from elasticquota.forest import position, violation
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation, label, tree_title
from elasticquota.model.quota import Quota
from elasticquota.validation.change import Change


_FIELD: Final = label(names.TREE_ID)
_MOVE: Final = "To use another tree, create a quota there and start the pods again in it"


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Compare the quota's tree id with its parent's tree and with the tree it had."""
    if change.new is not None and change.old is None:
        yield from _created(change.new, forest)
    elif change.new is not None and change.old is not None:
        yield from _changed(change.old, change.new, forest)


def concerned(change: Change, forest: Forest) -> frozenset[str]:
    """Return the trees that a change concerns: the parent's, and both if it moves between two."""
    trees = set()
    if change.new is not None:
        below = None if change.new.is_root else _tree_below(change.new.parent, forest)
        trees.add(change.new.tree_id if below is None else below)
    if change.old is not None:
        trees.add(forest.tree_of.get(change.old.name, change.old.tree_id))
    return frozenset(trees)


def _created(quota: Quota, forest: Forest) -> Iterator[Violation]:
    tree = _tree_below(quota.parent, forest)
    if not (quota.is_root or tree is None or quota.tree_id in ("", tree)):
        yield position.other_tree(quota, tree)


def _changed(old: Quota, new: Quota, forest: Forest) -> Iterator[Violation]:
    """At most one violation: the first one causes the others."""
    tree = None if new.is_root else _tree_below(new.parent, forest)
    filled_in = not old.tree_id and new.tree_id == tree
    # A quota that is in no tree yet is repaired, not moved.
    is_somewhere = old.name in forest.tree_of or old.tree_id
    current = forest.tree_of.get(old.name, old.tree_id)
    if old.is_root != new.is_root:
        message = "must not change: the root of a tree stays what it is"
        yield Violation("EQ1107", label(names.IS_ROOT), message, _MOVE)
    elif old.tree_id != new.tree_id and not filled_in:
        message = f"must not change from {tree_title(old.tree_id)} to {tree_title(new.tree_id)}"
        yield Violation("EQ1107", _FIELD, message, _MOVE)
    elif is_somewhere and old.parent != new.parent and tree is not None and tree != current:
        message = (
            f"'{new.parent}' is in {tree_title(tree)}, but the quota is in {tree_title(current)} "
            "and must stay there"
        )
        yield Violation("EQ1107", violation.setting(new, "parent"), message, _MOVE)


def _tree_below(parent: str, forest: Forest) -> str | None:
    """The tree of a parent's children; None if it is not known."""
    if parent == names.ROOT_QUOTA:
        return names.DEFAULT_TREE
    if parent in forest.tree_of:
        return forest.tree_of[parent]
    quota = forest.quotas.get(parent)
    return quota.tree_id if quota is not None else None
