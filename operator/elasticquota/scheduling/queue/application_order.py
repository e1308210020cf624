"""The order of a queue by applications, where its quota asks for one (Y10).

``Fifo``: the workloads of the application that was submitted first, then those of the next one.
``Fair``: always the next workload of the application that uses least, as its largest part of what
the nodes of the tree offer; each workload counts as used from its place in the queue on. An
application was submitted when the oldest of its pods that still exist was created. One with more
important workloads comes first, unless the quota does not order by priority. The workloads of one
application keep the usual order.

Without ``Fifo`` and ``Fair``, workloads are ordered one by one; then without their priority, if the
quota does not order by it.
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from elasticquota import names, resources, totals
from elasticquota.ledger.pods import usage
from elasticquota.model.quota import Quota
from elasticquota.model.workload import Counted, Workload
from elasticquota.resources import Resources


Application = tuple[str, str]
"""Namespace and name of an application; an empty name is the unnamed one of its namespace."""


def arranged(
    quota: Quota, waiting: Sequence[Workload], running: Iterable[Counted], offered: Resources
) -> list[Workload]:
    """The ``waiting`` workloads in the order of ``quota``; ``offered`` is what its tree has."""
    if not quota.application_order:
        return sorted(waiting, key=lambda each: usage.queue_order(each)[1:])
    there = list(running)
    groups = _groups(sorted(waiting, key=usage.queue_order))
    begun = {name: min(each.created for each in members) for name, members in groups.items()}
    for pod in there:
        name = application(pod)
        if name in begun:
            begun[name] = min(begun[name], pod.created)
    ranks = {
        name: -max(each.priority for each in members) if quota.orders_by_priority else 0
        for name, members in groups.items()
    }
    if quota.application_order == names.FIFO:
        in_order = sorted(groups, key=lambda name: (ranks[name], begun[name], name))
        return [each for name in in_order for each in groups[name]]
    used: dict[Application, dict[str, int]] = {name: {} for name in groups}
    for pod in there:
        if application(pod) in used:
            totals.add(used[application(pod)], pod.request)
    return list(_in_turns(groups, ranks, begun, used, resources.positive(offered)))


def application(found: Workload) -> Application:
    """The application of a workload."""
    return found.key.namespace, found.holder.application


def _groups(waiting: Iterable[Workload]) -> dict[Application, list[Workload]]:
    groups: dict[Application, list[Workload]] = {}
    for each in waiting:
        groups.setdefault(application(each), []).append(each)
    return groups


def _in_turns(
    groups: dict[Application, list[Workload]],
    ranks: dict[Application, int],
    begun: dict[Application, str],
    used: dict[Application, dict[str, int]],
    offered: Resources,
) -> Iterator[Workload]:
    """Always the next workload of the application with the smallest share."""
    heap = [(ranks[name], _share(used[name], offered), begun[name], name, 0) for name in groups]
    heapq.heapify(heap)
    while heap:
        rank, _, since, name, place = heapq.heappop(heap)
        workload = groups[name][place]
        yield workload
        if place + 1 < len(groups[name]):
            totals.add(used[name], workload.request)
            share = _share(used[name], offered)
            heapq.heappush(heap, (rank, share, since, name, place + 1))


def _share(used: Resources, offered: Resources) -> Fraction:
    """The largest part of any resource; one that no node offers does not count."""
    return max(
        (Fraction(used.get(key, 0), most) for key, most in offered.items()), default=Fraction(0)
    )
