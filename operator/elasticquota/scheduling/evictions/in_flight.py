"""In-flight evictions: what evicted pods release, until they are gone, and what keeps them."""

from collections.abc import Iterable, Mapping, Sequence

from elasticquota import names, resources
from elasticquota.ledger.ledger import Ledger
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.clocks import InFlightEviction
from elasticquota.model.decision import Eviction
from elasticquota.model.refusal import Refusal


def of_tree(
    ledger: Ledger,
    tree: TreeBooks,
    evictions: Sequence[Eviction],
    before: Mapping[str, InFlightEviction],
) -> dict[str, InFlightEviction]:
    """In-flight evictions of ``tree`` by pod uid; ``before`` is the result of the last cycle."""
    by_uid = {
        uid: its
        for uid, its in before.items()
        if (there := ledger.counted(its.pod)) is not None
        and there.uid == uid
        and (uid in ledger.evicting or there.deleting)
        and _is_for(its, tree)
    }
    shared = tree.runtimes.runtime(tree.tree.root).keys() - {names.PODS} if evictions else ()
    for each in evictions:
        released = resources.masked(each.request, shared)
        evicted = InFlightEviction(each.pod, each.quota, each.owner, released, each.preemptor)
        by_uid[each.uid] = evicted
    return by_uid


def active(ledger: Ledger, tree: TreeBooks, evictions: Iterable[Eviction]) -> list[Refusal]:
    """Refusals in quotas of ``tree`` whose pod is still needed: in back-off, or tried again."""
    if not ledger.refused:
        return []
    needed = {eviction.uid for eviction in evictions} | ledger.evicting | ledger.withheld
    here = {uid: each for uid, each in ledger.refused.items() if _is_for(each, tree)}
    concerned = {refusal.quota for uid, refusal in here.items() if uid in needed}
    return [refusal for refusal in here.values() if refusal.quota in concerned]


def _is_for(found: InFlightEviction | Refusal, tree: TreeBooks) -> bool:
    """Whether the eviction is for a quota, or a limit, of ``tree`` and not of another tree."""
    return (found.owner or found.quota) in tree.admitted
