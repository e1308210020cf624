"""Reports what profiles say about nodes and the nodes do not bear out.

* Nodes in no pool of a tree with pools: the resources that are counted by pool are nearly idle
  there, because only pods that no pool can take go to these nodes (docs/pools.md).
* Nodes that take no pods now: their tree still shares what they offer, so pods may wait for a node,
  also within a guarantee.
* An elastic tree in a cluster that shows no sign of an autoscaler: admitted pods would wait for
  nodes that do not come (docs/capacity.md).
"""

from collections.abc import Iterator
from typing import Final

from elasticquota import resources
from elasticquota.forest import wording
from elasticquota.sharing.capacity import TreeCapacity
from elasticquota_cli.doctor.inventory import Inventory
from elasticquota_cli.doctor.report import Finding
from elasticquota_cli.printers import amount
from elasticquota_kube.client import paths


_MARKS: Final = ("karpenter.sh/", "cluster-autoscaler.kubernetes.io/")
"""Of labels and annotations of nodes."""
_LOOKED_FOR: Final = (
    "no ConfigMap kube-system/cluster-autoscaler-status, no kind nodepools.karpenter.sh, and no "
    "label, annotation or taint of Cluster Autoscaler or Karpenter on a node"
)


def look_at_pools(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each profile with such nodes."""
    for profile in inventory.profiles:
        of_tree = inventory.capacities[profile.key]
        pools = of_tree.pools
        if pools is None:
            continue
        outside = [
            name
            for name, pool in sorted(of_tree.pool_of.items())
            if not pool and pools.concern(of_tree.pool_nodes[name].allocatable)
        ]
        if outside:
            yield Finding(
                "warning",
                f"ElasticQuotaProfile {profile.key}",
                f"{len(outside)} of {wording.counted(of_tree.nodes, 'node')} "
                f"{wording.agreed(len(outside), 'are in no pool')}: "
                f"{wording.named(outside)}; only pods that no pool can take go there",
                "give them the labels of a pool in spec.pools, or name a last pool with "
                "nodeLabels: {}",
                (profile.key.namespace,),
            )


def look_at_unschedulable(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each profile with nodes out of service, if it shares what its nodes offer."""
    closed = {node.name for node in inventory.nodes if not node.schedulable}
    for profile in inventory.profiles:
        of_tree = inventory.capacities[profile.key]
        out = [name for name in of_tree.node_names if name in closed]
        if not out or of_tree.mode.mode != "Nodes":
            continue
        lacking = _lacking(inventory, profile.quota_name, of_tree)
        yield Finding(
            "warning" if lacking else "info",
            f"ElasticQuotaProfile {profile.key}",
            f"{len(out)} of {wording.counted(of_tree.nodes, 'node')} "
            f"{wording.agreed(len(out), 'are out of service')} (cordoned, not ready, or about to "
            f"be removed): {wording.named(out)}; the tree still shares what they offer"
            f"{lacking}",
            "bring them back, or take them out of the tree: delete them, or change the label that "
            "the profile selects",
            (profile.key.namespace,),
        )


def _lacking(inventory: Inventory, root: str, of_tree: TreeCapacity) -> str:
    """How much less the other nodes offer than the quotas below are guaranteed; empty: no less."""
    rest = resources.subtract(of_tree.total, of_tree.unschedulable)
    guaranteed = resources.add(*(each.min for each in inventory.children(root)))
    short = [
        f"{wording.amount(key, rest[key])} of the {amount.shown(key, guaranteed[key])}"
        for key in amount.ordered(guaranteed)
        if key in rest and rest[key] < guaranteed[key]
    ]
    if not short:
        return ""
    return (
        f", and the others offer only {', '.join(short)} that the quotas directly below are "
        "guaranteed: pods within a guarantee may wait for a node"
    )


def look_at_autoscalers(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each elastic profile, if nothing shows an autoscaler.

    None where the ConfigMap was not read: that of a managed autoscaler may be the only sign.
    """
    if inventory.found.has_autoscaler_status is not False or _shows_autoscaler(inventory):
        return
    for profile in inventory.profiles:
        if profile.capacity.elastic:
            yield Finding(
                "warning",
                f"ElasticQuotaProfile {profile.key}",
                f"its capacity is Elastic, and no autoscaler is seen: {_LOOKED_FOR}; pods that no "
                f"present node has room for wait {profile.capacity.scale_up_timeout // 1000} s for "
                "a node, and then make way",
                "nothing, if another autoscaler adds nodes; else install one, or use mode Nodes",
                (profile.key.namespace,),
            )


def _shows_autoscaler(inventory: Inventory) -> bool:
    return (
        paths.KARPENTER_POOLS not in inventory.found.not_served
        or any(key.startswith(_MARKS) for key in inventory.keys_of_nodes)
        or any(node.being_removed for node in inventory.nodes)
    )
