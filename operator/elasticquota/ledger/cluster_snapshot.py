"""A snapshot of the cluster: the figures of one moment, a value.

Decisions, ``why``, ``simulate`` and the writers of the controller read it. Every figure that is
published, or that a decision uses, comes from here (semantics 2-4). No later event changes it: an
update replaces what it touches, quota by quota, and shares the rest with the snapshot before.
``index`` searches, and answers for the last snapshot only.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from elasticquota import names
from elasticquota.forest.membership import NO_QUOTA, Membership
from elasticquota.forest.structure import Forest
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.nodes.guarantee_backing import Unbacked
from elasticquota.ledger.nodes.tree_nodes import NONE, TreeNodes
from elasticquota.ledger.pods import usage
from elasticquota.ledger.pods.pool_assignment import Flexible
from elasticquota.ledger.pods.usage import Account
from elasticquota.ledger.pods.user_usage import UserUsage
from elasticquota.ledger.snapshot_index import SnapshotIndex
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod, Size
from elasticquota.model.pools import Pools
from elasticquota.model.selector import Selector
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing.capacity import TreeCapacity
from elasticquota.structs import Struct


class ClusterSnapshot(Struct, frozen=True, kw_only=True, eq=False):
    """Mappings are by quota name unless said otherwise; amounts are accounting units."""

    generation: int
    """Larger than that of every earlier snapshot of the ledger."""
    accounting: Accounting
    time: int
    """The wall clock of this moment, epoch milliseconds."""
    changes_in: int | None
    """Milliseconds until some pod counts differently by time alone, or None."""
    forest: Forest
    """The quotas as trees, with their verdicts."""
    refused: tuple[str, ...]
    """The quotas that are not accepted, sorted."""
    members: Membership
    """The rule that assigns pods to quotas."""
    observed: frozenset[str]
    """The quotas whose trees are in observe mode, so no gate holds their pods."""
    trees: Mapping[str, TreeBooks]
    """By tree id."""
    capacities: Mapping[Key, TreeCapacity]
    """By profile."""
    nodes_by_tree: Mapping[str, TreeNodes]
    """By tree id."""
    unbacked: Mapping[str, Mapping[str, Unbacked]]
    """By tree id: what it guarantees beyond its total, by resource; only trees that do."""
    pools: Mapping[str, Pools]
    """By tree id, of the trees that have pools."""
    scale_up_timeouts: Mapping[str, int]
    """By id of an elastic tree, milliseconds."""
    accounts: Mapping[str, Account]
    """The accounts of the quotas that have pods of their own."""
    without_quota: Account
    """The account of the pods that belong to no quota; their sums go into no tree."""
    leaving: AbstractSet[str]
    """The quotas with pods that are terminating or being evicted."""
    stuck: AbstractSet[str]
    """The quotas with admitted pods that have had no node for too long."""
    covered: AbstractSet[Key]
    """Pods at our gate that are admitted with their jobs."""
    unplaced: Mapping[Key, tuple[Pod, str]]
    """Admitted pods that no node has taken yet, with their quotas."""
    flexible: Mapping[Key, Flexible]
    """Pods and jobs without a node that may go to several pools."""
    user_usage: UserUsage
    """What users and groups hold where quotas limit them."""
    awaiting_nodes: AbstractSet[str]
    """Uids of admitted pods and jobs that start when an autoscaler has made their nodes."""
    withheld: AbstractSet[str]
    """Uids of pods that cannot be evicted, or released, for now."""
    asks_again_for: AbstractSet[str]
    """Quotas that need the room of a pod whose refused eviction is being tried again."""
    index: SnapshotIndex

    def timed_out(self, tree_id: str) -> Resources:
        """Return what the pods of a tree ask for that no node took in time."""
        tree = self.trees.get(tree_id)
        return EMPTY if tree is None else tree.timed_out.get(tree.tree.root, EMPTY)

    def is_elastic(self, tree_id: str) -> bool:
        """Whether nodes may join the tree."""
        return self.nodes_by_tree.get(tree_id, NONE).to_come is not None

    def timeout_in(self, tree_id: str | None) -> int:
        """Return after how long without a node a pod of the tree is no request, milliseconds."""
        usual = self.accounting.unschedulable_timeout
        return usual if tree_id is None else self.scale_up_timeouts.get(tree_id, usual)

    def account(self, quota_name: str) -> Account:
        """Return the account of any quota, or of ``NO_QUOTA``; do not change it."""
        if quota_name == NO_QUOTA:
            return self.without_quota
        return self.accounts.get(quota_name, usage.IDLE)

    def waiting_below(self, quota_name: str) -> set[Size]:
        """Return the sizes of what waits in and below a quota."""
        return {
            each.size
            for name, account in self.accounts.items()
            if quota_name in self.forest.path(name)
            for each in account.waiting
        }

    def nodes(self, quota: str) -> Selector:
        """Return the selector of the nodes for its pods: the tree's and the quota's together."""
        forest = self.forest
        of_tree = self.selector(forest.tree_of.get(quota, names.DEFAULT_TREE))
        held = forest.quotas.get(quota)
        return of_tree if held is None else of_tree.within(held.nodes)

    def selector(self, tree_id: str) -> Selector:
        """Return the node selector of a tree; empty for a tree without a profile."""
        return self.nodes_by_tree.get(tree_id, NONE).selector
