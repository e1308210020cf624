"""Counts the pods and the queued jobs into the accounts of their quotas and nodes.

Each is kept with the way it was counted. So removing it subtracts exactly what was added for it,
whatever has changed since. How a pod counts depends on the quotas, the nodes, the clock, its group
and its job. The caller of ``recount`` names those for which any of these may have changed.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from elasticquota.copy_on_write import CopyOnWrite
from elasticquota.forest.membership import NO_QUOTA, Membership
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.inputs.objects import LedgerObjects
from elasticquota.ledger.nodes.node_fit import NodeFit
from elasticquota.ledger.nodes.node_pods import NodePods
from elasticquota.ledger.pods import pod_times
from elasticquota.ledger.pods.counting import Counting
from elasticquota.ledger.pods.external_usage import NO_EXTERNAL_PODS, ExternalUsage
from elasticquota.ledger.pods.infeasible import FeasibilityCheck
from elasticquota.ledger.pods.job_reservations import JobReservations
from elasticquota.ledger.pods.pod_groups import CountedGroups
from elasticquota.ledger.pods.pool_assignment import Flexible, PoolAssignment
from elasticquota.ledger.pods.usage import Account, CountedAs
from elasticquota.ledger.pods.user_usage import UserAccounting
from elasticquota.model import pools
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted, QueuedJob
from elasticquota.resources import Resources


class PodAccounting:
    """All that is counted, and the sums; mutable, sums are by quota name in accounting units."""

    def __init__(self, objects: LedgerObjects, accounting: Accounting, members: Membership) -> None:
        self._objects = objects
        self._accounting = accounting
        self.pools = PoolAssignment(objects)
        """In which pool of its tree each pod is counted."""
        self.groups = CountedGroups(objects, self.pools.gangs)
        self.reservations = JobReservations(objects)
        self.counting = Counting(objects, accounting, members, self.groups, self.reservations)
        """How each pod and job counts now."""
        self.user_usage = UserAccounting(knows_creators=accounting.knows_creators)
        """What users and groups hold where quotas limit them."""
        self.on_nodes = NodePods()
        self.fit = NodeFit(objects.nodes, self.on_nodes)
        """Which nodes have room for which pods."""
        self.renew_feasibility({}, {})
        self.entries: dict[Key, tuple[Counted, CountedAs]] = {}
        """Each counted pod and job, with the request that counts, and how it was counted."""
        self.accounts: CopyOnWrite[dict[str, Account]] = CopyOnWrite({})
        """The accounts of the quotas that have pods of their own."""
        self.without_quota = Account()
        """The account of the pods that belong to no quota; their sums go into no tree."""
        self.leaving: CopyOnWrite[set[str]] = CopyOnWrite(set())
        """The quotas with leaving pods: terminating or being evicted."""
        self.stuck: CopyOnWrite[set[str]] = CopyOnWrite(set())
        """The quotas with admitted pods that have had no node for too long."""
        self.covered: CopyOnWrite[set[Key]] = CopyOnWrite(set())
        """Pods at our gate that are admitted with their jobs."""
        self.external_pods: dict[str, ExternalUsage] = {}
        """By tree id."""
        self._opened: set[str] = set()
        """The quotas whose accounts are not in the last snapshot."""
        self._opened_trees: set[str] = set()
        """The trees whose external pods are not in the last snapshot."""

    def follow_timeouts(self, scale_up: Mapping[str, int], *, all_moved: bool) -> bool:
        """Set the timeouts of the elastic trees, by tree id; return whether any differs.

        Then how long a pod may have no node has changed, so all pods must be looked at.
        ``all_moved``: any pod may be in another tree than before.
        """
        differ = scale_up != self.counting.scale_up_timeouts
        if not (differ or (all_moved and scale_up)):
            return False
        self.counting.scale_up_timeouts = scale_up
        for found, _ in self.entries.values():
            if isinstance(found, Pod) and found.unplaced_since is not None:
                self.counting.times.remove(found.key)
                self.counting.times.add(found)
        return differ

    def set_members(self, members: Membership) -> None:
        """Assign pods to quotas by ``members`` from now on."""
        self.counting.members = members

    def set_observed(self, observed: frozenset[str]) -> AbstractSet[str]:
        """Set the quotas whose trees are in observe mode; return those that came or went."""
        before, self.counting.observed = self.counting.observed, observed
        return before ^ observed

    def set_trees_on(self, trees_on: Mapping[str, tuple[str, ...]]) -> set[str]:
        """Set by node name the ids of the trees that have it; return the nodes that moved."""
        before, self.counting.trees_on = self.counting.trees_on, trees_on
        return {
            name
            for name in before.keys() | trees_on.keys()
            if before.get(name) != trees_on.get(name)
        }

    def renew_feasibility(
        self, totals: Mapping[str, Resources], profiles_gone: Mapping[str, Key]
    ) -> None:
        """Use a new feasibility check, because quotas or nodes changed.

        ``totals`` are what the nodes of each tree offer, by tree id; ``profiles_gone`` are the
        missing profiles of those that have none.
        """
        self.counting.feasibility = FeasibilityCheck(
            self.counting.members,
            self.fit,
            self._accounting,
            totals,
            profiles_gone,
            self.user_usage.bounds.of,
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
        keys = keys | self._group_members(keys)
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
        for pod_or_job in counted:
            if isinstance(pod_or_job, QueuedJob):
                self.reservations.join(pod_or_job)
        if self.pools.active:
            counted = [self._in_pool(pod_or_job) for pod_or_job in counted]
        for pod_or_job in counted:
            if isinstance(pod_or_job, Pod) and pod_or_job.group is not None:
                self.groups.note(pod_or_job)
        self.groups.forget_unused_sizes()
        for pod_or_job in counted:
            if isinstance(pod_or_job, Pod) and pod_or_job.jobs:
                self.reservations.join(pod_or_job)
            if isinstance(pod_or_job, Pod) and pod_or_job.group is not None:
                self.groups.join(pod_or_job)
        return counted

    def taken_accounts(self) -> Mapping[str, Account]:
        """Return the accounts of now; what is counted from now on changes copies of them.

        So it is with ``without_quota`` and ``external_pods``.
        """
        self._opened.clear()
        self._opened_trees.clear()
        return self.accounts.taken()

    def _discount(self, key: Key, touched: set[str]) -> None:
        entry = self.entries.pop(key, None)
        if entry is None:
            return
        pod_or_job, counted_as = entry
        self._remove(pod_or_job, counted_as)
        self.user_usage.remove(key)
        self.pools.note(key, None)
        touched.add(counted_as.quota)
        if isinstance(pod_or_job, QueuedJob):
            self.reservations.leave(pod_or_job)
            return
        if counted_as.running:
            self.on_nodes.remove(pod_or_job, leaving=counted_as.leaving)
        for tree_id in counted_as.external_to:
            self._external_to(tree_id).remove(pod_or_job, counted_as)
        if pod_or_job.group is not None:
            self.groups.leave(pod_or_job)
        if pod_or_job.jobs:
            self.reservations.leave(pod_or_job)
            if key in self.covered.now:
                self.covered.opened().discard(key)

    def _remove(self, pod_or_job: Counted, counted_as: CountedAs) -> None:
        quota, account = counted_as.quota, self._account_for(counted_as)
        account.remove(pod_or_job, counted_as)
        if counted_as.leaving and not account.leaving:
            self.leaving.opened().discard(quota)
        if counted_as.stuck and not account.stuck:
            self.stuck.opened().discard(quota)
        if account.empty and quota != NO_QUOTA:
            del self.accounts.opened()[quota]

    def _count(self, pod_or_job: Counted, touched: set[str]) -> None:
        if isinstance(pod_or_job, QueuedJob):
            pod_or_job = self.reservations.of_job(pod_or_job, self.counting.members).job
            if self.pools.active:
                pod_or_job, flexible = self._assigned_job(pod_or_job)
                self.pools.note(pod_or_job.key, flexible)
            counted_as = self._counted_as(pod_or_job)
        else:
            counted_as = self._counted_as(pod_or_job)
            if self.counting.is_covered(pod_or_job):
                self.covered.opened().add(pod_or_job.key)
            if counted_as.running:
                self.on_nodes.add(
                    pod_or_job, counted_as.quota, leaving=counted_as.leaving, stuck=counted_as.stuck
                )
            for tree_id in counted_as.external_to:
                self._external_to(tree_id).add(pod_or_job, counted_as)
        self.entries[pod_or_job.key] = (pod_or_job, counted_as)
        self._account_for(counted_as).add(pod_or_job, counted_as)
        if counted_as.running:
            self.user_usage.add(pod_or_job, counted_as.quota)
        if counted_as.leaving and counted_as.quota not in self.leaving.now:
            self.leaving.opened().add(counted_as.quota)
        if counted_as.stuck and counted_as.quota not in self.stuck.now:
            self.stuck.opened().add(counted_as.quota)
        touched.add(counted_as.quota)

    def _counted(self, key: Key) -> Counted | None:
        """The pod or job with the request that counts; None: none exists, or it does not count."""
        self.counting.times.remove(key)
        pod = self._objects.pods.get(key)
        if pod is None:
            job = self._objects.jobs.get(key)
            is_over = job is not None and job.deleting and self._accounting.ends_at_once
            return None if is_over else job
        if not pod_times.is_timeless(pod):
            self.counting.times.add(pod)
            if self.counting.times.is_over(pod):
                return None
        return self.counting.as_if_held(self._accounting.sized(pod))

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
        quota = self.counting.members.quota_of(found)
        tree_id = self.counting.members.forest.tree_of.get(quota)
        job = self.reservations.job_for(found) if found.jobs else None
        if job is not None and self.counting.members.quota_of(job) != quota:
            job = None
        return self.pools.assign(found, quota, tree_id, self.counting.feasibility, job)

    def _assigned_job(self, left: QueuedJob) -> tuple[QueuedJob, Flexible | None]:
        """What pods leave of a job, in the pool of the whole job."""
        quota = self.counting.members.quota_of(left)
        tree_id = self.counting.members.forest.tree_of.get(quota)
        whole = self.reservations.whole(left)
        there, flexible = self.pools.assign(whole, quota, tree_id, self.counting.feasibility)
        return self.pools.rest_of(there, left, tree_id), flexible

    def _account_for(self, counted_as: CountedAs) -> Account:
        """The account to be changed: a copy, if the last snapshot has it."""
        quota, accounts = counted_as.quota, self.accounts
        is_open = quota in self._opened
        self._opened.add(quota)
        if quota == NO_QUOTA:
            if not is_open:
                self.without_quota = self.without_quota.copy()
            return self.without_quota
        found = accounts.now.get(quota)
        if found is None or not is_open:
            found = accounts.opened()[quota] = Account() if found is None else found.copy()
        return found

    def _external_to(self, tree_id: str) -> ExternalUsage:
        """What is external to a tree, to be changed: a copy, if the last snapshot has it."""
        found = self.external_pods.get(tree_id, NO_EXTERNAL_PODS)
        if tree_id not in self._opened_trees:
            self._opened_trees.add(tree_id)
            found = self.external_pods[tree_id] = found.copy()
        return found

    def counts_differently(self, key: Key) -> bool:
        """Whether a counted pod or job would be counted differently now."""
        found, counted_as = self.entries[key]
        if self.pools.active or pools.named(found.request):
            there, flexible = self._assigned(found)
            if there.request != found.request or flexible != self.pools.flexible.now.get(key):
                return True
        return self._counted_as(found) != counted_as

    def _counted_as(self, found: Counted) -> CountedAs:
        if isinstance(found, QueuedJob):
            counted_as = self.counting.of_job(found)
        else:
            counted_as = self.counting.of_pod(found)
        if counted_as.running or counted_as.infeasible is not None:
            return counted_as
        elsewhere = self.pools.asked_elsewhere(found)
        return counted_as._replace(elsewhere=elsewhere) if elsewhere else counted_as

    def _group_members(self, keys: AbstractSet[Key]) -> set[Key]:
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
        return self.groups.group_members(grouped) | self.reservations.group_members(of_jobs)
