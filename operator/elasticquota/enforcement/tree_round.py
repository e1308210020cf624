"""A round of one tree: who is let in, who gives back for whom, and who goes first into idle room.

Admission comes first, with the lines that are not stalled. If nobody who is blocked in any line has
to be helped, that is all; else everything is gone through with all lines. The brake looks at all
that would go; then the quotas say how things stand.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from elasticquota.enforcement import brake, giving, headroom, idle, preempt, reclaim, starved
from elasticquota.enforcement.admit import Admission
from elasticquota.enforcement.headroom import Headrooms
from elasticquota.enforcement.policy import Policy
from elasticquota.enforcement.room import Room
from elasticquota.enforcement.stalls import Stalls
from elasticquota.enforcement.wave import Wave
from elasticquota.ledger.books import Books
from elasticquota.ledger.ledger import Ledger
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Clocks, Condition, Eviction, Headroom, Release, Wait


@dataclass(frozen=True, slots=True)
class Moment:
    """What every tree's round goes by. ``now`` in milliseconds of a clock that does not go back."""

    now: int
    policy: Policy
    ledger: Ledger
    """With the clocks of the last round."""
    terminating: AbstractSet[str]
    """Names of namespaces."""
    overdue: AbstractSet[str]
    """Uids of pods that have been at the head of their line for too long."""


@dataclass(frozen=True, slots=True)
class TreeRound:
    """What came of it."""

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


def play(books: Books, tree: TreeBooks, stalls: Stalls, moment: Moment) -> TreeRound:
    """What is done in ``tree`` at this moment; ``stalls`` have followed the books."""
    now, policy, ledger = moment.now, moment.policy, moment.ledger
    before = ledger.clocks
    gone = giving.gone(ledger, before.gifts)
    headrooms = headroom.remembered(before.headrooms, gone, tree, policy, now)
    room, admission = _admitted(books, tree, stalls, moment, headrooms)
    helps = not admission.at_rest()
    if helps and stalls.lines:
        stalls.move_all()
        room, admission = _admitted(books, tree, stalls, moment, headrooms)
    wave = Wave(books, tree, room, 0 if policy.paused else policy.max_in_flight)
    back = _help(wave, admission, before, policy, now) if helps else reclaim.nobody(wave, before)
    wanted = wave.evictions()
    look = brake.look(before.sights.get(tree.tree.id), tree, wanted, policy, now)
    going = wanted if look.until is None else []
    given = giving.gifts(ledger, tree, going, before.gifts)
    waiting = starved.all_owed(admission, wave, before.owed_since)
    uids = [owed.pod.uid for owed in waiting]
    owed_since = {uid: before.owed_since.get(uid, now) for uid in uids}
    head_since = admission.at_head(before.head_since, now) if policy.head_of_line else {}

    def told() -> Iterator[tuple[str, Condition]]:
        if look.until is not None:
            yield tree.tree.root, brake.condition(look)
        refusals = giving.active(ledger, tree, going)
        yield from giving.conditions(ledger, given, refusals)
        obstacles = starved.Obstacles(policy.paused, refusals, back.spared_young)
        yield from starved.conditions(waiting, owed_since, wave, obstacles, policy, now)

    def due() -> Iterator[int]:
        yield from (end for end in (back.due, look.until) if end is not None)
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
    found = TreeRound(
        releases=admission.releases,
        waits=admission.waits(),
        evictions=going,
        held={} if look.until is None else {tree.tree.root: len(wanted)},
        told=tuple(told()),
        clocks=clocks,
        due=tuple(due()),
    )
    admission.note(head_since)
    return found


def _help(
    wave: Wave, admission: Admission, before: Clocks, policy: Policy, now: int
) -> reclaim.Reclaim:
    """Others give back, idle room goes to the first in line, or their own quota makes room."""
    back = reclaim.reclaim(wave, admission.blocked, before, policy, now)
    waiting = admission.first_blocked
    first = idle.first_in_line(wave.books, wave.tree, wave.room, waiting, admission.owed)
    if first is not None:
        admission.release(*first)
    else:
        preempt.preempt(wave, admission.blocked, last=back.due is None)
    return back


def _admitted(
    books: Books,
    tree: TreeBooks,
    stalls: Stalls,
    moment: Moment,
    headrooms: Mapping[str, Headroom],
) -> tuple[Room, Admission]:
    left = {
        owner: headroom.left(found, moment.policy, moment.now) for owner, found in headrooms.items()
    }
    room = Room(books, tree, Headrooms(books, left))
    admission = Admission(books, tree, room, moment.terminating, moment.overdue, stalls)
    admission.serve()
    return room, admission
