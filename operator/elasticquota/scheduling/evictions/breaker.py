"""The eviction breaker: it holds the evictions of a tree for 5 s when many pods would go at once.

After a restore, after missed events or while nodes vanish, nearly all quotas can seem to be above
their runtime. Some seconds later none is. So the breaker holds evictions for ``HOLD``

* when they would remove more than ``brake_percent`` of the tree's admitted pods, and are more than
  ``SMALL_BATCH``. Evictions of earlier cycles count too, until ``HOLD`` passes without any, but
  not those that were refused, as by a disruption budget;
* when the tree's total has shrunk by more than ``brake_percent`` below its highest recent value.

A further shrink of that size starts its hold again. A new process has no history: it holds many
evictions again, and does not know of an earlier shrink.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from elasticquota import names, resources
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.clocks import TreeHistory
from elasticquota.model.decision import Eviction
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import Struct


SMALL_BATCH: Final = 5
"""Up to this number, evictions are never held for being many."""
HOLD: Final = 5_000
"""How long evictions are held, in milliseconds."""


class BreakerState(Struct, frozen=True):
    """State for the next cycle; ``until``: when evictions are held (clock of ``now``), or None."""

    history: TreeHistory | None
    until: int | None = None
    many: tuple[int, int] | None = None
    """How many of the admitted pods would go at once; None: the tree has shrunk."""


NOT_HELD: Final = BreakerState(None)


def check(
    before: TreeHistory | None,
    tree: TreeBooks,
    evictions: Sequence[Eviction],
    withheld: AbstractSet[str],
    policy: Policy,
    now: int,
) -> BreakerState:
    """Compute whether ``evictions``, all of this cycle in ``tree``, are held.

    ``withheld``: uids of pods whose eviction was refused for now. ``now`` is in milliseconds of a
    monotonic clock.
    """
    percent = policy.brake_percent
    if not percent:
        return NOT_HELD
    before = before or TreeHistory(tree.total, now, asked_at=now)
    shrunk = any(
        tree.total.get(key, 0) * 100 < amount * (100 - percent)
        for key, amount in before.total.items()
    )
    admitted = tree.pods[tree.tree.root].admitted
    asked = {uid: pods for uid, pods in before.asked.items() if uid not in withheld}
    if now - before.asked_at >= HOLD:
        asked = {}
    # A job that is reclaimed as a whole is one eviction of many pods.
    wanted = {**asked, **{each.uid: each.request.get(names.PODS, 1) for each in evictions}}
    going = sum(wanted.values())
    many = len(wanted) > SMALL_BATCH and going * 100 > admitted * percent
    if shrunk or now - before.seen >= HOLD:
        total, seen = tree.total, now
    else:
        total, seen = resources.maximum(before.total, tree.total), before.seen
    shrank = now if shrunk else before.shrank
    if shrank is not None and now - shrank >= HOLD:
        shrank = None
    since = now if before.many_since is None else before.many_since
    many_since = since if many else None
    until, counts = None, None
    if evictions and shrank is not None:
        until = shrank + HOLD
    elif evictions and many_since is not None and now - many_since < HOLD:
        until, counts = many_since + HOLD, (going, admitted)
    asked_at = now if evictions else before.asked_at
    asked = wanted if until is None else asked
    history = TreeHistory(total, seen, shrank, many_since, asked, asked_at)
    return BreakerState(history, until, counts)
