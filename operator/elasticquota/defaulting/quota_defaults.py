"""A new quota hangs under the default root unless it says otherwise, in the tree of its parent.

Only labels that are absent or empty are filled in, and only at creation (K 4.1). The shared weight
is not written: its default follows max wherever max goes. What was filled in is not in its writer's
manifest, so whoever replaces the whole quota leaves it out: the tree id then stays what it was.
"""

from collections.abc import Mapping

from elasticquota import names
from elasticquota.forest.structure import Forest


def labels(name: str, written: Mapping[str, str], forest: Forest) -> dict[str, str]:
    """The labels to add to the new quota ``name`` that was written with the labels ``written``."""
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


def kept(name: str, written: Mapping[str, str], stored: Mapping[str, str]) -> dict[str, str]:
    """The labels to add to an edit that leaves them out, from those that ``name`` has.

    A reserved quota has none to keep: there the label was a mistake.
    """
    tree = stored.get(names.TREE_ID)
    if name in names.RESERVED_QUOTAS or written.get(names.TREE_ID) or not tree:
        return {}
    return {names.TREE_ID: tree}
