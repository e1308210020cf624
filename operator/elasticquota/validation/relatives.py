"""Who stands below a quota, by what the quotas themselves say. No rule: what several rules ask.

Read from the parent labels instead of the trees, so that quotas that are not attached count too.
"""

from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota


def children(name: str, forest: Forest) -> tuple[Quota, ...]:
    """The quotas that name ``name`` as their parent, by name; itself excluded."""
    return tuple(forest.quotas[child] for child in forest.index.children.get(name, ()))


def height(name: str, forest: Forest) -> int:
    """Levels below ``name``, 0 without children; every quota is met once, whatever is stored."""
    below = forest.index.children
    seen = {name}
    level, levels = [name], -1
    while level:
        levels += 1
        level = [child for parent in level for child in below.get(parent, ()) if child not in seen]
        seen.update(level)
    return levels
