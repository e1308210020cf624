"""The guarantee check: what min gives a quota, and which of its pods may use it, in one cycle.

Min is guaranteed as a whole, and each resource that it names by itself. Pods that are not
preemptible stay within it; it guarantees nothing of a resource that it does not name.
"""

from collections.abc import Iterable, Iterator

from elasticquota import pool_keys, resources
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.model import pools
from elasticquota.model.workload import Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.snapshot.usage_tree import Place, UsageTree


class GuaranteeCheck:
    """Mutable: counts pods that are not preemptible as the cycle books them."""

    def __init__(self, cluster: ClusterSnapshot, usage_tree: UsageTree) -> None:
        self._cluster = cluster
        self._usage_tree = usage_tree
        self._mins: dict[str, Resources] = {}
        """Effective min."""
        self._firm: dict[str, Resources] = {}
        """By quota, what its non-preemptible pods hold, where this cycle changed it."""

    def of(self, quota: str) -> Resources:
        """What ``quota`` is guaranteed."""
        return self._min(quota)

    def non_preemptible(self, quota: str) -> Resources:
        """What the pods of ``quota`` that are not preemptible hold, as this cycle books them."""
        return self._firm.get(quota, self._cluster.account(quota).non_preemptible)

    def could_stay(self, quota: str, pod: Workload) -> bool:
        """Whether min is enough for ``pod`` alone, if it is not preemptible."""
        if pod.preemptible:
            return True
        return resources.fits(pod.request, self._min(quota))

    def exceeding_min(self, quota: str, pod: Workload) -> tuple[str, ...]:
        """The keys in which pods that are not preemptible would use more than min.

        Keys without min are not compared.
        """
        after = resources.add(self.non_preemptible(quota), pod.request)
        return resources.exceeding(after, self._min(quota))

    def guaranteed(self, quota: str, pod: Workload) -> bool:
        """Whether the quota stays within its min with ``pod``, in all of min that it requests."""
        claimed, request, asks = self._usage_tree.claimed(quota), pod.request, False
        for key, most in self._min(quota).items():
            if (asked := request.get(key, 0)) > 0:
                if claimed.get(key, 0) + asked > most:
                    return False
                asks = True
        return asks

    def has_min_for(self, quota: str, asked: Resources) -> bool:
        """Whether the quota stays within its min with ``asked``, in each of its keys."""
        claimed, least = self._usage_tree.claimed(quota), self._min(quota)
        return bool(asked) and all(
            claimed.get(key, 0) + amount <= least.get(key, 0) for key, amount in asked.items()
        )

    def holds_within_min(self, quota: str, pod: Workload) -> bool:
        """Whether the quota stays within its min with ``pod``, which it already counts.

        Pods that no node took in time count here: ``pod`` may be one of them.
        """
        claimed, request = self._usage_tree.claimed_in_all(quota), pod.request
        asked = [key for key in self._min(quota) if request.get(key, 0) > 0]
        return bool(asked) and all(claimed.get(key, 0) <= self._min(quota)[key] for key in asked)

    def entitled(self, quota: str, pod: Workload) -> bool:
        """Whether the quota stays within its min in every resource that ``pod`` lacks.

        If that is only what quotas do not share (a pod slot), any guaranteed pod may have it.
        """
        if not self._min(quota):
            return False
        lacks_shared = False
        for key in self._shared_lack(quota, pod):
            if self._would_exceed_min(quota, pod, key):
                return False
            lacks_shared = True
        return lacks_shared or self.guaranteed(quota, pod)

    def exceeds_min(self, quota: str, pod: Workload) -> bool:
        """Whether the pod lacks something of which the quota would use more than its min.

        That stays so until a pod leaves, and the pod is not ``entitled``.
        """
        lacked = self._shared_lack(quota, pod)
        return any(self._would_exceed_min(quota, pod, key) for key in lacked)

    def guarantees_more(self, quota: str, pods: Iterable[Workload]) -> bool:
        """Whether the min is larger than the runtime in all that one of ``pods`` lacks of it.

        So it is after the loss of nodes. Elsewhere such a min is lent, and helps none of the pods.
        """
        own = self._usage_tree.path(quota)[0]
        more = resources.exceeding(self._min(quota), own.limit)
        return bool(more) and any(
            own.lack(pod.request, own.later).keys() <= set(more) for pod in pods
        )

    def count(self, quota: str, pod: Workload) -> None:
        """Book an admission, or room that is kept."""
        if not pod.preemptible:
            self._firm[quota] = resources.add(self.non_preemptible(quota), pod.request)

    def _shared_lack(self, quota: str, pod: Workload) -> Iterator[str]:
        """What the pod still lacks anywhere on its path, of what quotas share."""
        shared = self._usage_tree.at(Place(quota)).limit
        for usage_node in self._usage_tree.path(quota):
            for key in usage_node.lack(pod.request, usage_node.later):
                if key in shared:
                    yield key

    def _would_exceed_min(self, quota: str, pod: Workload, key: str) -> bool:
        claimed = self._usage_tree.claimed(quota).get(key, 0)
        if claimed + pod.request[key] <= self._min(quota).get(key, 0):
            return False
        return not (self._cluster.has_pools and self._has_min_in_pool(quota, pod, key))

    def _has_min_in_pool(self, quota: str, pod: Workload, key: str) -> bool:
        """Whether min guarantees the pod the resource in the pool in which it is counted.

        That is a right to the resource as a whole too, else a limit of all nodes voids it.
        """
        inside = pool_keys.key(pools.named(pod.request), key)
        amount = pod.request.get(inside, 0)
        return amount > 0 and self.has_min_for(quota, {inside: amount})

    def _min(self, quota: str) -> Resources:
        found = self._mins.get(quota)
        if found is None:
            found = self._mins[quota] = self._cluster.forest.effective_min(quota)
        return found
