"""Disruption budgets answer evictions as the API server does (reliability A.4).

A pod that does not run yet is always evicted; a pod that two budgets match never is (500); a pod
with one budget only if enough others stay healthy (429). A pod that is gone gives 404.
"""

from collections.abc import Collection
from dataclasses import dataclass

from elasticquota.model.key import Key
from elasticquota_kube.eviction import EvictionAnswer
from virtual_cluster.cluster import Cluster


@dataclass(frozen=True, slots=True)
class Budget:
    """Of the pods of these workloads so many stay healthy."""

    workloads: Collection[str]
    least: int


class Budgets:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._budgets: dict[str, Budget] = {}

    def put(self, name: str, budget: Budget) -> None:
        self._budgets[name] = budget

    def remove(self, name: str) -> None:
        self._budgets.pop(name, None)

    def clear(self) -> None:
        self._budgets.clear()

    def evict(self, key: Key, uid: str, grace: int | None = None) -> EvictionAnswer:
        """The answer of the eviction API; the pod is deleted if that is ``EVICTED``."""
        pod = self._cluster.pods.get(key)
        if pod is None:
            return EvictionAnswer.GONE
        if pod.uid != uid:
            return EvictionAnswer.REPLACED
        answer = EvictionAnswer.EVICTED
        if pod.bound and not pod.deleting:
            answer = self._answer(self._cluster.lifetimes[uid].workload)
        if answer is EvictionAnswer.EVICTED:
            self._cluster.delete(key, uid, grace=grace)
        return answer

    def protects(self, uid: str) -> bool:
        """Whether a budget blocks the eviction of the running pod now."""
        return self._answer(self._cluster.lifetimes[uid].workload) is not EvictionAnswer.EVICTED

    def _answer(self, workload: str) -> EvictionAnswer:
        matching = [found for found in self._budgets.values() if workload in found.workloads]
        if not matching:
            return EvictionAnswer.EVICTED
        if len(matching) > 1:
            return EvictionAnswer.AMBIGUOUS_BUDGETS
        (budget,) = matching
        healthy = sum(
            pod.bound and not pod.deleting
            for pod in self._cluster.pods.values()
            if self._cluster.lifetimes[pod.uid].workload in budget.workloads
        )
        return EvictionAnswer.EVICTED if healthy > budget.least else EvictionAnswer.BLOCKED
