"""A snapshot of the cluster: the figures of one moment, read only.

Decisions, ``explain``, ``simulate`` and the writers of the controller read it; to read it changes
nothing. Every figure that is published, or that a decision uses, comes from here (semantics 2-4).
It holds until the next ``Ledger.update``, which makes a new one.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from elasticquota import names
from elasticquota.forest.membership import NO_QUOTA, Membership
from elasticquota.forest.structure import Forest
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.inputs.change_log import ChangeLog
from elasticquota.ledger.inputs.objects import LedgerObjects
from elasticquota.ledger.nodes.guarantee_backing import Unbacked
from elasticquota.ledger.nodes.node_fit import NodeFit, Where
from elasticquota.ledger.nodes.tree_nodes import NONE, TreeNodes
from elasticquota.ledger.pods import usage
from elasticquota.ledger.pods.job_reservations import Coverage
from elasticquota.ledger.pods.pod_accounting import PodAccounting
from elasticquota.ledger.pods.pool_assignment import Flexible
from elasticquota.ledger.pods.usage import Account
from elasticquota.ledger.pods.user_usage import UserUsage
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod, Size
from elasticquota.model.pools import Pools
from elasticquota.model.selector import Selector
from elasticquota.model.workload import Counted, Gang, QueuedJob, Workload
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing.capacity import TreeCapacity
from elasticquota.structs import Struct


class ClusterSnapshot(Struct, frozen=True):
    """Mappings are by quota name unless said otherwise; amounts are accounting units."""

    generation: int
    """Larger than that of every earlier snapshot of the ledger."""
    accounting: Accounting
    forest: Forest
    """The quotas as trees, with their verdicts."""
    refused: tuple[str, ...]
    """The quotas that are not accepted, sorted."""
    trees: Mapping[str, TreeBooks]
    """By tree id."""
    capacities: Mapping[Key, TreeCapacity]
    """By profile."""
    nodes_by_tree: Mapping[str, TreeNodes]
    """By tree id."""
    unbacked: Mapping[str, Mapping[str, Unbacked]]
    """By tree id: what it guarantees beyond its total, by resource; only trees that do."""
    _pods: PodAccounting
    _objects: LedgerObjects
    _changed_quotas: ChangeLog[str]
    _changed_jobs: ChangeLog[Key]

    @property
    def members(self) -> Membership:
        """The rule that assigns pods to quotas."""
        return self._pods.counting.members

    @property
    def observed(self) -> frozenset[str]:
        """The quotas whose trees are in observe mode, so no gate holds their pods."""
        return self._pods.counting.observed

    @property
    def accounts(self) -> Mapping[str, Account]:
        """The accounts of the quotas that have pods of their own."""
        return self._pods.accounts

    @property
    def without_quota(self) -> Account:
        """The account of the pods that belong to no quota; their sums go into no tree."""
        return self._pods.without_quota

    @property
    def leaving(self) -> AbstractSet[str]:
        """The quotas with pods that are terminating or being evicted."""
        return self._pods.leaving

    @property
    def stuck(self) -> AbstractSet[str]:
        """The quotas with admitted pods that have had no node for too long."""
        return self._pods.stuck

    def timed_out(self, tree_id: str) -> Resources:
        """Return what the pods of a tree ask for that no node took in time."""
        tree = self.trees.get(tree_id)
        return EMPTY if tree is None else tree.timed_out.get(tree.tree.root, EMPTY)

    def is_elastic(self, tree_id: str) -> bool:
        """Whether nodes may join the tree."""
        return self.nodes_by_tree.get(tree_id, NONE).to_come is not None

    def timeout_in(self, tree_id: str | None) -> int:
        """Return after how long without a node a pod of the tree is no request, milliseconds."""
        return self._pods.counting.timeout_in(tree_id)

    @property
    def covered(self) -> AbstractSet[Key]:
        """Pods at our gate that are admitted with their jobs."""
        return self._pods.covered

    @property
    def user_usage(self) -> UserUsage:
        """What users and groups hold where quotas limit them."""
        return self._pods.user_usage

    def account(self, quota_name: str) -> Account:
        """Return the account of any quota, or of ``NO_QUOTA``; do not change it."""
        if quota_name == NO_QUOTA:
            return self.without_quota
        return self._pods.accounts.get(quota_name, usage.IDLE)

    def waiting_below(self, quota_name: str) -> set[Size]:
        """Return the sizes of what waits in and below a quota."""
        return {
            each.size
            for name, account in self.accounts.items()
            if quota_name in self.forest.path(name)
            for each in account.waiting
        }

    def gang(self, pod: Pod) -> Gang | None:
        """Return the gang that starts when ``pod`` does; None: ``pod`` is admitted alone."""
        return self._pods.gang(pod)

    def running_gang(self, group: Key, quota: str) -> Gang | None:
        """Return the gang of a group that runs in a quota; None: its pods are evicted alone."""
        return self._pods.running_gang(group, quota)

    def job_of(self, pod: Pod) -> Coverage | None:
        """Return the coverage of the job that ``pod`` draws on; None: it draws on none."""
        return self._pods.counting.job_of(pod)

    def coverage(self, job: QueuedJob) -> Coverage:
        """Return the coverage of a counted job."""
        return self._pods.reservations.of_job(job, self.members)

    def pods_of(self, job: Key) -> Mapping[Key, Pod]:
        """Return the pods of a job; none if it is not counted."""
        return self._pods.reservations.pods(job, self.members)

    def nodes(self, quota: str) -> Selector:
        """Return the selector of the nodes for its pods: the tree's and the quota's together."""
        forest = self.forest
        of_tree = self.selector(forest.tree_of.get(quota, names.DEFAULT_TREE))
        held = forest.quotas.get(quota)
        return of_tree if held is None else of_tree.within(held.nodes)

    def selector(self, tree_id: str) -> Selector:
        """Return the node selector of a tree; empty for a tree without a profile."""
        return self.nodes_by_tree.get(tree_id, NONE).selector

    @property
    def fit(self) -> NodeFit:
        """Which nodes have room for which pods."""
        return self._pods.fit

    def where(self, quota: str, workload: Workload) -> Where:
        """Return on which nodes a pod of ``quota`` may run; for a job, all nodes of ``quota``."""
        return self._pods.counting.feasibility.where(quota, workload)

    @property
    def has_pools(self) -> bool:
        """Whether any tree has pools."""
        return self._pods.pools.active

    def pools_of(self, tree_id: str) -> Pools | None:
        """Return the pools of a tree; None: it has none."""
        return self._pods.pools.of_trees.get(tree_id)

    @property
    def flexible(self) -> Mapping[Key, Flexible]:
        """Pods and jobs without a node that may go to several pools."""
        return self._pods.pools.flexible

    def variants(self, quota: str, workload: Workload) -> Sequence[Workload]:
        """Return a waiting workload as it counts in each pool that may take it.

        In the order of preference; without a choice only itself.
        """
        pools = self._pods.pools
        found = pools.variants(workload) if pools.flexible else (workload,)
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

    @property
    def unplaced(self) -> Mapping[Key, tuple[Pod, str]]:
        """Admitted pods that no node has taken yet, with their quotas."""
        return self._pods.on_nodes.unplaced

    @property
    def awaiting_nodes(self) -> AbstractSet[str]:
        """Uids of admitted pods and jobs that start when an autoscaler has made their nodes."""
        return self._objects.awaiting_nodes

    @property
    def withheld(self) -> AbstractSet[str]:
        """Uids of pods that cannot be evicted, or released, for now."""
        return self._objects.withheld

    @property
    def asks_again_for(self) -> AbstractSet[str]:
        """Quotas that need the room of a pod whose refused eviction is being tried again."""
        refused = self._objects.refused
        return {refused[uid].owner for uid in refused.keys() & self._objects.evicting}

    @property
    def time(self) -> int:
        """The wall clock of this moment, epoch milliseconds."""
        return self._pods.counting.times.now

    @property
    def changes_in(self) -> int | None:
        """Milliseconds until some pod counts differently by time alone, or None."""
        return self._pods.counting.times.next_in

    def quotas_changed_since(self, generation: int) -> AbstractSet[str] | None:
        """Return the quotas of which anything may have changed since then; None: all."""
        return self._changed_quotas.since(generation)

    def jobs_changed_since(self, generation: int) -> AbstractSet[Key] | None:
        """Return jobs that came or went, or whose pods did, since then; None: all."""
        return self._changed_jobs.since(generation)
