"""Reports guarantees that nothing backs: more than a tree offers, or of what no node offers.

``look`` reports roots whose trees offer less than the guarantees directly below, which then shrink.
It reads statuses: a root's runtime is what its tree offers, by its nodes or by the capacity of its
profile, and the guarantee of its children is the sum of their min. The default tree's root has no
object with a status, and is skipped.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

from elasticquota import resources
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
