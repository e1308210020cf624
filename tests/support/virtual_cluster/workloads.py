"""Workloads make pods: a Job until each has done its work, a Deployment without end.

An evicted pod has a successor at once, as ReplicaSets and Jobs make it: younger, of the same size,
behind our gate, with all its work to do again.
"""

from dataclasses import dataclass, replace
from random import Random

from elasticquota import names
from elasticquota.model.constraints import ANYWHERE, Constraints
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources
from virtual_cluster.cluster import Cluster, PodLifetime


@dataclass(frozen=True, slots=True)
class Workload:
    """``runs`` None is a Deployment, else a Job; times in milliseconds."""

    name: str
    quota: str
    request: Resources
    count: int = 1
    runs: int | None = None
    grace: int = 0
    priority: int = 0
    preemptible: bool = True
    may_preempt: bool = True
    constraints: Constraints = ANYWHERE
    stays: bool = True
    """False: a bare pod, which is not created again."""
    group: Group | None = None
    evict_last: bool = False
    scheduler: str = names.STOCK_SCHEDULER
    gated: bool = True
    """False: its first pods came without our gate, as while the webhook was away."""


class Workloads:
    def __init__(self, cluster: Cluster, dice: Random) -> None:
        """``dice`` decides the uids, which order equal pods."""
        self._cluster = cluster
        self._dice = dice
        self._created = 0
        self.all: dict[str, Workload] = {}
        cluster.on_leaving.append(self._replace)

    def submit(self, workload: Workload) -> None:
        self.all[workload.name] = workload
        for slot in range(workload.count):
            self._create(workload, slot, gated=workload.gated)

    def withdraw(self, name: str) -> None:
        """Delete the workload and its pods."""
        del self.all[name]
        for pod in list(self._cluster.pods.values()):
            if self._cluster.lifetimes[pod.uid].workload == name:
                self._cluster.delete(pod.key, pod.uid)

    def shrink(self, name: str, count: int) -> None:
        """Scale the workload to ``count`` pods; waiting ones go first."""
        pods = [
            (not pod.gated, pod)
            for pod in self._cluster.pods.values()
            if self._cluster.lifetimes[pod.uid].workload == name and not pod.deleting
        ]
        self.all[name] = replace(self.all[name], stays=False)
        for _, pod in sorted(pods, key=lambda found: (found[0], found[1].uid))[: len(pods) - count]:
            self._cluster.delete(pod.key, pod.uid)
        self.all[name] = replace(self.all[name], stays=True)

    def _replace(self, _: Pod, life: PodLifetime) -> None:
        workload = self.all.get(life.workload)
        if workload is not None and workload.stays:
            self._create(workload, life.slot)

    def _create(self, workload: Workload, slot: int, *, gated: bool = True) -> None:
        self._created += 1
        name = f"{workload.name}-{slot}-{self._created}"
        pod = Pod(
            key=Key("teams", name),
            uid=f"{self._dice.getrandbits(32):08x}-{name}",
            created=self._cluster.timeline.stamp(),
            quota_label=workload.quota,
            request=workload.request,
            priority=workload.priority,
            preemptible=workload.preemptible,
            may_preempt=workload.may_preempt,
            constraints=workload.constraints,
            gates=(names.GATE,) if gated else (),
            group=workload.group,
            evict_last=workload.evict_last,
            scheduler=workload.scheduler,
        )
        self._cluster.create(pod, PodLifetime(workload.name, slot, workload.runs, workload.grace))
