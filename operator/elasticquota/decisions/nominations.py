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
from elasticquota.scheduling.policy import Policy
from elasticquota.scheduling.queue import order
from elasticquota.structs import replace


def restore(ledger: Ledger, records: Iterable[ReclaimRecord], policy: Policy) -> None:
    """Nominate the waiting workloads that ``records`` name, while their victims may still end.

    One that was created after the last eviction for its name is another one. Where the room is,
    and whether there is any, the cycle finds out.
    """
    cluster = ledger.update(policy.accounting)
    earliest = cluster.time - policy.accounting.max_grace
    last: dict[str, dict[str, ReclaimRecord]] = {}
    for each in sorted(records, key=lambda record: record.last):
        if each.last >= earliest and each.reclaimed_for in cluster.accounts:
            last.setdefault(each.reclaimed_for, {})[each.workload] = each
    nominated = {
        workload.uid: Nomination(quota, (), exchanges=found.evicted_from == quota)
        for quota, by_title in sorted(last.items())
        for workload in order.of(cluster, quota, frozenset()).workloads
        if (found := by_title.get(workload.title)) is not None
        and (moments.read(workload.created) or 0) <= found.last
    }
    ledger.remember(replace(ledger.clocks, nominated=nominated))
