"""Counts the pods and the queued jobs into the accounts of their quotas and nodes.

Each is kept with the way it was counted. So removing it subtracts exactly what was added for it,
whatever has changed since. How a pod counts depends on the quotas, the nodes, the clock, its group
and its job. The caller of ``recount`` names those for which any of these may have changed.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from elasticquota.forest.membership import NO_QUOTA, Membership
from elasticquota.ledger.accounting import Accounting
from elasticquota.ledger.nodes.node_fit import NodeFit
from elasticquota.ledger.nodes.node_pods import NodePods
from elasticquota.ledger.objects import Objects
from elasticquota.ledger.pods import pod_times
from elasticquota.ledger.pods.external_usage import ExternalUsage
from elasticquota.ledger.pods.infeasible import FeasibilityCheck
from elasticquota.ledger.pods.job_reservations import JobReservations
from elasticquota.ledger.pods.pod_groups import Groups
from elasticquota.ledger.pods.pool_assignment import Flexible, PoolAssignment
from elasticquota.ledger.pods.standings import Standings
from elasticquota.ledger.pods.usage import Account, Standing
from elasticquota.ledger.pods.user_usage import UserUsage
from elasticquota.model import pools
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted, Gang, QueuedJob
from elasticquota.resources import Resources


class PodAccounting:
    """All that is counted, and the sums; mutable, sums are by quota name in accounting units."""

    def __init__(self, objects: Objects, accounting: Accounting, members: Membership) -> None:
        self._objects = objects
        self._accounting = accounting
        self.pools = PoolAssignment(objects)
        """In which pool of its tree each pod is counted."""
        self.groups = Groups(objects)
        self.reservations = JobReservations(objects)
        self.standings = Standings(objects, accounting, members, self.groups, self.reservations)
        """How each pod and job counts now."""
        self.user_usage = UserUsage()
        """What users and groups hold where quotas limit them."""
        self.on_nodes = NodePods()
        self.fit = NodeFit(objects.nodes, self.on_nodes)
        """Which nodes have room for which pods."""
        self.renew_feasibility({})
        self.entries: dict[Key, tuple[Counted, Standing]] = {}
        """Each counted pod and job, with the request that counts, and how it was counted."""
        self.accounts: dict[str, Account] = {}
        """The accounts of the quotas that have pods of their own."""
        self.without_quota = Account()
        """The account of the pods that belong to no quota; their sums go into no tree."""
        self.leaving: set[str] = set()
        """The quotas with leaving pods: terminating or being evicted."""
        self.stuck: set[str] = set()
        """The quotas with admitted pods that have had no node for too long."""
        self.covered: set[Key] = set()
        """Pods at our gate that are admitted with their jobs."""
        self.external_pods: dict[str, ExternalUsage] = {}
        """By tree id."""

    def follow_timeouts(self, scale_up: Mapping[str, int], *, all_moved: bool) -> bool:
        """Set the timeouts of the elastic trees, by tree id; return whether any differs.

        Then how long a pod may have no node has changed, so all pods must be looked at.
        ``all_moved``: any pod may be in another tree than before.
        """
        differ = scale_up != self.standings.scale_up_timeouts
        if not (differ or (all_moved and scale_up)):
            return False
        self.standings.scale_up_timeouts = scale_up
        for found, _ in self.entries.values():
            if isinstance(found, Pod) and found.unplaced_since is not None:
                self.standings.times.remove(found.key)
                self.standings.times.add(found)
        return differ

    def gang(self, pod: Pod) -> Gang | None:
        """Return the gang that starts when ``pod`` does; None: ``pod`` is admitted alone."""
        return self.groups.verdict(pod, self.standings.members, self.standings.feasibility).gang

    def running_gang(self, group: Key, quota: str) -> Gang | None:
        """Return the gang of a group that runs in a quota; None: its pods are evicted alone."""
        return self.groups.running_gang(group, quota, self.entries)

    def renew_feasibility(self, totals: Mapping[str, Resources]) -> None:
        """Use a new feasibility check, because quotas or nodes changed.

        ``totals`` are what the nodes of each tree offer, by tree id.
        """
        self.standings.feasibility = FeasibilityCheck(
            self.standings.members, self.fit, self._accounting, totals, self.user_usage.bounds
        )
        self.groups.reset()
        self.reservations.reset()

    def admitted(self) -> list[tuple[Counted, str]]:
        """Return all admitted pods and jobs with their quotas."""
        return [(found, how.quota) for found, how in self.entries.values() if how.running]

    def recount(self, keys: AbstractSet[Key]) -> set[str]:
        """Count these pods and jobs again, and all pods of their groups and jobs.

        Returns the quotas whose accounts may have changed.
        """
        keys = keys | self._mates(keys)
        touched: set[str] = set()
        for key in keys:
            self._discount(key, touched)
        counted = [found for key in keys if (found := self._counted(key)) is not None]
        for found in self._join(counted):
            self._count(found, touched)
        return touched

    def _join(self, counted: Sequence[Counted]) -> Sequence[Counted]:
        """Let all of them join their groups and jobs; return them as they are counted.

        How a pod counts depends on its whole group, and on its job. Which group it has depends on
        sizes that other pods state.
        """
        for found in counted:
            if isinstance(found, QueuedJob):
                self.reservations.join(found)
        if self.pools.active:
            counted = [self._in_pool(found) for found in counted]
        for found in counted:
            if isinstance(found, Pod) and found.group is not None:
                self.groups.note(found)
        for found in counted:
            if isinstance(found, Pod) and found.jobs:
                self.reservations.join(found)
            if isinstance(found, Pod) and found.group is not None:
                self.groups.join(found)
        return counted

    def _discount(self, key: Key, touched: set[str]) -> None:
        entry = self.entries.pop(key, None)
        if entry is None:
            return
        found, standing = entry
        account = self._account_for(standing)
        account.remove(found, standing)
        if not account.leaving:
            self.leaving.discard(standing.quota)
        if not account.stuck:
            self.stuck.discard(standing.quota)
        if account.empty:
            self.accounts.pop(standing.quota, None)
        self.user_usage.remove(key)
        self.pools.note(key, None)
        touched.add(standing.quota)
        if isinstance(found, QueuedJob):
            self.reservations.leave(found)
            return
        if standing.running:
            self.on_nodes.remove(found, leaving=standing.leaving)
        for tree_id in standing.external_to:
            self.external_pods[tree_id].remove(found, standing)
        if found.group is not None:
            self.groups.leave(found)
        if found.jobs:
            self.reservations.leave(found)
            self.covered.discard(key)

    def _count(self, found: Counted, touched: set[str]) -> None:
        if isinstance(found, QueuedJob):
            found = self.reservations.of_job(found, self.standings.members).job
            if self.pools.active:
                found, flexible = self._assigned_job(found)
                self.pools.note(found.key, flexible)
            standing = self.standings.of_job(found)
        else:
            standing = self.standings.of_pod(found)
            if self.standings.is_covered(found):
                self.covered.add(found.key)
            if standing.running:
                self.on_nodes.add(
                    found, standing.quota, leaving=standing.leaving, stuck=standing.stuck
                )
            for tree_id in standing.external_to:
                self.external_pods.setdefault(tree_id, ExternalUsage()).add(found, standing)
        self.entries[found.key] = (found, standing)
        self._account_for(standing).add(found, standing)
        if standing.running:
            self.user_usage.add(found, standing.quota)
        if standing.leaving:
            self.leaving.add(standing.quota)
        if standing.stuck:
            self.stuck.add(standing.quota)
        touched.add(standing.quota)

    def _counted(self, key: Key) -> Counted | None:
        """The pod or job with the request that counts; None: none exists, or it does not count."""
        self.standings.times.remove(key)
        pod = self._objects.pods.get(key)
        if pod is None:
            job = self._objects.jobs.get(key)
            is_over = job is not None and job.deleting and self._accounting.ends_at_once
            return None if is_over else job
        if not pod_times.is_timeless(pod):
            self.standings.times.add(pod)
            if self.standings.times.is_over(pod):
                return None
        return self.standings.as_if_held(self._accounting.sized(pod))

    def _in_pool(self, found: Counted) -> Counted:
        """The pod with its pool keys; a job is counted with what its pods leave of it."""
        if isinstance(found, QueuedJob):
            return found
        found, flexible = self._assigned(found)
        self.pools.note(found.key, flexible)
        return found

    def _assigned(self, found: Counted) -> tuple[Counted, Flexible | None]:
        """The pod or job in its pool; a pod follows its job."""
        if isinstance(found, QueuedJob):
            return self._assigned_job(found)
        quota = self.standings.members.quota_of(found)
        tree_id = self.standings.members.forest.tree_of.get(quota)
        job = self.reservations.job_for(found) if found.jobs else None
        if job is not None and self.standings.members.quota_of(job) != quota:
            job = None
        return self.pools.assign(found, quota, tree_id, self.standings.feasibility, job)

    def _assigned_job(self, left: QueuedJob) -> tuple[QueuedJob, Flexible | None]:
        """What pods leave of a job, in the pool of the whole job."""
        quota = self.standings.members.quota_of(left)
        tree_id = self.standings.members.forest.tree_of.get(quota)
        whole = self.reservations.whole(left)
        there, flexible = self.pools.assign(whole, quota, tree_id, self.standings.feasibility)
        return self.pools.rest_of(there, left, tree_id), flexible

    def _account_for(self, standing: Standing) -> Account:
        found = self.accounts.get(standing.quota)
        if found is None:
            if standing.quota == NO_QUOTA:
                return self.without_quota
            found = self.accounts[standing.quota] = Account()
        return found

    def counts_differently(self, key: Key) -> bool:
        """Whether a counted pod or job would be counted differently now."""
        found, standing = self.entries[key]
        if self.pools.active or pools.named(found.request):
            there, flexible = self._assigned(found)
            if there.request != found.request or flexible != self.pools.flexible.get(key):
                return True
        if isinstance(found, QueuedJob):
            return self.standings.of_job(found) != standing
        return self.standings.of_pod(found) != standing

    def _mates(self, keys: AbstractSet[Key]) -> set[Key]:
        """All pods of the groups and jobs that these leave or join, and the jobs."""
        grouped: list[Pod] = []
        of_jobs: list[Counted] = []
        pods, jobs = self._objects.pods, self._objects.jobs
        for key in keys:
            entry = self.entries.get(key)
            for each in (entry and entry[0], pods.get(key) or jobs.get(key)):
                if isinstance(each, QueuedJob):
                    of_jobs.append(each)
                elif each is not None:
                    if each.group is not None:
                        grouped.append(each)
                    if each.jobs:
                        of_jobs.append(each)
        return self.groups.mates(grouped) | self.reservations.mates(of_jobs)
