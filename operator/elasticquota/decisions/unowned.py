"""Pods that do not wait for their turn: they are released at once if they have our gate.

* Pods without a quota, and pods of the system. The exception: the administrator may choose to hold
  pods that name an unknown quota. Without a default quota (semantics 4; K 2.1, DisableDefaultQuota)
  admission puts no gate on such pods; these were gated while they had a quota, or before the
  administrator chose so. Nor does it on pods of the system, whose namespaces the administrator may
  name at any time.
* Pods of a tree that only observes, from when the tree enforced or because an admission was behind.
* Pods of an admitted job, as long as they fit in what it reserves (``ledger.job_reservations``).
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.ledger.pods import usage
from elasticquota.model.decision import Release
from elasticquota.model.selector import EVERYTHING, Selector
from elasticquota.model.workload import Counted
from elasticquota.scheduling.snapshot.reasons import Waiting


def releases(ledger: Ledger, cluster: ClusterSnapshot) -> Iterator[Release]:
    """Releases of all gated pods that need no turn, except those that are being deleted."""
    without = cluster.without_quota
    of_none = _held(without) if cluster.forest.terms.observes else without.waiting
    of_system = _held(cluster.account(names.SYSTEM_QUOTA))
    for quota, pods in ((NO_QUOTA, of_none), (names.SYSTEM_QUOTA, of_system)):
        for pod in pods:
            if not pod.deleting:
                yield _release(pod, quota)
    for name in sorted(cluster.observed & cluster.accounts.keys()):
        for each in _held(cluster.accounts[name]):
            stored = ledger.counted(each.key)  # not as if our gate held it, as it is counted
            if stored is not None and stored.gated and not stored.deleting:
                yield _release(stored, name)
    for key in sorted(cluster.covered):
        covered = ledger.pods[key]
        if ledger.is_gated(covered) and cluster.index.job_of(covered) is not None:
            quota = cluster.members.quota_of(covered)
            yield _release(covered, quota, cluster.nodes(quota))


def waits(cluster: ClusterSnapshot) -> Iterator[Waiting]:
    """The held pods that name an unknown quota, then all whose quota is not accepted."""
    if not cluster.forest.terms.observes:
        for pod, found in cluster.without_quota.infeasible_pods:
            yield Waiting(pod, NO_QUOTA, found)
    for name in cluster.refused:
        why = cluster.forest.verdicts[cluster.forest.quotas[name].key]
        yield from (Waiting(pod, name, why) for pod in cluster.account(name).waiting)


def _held(own: usage.Account) -> list[Counted]:
    return [*own.waiting, *(pod for pod, _ in own.infeasible_pods)]


def _release(pod_or_job: Counted, quota: str, nodes: Selector = EVERYTHING) -> Release:
    return Release(
        pod_or_job.key, pod_or_job.uid, quota, pod_or_job.gates.index(names.GATE), nodes=nodes
    )
