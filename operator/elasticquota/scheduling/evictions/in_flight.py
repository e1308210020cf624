"""In-flight evictions: the conditions of a quota whose pods are being evicted.

They say for which quota the pods leave, how much they free, and what keeps them. ``Reclaiming``
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
from elasticquota.ledger.ledger import Ledger
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.clocks import InFlightEviction
from elasticquota.model.decision import Condition, Eviction
from elasticquota.model.refusal import Refusal
from elasticquota.scheduling.status import amounts_text


_SHOWN: Final = 3


def of_tree(
    ledger: Ledger,
    tree: TreeBooks,
    evictions: Sequence[Eviction],
    before: Mapping[str, InFlightEviction],
) -> dict[str, InFlightEviction]:
    """In-flight evictions of ``tree`` by pod uid; ``before`` is the result of the last cycle."""
    found: dict[str, InFlightEviction] = {}
    for uid, each in before.items():
        there = ledger.counted(each.pod)
        if there is None or there.uid != uid or not _is_for(each, tree):
            continue
        if uid in ledger.evicting or there.deleting:
            found[uid] = each
    for eviction in evictions:
        of = eviction.quota if eviction.quota in tree.admitted else tree.tree.root
        shared = tree.runtimes.own_runtime(of).keys() - {names.PODS}
        released = resources.masked(eviction.request, shared)
        found[eviction.uid] = InFlightEviction(
            eviction.pod, eviction.quota, eviction.owner, released, eviction.preemptor
        )
    return found


def conditions(
    ledger: Ledger,
    in_flight: Mapping[str, InFlightEviction],
    refusals: Sequence[Refusal],
    most: int,
) -> Iterator[tuple[str, Condition]]:
    """Pairs of quota and condition; ``refusals`` are the active ones.

    ``most``: milliseconds that an evicted pod may take to end.
    """
    moving = [
        each
        for uid, each in in_flight.items()
        if uid not in ledger.refused and each.quota not in (each.owner, NO_QUOTA)
    ]
    for quota, of_quota in groupby(
        sorted(moving, key=_eviction_order), key=lambda each: each.quota
    ):
        yield quota, _reclaiming(list(of_quota), most)
    of_quotas = [refusal for refusal in refusals if refusal.quota != NO_QUOTA]
    for quota, its in groupby(
        sorted(of_quotas, key=_refusal_order), key=lambda refusal: refusal.quota
    ):
        yield quota, _blocked(list(its))


def active(ledger: Ledger, tree: TreeBooks, evictions: Iterable[Eviction]) -> list[Refusal]:
    """Refusals in quotas of ``tree`` whose pod is still needed: in back-off, or tried again."""
    if not ledger.refused:
        return []
    needed = {eviction.uid for eviction in evictions} | ledger.evicting | ledger.withheld
    here = {uid: each for uid, each in ledger.refused.items() if _is_for(each, tree)}
    concerned = {refusal.quota for uid, refusal in here.items() if uid in needed}
    return [refusal for refusal in here.values() if refusal.quota in concerned]


def kept_by(refusals: Iterable[Refusal]) -> str:
    """What keeps the pods, as text, each reason once."""
    return listed(sorted({str(refusal) for refusal in refusals}), "; ", _SHOWN)


def _is_for(found: InFlightEviction | Refusal, tree: TreeBooks) -> bool:
    """Whether the eviction is for a quota, or a limit, of ``tree`` and not of another tree."""
    return (found.owner or found.quota) in tree.admitted


def _refusal_order(refusal: Refusal) -> tuple[str, str]:
    return refusal.quota, str(refusal)


def _eviction_order(each: InFlightEviction) -> tuple[str, str]:
    return each.quota, each.owner


def _reclaiming(found: Sequence[InFlightEviction], most: int) -> Condition:
    """``found`` is sorted by owner."""
    parts: list[str] = []
    for owner, its in groupby(found, key=lambda each: each.owner):
        shown = amounts_text.released(each.released for each in its)
        parts.append(f"{shown} {f'for quota {owner}' if owner else 'beyond its limits'}")
    reason = "OwnerWaits" if any(each.owner for each in found) else "BeyondLimits"
    text = f"{' and '.join(parts)} will be freed {amounts_text.in_at_most(most)}"
    return Condition("Reclaiming", True, reason, text)


def _blocked(found: Collection[Refusal]) -> Condition:
    owners = sorted({refusal.owner for refusal in found if refusal.owner})
    blockers = {refusal.blocker for refusal in found}
    reason = "DisruptionBudget" if blockers == {"DisruptionBudget"} else max(blockers)
    text = f"pods that should go stay: {kept_by(found)}"
    if owners:
        text += f"; quota {', '.join(owners)} waits"
    return Condition("ReclaimBlocked", True, reason, text)
