"""Victims: which pods of one quota go when it has to give back, fewest and least important first.

Not yet running first (they lose nothing), then lowest priority, then youngest, then uid. Only pods
that reduce a resource that is short count; no short resource sinks below min(held, min). At the end
the most important ones that turn out not to be needed are spared (K 5.1, give back).
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from elasticquota import resources
from elasticquota.ledger.account import Account
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources


def choose(
    account: Account,
    spared: AbstractSet[str],
    held: Resources,
    need: Resources,
    floor: Resources,
) -> list[Pod]:
    """Pods to evict so that ``need`` (short resources only) comes back, as far as it can.

    ``spared`` are uids that are not to be chosen (again). ``held`` is what the quota keeps if
    nobody else goes, ``floor`` its min: only what lies between them may be taken.
    """
    spare = {key: max(0, held.get(key, 0) - floor.get(key, 0)) for key in need}
    left = dict(need)
    chosen: list[Pod] = []
    for pod in sorted(_candidates(account, spared), key=_importance):
        if not left:
            break
        gives = resources.masked(pod.request, need.keys())
        if not any(gives.get(key, 0) > 0 for key in left) or not resources.fits(gives, spare):
            continue
        chosen.append(pod)
        spare = dict(resources.subtract(spare, gives))
        left = dict(resources.positive(resources.subtract(left, gives)))
    return _without_needless(chosen, need, left)


def _without_needless(chosen: list[Pod], need: Resources, missed: Resources) -> list[Pod]:
    """Spare, most important first, every pod without which the rest still gives as much."""
    wanted = resources.subtract(need, missed)
    surplus = resources.subtract(resources.add(*(pod.request for pod in chosen)), wanted)
    kept: list[Pod] = []
    for pod in reversed(chosen):
        gives = resources.masked(pod.request, need.keys())
        if all(amount <= surplus.get(key, 0) for key, amount in gives.items()):
            surplus = resources.subtract(surplus, gives)
        else:
            kept.append(pod)
    return kept[::-1]


def _candidates(account: Account, spared: AbstractSet[str]) -> Iterable[Pod]:
    return (
        pod
        for pod in account.running
        if pod.preemptible
        and not pod.mirror
        and not pod.daemon
        and not pod.gated
        and pod.key not in account.leaving
        and pod.uid not in spared
    )


def _importance(pod: Pod) -> tuple[bool, int, tuple[int, ...], str]:
    """Ascending: the first is the least important."""
    return (pod.bound, pod.priority, _youngest_first(pod.started or pod.created), pod.uid)


def _youngest_first(time: str) -> tuple[int, ...]:
    """Sorts later times first; times are RFC 3339 in UTC of one width."""
    return tuple(-ord(character) for character in time)
