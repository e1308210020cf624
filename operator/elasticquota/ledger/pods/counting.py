"""Counting: how each pod and job counts now, by its quota, the nodes, the clock, group and job."""

from collections.abc import Mapping
from functools import lru_cache

from elasticquota import names
from elasticquota.forest.membership import Membership
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.inputs.objects import LedgerObjects
from elasticquota.ledger.pods.infeasible import FeasibilityCheck, Infeasible
from elasticquota.ledger.pods.job_reservations import Coverage, JobReservations
from elasticquota.ledger.pods.pod_groups import CountedGroups
from elasticquota.ledger.pods.pod_times import NEW, PodTimes
from elasticquota.ledger.pods.usage import CountedAs
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted, QueuedJob
from elasticquota.structs import replace


class Counting:
    """Reads its objects, groups and jobs; the books set the rest when it changes."""

    feasibility: FeasibilityCheck

    def __init__(
        self,
        objects: LedgerObjects,
        accounting: Accounting,
        members: Membership,
        groups: CountedGroups,
        reservations: JobReservations,
    ) -> None:
        self._objects = objects
        self._accounting = accounting
        self._groups = groups
        self._reservations = reservations
        self.members = members
        """The rule that assigns pods to quotas."""
        self.observed: frozenset[str] = frozenset()
        """The quotas whose trees are in observe mode, so no gate holds their pods."""
        self.trees_on: Mapping[str, tuple[str, ...]] = {}
        """Node name -> ids of the trees that have the node."""
        self.times = PodTimes(accounting, objects.time, self._timeout)
        self.scale_up_timeouts: Mapping[str, int] = {}
        """By id of an elastic tree, milliseconds."""

    def of_pod(self, pod: Pod) -> CountedAs:
        """How a pod counts now."""
        quota = self.members.quota_of(pod)
        coverage = self.job_of(pod) if pod.jobs else None
        if self._objects.is_gated(pod) and not _is_covered(pod, coverage):
            infeasible = self._infeasible(pod, quota)
            if coverage is not None and not coverage.admitted:
                infeasible = _waits_with(coverage)
            if infeasible is None and pod.group is not None:
                infeasible = self._groups.verdict(pod, self.members, self.feasibility).infeasible
            if infeasible is not None:
                return CountedAs(quota, running=False, infeasible=infeasible)
            return _usual(quota, running=False)
        home = self.members.forest.tree_of.get(quota)
        late, leaving = self._ending(pod)
        leaving = leaving or (coverage is not None and coverage.leaving)
        trees = self.trees_on.get(pod.node_name, ())
        external_to = tuple([t for t in trees if t != home]) if trees not in ((), (home,)) else ()
        stuck = pod.unplaced_since is not None and self.times.is_stuck(pod)
        if leaving or late or stuck or external_to:
            return CountedAs(
                quota,
                running=True,
                leaving=leaving,
                late=late,
                stuck=stuck,
                external_to=external_to,
                in_own_tree=bool(external_to) and home in trees,
            )
        return _usual(quota, running=True)

    def of_job(self, job: QueuedJob) -> CountedAs:
        """How a job counts now; its request is what its pods do not draw."""
        quota = self.members.quota_of(job)
        if self._objects.is_gated(job):
            return CountedAs(quota, running=False, infeasible=self._infeasible(job, quota))
        leaving = job.deleting or job.uid in self._objects.evicting
        return CountedAs(quota, running=True, leaving=leaving)

    def as_if_held(self, pod: Pod) -> Pod:
        """In observe mode, a pod without a node counts as if our gate held it.

        So it is judged as if the tree were enforced, and its request does not count as held yet.
        """
        if not self.observed or pod.bound or pod.gated or pod.mirror:
            return pod
        if self.members.quota_of(pod) not in self.observed:
            return pod
        return replace(pod, gates=(*pod.gates, names.GATE))

    def job_of(self, pod: Pod) -> Coverage | None:
        """Return the coverage of the job that ``pod`` draws on; None: it draws on none."""
        return self._reservations.of(pod, self.members) if pod.jobs else None

    def is_covered(self, pod: Pod) -> bool:
        """Whether ``pod`` is admitted with its job."""
        return bool(pod.jobs) and _is_covered(pod, self.job_of(pod))

    def timeout_in(self, tree_id: str | None) -> int:
        """Return after how long without a node a pod of the tree is no request, milliseconds."""
        usual = self._accounting.unschedulable_timeout
        return usual if tree_id is None else self.scale_up_timeouts.get(tree_id, usual)

    def _infeasible(self, found: Counted, quota: str) -> Infeasible | None:
        """Why one that waits cannot be admitted: lastingly, or until its quota may be seen."""
        lasting = self.feasibility.infeasible(found, quota)
        is_unknown = found.quota_label and found.quota_label not in self.members.forest.quotas
        if lasting is None and is_unknown and self.times.is_new(found):
            return _names_unknown(found)
        return lasting

    def _timeout(self, pod: Pod) -> int:
        if not self.scale_up_timeouts:
            return self._accounting.unschedulable_timeout
        return self.timeout_in(self.members.forest.tree_of.get(self.members.quota_of(pod)))

    def _ending(self, pod: Pod) -> tuple[bool, bool]:
        """Whether a deleted pod is late, and whether a pod is leaving.

        A pod whose grace ends long from now is neither: it holds its room until then.
        """
        if pod.uid in self._objects.evicting:
            return False, True
        if not pod.deleting:
            return False, False
        late = self.times.is_late(pod)
        return late, not late and self.times.is_leaving(pod)


def _is_covered(pod: Pod, coverage: Coverage | None) -> bool:
    return coverage is not None and pod.key in coverage.covered


def _waits_with(coverage: Coverage) -> Infeasible:
    how = "is being suspended" if coverage.leaving else "waits as a whole"
    return Infeasible("WaitingForGroup", f"{coverage.job.name} {how}, and its pods with it")


def _names_unknown(found: Counted) -> Infeasible:
    text = f"there is no quota '{found.quota_label}' yet"
    starts = (
        f"Within {NEW // 1000} s it counts as if it named none, or as soon as that quota exists"
    )
    return Infeasible("QuotaNotAccepted", text, starts)


@lru_cache(maxsize=4096)
def _usual(quota: str, *, running: bool) -> CountedAs:
    """Nearly all pods of a quota count alike, so they share one object."""
    return CountedAs(quota, running)
