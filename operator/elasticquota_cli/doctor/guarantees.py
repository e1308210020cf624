"""Reports what a tree does not offer: guarantees that nothing backs, and what pods hold too much.

``look`` reports roots whose trees offer less than the guarantees directly below, which then shrink.
It reads statuses: a root's runtime is what its tree offers, by its nodes or by the capacity of its
profile, and the guarantee of its children is the sum of their min. The default tree's root has no
object with a status, and is skipped. A tree holds too much where nodes are gone, it observes, or
pods started beside the quotas.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

from elasticquota import names, resources
from elasticquota.forest import parent_keys
from elasticquota.model.capacity_mode import NODES, CapacityMode, Mode
from elasticquota_cli.doctor.inventory import Inventory, Stated
from elasticquota_cli.doctor.report import Finding
from elasticquota_cli.printers import amount


_REMEDIES: Final[Mapping[Mode, str]] = {
    "Nodes": "add nodes, or lower the min of quotas below",
    "Elastic": "raise spec.capacity.max of the profile, or lower the min of quotas below",
    "Declared": "raise spec.capacity.total of the profile, or lower the min of quotas below",
}


def look(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each root and resource."""
    for root in inventory.quota_statuses:
        if root.tree != root.key.name or not root.runtime:
            continue
        modes = (each.capacity for each in inventory.quotas if each.key == root.key)
        children = inventory.children(root.key.name)
        yield from _shrunken(root, children, next(modes, None) or NODES)


def _shrunken(root: Stated, children: list[Stated], mode: CapacityMode) -> Iterator[Finding]:
    promised = resources.add(*(child.min for child in children))
    for key in amount.ordered(promised):
        offered = root.runtime.get(key, 0)
        unlimited = key not in root.runtime and mode.leaves_unlimited(key)
        if promised[key] <= offered or unlimited:
            continue
        yield Finding(
            "warning",
            f"ElasticQuota {root.key}",
            f"its tree offers {amount.shown(key, offered)} {key}, and the quotas directly below "
            f"are guaranteed {amount.shown(key, promised[key])}: each guarantee shrinks in "
            "proportion to min",
            _REMEDIES[mode.mode],
            (root.key.namespace, *sorted({child.key.namespace for child in children})),
        )


def look_at_resources(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each resource of a quota that no node of its tree offers (EQ1103)."""
    forest = inventory.members.forest
    for quota in sorted(inventory.quotas, key=lambda each: each.key):
        found = (parent_keys.check(quota, forest), parent_keys.offered_by_none(quota, forest))
        for each in chain.from_iterable(found):
            if each.rule == "EQ1103-nodes":
                subject = f"ElasticQuota {quota.key}"
                text = f"{each.field}: {each.message}, so no pod can ask for it"
                yield Finding("warning", subject, text, each.remedy, (quota.key.namespace,))


_OBSERVES: Final = (
    "it observes, so nothing is held or evicted",
    "kubectl elastic-quota observe off TREE --dry-run says what enforcing it would evict",
)
_ENFORCES: Final = (
    "its nodes are gone, or pods started beside the quotas",
    "bring the nodes back; else preemptible pods are evicted after reclaim.delaySeconds",
)


def look_at_excess(inventory: Inventory) -> Iterator[Finding]:
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
