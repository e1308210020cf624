"""Binds released pods to nodes that have room for them and match their constraints.

Highest priority first, then the oldest; on the fullest node that fits. Unlike the stock scheduler
it never preempts, so a pod without a fitting node stays pending.
"""

from typing import Final

from elasticquota import names, resources
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources
from virtual_cluster.cluster import Change, Cluster


LATENCY: Final = 10
"""Milliseconds from a change to the binding."""


class Scheduler:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._pending: dict[str, Pod] = {}
        """By uid, pods that are admitted and have no node."""
        self._is_due = False
        self.refuses: set[str] = set()
        """Workloads that it places nowhere, for reasons that the controller cannot see."""
        cluster.watchers.append(self._see)

    def _refuse(self, pod: Pod) -> None:
        if not pod.refused:
            self._cluster.refuse(pod.key)

    def _see(self, change: Change) -> None:
        kind, key, thing = change
        if kind is Pod:
            self._pending = {u: pod for u, pod in self._pending.items() if pod.key != key}
        if isinstance(thing, Pod) and _is_pending(thing):
            self._pending[thing.uid] = thing
        if self._pending and not self._is_due:
            self._is_due = True
            self._cluster.timeline.after(LATENCY, self._place)

    def _place(self) -> None:
        self._is_due = False
        free = self._free()
        for pod in sorted(self._pending.values(), key=lambda p: (-p.priority, p.created, p.uid)):
            hosts = [
                (sum(free[node.name].values()), node.name)
                for node in self._cluster.nodes.values()
                if _takes(node, free[node.name], pod)
                and self._cluster.lifetimes[pod.uid].workload not in self.refuses
            ]
            if not hosts:
                self._refuse(pod)
            else:
                _, host = min(hosts)
                free[host] = resources.subtract(free[host], pod.request)
                self._cluster.bind(pod.key, host)

    def _free(self) -> dict[str, Resources]:
        free: dict[str, Resources] = {
            name: node.allocatable for name, node in self._cluster.nodes.items()
        }
        for pod in self._cluster.pods.values():
            if pod.node_name in free:
                free[pod.node_name] = resources.subtract(free[pod.node_name], pod.request)
        return free


def _is_pending(pod: Pod) -> bool:
    """Whether the pod waits for this scheduler; there is no other one."""
    return pod.scheduler == names.STOCK_SCHEDULER and not (pod.gates or pod.bound or pod.deleting)


def _takes(node: Node, free: Resources, pod: Pod) -> bool:
    return not pod.constraints.obstacle(node) and all(
        amount <= free.get(key, 0) for key, amount in pod.request.items()
    )
