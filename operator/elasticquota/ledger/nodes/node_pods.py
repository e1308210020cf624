"""What the pods hold on each node, and which admitted pods have no node yet.

As in all sums, a pod is subtracted exactly as it was added. ``log`` lists the nodes on which
something changed, in order, so that a reader (``node_fit``) looks only at these.
"""

from elasticquota import totals
from elasticquota.copy_on_write import CopyOnWrite
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod


class NodePods:
    """The pods of each node; mutable, mappings are by node name, amounts in accounting units."""

    def __init__(self) -> None:
        self.staying: dict[str, dict[str, int]] = {}
        """What the staying pods hold: those that are not leaving."""
        self.leaving: dict[str, dict[str, int]] = {}
        """What the leaving pods hold: those that are terminating or being evicted."""
        self.pods: dict[str, dict[Key, tuple[Pod, str]]] = {}
        """The staying pods, with their quotas."""
        self.unplaced: CopyOnWrite[dict[Key, tuple[Pod, str]]] = CopyOnWrite({})
        """Admitted pods that no node has taken yet, with their quotas."""
        self.log: list[str] = []
        self.forgotten: int = 0
        """How many of the oldest entries of ``log`` were dropped."""

    def add(self, pod: Pod, quota: str, *, leaving: bool, stuck: bool) -> None:
        """Count an admitted pod; a ``stuck`` pod has had no node for too long."""
        node = pod.node_name
        if not node:
            if not (leaving or stuck):
                self.unplaced.opened()[pod.key] = (pod, quota)
            return
        self.log.append(node)
        sums = self.leaving if leaving else self.staying
        totals.add(sums.setdefault(node, {}), pod.request)
        if not leaving:
            self.pods.setdefault(node, {})[pod.key] = (pod, quota)

    def remove(self, pod: Pod, *, leaving: bool) -> None:
        """Stop counting ``pod``; pass both arguments as they were in ``add``."""
        node = pod.node_name
        if not node:
            if pod.key in self.unplaced.now:
                del self.unplaced.opened()[pod.key]
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
        """Drop the older half of a log of more than ``most`` entries."""
        if len(self.log) > most:
            half = len(self.log) // 2
            del self.log[:half]
            self.forgotten += half
