"""The index of a snapshot: what is searched for among the counted pods, jobs and nodes.

Which nodes have room for a pod, what starts together, which job a pod draws on. To answer, it reads
what the ledger keeps up to date in place, so it answers for the last snapshot only. With the next
update it closes: asked again, it raises ``LookupError`` rather than tell of another moment.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from elasticquota.ledger.pods.job_reservations import Coverage
from elasticquota.ledger.pods.pod_accounting import PodAccounting
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted, Gang, QueuedJob, Workload


class SnapshotIndex:
    """Changes nothing; closed by the ledger."""

    def __init__(self, pods: PodAccounting) -> None:
        self._pods = pods
        self.fit = pods.fit
        """Which nodes have room for which pods."""
        self.where = pods.counting.feasibility.where
        """On which nodes a pod of a quota may run; for a job, all nodes of its quota."""
        self.job_of = pods.counting.job_of
        """The coverage of the job that a pod draws on; None: it draws on none."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            # Called only for what ``close`` removed, so an answer costs no look at a flag.
            raise LookupError("the ledger has made a newer snapshot than the one that is asked")

    def close(self) -> None:
        """Answer nothing from now on."""
        self.__dict__.clear()

    def gang(self, pod: Pod) -> Gang | None:
        """Return the gang that starts when ``pod`` does; None: ``pod`` is admitted alone."""
        counting = self._pods.counting
        return self._pods.groups.verdict(pod, counting.members, counting.feasibility).gang

    def running_gang(self, group: Key, quota: str) -> Gang | None:
        """Return the gang of a group that runs in a quota; None: its pods are evicted alone."""
        return self._pods.groups.running_gang(group, quota, self._pods.entries)

    def coverage(self, job: QueuedJob) -> Coverage:
        """Return the coverage of a counted job."""
        return self._pods.reservations.of_job(job, self._pods.counting.members)

    def pods_of(self, job: Key) -> Mapping[Key, Pod]:
        """Return the pods of a job; none if it is not counted."""
        return self._pods.reservations.pods(job, self._pods.counting.members)

    def variants(self, quota: str, workload: Workload) -> Sequence[Workload]:
        """Return a waiting workload as it counts in each pool that may take it.

        In the order of preference; without a choice only itself.
        """
        pools = self._pods.pools
        found = pools.variants(workload) if pools.flexible.now else (workload,)
        if len(found) > 1 and isinstance(workload, Gang):
            return [each for each in found if self.feasible(each, quota)] or found
        return found

    def counted(self, key: Key) -> Counted | None:
        """Return a pod or job with the request that counts; None: it does not count."""
        found = self._pods.entries.get(key)
        return None if found is None else found[0]

    def feasible(self, workload: Workload, quota: str) -> bool:
        """Whether it could be admitted into an idle tree as it is counted."""
        check = self._pods.counting.feasibility
        if isinstance(workload, Gang):
            return check.infeasible_gang(workload, quota) is None
        return check.infeasible(workload, quota) is None
