"""Fills in the parent and tree id of a new quota: the default root, and the tree of the parent.

A quota that is placed below a parent whose list leaves its namespace out gets a mark that says so,
if the user has the permission: the controller does not count it there otherwise.

Only labels that are absent or empty are filled in, and only at creation (K 4.1). The shared weight
is not filled in, because its default follows max. The user's manifest does not have the labels that
were filled in, so a later replace of the whole quota leaves them out. The tree id then stays.
"""

from collections.abc import Mapping

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.key import Key


def labels(name: str, written: Mapping[str, str], forest: Forest) -> dict[str, str]:
    """Return the labels to add to the new quota ``name``, which has the labels ``written``."""
    if name in names.RESERVED_QUOTAS:
        return {}
    added = {}
    parent = written.get(names.PARENT)
    if not parent:
        parent = added[names.PARENT] = names.ROOT_QUOTA
    if not written.get(names.TREE_ID):
        tree = forest.tree_of.get(parent, names.DEFAULT_TREE)
        if tree:
            added[names.TREE_ID] = tree
    return added


def parent_to_ask(
    key: Key, written: Mapping[str, str], stored: Mapping[str, str] | None, forest: Forest
) -> str:
    """Return the parent that the user needs a permission for, so that the quota gets its mark.

    It is that of a new or moved quota if the parent's list leaves the namespace out, or may do so
    once the parent exists; empty: there is nothing to ask. ``stored`` are the labels before the
    edit; None: the quota is new.
    """
    stays = stored is not None and stored.get(names.PARENT) == written.get(names.PARENT)
    if stays or key.name in names.RESERVED_QUOTAS:
        return ""
    name = written.get(names.PARENT) or names.ROOT_QUOTA
    parent = forest.quotas.get(name)
    if parent is None:
        return "" if name == key.name else name
    return "" if parent.child_namespaces is None or parent.lists(key.namespace) else name


def kept(name: str, written: Mapping[str, str], stored: Mapping[str, str]) -> dict[str, str]:
    """Return the labels to add to an edit that leaves them out; ``stored`` are those before it.

    A reserved quota keeps none: there the label was a mistake.
    """
    tree = stored.get(names.TREE_ID)
    if name in names.RESERVED_QUOTAS or written.get(names.TREE_ID) or not tree:
        return {}
    return {names.TREE_ID: tree}
