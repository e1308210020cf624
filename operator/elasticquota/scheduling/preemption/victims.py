"""Victims: which pods of one quota are evicted when it returns resources, least important first.

Pods that do not run yet go first, because they lose no work, together with pods that terminate with
a long grace. Then preemptible pods go, then those that do not ask to be evicted last, then those of
the lowest priority, then the youngest, then by uid. Only pods that return a missing resource are
chosen. ``targets`` sees all quotas and spares victims that are not needed.
"""

import operator
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple, TypeVar

from elasticquota import resources
from elasticquota.ledger.pods.usage import Account
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted, Workload
from elasticquota.resources import Resources


_T = TypeVar("_T", bound=Workload)

_MOST_STATES: Final = 5_000
"""How many partial sums one search visits at most, which takes a few milliseconds."""


class Marks(NamedTuple):
    """What is known of single pods; uids."""

    spared: AbstractSet[str] = frozenset()
    """They cannot be evicted for now."""
    awaiting_nodes: AbstractSet[str] = frozenset()
    """They are admitted behind the gate until an autoscaler has made their nodes."""


def movable(account: Account, marks: Marks, low: Resources) -> Collection[Counted]:
    """Admitted pods and jobs that may be evicted, in no order."""
    return [pod for pod in account.running if may_go(pod, account, marks, low)]


def may_go(pod: Counted, account: Account, marks: Marks, low: Resources) -> bool:
    """Whether ``pod``, which is admitted and counted in ``account``, may be evicted.

    Of those that are being released only the ones that wait for their nodes may go.

    Pods that are not preemptible were admitted within ``low``, the min. What they use beyond it,
    because one was resized or started without admission, is borrowed. A pod that no node takes for
    too long may go, preemptible or not: it does not run.
    """
    return (
        (
            pod.preemptible
            or pod.key in account.stuck
            or any(
                pod.request.get(key, 0) > 0
                for key in resources.exceeding(account.non_preemptible, low)
            )
        )
        and not (isinstance(pod, Pod) and (pod.mirror or pod.daemon))
        and (not pod.gated or pod.uid in marks.awaiting_nodes)
        and pod.key not in account.leaving
        and pod.key not in account.late
        and pod.uid not in marks.spared
    )


def in_order(pods: Iterable[_T]) -> list[_T]:
    """Sort pods of one quota, the least important first."""
    return sorted(in_order_of_quotas(pods), key=rank)


def in_order_of_quotas(pods: Iterable[_T]) -> list[_T]:
    """Sort pods of several quotas, the least important first.

    Whether one is evicted last counts for nothing: it is the word of its user, at the expense of
    others. Times are RFC 3339 in UTC of one width: they sort as text.
    """
    found = sorted(pods, key=lambda pod: pod.uid)
    found.sort(key=lambda pod: pod.started or pod.created, reverse=True)
    found.sort(key=importance)
    return found


def importance(pod: Workload) -> tuple[bool, bool, int]:
    """The importance of a pod among those of all quotas, without its age.

    A pod with a node that is not deleted ranks higher, then one that is not preemptible, then
    priority.
    """
    return pod.bound and not pod.deleting, not pod.preemptible, pod.priority


def rank(pod: Workload) -> tuple[bool, bool, bool, int]:
    """The importance of a pod in its quota: one that is evicted last (Y22) goes before priority."""
    has_node, stays, priority = importance(pod)
    return has_node, stays, pod.evict_last, priority


def choose(pods: Sequence[_T], need: Resources, spare: Resources) -> Sequence[_T]:
    """Choose from ``pods``, in their order, those that return ``need``, as far as they can.

    ``spare`` limits what may be reclaimed of each resource in ``need``, also of one with 0; a
    resource without an entry has no limit. Small early pods can use up too much of ``spare``. Then
    the first set in this order that returns all of ``need`` is chosen.
    """
    chosen, left = _greedy(pods, need, spare)
    return (_search(pods, need, spare) or chosen) if left else chosen


def _greedy(pods: Iterable[_T], need: Resources, spare: Resources) -> tuple[list[_T], Resources]:
    """Choose each pod that helps and is within ``spare``; return them and what is then missing."""
    left, spare = resources.positive(need), dict(spare)
    chosen: list[_T] = []
    for pod in pods:
        if not left:
            break
        released = resources.masked(pod.request, need.keys())
        if not any(released.get(key, 0) > 0 for key in left) or not resources.fits(released, spare):
            continue
        chosen.append(pod)
        spare = {key: most - released.get(key, 0) for key, most in spare.items()}
        left = resources.positive(resources.subtract(left, released))
    return chosen, left


def _search(pods: Sequence[_T], need: Resources, spare: Resources) -> list[_T]:
    """The first set that returns all of ``need``; empty if ``_MOST_STATES`` states show none.

    The search is depth first and tries each pod in the set before it tries the set without it. The
    position and the sum so far decide all that follows, so the search visits each such state once.
    Pods of few sizes make few states.
    """
    keys = list(need)
    sizes = [tuple(max(0, pod.request.get(key, 0)) for key in keys) for pod in pods]
    after = _sums_from(sizes, len(keys))
    least = [need[key] for key in keys]
    most = [spare.get(key, whole) for key, whole in zip(keys, after[0], strict=True)]
    taken: list[int] = []
    sums = [0] * len(keys)
    at = 0
    seen: set[tuple[int, ...]] = set()
    while any(map(operator.lt, sums, least)):
        state = (at, *sums)
        reaches = not any(map(operator.lt, map(operator.add, sums, after[at]), least))
        if reaches and state not in seen and len(seen) < _MOST_STATES:
            seen.add(state)
            if not any(map(operator.gt, map(operator.add, sums, sizes[at]), most)):
                taken.append(at)
                sums = list(map(operator.add, sums, sizes[at]))
        elif taken:
            at = taken.pop()
            sums = list(map(operator.sub, sums, sizes[at]))
        else:
            return []
        at += 1
    return [pods[index] for index in taken]


def _sums_from(sizes: Sequence[tuple[int, ...]], width: int) -> list[tuple[int, ...]]:
    """By position: the sum of all pods from there on, one number per resource."""
    sums = [(0,) * width]
    for size in reversed(sizes):
        sums.append(tuple(map(operator.add, sums[-1], size)))
    return sums[::-1]
