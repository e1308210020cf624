"""The reclaim cooldown: room that was reclaimed for an owner stays free of borrowers for a while.

Without it, an owner with changing demand would lend its room and reclaim it again and again, and
each time pods would be evicted. The kept amount falls in ten equal steps. It never exceeds the
unused part of the owner's min. It blocks pods that would borrow, in the resources in which their
quota would be beyond its min. No pod within min waits for it, and no pod is evicted for it. A new
process has no cooldowns.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from elasticquota import resources
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.clocks import Cooldown, InFlightEviction
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.policy import Policy
from elasticquota.totals import add


_STEPS: Final = 10


class Cooldowns:
    """The cooldowns of one tree in one cycle: the amounts that are still kept, by owner."""

    def __init__(self, cluster: ClusterSnapshot, left: Mapping[str, Resources]) -> None:
        self._cluster = cluster
        self._left = left

    def __bool__(self) -> bool:
        return bool(self._left)

    def kept(
        self, at: str, quota: str, request: Resources, claimed: Callable[[str], Resources]
    ) -> tuple[Resources, str]:
        """The amounts that a pod of ``quota`` may not use at quota ``at``, and the first owner.

        ``claimed`` returns what a quota and all quotas below it hold.
        """
        forest = self._cluster.forest
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
    before: Mapping[str, Cooldown],
    gone: Iterable[InFlightEviction],
    tree: TreeBooks,
    policy: Policy,
    now: int,
) -> dict[str, Cooldown]:
    """The cooldowns of ``tree`` by owner; ``gone`` has the victims that ended since ``before``."""
    if not policy.cooldown:
        return {}
    found = {
        owner: cooldown
        for owner, cooldown in sorted(before.items())
        if owner in tree.admitted and left(cooldown, policy, now)
    }
    for each in gone:
        if each.owner in tree.admitted and each.owner != each.quota:
            last = found.get(each.owner)
            rest = EMPTY if last is None else left(last, policy, now)
            found[each.owner] = Cooldown(resources.add(rest, each.released), now)
    return found


def left(cooldown: Cooldown, policy: Policy, now: int) -> Resources:
    """The amounts that are still kept, rounded up: a single device is kept until the end."""
    steps = _STEPS - _passed(cooldown, policy, now)
    return resources.positive(
        {key: -(-amount * steps // _STEPS) for key, amount in cooldown.amounts.items()}
    )


def due(cooldown: Cooldown, policy: Policy, now: int) -> int:
    """When the kept amount falls next, in milliseconds (clock of ``now``)."""
    return cooldown.since - (-(_passed(cooldown, policy, now) + 1) * policy.cooldown // _STEPS)


def _passed(cooldown: Cooldown, policy: Policy, now: int) -> int:
    return min(_STEPS, (now - cooldown.since) * _STEPS // policy.cooldown)
