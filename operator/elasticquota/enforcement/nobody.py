"""A pod that belongs to nobody waits for nobody: if our gate holds it, the gate goes off.

Except where the administrator wants to see no pod with the name of a quota that there is not.

Without a default quota (semantics 4; K 2.1, DisableDefaultQuota) admission puts no gate on such
pods; these were gated while they had a quota, or before the administrator chose so.
"""

from elasticquota import names
from elasticquota.enforcement import wording
from elasticquota.forest.membership import NOBODY
from elasticquota.ledger.books import Books
from elasticquota.model.decision import Release, Wait
from elasticquota.model.pod import Pod


def releases(books: Books) -> tuple[Release, ...]:
    """Releases of all gated pods without a quota, except those that are being deleted."""
    return tuple(
        Release(
            pod.key,
            pod.uid,
            NOBODY,
            pod.gates.index(names.GATE),
            "belongs to no quota, so nothing limits it",
        )
        for pod in _kept_for_nothing(books)
        if not pod.deleting
    )


def _kept_for_nothing(books: Books) -> list[Pod]:
    """Who only observes keeps nobody for a quota that there is not either."""
    strays = [pod for pod, _ in books.nobody.misfits] if books.forest.terms.observes else []
    return [*books.nobody.waiting, *strays]


def waits(books: Books) -> tuple[Wait, ...]:
    """What those are told that name an unknown quota and are kept for it."""
    if books.forest.terms.observes:
        return ()
    return tuple(
        Wait(pod.key, pod.uid, NOBODY, misfit.reason, wording.stray(misfit))
        for pod, misfit in books.nobody.misfits
    )
