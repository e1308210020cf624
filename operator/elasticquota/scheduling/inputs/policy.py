"""The administrator's policy: waiting times, the rate of reclaim, and what counts."""

from collections.abc import Mapping
from typing import Final

from elasticquota import names
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.queue_order import NO_QUEUES, QueueOrder
from elasticquota.model.quota import Quota
from elasticquota.structs import Struct, field, replace


_KOORDINATOR_DEFAULTS = Accounting()
_UNBOUNDED: Final = 10**9


class Policy(Struct, frozen=True):
    """Times are milliseconds."""

    grace: int = 5_000
    """Reclaim for an owner whose guaranteed pods wait begins after this time."""
    delay: int = 120_000
    """Usage beyond a limit (lowered max, lost node) is reclaimed after this time."""
    fair_share: bool = True
    """False: reclaim is for owners within their min only, not for a fair share."""
    fair_share_trees: Mapping[str, bool] = field(default_factory=dict)
    """``fair_share`` of single trees, by tree id."""
    dialects_without_fair_share: frozenset[str] = frozenset({names.CAPACITY, names.YUNIKORN})
    """External systems whose quotas neither gain nor lose a pod for a fair share (C11, Y20)."""
    head_of_line: int = 300_000
    """A pod at the head of its queue blocks the pods behind it after this time; 0: never."""
    min_runtime: int = 0
    """A pod that runs for less than this is spared, unless the owner that needs its room has waited
    for its grace and this time too."""
    evictions_per_second: int = 100
    """The rate of evictions in one tree; those of two seconds may go at once."""
    brake_percent: int = 0
    """A cycle that would evict more than this part of a tree's admitted pods waits for some
    seconds first; 0: no breaker."""
    paused: bool = False
    """True: no eviction at all."""
    exceed_dimensions: bool = False
    """True: messages of waiting pods end with ``exceedDimensions``, as Koordinator's scheduler
    writes it."""
    label_namespaces: bool = False
    """True: keep on every namespace the label that says which quota its pods belong to."""
    queues: QueueOrder = NO_QUEUES
    """What the Queues of kube-queue say about the order, beyond what the quotas say."""
    accounting: Accounting = _KOORDINATOR_DEFAULTS

    def shares(self, tree: str, dialect: str) -> bool:
        """Whether a quota of ``tree`` (its id) takes part in reclaim for a fair share.

        ``dialect`` is the external system that the quota follows, empty for a quota of users.
        """
        usual = self.fair_share_trees.get(tree, self.fair_share)
        return usual and dialect not in self.dialects_without_fair_share

    def grace_of(self, quota: Quota) -> int:
        """How long pods within the min of ``quota`` wait before reclaim begins, in milliseconds."""
        return self.grace if quota.reclaim_grace is None else quota.reclaim_grace

    def at_once(self) -> "Policy":
        """The policy for reports: no eviction is delayed by the rate or held by the breaker."""
        return replace(self, evictions_per_second=_UNBOUNDED, brake_percent=0)
