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

from collections.abc import Iterable, Sequence
from fractions import Fraction

from elasticquota import names, resources, totals
from elasticquota.ledger.pods import usage
from elasticquota.ledger.pods.user_usage import application
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.model.workload import Counted, Workload
from elasticquota.resources import EMPTY, Resources


def arranged(
    quota: Quota, waiting: Sequence[Workload], running: Iterable[Counted], offered: Resources
) -> list[Workload]:
    """The ``waiting`` workloads in the order of ``quota``; ``offered`` is what its tree has."""
    if not quota.application_order:
        return sorted(waiting, key=lambda each: usage.queue_order(each)[1:])
    in_order = sorted(waiting, key=usage.queue_order)
    ranks: dict[Key, int] = {}
    begun: dict[Key, str] = {}
    for each in in_order:
        name = application(each)
        ranks.setdefault(name, -each.priority if quota.orders_by_priority else 0)
        begun[name] = min(begun.get(name, each.created), each.created)
    used: dict[Key, dict[str, int]] = {name: {} for name in ranks}
    for pod in running:
        name = application(pod)
        if name in used:
            begun[name] = min(begun[name], pod.created)
            totals.add(used[name], pod.request)
    by_share = EMPTY if quota.application_order == names.FIFO else resources.positive(offered)
    # The share of an application never falls on its way, so one sort is all the turns.
    turns: list[tuple[int, Fraction, str, Key, int]] = []
    for place, each in enumerate(in_order):
        name = application(each)
        turns.append((ranks[name], _share(used[name], by_share), begun[name], name, place))
        totals.add(used[name], each.request)
    return [in_order[place] for *_, place in sorted(turns)]


def _share(used: Resources, offered: Resources) -> Fraction:
    """The largest part of any resource; one that no node offers does not count."""
    parts = (Fraction(used.get(key, 0), most) for key, most in offered.items())
    return max(parts, default=Fraction(0))
