"""The reclaim cooldown: what was reclaimed for an owner is kept free of borrowers for a while.

An owner whose demand goes up and down would else lend its room each time and reclaim it each time,
at the cost of a pod. The kept amount falls in ten equal steps, and never exceeds what the owner has
not used of its min. It blocks pods that would borrow, in the resources in which their own quota is
beyond its min; no pod within min waits for it, and no pod is evicted for it. A new process has no
cooldowns.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from elasticquota import resources
from elasticquota.ledger.books import Books
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Cooldown, Gift
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.policy import Policy
from elasticquota.totals import add


_STEPS: Final = 10


class Cooldowns:
    """The cooldowns of one tree in one cycle, with what is left of them, by owner."""

    def __init__(self, books: Books, left: Mapping[str, Resources]) -> None:
        self._books = books
        self._left = left

    def __bool__(self) -> bool:
        return bool(self._left)

    def kept(
        self, at: str, quota: str, request: Resources, claimed: Callable[[str], Resources]
    ) -> tuple[Resources, str]:
        """What is kept free at quota ``at`` of a pod of ``quota``, and for whom first of all.

        ``claimed`` tells what a quota and all below it hold.
        """
        forest = self._books.forest
        own, low = claimed(quota), forest.effective_min(quota)
        borrows = [
            key for key, asked in request.items() if own.get(key, 0) + asked > low.get(key, 0)
        ]
        path, found, first = forest.path(quota), dict[str, int](), ""
        for owner, amounts in self._left.items() if borrows else ():
            if owner in path or at not in forest.path(owner):
                continue
            its_min, its = forest.effective_min(owner), claimed(owner)
            kept = {
                key: min(amounts[key], its_min.get(key, 0) - its.get(key, 0))
                for key in borrows
                if key in amounts
            }
            kept = resources.positive(kept)
            if kept:
                add(found, kept)
                first = first or owner
        return found or EMPTY, first


def remembered(
    before: Mapping[str, Cooldown], gone: Iterable[Gift], tree: TreeBooks, policy: Policy, now: int
) -> dict[str, Cooldown]:
    """The cooldowns of ``tree`` by owner; ``gone`` are pods that have returned resources since."""
    if not policy.cooldown:
        return {}
    found = {
        owner: cooldown
        for owner, cooldown in sorted(before.items())
        if owner in tree.admitted and left(cooldown, policy, now)
    }
    for gift in gone:
        if gift.owner in tree.admitted and gift.owner != gift.quota:
            last = found.get(gift.owner)
            rest = EMPTY if last is None else left(last, policy, now)
            found[gift.owner] = Cooldown(resources.add(rest, gift.given), now)
    return found


def left(cooldown: Cooldown, policy: Policy, now: int) -> Resources:
    """What is still kept; a single device until the end."""
    steps = _STEPS - _passed(cooldown, policy, now)
    return resources.positive(
        {key: -(-amount * steps // _STEPS) for key, amount in cooldown.amounts.items()}
    )


def due(cooldown: Cooldown, policy: Policy, now: int) -> int:
    """When the kept amount falls next (same clock)."""
    return cooldown.since - (-(_passed(cooldown, policy, now) + 1) * policy.cooldown // _STEPS)


def _passed(cooldown: Cooldown, policy: Policy, now: int) -> int:
    return min(_STEPS, (now - cooldown.since) * _STEPS // policy.cooldown)
