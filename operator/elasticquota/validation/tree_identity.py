"""A quota is in the tree of its parent and never changes trees.

EQ1107. The tree id of a child is its parent's; whoever leaves it out has it filled in by admission,
or means the same anyway. A move between trees would take the quota's pods to nodes they cannot
leave for, so it is refused.
"""

from typing import Final

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota
from elasticquota.validation.change import Change
from elasticquota.validation.violation import Violation, label


_FIELD: Final = label(names.TREE_ID)
_MOVE: Final = "To use another tree, create a quota there and start the pods anew in it"


def check(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """The tree that the quota claims, and the tree that its parent puts it in."""
    if change.new is None:
        return ()
    fault = (
        _created(change.new, forest)
        if change.old is None
        else _changed(change.old, change.new, forest)
    )
    return () if fault is None else (fault,)


def concerned(change: Change, forest: Forest) -> frozenset[str]:
    """The trees that a change is about: the parent's, and both when it moves between two."""
    trees = set()
    if change.new is not None:
        below = None if change.new.is_root else _tree_below(change.new.parent, forest)
        trees.add(change.new.tree_id if below is None else below)
    if change.old is not None:
        trees.add(forest.tree_of.get(change.old.name, change.old.tree_id))
    return frozenset(trees)


def _created(quota: Quota, forest: Forest) -> Violation | None:
    tree = _tree_below(quota.parent, forest)
    if quota.is_root or tree is None or quota.tree_id in ("", tree):
        return None
    return Violation(
        "EQ1107",
        _FIELD,
        f"'{quota.tree_id}' must be the tree id of parent '{quota.parent}', which is in "
        f"{_shown(tree)}",
        "Leave the label out, and it is filled in",
    )


def _changed(old: Quota, new: Quota, forest: Forest) -> Violation | None:
    tree = None if new.is_root else _tree_below(new.parent, forest)
    if old.is_root != new.is_root:
        message = "must not change: the root of a tree stays what it is"
        return Violation("EQ1107", label(names.IS_ROOT), message, _MOVE)
    filled_in = not old.tree_id and new.tree_id == tree
    if old.tree_id != new.tree_id and not filled_in:
        message = f"must not change from {_shown(old.tree_id)} to {_shown(new.tree_id)}"
        return Violation("EQ1107", _FIELD, message, _MOVE)
    if old.name not in forest.tree_of and not old.tree_id:
        return None  # it stands in no tree yet, so this is no move but the repair
    current = forest.tree_of.get(old.name, old.tree_id)
    if old.parent != new.parent and tree is not None and tree != current:
        return Violation(
            "EQ1107",
            label(names.PARENT),
            f"'{new.parent}' is in {_shown(tree)}, but the quota is in {_shown(current)} and must "
            f"stay there",
            _MOVE,
        )
    return None


def _tree_below(parent: str, forest: Forest) -> str | None:
    """The tree of a parent's children; None when nobody can say."""
    if parent == names.ROOT_QUOTA:
        return names.DEFAULT_TREE
    if parent in forest.tree_of:
        return forest.tree_of[parent]
    quota = forest.quotas.get(parent)
    return quota.tree_id if quota is not None else None


def _shown(tree: str) -> str:
    return f"tree '{tree}'" if tree else "the default tree"
