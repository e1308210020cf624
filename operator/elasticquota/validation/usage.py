"""What every quota of a tree holds of one resource in guarantee mode, for several rules.

Allocated is what its own pods use plus what its children are guaranteed. Guaranteed is the larger
of min and allocated (semantics 4, guarantee mode).
"""

from collections.abc import Mapping

from elasticquota.forest.structure import Forest, Tree
from elasticquota.resources import EMPTY, Resources


class GuaranteedUsage:
    """Own usage, allocated and guaranteed by quota name, in accounting units of one resource."""

    def __init__(
        self, resource: str, tree: Tree, forest: Forest, used_by: Mapping[str, Resources]
    ) -> None:
        """``used_by`` is by quota name and includes what the quotas below use."""
        self.own: dict[str, int] = {}
        """What the own pods of each quota use."""
        self.allocated: dict[str, int] = {}
        self.guaranteed: dict[str, int] = {}
        used = {name: used_by.get(name, EMPTY).get(resource, 0) for name in tree.order}
        for name in reversed(tree.order):
            children = tree.children[name]
            self.own[name] = max(0, used[name] - sum(used[child] for child in children))
            self.allocated[name] = self.own[name] + sum(
                self.guaranteed[child] for child in children
            )
            self.guaranteed[name] = max(
                self.allocated[name], forest.effective_min(name).get(resource, 0)
            )
