"""Who stands below a quota, by what the quotas themselves say. No rule: what several rules ask.

Read from the parent labels instead of the trees, so that quotas that are not attached count too.
"""

from elasticquota.forest.structure import Forest
from elasticquota.model.quota import Quota


def children(name: str, forest: Forest) -> tuple[Quota, ...]:
    """The quotas that name ``name`` as their parent, by name; itself excluded."""
    found = [
        quota for quota in forest.quotas.values() if quota.parent == name and quota.name != name
    ]
    return tuple(sorted(found, key=lambda quota: quota.name))


def height(name: str, forest: Forest) -> int:
    """Levels below ``name``, 0 without children; every quota is met once, whatever is stored."""
    below: dict[str, list[str]] = {}
    for quota in forest.quotas.values():
        below.setdefault(quota.parent, []).append(quota.name)
    seen = {name}
    level, levels = [name], -1
    while level:
        levels += 1
        level = [child for parent in level for child in below.get(parent, ()) if child not in seen]
        seen.update(level)
    return levels
