"""Victims: which pods of one quota go when it has to give something back, least important first.

Not yet running first (they lose nothing), with those that were deleted with a long grace, then
those that may be taken back, then lowest priority, then youngest, then uid. Only pods that reduce a
resource that is short count. Who turns out not to be needed in the end is spared by the wave, which
sees all quotas.
"""

import operator
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from elasticquota import resources
from elasticquota.ledger.usage import Account
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources


_MOST_STATES: Final = 5_000
"""How many part sums are looked at for one set: a few milliseconds."""


def movable(account: Account, spared: AbstractSet[str], low: Resources) -> Collection[Pod]:
    """Admitted pods that may be asked to leave, in no order; ``spared`` are uids."""
    return [pod for pod in account.running if may_go(pod, account, spared, low)]


def may_go(pod: Pod, account: Account, spared: AbstractSet[str], low: Resources) -> bool:
    """Whether ``pod``, which is admitted and counted in ``account``, may be asked to leave.

    Those that may not be taken back were let in within min, ``low``. Where they have more, because
    one grew or came in while nobody judged it, that is held like anything that was borrowed. One
    that no node has taken for too long loses nothing, preemptible or not.
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
        and not pod.mirror
        and not pod.daemon
        and not pod.gated
        and pod.key not in account.leaving
        and pod.key not in account.late
        and pod.uid not in spared
    )


def in_order(pods: Iterable[Pod]) -> list[Pod]:
    """The least important first. Times are RFC 3339 in UTC of one width, and sort as text."""
    found = sorted(pods, key=lambda pod: pod.uid)
    found.sort(key=lambda pod: pod.started or pod.created, reverse=True)
    found.sort(key=rank)
    return found


def rank(pod: Pod) -> tuple[bool, bool, int]:
    """How important a pod is, before its age: whether it has a node and nobody deleted it, whether
    it should not be taken back, and its priority.
    """
    return pod.bound and not pod.deleting, not pod.preemptible, pod.priority


def choose(pods: Sequence[Pod], need: Resources, spare: Resources) -> Sequence[Pod]:
    """Of ``pods``, in their order, those that give ``need`` back, as far as they can.

    ``spare`` is what may be taken of each resource in ``need``; one it does not name, without end.
    Small ones that go first can leave too little of it for those that are needed: then the first
    set in this order goes that gives all.
    """
    chosen, left = _in_turn(pods, need, spare)
    return (_sought(pods, need, spare) or chosen) if left else chosen


def _in_turn(pods: Iterable[Pod], need: Resources, spare: Resources) -> tuple[list[Pod], Resources]:
    """Each that may be taken and still helps, and what then is missing."""
    left, spare = dict(need), dict(spare)
    chosen: list[Pod] = []
    for pod in pods:
        if not left:
            break
        gives = resources.masked(pod.request, need.keys())
        if not any(gives.get(key, 0) > 0 for key in left) or not resources.fits(gives, spare):
            continue
        chosen.append(pod)
        spare = {key: most - gives.get(key, 0) for key, most in spare.items()}
        left = resources.positive(resources.subtract(left, gives))
    return chosen, left


def _sought(pods: Sequence[Pod], need: Resources, spare: Resources) -> list[Pod]:
    """The first set that gives all of ``need``; empty when there is none, or none was found soon.

    Depth first, the earlier pod taken before it is left out. What was given up to a pod decides
    all that follows, so nobody looks twice from there: pods of few sizes make few such states.
    """
    keys = list(need)
    sizes = [tuple(max(0, pod.request.get(key, 0)) for key in keys) for pod in pods]
    after = _sums_from(sizes, len(keys))
    least = [need[key] for key in keys]
    most = [spare.get(key, whole) for key, whole in zip(keys, after[0], strict=True)]
    taken: list[int] = []
    given = [0] * len(keys)
    at = 0
    seen: set[tuple[int, ...]] = set()
    while any(map(operator.lt, given, least)):
        state = (at, *given)
        reaches = not any(map(operator.lt, map(operator.add, given, after[at]), least))
        if reaches and state not in seen and len(seen) < _MOST_STATES:
            seen.add(state)
            if not any(map(operator.gt, map(operator.add, given, sizes[at]), most)):
                taken.append(at)
                given = list(map(operator.add, given, sizes[at]))
        elif taken:
            at = taken.pop()
            given = list(map(operator.sub, given, sizes[at]))
        else:
            return []
        at += 1
    return [pods[index] for index in taken]


def _sums_from(sizes: Sequence[tuple[int, ...]], width: int) -> list[tuple[int, ...]]:
    """By place, what all from there on give together."""
    sums = [(0,) * width]
    for size in reversed(sizes):
        sums.append(tuple(map(operator.add, sums[-1], size)))
    return sums[::-1]
