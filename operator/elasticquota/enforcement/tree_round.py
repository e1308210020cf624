"""A round of one tree: who is let in, who gives back for whom, and who goes first into idle room.

Admission comes first, with the lines that are not stalled. If nobody who is blocked in any line has
to be helped, that is all; else everything is gone through with all lines.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from elasticquota.enforcement import idle, preempt, reclaim
from elasticquota.enforcement.admit import Admission
from elasticquota.enforcement.policy import Policy
from elasticquota.enforcement.room import Room
from elasticquota.enforcement.stalls import Stalls
from elasticquota.enforcement.wave import Wave
from elasticquota.ledger.books import Books
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Clocks, Eviction, Release, Wait


@dataclass(frozen=True, slots=True)
class Moment:
    """What every tree's round goes by. ``now`` in milliseconds of a clock that does not go back."""

    now: int
    policy: Policy
    clocks: Clocks
    terminating: AbstractSet[str]
    """Names of namespaces."""
    overdue: AbstractSet[str]
    """Uids of pods that have been at the head of their line for too long."""


@dataclass(frozen=True, slots=True)
class TreeRound:
    """What came of it; ``due`` is when a clock of reclaim runs out, or None."""

    releases: Sequence[Release]
    waits: Sequence[Wait]
    evictions: Sequence[Eviction]
    clocks: Clocks
    due: int | None


def play(books: Books, tree: TreeBooks, stalls: Stalls, moment: Moment) -> TreeRound:
    """What is done in ``tree`` at this moment; ``stalls`` have followed the books."""
    policy, clocks = moment.policy, moment.clocks
    room, admission = _admitted(books, tree, stalls, moment)
    back, evictions = reclaim.Reclaim(), list[Eviction]()
    if not admission.at_rest():
        if stalls.lines:
            stalls.move_all()
            room, admission = _admitted(books, tree, stalls, moment)
        wave = Wave(books, tree, room, 0 if policy.paused else policy.max_in_flight)
        back = reclaim.reclaim(wave, admission.blocked, clocks, policy, moment.now)
        waiting = admission.first_blocked
        first = idle.first_in_line(books, tree, room, waiting, admission.owed)
        if first is not None:
            admission.release(*first)
        else:
            preempt.preempt(wave, admission.blocked, last=back.due is None)
        evictions = wave.evictions()
    head_since = admission.at_head(clocks.head_since, moment.now) if policy.head_of_line else {}
    found = TreeRound(
        admission.releases,
        admission.waits(),
        evictions,
        Clocks(back.clocks.over_since, back.clocks.owner_waits_since, head_since),
        back.due,
    )
    admission.note(head_since)
    return found


def _admitted(
    books: Books, tree: TreeBooks, stalls: Stalls, moment: Moment
) -> tuple[Room, Admission]:
    room = Room(books, tree)
    admission = Admission(books, tree, room, moment.terminating, moment.overdue, stalls)
    admission.serve()
    return room, admission
