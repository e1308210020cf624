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
from elasticquota.model.decision import Release, Wait
from elasticquota.model.workload import Counted
from elasticquota.scheduling.status import messages, pod_messages


_WITHOUT_QUOTA = "Admitted: Admitted: it belongs to no quota, so nothing limits it"
_OF_THE_SYSTEM = "Admitted: Admitted: it belongs to the system quota, which nothing limits"


def releases(ledger: Ledger, cluster: ClusterSnapshot) -> Iterator[Release]:
    """Releases of all gated pods that need no turn, except those that are being deleted."""
    without = cluster.without_quota
    of_none = _held(without) if cluster.forest.terms.observes else without.waiting
    for quota, text, pods in (
        (NO_QUOTA, _WITHOUT_QUOTA, of_none),
        (names.SYSTEM_QUOTA, _OF_THE_SYSTEM, _held(cluster.account(names.SYSTEM_QUOTA))),
    ):
        for pod in pods:
            if not pod.deleting:
                yield pod_messages.release(pod, quota, text)
    for name in sorted(cluster.observed & cluster.accounts.keys()):
        text = f"Admitted into quota {name}: {_tree_of(name, cluster)} only observes"
        for each in _held(cluster.accounts[name]):
            stored = ledger.counted(each.key)  # not as if our gate held it, as it is counted
            if stored is not None and stored.gated and not stored.deleting:
                yield pod_messages.release(stored, name, text)
    for key in sorted(cluster.covered):
        covered = ledger.pods[key]
        coverage = cluster.job_of(covered)
        if ledger.is_gated(covered) and coverage is not None:
            quota = cluster.members.quota_of(covered)
            text = f"quota {quota}: admitted with {coverage.job.name}"
            yield pod_messages.release(covered, quota, text, cluster.nodes(quota))


def waits(cluster: ClusterSnapshot) -> tuple[Wait, ...]:
    """The messages of held pods that name an unknown quota."""
    if cluster.forest.terms.observes:
        return ()
    return tuple(
        pod_messages.wait(pod, NO_QUOTA, messages.infeasible(infeasible))
        for pod, infeasible in cluster.without_quota.infeasible_pods
    )


def _held(own: usage.Account) -> list[Counted]:
    return [*own.waiting, *(pod for pod, _ in own.infeasible_pods)]


def _tree_of(name: str, cluster: ClusterSnapshot) -> str:
    tree_id = cluster.forest.tree_of.get(name)
    return "its tree" if tree_id is None else f"tree {cluster.forest.trees[tree_id].root}"
