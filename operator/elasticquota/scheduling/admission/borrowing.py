"""Idle resources go to the first blocked pod when no fair share is large enough for a pod.

Shares are exact, pods are whole: where every waiting pod is larger than what is left of its
runtime, nodes would be idle although pods wait. So when all pods that fit were released, and room
is kept for those that will fit, pods are released beyond their runtime, one by one: each time the
first in fair order that

* fits in what is free on the nodes, and takes neither room that is kept nor, by preemption, the
  node of another pod (``unbound``), and
* stays within every max on its path, and
* stays within every limit of its user, its group and of applications, and
* leaves what a quota that does not lend has not used of its min, and
* belongs to no quota whose chosen weight is 0 for what it requests beyond its runtime.

While a pod waits that is within its min and its runtime (and not only for a node), or within its
runtime and overdue at the head of its queue, idle resources are only for the first such pod: else
small ones would take what it waits for, time and again. After the loss of nodes a runtime can be
less than min. What is released here is borrowed like any other: an owner reclaims it (``reclaim``).
"""

import itertools
from collections.abc import Iterator, Sequence

from elasticquota import resources
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.workload import Workload
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.admission.admit import Admission
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.queue import order
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.scheduling.snapshot.usage_tree import Place
from elasticquota.sharing import weight


Blocked = tuple[str, Workload]
"""A waiting pod and its quota."""

Unlent = tuple[Sequence[str], Resources]
"""The path of a quota, and amounts that it does not lend."""


def release(targets: PreemptionTargets, admission: Admission, most: int) -> int:
    """Release up to ``most`` blocked pods on idle resources; return how many were released.

    Each release changes the order of the rest. Of one quota and size only the first counts. Room
    only shrinks meanwhile: a pod that was once too large for the nodes, or for what is left of its
    runtime, is not tried again.
    """
    snapshot, root = targets.snapshot, Place(targets.tree.tree.root)
    without_node = {pod.uid for _, pod in admission.without_node}
    blocked = firsts = admission.first_blocked
    sizes = {each.size for name, pod in firsts for each in snapshot.variants(name, pod)}
    for released in range(most):
        free = snapshot.free(root, snapshot.limit(root))
        sizes = {size for size in sizes if resources.fits(dict(size), free)}
        if not sizes:
            return released
        blocked = [each for each in blocked if _may_be_entitled(snapshot, admission, *each)]
        entitled = [
            (name, pod)
            for name, pod in blocked
            if pod.uid not in without_node
            and any(
                admission.overdue(pod) or snapshot.guarantees.entitled(name, each)
                for each in snapshot.variants(name, pod)
            )
        ]
        # Until one is released they are in the order of admission.
        in_order = _in_order(entitled, admission, snapshot) if released else entitled or firsts
        unlent = _unlent(targets.cluster, targets.tree, snapshot)
        first = next(
            (
                (name, pod, each)
                for name, pod in itertools.islice(in_order, 1 if entitled else None)
                for each in snapshot.variants(name, pod)
                if resources.fits(each.request, free)
                and _may_borrow(targets.cluster, snapshot, unlent, name, each)
                and snapshot.may_start(name, each)
            ),
            None,
        )
        if first is None:
            return released
        admission.release(*first)
        pending = ((first[0], pod) for pod in admission.in_order.pending(first[0]))
        others = (each for each in blocked if each[0] != first[0])
        blocked = [*others, *order.firsts(pending, snapshot.user_limits)]
    return most


def _in_order(
    entitled: Sequence[Blocked], admission: Admission, snapshot: TreeSnapshot
) -> Iterator[Blocked]:
    """The pods that idle resources are reserved for, or all; the first of every quota and size."""
    if not entitled:
        return order.firsts(admission.in_order.of(), snapshot.user_limits)
    uids = {pod.uid for _, pod in entitled}
    in_order = admission.in_order.of({name for name, _ in entitled})
    return (each for each in in_order if each[1].uid in uids)


def _may_be_entitled(
    snapshot: TreeSnapshot, admission: Admission, name: str, pod: Workload
) -> bool:
    """Whether the pod is within its runtime; a pod that is not now will not be in this cycle."""
    own = snapshot.places(name)[0]
    return any(
        not snapshot.lack(own, each.request)
        and not snapshot.user_limits.reached(name, each)
        and (admission.overdue(pod) or not snapshot.guarantees.exceeds_min(name, each))
        for each in snapshot.variants(name, pod)
    )


def _unlent(cluster: ClusterSnapshot, tree: TreeBooks, snapshot: TreeSnapshot) -> list[Unlent]:
    """What each quota that does not lend has not used of its min."""
    found: list[Unlent] = []
    for name in tree.tree.order:
        if tree.tree.guarantees_use or not cluster.forest.quotas[name].allow_lent:
            low = resources.cut(cluster.forest.effective_min(name), tree.runtimes.runtime(name))
            left = resources.positive(snapshot.free(Place(name), low))
            if left and name != tree.tree.root:
                found.append((cluster.forest.path(name), left))
    return found


def _may_borrow(
    cluster: ClusterSnapshot,
    snapshot: TreeSnapshot,
    unlent: Sequence[Unlent],
    name: str,
    pod: Workload,
) -> bool:
    path = cluster.forest.path(name)
    others = [(its, left) for its, left in unlent if its[0] not in path]
    for quota_name in path:
        quota, place = cluster.forest.quotas[quota_name], Place(quota_name)
        limit = snapshot.ceiling(place)
        held_back = resources.add(*(left for its, left in others if quota_name in its))
        left = resources.subtract(snapshot.free(place, limit), resources.masked(held_back, limit))
        asked = resources.positive(pod.request)
        if not resources.fits(asked, left) or snapshot.takes_kept_room(place, asked):
            return False
        if quota_name != path[-1] and any(
            weight.effective(quota, key, EMPTY).amount == 0
            for key in resources.exceeding(asked, snapshot.free(place, snapshot.limit(place)))
        ):
            return False
    return True
