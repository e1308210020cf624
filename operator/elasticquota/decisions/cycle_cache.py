"""The results of the last cycle, so that an event costs what it changes and not what exists.

``decide`` returns the same with and without it: results that cannot have changed are taken from
here. It belongs to one ledger and one caller, who gives the ledger the clocks of every cycle.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from elasticquota import names
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import QuotaStatus, Wait
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.scheduling.cycle import CycleInput, TreeDecision
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.queue.inadmissible import InadmissibleQueues
from elasticquota.status import quota_status
from elasticquota.status.room_on_its_way import RoomOnItsWay
from elasticquota.status.wait_texts import WaitTexts


class CycleCache:
    """Mutable; a new one computes what is missing. Call ``follow`` before anything else."""

    def __init__(self) -> None:
        self._changed: AbstractSet[str] | None = None
        self._statuses: dict[Key, QuotaStatus] = {}
        self._inadmissible: dict[str, InadmissibleQueues] = {}
        self._waits: dict[str, WaitTexts] = {}
        self._generation = 0
        """Of the snapshot to which the results belong; 0: to none."""
        self._asked: tuple[Policy, AbstractSet[str]] | None = None
        """Policy and terminating namespaces of the last cycle."""

    def follow(self, cluster: ClusterSnapshot, inputs: CycleInput) -> None:
        """Drop the results that may have changed since the snapshot that they belong to."""
        changed = self._changed = inputs.ledger.changed_quotas.since(self._generation)
        self._generation = 0  # until ``statuses``: a cycle that failed leaves nothing behind
        if self._asked != (inputs.policy, inputs.terminating):
            changed = None
        self._asked = (inputs.policy, inputs.terminating)
        before = {} if changed is None else self._inadmissible
        self._inadmissible = {}
        self._waits = {each: self._waits.get(each) or WaitTexts() for each in cluster.trees}
        for tree_id, tree in cluster.trees.items():
            known = before.get(tree_id)
            inadmissible = self._inadmissible[tree_id] = known or InadmissibleQueues()
            concerned = tree.tree.order if known is None or changed is None else changed
            inadmissible.follow(cluster, tree, concerned, inputs.overdue)

    def inadmissible(self, tree_id: str) -> InadmissibleQueues:
        """The inadmissible queues of a tree."""
        return self._inadmissible[tree_id]

    def waits(
        self, decided: TreeDecision, policy: Policy, room: RoomOnItsWay | None = None
    ) -> Iterable[Wait]:
        """What waits in a tree, with its texts; ``room`` is None where no pod is evicted."""
        tree = decided.tree.tree
        return self._waits[tree.id].of(tree.order, decided.waits, policy, room)

    def statuses(self, ledger: Ledger, cluster: ClusterSnapshot) -> tuple[QuotaStatus, ...]:
        """One status per stored quota, recomputed only where a figure may have changed."""
        if self._changed is None:
            self._statuses = {
                status.key: status for status in quota_status.statuses(ledger, cluster)
            }
        else:
            noted = len(self._statuses)
            for name in self._changed & cluster.forest.quotas.keys():
                for quota in _stored(name, ledger, cluster):
                    self._statuses[quota.key] = quota_status.status(quota, ledger, cluster)
            # All stored quotas are noted now. A noted quota beyond them is deleted.
            if not noted == len(self._statuses) == len(ledger.quotas):
                self._statuses = {key: self._statuses[key] for key in sorted(ledger.quotas)}
        self._generation = cluster.generation
        return tuple(self._statuses.values())


def _stored(name: str, ledger: Ledger, cluster: ClusterSnapshot) -> tuple[Quota, ...]:
    """The stored objects whose statuses show the figures of the quota ``name``."""
    held = cluster.forest.quotas[name]
    if held.key in ledger.quotas:
        return (held,)
    if name not in names.RESERVED_QUOTAS:
        return ()
    home = cluster.forest.terms.home
    if home is None:  # then an object counts wherever it is
        return tuple(quota for quota in ledger.quotas.values() if quota.name == name)
    found = ledger.quotas.get(Key(home, name))
    return () if found is None else (found,)
