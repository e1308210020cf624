"""Victims: which pods of one quota go when it has to give something back, least important first.

Not yet running first (they lose nothing), then lowest priority, then youngest, then uid. Only pods
that reduce a resource that is short count. Who turns out not to be needed in the end is spared by
the wave, which sees all quotas.
"""

from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet

from elasticquota import resources
from elasticquota.ledger.account import Account
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources


def movable(account: Account, spared: AbstractSet[str]) -> Collection[Pod]:
    """Admitted pods that may be asked to leave, in no order; ``spared`` are uids."""
    return [
        pod
        for pod in account.running
        if pod.preemptible
        and not pod.mirror
        and not pod.daemon
        and not pod.gated
        and pod.key not in account.leaving
        and pod.uid not in spared
    ]


def in_order(pods: Iterable[Pod]) -> list[Pod]:
    """The least important first. Times are RFC 3339 in UTC of one width, and sort as text."""
    found = sorted(pods, key=lambda pod: pod.uid)
    found.sort(key=lambda pod: pod.started or pod.created, reverse=True)
    found.sort(key=rank)
    return found


def rank(pod: Pod) -> tuple[bool, int]:
    """How important a pod is, before its age: whether it has a node, and its priority."""
    return pod.bound, pod.priority


def choose(pods: Iterable[Pod], need: Resources, spare: Resources) -> list[Pod]:
    """Of ``pods``, in their order, those that give ``need`` back, as far as they can.

    ``spare`` is what may be taken of each resource in ``need``; one it does not name, without end.
    """
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
    return chosen
