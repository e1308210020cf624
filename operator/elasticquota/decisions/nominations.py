"""Nominations after a restart: for which waiting workloads victims make room, from the statuses.

A new process finds most of them again, because order and search are the same. It does not find a
fair share that goes beyond a runtime: once the victim leaves, nothing but the record of the
eviction says for whom. The statuses of quotas have these records; tenants cannot write them.
"""

from collections.abc import Iterable

from elasticquota.ledger.ledger import Ledger
from elasticquota.model import moments
from elasticquota.model.clocks import Nomination
from elasticquota.model.reclaim_record import ReclaimRecord
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.queue import order
from elasticquota.scheduling.snapshot import dominant_shares
from elasticquota.structs import replace


def restore(ledger: Ledger, records: Iterable[ReclaimRecord], policy: Policy) -> None:
    """Nominate the waiting workloads that ``records`` name, while their victims may still end.

    One that was created after the last eviction for its name is another one. Where the room is,
    and whether there is any, the cycle finds out. The largest comes first: the fewest nodes have
    room for it, and a small one would start there.
    """
    cluster = ledger.update(policy.accounting)
    earliest = cluster.time - policy.accounting.max_grace
    last: dict[str, dict[str, ReclaimRecord]] = {}
    for each in sorted(records, key=lambda record: record.last):
        if each.last >= earliest and each.reclaimed_for in cluster.forest.tree_of:
            last.setdefault(each.reclaimed_for, {})[each.workload] = each
    trees, tree_of = cluster.trees, cluster.forest.tree_of
    waiting = [
        (
            dominant_shares.part(trees[tree_of[quota]].total, workload.request),
            workload,
            last_reclaim,
        )
        for quota, by_title in sorted(last.items())
        for workload in order.of(cluster, quota, frozenset()).workloads
        if (last_reclaim := by_title.get(workload.title)) is not None
        and (moments.read(workload.created) or 0) <= last_reclaim.last
    ]
    waiting.sort(key=lambda each: -each[0])
    nominated = {
        workload.uid: Nomination(its.reclaimed_for, (), its.evicted_from == its.reclaimed_for)
        for _, workload, its in waiting
    }
    ledger.remember(replace(ledger.clocks, nominated=nominated))
