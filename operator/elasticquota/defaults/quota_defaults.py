"""A new quota hangs under the default root unless it says otherwise, in the tree of its parent.

Only labels that are absent or empty are filled in, and only at creation (K 4.1). The shared weight
is not written: its default follows max wherever max goes.
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
