"""Reports what the pods of a tree hold beyond its nodes, and on nodes of another tree.

* A tree that holds more than its nodes offer lost nodes, observes, or has pods that started beside
  the quotas.
* A pod on a node of another tree takes room that its tree does not know of: it named its node, or
  its profile selected other nodes when it started. Those of the default tree may run anywhere.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from elasticquota import names
from elasticquota.forest import wording
from elasticquota.model.pod import Pod
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


def look_at_usage(inventory: Inventory) -> Iterator[Finding]:
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


def look_at_places(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each quota with pods on nodes of another tree."""
    members = inventory.members
    root_of = {
        node: profile.quota_name
        for profile in inventory.profiles
        for node in inventory.capacities[profile.key].node_names
    }
    found: dict[tuple[str, str], list[Pod]] = defaultdict(list)
    forest = members.forest
    for pod in inventory.pods:
        there, quota = root_of.get(pod.node_name, ""), members.quota_of(pod)
        tree = forest.tree_of.get(quota, names.DEFAULT_TREE)
        if there and tree != names.DEFAULT_TREE and forest.trees[tree].root != there:
            found[quota, there].append(pod)
    for (quota, there), pods in sorted(found.items()):
        nodes = sorted({pod.node_name for pod in pods})
        yield Finding(
            "warning",
            f"Quota {quota}",
            f"{wording.counted(len(pods), 'pod')} of it "
            f"{wording.agreed(len(pods), 'are')} on nodes of tree {there}: "
            f"{wording.named(nodes)}; they take room there that tree {there} shares",
            "let the profiles select the nodes that their teams use, or delete the pods: the next "
            "ones go to their own nodes",
            tuple(sorted({pod.key.namespace for pod in pods})),
        )
