"""What runs on each node, and which admitted pods have no node yet.

Kept like all sums: taken off is what was added. ``log`` names the nodes on which something changed,
in order, so that whoever follows it looks at those only (``node_fit``).
"""

from elasticquota import totals
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod


class NodePods:
    """Mutable; mappings are by node name."""

    def __init__(self) -> None:
        self.staying: dict[str, dict[str, int]] = {}
        """What the pods hold that stay there."""
        self.leaving: dict[str, dict[str, int]] = {}
        """What those hold that are on their way out."""
        self.pods: dict[str, dict[Key, tuple[Pod, str]]] = {}
        """Those that stay there, with their quotas."""
        self.unplaced: dict[Key, tuple[Pod, str]] = {}
        """Admitted pods that no node has taken yet, with their quotas."""
        self.log: list[str] = []
        self.forgotten: int = 0
        """How many of the oldest entries of ``log`` are gone."""

    def add(self, pod: Pod, quota: str, *, leaving: bool, stuck: bool) -> None:
        """Count an admitted pod; one that is ``stuck`` has been without a node for too long."""
        node = pod.node_name
        if not node:
            if not (leaving or stuck) and pod.reserves is None:
                self.unplaced[pod.key] = (pod, quota)
            return
        self.log.append(node)
        sums = self.leaving if leaving else self.staying
        totals.add(sums.setdefault(node, {}), pod.request)
        if not leaving:
            self.pods.setdefault(node, {})[pod.key] = (pod, quota)

    def take(self, pod: Pod, *, leaving: bool) -> None:
        """Count it no longer; both as it was counted."""
        node = pod.node_name
        if not node:
            self.unplaced.pop(pod.key, None)
            return
        self.log.append(node)
        sums = self.leaving if leaving else self.staying
        totals.subtract(sums.setdefault(node, {}), pod.request)
        if not sums[node]:
            del sums[node]
        if not leaving:
            del self.pods[node][pod.key]
            if not self.pods[node]:
                del self.pods[node]

    def shorten_log(self, most: int) -> None:
        """Forget the older half of a log of more than ``most`` entries."""
        if len(self.log) > most:
            half = len(self.log) // 2
            del self.log[:half]
            self.forgotten += half
