"""Reports roots whose nodes offer less than the guarantees directly below, which then shrink.

It reads statuses: a root's runtime is what its nodes offer, and the guarantee of its children is
the sum of their min. The default tree's root has no object with a status, and is skipped.
"""

from collections.abc import Iterator

from elasticquota import resources
from elasticquota_cli import amount
from elasticquota_cli.doctor.inventory import Inventory, Stated
from elasticquota_cli.doctor.report import Finding


def look(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each root and resource."""
    for root in inventory.quota_statuses:
        if root.tree != root.key.name or not root.runtime:
            continue
        children = [
            each
            for each in inventory.quota_statuses
            if each.tree == root.tree and each.parent == root.key.name
        ]
        yield from _shrunken(root, children)


def _shrunken(root: Stated, children: list[Stated]) -> Iterator[Finding]:
    promised = resources.add(*(child.min for child in children))
    for key in amount.ordered(promised):
        offered = root.runtime.get(key, 0)
        if promised[key] <= offered:
            continue
        yield Finding(
            "warning",
            f"ElasticQuota {root.key}",
            f"its tree offers {amount.shown(key, offered)} {key}, and the quotas directly below "
            f"are guaranteed {amount.shown(key, promised[key])}: each guarantee shrinks in "
            "proportion to min",
            "add nodes, or lower the min of quotas below",
            (root.key.namespace, *sorted({child.key.namespace for child in children})),
        )
