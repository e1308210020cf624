"""A round of one tree: who is let in, who gives back for whom, and who goes first into idle room.

Admission comes first, with the lines that are not stalled. If nobody who is blocked in any line has
to be helped, that is all; else everything is gone through with all lines. The brake looks at all
that would go; then the quotas say how things stand. A tree that only observes goes through the same
until it is known who would go, and nothing of it is to be done (``observe``).
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from elasticquota.ledger.books import Books
from elasticquota.ledger.ledger import Ledger
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Clocks, Condition, Eviction, Headroom, Release, Wait
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources
from elasticquota.scheduling import observe
from elasticquota.scheduling.admission import borrowing, protected_nodes
from elasticquota.scheduling.admission.admit import Admission
from elasticquota.scheduling.policy import Policy
from elasticquota.scheduling.preemption import (
    breaker,
    cooldown,
    in_flight,
    preempt,
    reclaim,
    unschedulable,
)
from elasticquota.scheduling.preemption.cooldown import Headrooms
from elasticquota.scheduling.preemption.targets import Wave
from elasticquota.scheduling.queue.inadmissible import Stalls
from elasticquota.scheduling.snapshot.tree_snapshot import Room
from elasticquota.scheduling.status import starved


_ALL: Final = 2**63
_IDLE_ROOM: Final = 20
"""So many pods get idle room in one round, each by the order that the last one left."""


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
    released: Sequence[tuple[str, Pod]] = ()
    """Quotas and pods of trees that share these nodes and came before."""


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
    would_wait: Sequence[Wait] = ()
    would_evict: Sequence[Eviction] = ()


@dataclass(frozen=True, slots=True)
class _Course:
    """How the round went, up to who would go."""

    admission: Admission
    stalls: Stalls
    wave: Wave
    back: reclaim.Reclaim
    wanted: Sequence[Eviction]
    before: Clocks
    head_since: Mapping[str, int]
    headrooms: Mapping[str, Headroom]


def play(books: Books, tree: TreeBooks, stalls: Stalls, moment: Moment) -> TreeRound:
    """What is done in ``tree`` at this moment; ``stalls`` have followed the books."""
    now, policy, ledger = moment.now, moment.policy, moment.ledger
    observes = books.forest.observes(tree.tree.root)
    before = observe.clocks(ledger.clocks, tree.tree.id, observes=observes)
    gone = in_flight.gone(ledger, before.gifts)
    headrooms = cooldown.remembered(before.headrooms, gone, tree, policy, now)
    room, admission = _admitted(books, tree, stalls, moment, headrooms, before)
    helps = not admission.at_rest()
    if helps and admission.misses_some():
        stalls.move_all()
        room, admission = _admitted(books, tree, stalls, moment, headrooms, before)
    wave = Wave(books, tree, room, _most(policy, observes=observes))
    back = reclaim.nobody(wave, before)
    if helps:
        back = _help(wave, admission, stalls.over, before, moment)
    helped = {} if observes else unschedulable.help_refused(wave, before.helped, policy, now)
    if helped:
        back = replace(back, clocks=replace(back.clocks, helped=helped))
    wanted = wave.evictions()
    head_since = admission.at_head(before.head_since, now) if policy.head_of_line else {}
    course = _Course(admission, stalls, wave, back, wanted, before, head_since, headrooms)
    found = _observed(course, moment) if observes else _enforced(course, moment)
    admission.note(head_since)
    return found


def _enforced(course: _Course, moment: Moment) -> TreeRound:
    now, policy, ledger = moment.now, moment.policy, moment.ledger
    wave, back, before = course.wave, course.back, course.before
    tree = wave.tree
    look = breaker.look(before.sights.get(tree.tree.id), tree, course.wanted, policy, now)
    going = course.wanted if look.until is None else []
    given = in_flight.gifts(ledger, tree, (), before.gifts)
    room_for_more = policy.max_in_flight - in_flight.under_way(wave.books, given)
    going = going[: max(0, room_for_more)]
    given = in_flight.gifts(ledger, tree, going, given)
    waiting = starved.all_owed(course.admission, wave, before.owed_since)
    uids = [owed.pod.uid for owed in waiting]
    owed_since = {uid: before.owed_since.get(uid, now) for uid in uids}

    def told() -> Iterator[tuple[str, Condition]]:
        if look.until is not None:
            yield tree.tree.root, breaker.condition(look)
        refusals = in_flight.active(ledger, tree, going)
        yield from in_flight.conditions(ledger, given, refusals)
        obstacles = starved.Obstacles(policy.paused, refusals, back.spared_young)
        yield from starved.conditions(waiting, owed_since, wave, obstacles, policy, now)

    def due() -> Iterator[int]:
        yield from (end for end in (back.due, look.until) if end is not None)
        yield from (cooldown.due(found, policy, now) for found in course.headrooms.values())
        yield from unschedulable.due(wave, back.clocks.helped, now)
        for owed in waiting:
            yield starved.due(owed_since[owed.pod.uid], owed.quota, wave.books, policy)

    clocks = replace(
        back.clocks,
        head_since=course.head_since,
        sights={} if look.sight is None else {tree.tree.id: look.sight},
        gifts=given,
        owed_since=owed_since,
        headrooms=course.headrooms,
        booked=wave.room.nodes.booked(),
    )
    return TreeRound(
        releases=[
            protected_nodes.spare(each, ledger.pods[each.pod], wave.room)
            for each in course.admission.releases
        ],
        waits=course.admission.waits(),
        evictions=going,
        held={} if look.until is None else {tree.tree.root: len(course.wanted)},
        told=tuple(told()),
        clocks=clocks,
        due=tuple(due()),
    )


def _observed(course: _Course, moment: Moment) -> TreeRound:
    """Nothing goes, so no brake, no gift and nobody starved."""
    wave, back, wanted = course.wave, course.back, course.wanted
    tree_id = wave.tree.tree.id
    since = course.before.observing.get(tree_id, moment.now)
    clocks = replace(back.clocks, head_since=course.head_since, observing={tree_id: since})
    would_wait = observe.would_wait(wave.tree, course.admission, course.stalls, wave, wanted)
    return TreeRound(
        releases=(),
        waits=(),
        evictions=(),
        held={},
        told=(),
        clocks=clocks,
        due=() if back.due is None else (back.due,),
        would_wait=tuple(would_wait),
        would_evict=wanted,
    )


def _most(policy: Policy, *, observes: bool) -> int:
    """Victims that are of any use in one round; nothing holds up those that are only named."""
    if policy.paused:
        return 0
    return _ALL if observes else policy.max_in_flight


def _help(
    wave: Wave,
    admission: Admission,
    over: Mapping[str, Resources],
    before: Clocks,
    moment: Moment,
) -> reclaim.Reclaim:
    """Others give back, idle room goes to the first in line, or their own quota makes room."""
    back = reclaim.reclaim(
        wave,
        admission.blocked,
        admission.without_node,
        over,
        before,
        moment.policy,
        moment.now,
    )
    if not borrowing.give(wave, admission, _IDLE_ROOM):
        preempt.preempt(wave, admission.blocked, last=back.due is None)
    return back


def _admitted(
    books: Books,
    tree: TreeBooks,
    stalls: Stalls,
    moment: Moment,
    headrooms: Mapping[str, Headroom],
    before: Clocks,
) -> tuple[Room, Admission]:
    left = {
        owner: cooldown.left(found, moment.policy, moment.now) for owner, found in headrooms.items()
    }
    room = Room(books, tree, Headrooms(books, left), moment.released, before.booked)
    admission = Admission(books, tree, room, moment.terminating, moment.overdue, stalls)
    admission.serve()
    return room, admission
