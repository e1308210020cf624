"""In-flight evictions: the conditions of a quota whose pods are being evicted.

They say for which quota the pods leave, how much they return, and what keeps them. ``Reclaiming``
is true from the decision until the last victim is gone. ``ReclaimBlocked`` is true from the first
refusal until the pod is gone, or until its back-off ends and it is not needed. A refused eviction
that is tried again counts as ``Reclaiming`` only when the pod terminates: the conditions do not
flap while a disruption budget refuses. Preemption inside a quota sets no condition: only its
victims get a message.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from elasticquota import names, resources
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.forest.wording import listed
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Condition, Eviction, Gift
from elasticquota.model.refusal import Refusal
from elasticquota.scheduling.status import messages


_SHOWN: Final = 3


def gifts(
    ledger: Ledger, tree: TreeBooks, evictions: Sequence[Eviction], before: Mapping[str, Gift]
) -> dict[str, Gift]:
    """In-flight evictions of ``tree`` by pod uid; ``before`` is the result of the last cycle."""
    found: dict[str, Gift] = {}
    for uid, gift in before.items():
        there = ledger.counted(gift.pod)
        if there is None or there.uid != uid or not _serves(gift, tree):
            continue
        if uid in ledger.evicting or there.deleting:
            found[uid] = gift
    for eviction in evictions:
        of = eviction.quota if eviction.quota in tree.admitted else tree.tree.root
        shared = tree.runtimes.own_runtime(of).keys() - {names.PODS}
        given = resources.masked(eviction.request, shared)
        found[eviction.uid] = Gift(eviction.pod, eviction.quota, eviction.owner, given)
    return found


def under_way(cluster: ClusterSnapshot, given: Mapping[str, Gift]) -> int:
    """Number of our evictions in flight.

    Deletions by users do not count, nor does a pod that is late or never leaves.
    """
    return sum(gift.pod in cluster.account(gift.quota).leaving for gift in given.values())


def next_ones(victims: Iterable[tuple[Eviction, ...]], under_way: int, most: int) -> list[Eviction]:
    """Return the evictions of the first ``victims``, with those ``under_way`` at most ``most``.

    No victim is evicted in part: one that takes more than ``most`` is evicted alone.
    """
    going: list[Eviction] = []
    for evictions in victims:
        total = under_way + len(going)
        if total and total + len(evictions) > most:
            break
        going += evictions
    return going


def gone(ledger: Ledger, before: Mapping[str, Gift]) -> list[Gift]:
    """The in-flight evictions of the last cycle whose pods no longer exist."""
    return [
        gift
        for uid, gift in before.items()
        if (there := ledger.counted(gift.pod)) is None or there.uid != uid
    ]


def conditions(
    ledger: Ledger, given: Mapping[str, Gift], refusals: Sequence[Refusal]
) -> Iterator[tuple[str, Condition]]:
    """Pairs of quota and condition; ``refusals`` are the active ones."""
    moving = [
        gift
        for uid, gift in given.items()
        if uid not in ledger.refused and gift.quota not in (gift.owner, NO_QUOTA)
    ]
    for quota, of_quota in groupby(sorted(moving, key=_whose), key=lambda gift: gift.quota):
        yield quota, _reclaiming(list(of_quota))
    of_quotas = [refusal for refusal in refusals if refusal.quota != NO_QUOTA]
    for quota, its in groupby(sorted(of_quotas, key=_place), key=lambda refusal: refusal.quota):
        yield quota, _blocked(list(its))


def active(ledger: Ledger, tree: TreeBooks, evictions: Iterable[Eviction]) -> list[Refusal]:
    """Refusals in quotas of ``tree`` whose pod is still needed: in back-off, or tried again."""
    if not ledger.refused:
        return []
    needed = {eviction.uid for eviction in evictions} | ledger.evicting | ledger.withheld
    here = {uid: each for uid, each in ledger.refused.items() if _serves(each, tree)}
    concerned = {refusal.quota for uid, refusal in here.items() if uid in needed}
    return [refusal for refusal in here.values() if refusal.quota in concerned]


def kept_by(refusals: Iterable[Refusal]) -> str:
    """What keeps the pods, as text, each reason once."""
    return listed(sorted({str(refusal) for refusal in refusals}), "; ", _SHOWN)


def _serves(found: Gift | Refusal, tree: TreeBooks) -> bool:
    """Whether the eviction is for a quota, or a limit, of ``tree`` and not of another tree."""
    return (found.owner or found.quota) in tree.admitted


def _place(refusal: Refusal) -> tuple[str, str]:
    return refusal.quota, str(refusal)


def _whose(gift: Gift) -> tuple[str, str]:
    return gift.quota, gift.owner


def _reclaiming(found: Sequence[Gift]) -> Condition:
    """``found`` is sorted by owner."""
    parts: list[str] = []
    for owner, its in groupby(found, key=lambda gift: gift.owner):
        given = resources.positive(resources.add(*(gift.given for gift in its)))
        shown = messages.amounts(given) or "pods"
        parts.append(f"{shown} {f'for quota {owner}' if owner else 'beyond its limits'}")
    reason = "OwnerWaits" if any(gift.owner for gift in found) else "BeyondLimits"
    return Condition("Reclaiming", True, reason, f"returns {'; '.join(parts)}")


def _blocked(found: Collection[Refusal]) -> Condition:
    owners = sorted({refusal.owner for refusal in found if refusal.owner})
    keepers = {refusal.keeper for refusal in found}
    reason = "DisruptionBudget" if keepers == {"DisruptionBudget"} else max(keepers)
    text = f"pods that should go stay: {kept_by(found)}"
    if owners:
        text += f"; quota {', '.join(owners)} waits"
    return Condition("ReclaimBlocked", True, reason, text)
