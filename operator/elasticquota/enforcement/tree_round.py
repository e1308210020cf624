"""A tree's round: who is let in, who gives back for whom, and what its quotas say of it.

The order is the rule. Whoever fits is let in first; then others give back what owners and fair
shares lack; then idle room goes to the first in line, or pods of the same quota make room. The
brake looks at all that would go.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from elasticquota.enforcement import brake, giving, headroom, idle, preempt, reclaim, starved
from elasticquota.enforcement.admit import Admission
from elasticquota.enforcement.headroom import Headrooms
from elasticquota.enforcement.policy import Policy
from elasticquota.enforcement.room import Room
from elasticquota.enforcement.wave import Wave
from elasticquota.ledger.books import Books
from elasticquota.ledger.ledger import Ledger
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Clocks, Condition, Eviction, Release, Wait


@dataclass(frozen=True, slots=True)
class Moment:
    """What is the same for all trees of a round."""

    ledger: Ledger
    books: Books
    policy: Policy
    now: int
    terminating: AbstractSet[str]
    """Names of namespaces."""
    overdue: AbstractSet[str]
    """Uids of pods that have been at the head of their line for too long."""


@dataclass(frozen=True, slots=True)
class TreeRound:
    """What is decided about one tree."""

    releases: Sequence[Release]
    waits: Sequence[Wait]
    evictions: Sequence[Eviction]
    held: Mapping[str, int]
    """Root quota -> evictions that the brake holds back."""
    told: Sequence[tuple[str, Condition]]
    """By quota name, what it says beside its figures."""
    clocks: Clocks
    due: Sequence[int]
    """When something may change with no event; those in the past are to be ignored."""


def play(tree: TreeBooks, moment: Moment) -> TreeRound:
    """Decide about ``tree``."""
    books, policy, now = moment.books, moment.policy, moment.now
    before = moment.ledger.clocks
    gone = giving.gone(moment.ledger, before.gifts)
    headrooms = headroom.remembered(before.headrooms, gone, tree, policy, now)
    kept = {owner: headroom.left(found, policy, now) for owner, found in headrooms.items()}
    room = Room(books, tree, Headrooms(books, kept))
    admission = Admission(books, tree, room, moment.terminating, moment.overdue)
    admission.serve()
    wave = Wave(books, tree, room, 0 if policy.paused else policy.max_in_flight)
    back = reclaim.reclaim(wave, admission.blocked, before, policy, now)
    first = idle.first_in_line(books, tree, room, admission.first_blocked, admission.owed)
    if first is not None:
        admission.release(*first)
    else:
        preempt.preempt(wave, admission.blocked, last=back.due is None)
    wanted = wave.evictions()
    look = brake.look(before.sights.get(tree.tree.id), tree, wanted, policy, now)
    going = wanted if look.until is None else []
    given = giving.gifts(moment.ledger, tree, going, before.gifts)
    waiting = starved.all_owed(admission, wave, before.owed_since)
    uids = [owed.pod.uid for owed in waiting]
    owed_since = {uid: before.owed_since.get(uid, now) for uid in uids}
    head_since = admission.at_head(before.head_since, now) if policy.head_of_line else {}

    def told() -> Iterator[tuple[str, Condition]]:
        if look.until is not None:
            yield tree.tree.root, brake.condition(look)
        refusals = giving.active(moment.ledger, tree, going)
        yield from giving.conditions(moment.ledger, given, refusals)
        obstacles = starved.Obstacles(policy.paused, refusals, back.spared_young)
        yield from starved.conditions(waiting, owed_since, wave, obstacles, policy, now)

    def due() -> Iterator[int]:
        yield from (end for end in (back.due, look.until) if end is not None)
        yield from (since + policy.head_of_line for since in head_since.values())
        yield from (headroom.due(found, policy, now) for found in headrooms.values())
        for owed in waiting:
            yield starved.due(owed_since[owed.pod.uid], owed.quota, books, policy)

    clocks = replace(
        back.clocks,
        head_since=head_since,
        sights={} if look.sight is None else {tree.tree.id: look.sight},
        gifts=given,
        owed_since=owed_since,
        headrooms=headrooms,
    )
    return TreeRound(
        releases=admission.releases,
        waits=admission.waits(),
        evictions=going,
        held={} if look.until is None else {tree.tree.root: len(wanted)},
        told=tuple(told()),
        clocks=clocks,
        due=tuple(due()),
    )
