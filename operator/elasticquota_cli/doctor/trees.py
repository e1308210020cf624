"""Reports trees whose pods hold more than their nodes offer, as the statuses of their roots say.

Nodes are gone, the tree observes, or pods started beside the quotas.
"""

from collections.abc import Iterator
from typing import Final

from elasticquota import names
from elasticquota_cli.doctor.inventory import Inventory
from elasticquota_cli.doctor.report import Finding
from elasticquota_cli.printers import amount


_OBSERVES: Final = (
    "it observes, so nothing is held or evicted",
    "kubectl elastic-quota observe off TREE --dry-run says what enforcing it would evict",
)
_ENFORCES: Final = (
    "its nodes are gone, or pods started beside the quotas",
    "bring the nodes back; else preemptible pods are evicted after reclaim.delaySeconds",
)


def look(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each root quota whose status says that its pods hold too much."""
    forest = inventory.members.forest
    for root in inventory.quota_statuses:
        over = [
            f"{amount.shown(key, root.used[key])} {key} of {amount.shown(key, most)}"
            for key, most in root.runtime.items()
            if key != names.PODS and root.used.get(key, 0) > most
        ]
        if root.tree != root.key.name or not over:
            continue
        why, remedy = _OBSERVES if forest.observes(root.key.name) else _ENFORCES
        text = f"the pods of its tree hold {', '.join(over)}: {why}"
        yield Finding("warning", f"ElasticQuota {root.key}", text, remedy, (root.key.namespace,))
