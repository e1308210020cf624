"""The eviction breaker: a cycle that would evict much of a tree waits for some seconds first.

A restored cluster, a watch that missed half of it, or nodes that vanish one after the other look
like a tree in which nearly all quotas are above their runtime, and some seconds later like one in
which none is. So evictions are held for two periods of some seconds each

* when more than a part of the tree's admitted pods would be evicted, and more than a handful,
  counting all evictions that follow each other without a pause of that length;
* when the tree's total has shrunk by more than that part since it was last stable for so long.

Each further shrinking starts the periods again. A new process starts them again too, so that many
evictions are held once more rather than once less.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from elasticquota import names, resources
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Condition, Eviction, TreeHistory
from elasticquota.scheduling.policy import Policy


HANDFUL: Final = 5
"""So few evictions are never many."""
HOLD: Final = 5_000
"""Milliseconds of two looks."""


@dataclass(frozen=True, slots=True)
class Breaker:
    """State for the next cycle; ``until``: when evictions are held (clock of ``now``), or None."""

    history: TreeHistory | None
    until: int | None = None
    why: str = ""


def look(
    before: TreeHistory | None,
    tree: TreeBooks,
    evictions: Sequence[Eviction],
    policy: Policy,
    now: int,
) -> Breaker:
    """Whether ``evictions``, all that this round would do in ``tree``, are held."""
    percent = policy.brake_percent
    if not percent:
        return Breaker(None)
    before = before or TreeHistory(tree.total, now, asked_at=now)
    shrunk = any(
        tree.total.get(key, 0) * 100 < amount * (100 - percent)
        for key, amount in before.total.items()
    )
    admitted = tree.pods[tree.tree.root].admitted
    asked = before.asked if now - before.asked_at < HOLD else {}
    # A job that is reclaimed as a whole is one eviction of many pods.
    wanted = {**asked, **{each.uid: each.request.get(names.PODS, 1) for each in evictions}}
    going = sum(wanted.values())
    many = len(wanted) > HANDFUL and going * 100 > admitted * percent
    if shrunk or now - before.seen >= HOLD:
        total, seen = tree.total, now
    else:
        total, seen = resources.maximum(before.total, tree.total), before.seen
    shrank = now if shrunk else before.shrank
    if shrank is not None and now - shrank >= HOLD:
        shrank = None
    many_since = None
    if many:
        many_since = now if before.many_since is None else before.many_since
    until, why = None, ""
    if evictions and shrank is not None:
        until, why = shrank + HOLD, f"its nodes offered over {percent}% more a moment ago"
    elif evictions and many_since is not None and now - many_since < HOLD:
        until = many_since + HOLD
        why = f"{going} of {admitted} admitted pods would go at once"
    asked_at = now if evictions else before.asked_at
    asked = wanted if until is None else asked
    return Breaker(TreeHistory(total, seen, shrank, many_since, asked, asked_at), until, why)


def condition(breaker: Breaker) -> Condition:
    """What the root quota says while evictions are held."""
    text = f"no pod is evicted for some seconds: {breaker.why}; reclaim.brakePercent sets the limit"
    return Condition("EvictionsHeld", True, "Brake", text)
