"""Finds the quotas below a quota, for several rules.

It reads the parent labels instead of the trees, so quotas that are in no tree count too. The root
of another tree names the built-in root as its parent (K 3) and is no child of it.
"""

from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota


def children(name: str, forest: Forest) -> tuple[Quota, ...]:
    """Return the quotas that name ``name`` as their parent, sorted by name, without itself."""
    return tuple(
        forest.quotas[child]
        for child in forest.index.children.get(name, ())
        if not forest.is_root_of_a_tree(child)
    )


def height(name: str, forest: Forest) -> int:
    """Count the levels below ``name``, 0 without children; ends even if there is a cycle."""
    below = forest.index.children
    seen = {name}
    level, levels = [name], -1
    while level:
        levels += 1
        level = [child for parent in level for child in below.get(parent, ()) if child not in seen]
        seen.update(level)
    return levels
