"""The cycle of one tree: which pods are admitted, which are evicted, and who borrows.

Admission comes first, in the queues that are not inadmissible. If no blocked pod needs reclaim,
preemption or idle resources, that is all; else the cycle runs again with all queues. The eviction
breaker checks all evictions; then the statuses are computed. A tree in observe mode goes through
the same steps until its evictions are known, and none is carried out (``observe``).
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Clocks, Condition, Cooldown, Eviction, Release, Wait
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
from elasticquota.scheduling.preemption.cooldown import Cooldowns
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.queue.inadmissible import InadmissibleQueues
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.scheduling.status import starved


_ALL: Final = 2**63
_IDLE_ROOM: Final = 20
"""How many pods get idle resources in one cycle; each release changes the order of the rest."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The input of each tree's cycle. ``now``: milliseconds of a clock that never goes back."""

    now: int
    policy: Policy
    ledger: Ledger
    """With the clocks of the last cycle."""
    terminating: AbstractSet[str]
    """Names of namespaces."""
    overdue: AbstractSet[str]
    """Uids of pods that have been at the head of their queue for too long."""
    released: Sequence[tuple[str, Pod]] = ()
    """Quotas and pods of trees that share these nodes and came before."""


@dataclass(frozen=True, slots=True)
class TreeRound:
    """The result of one tree's cycle."""

    releases: Sequence[Release]
    waits: Sequence[Wait]
    evictions: Sequence[Eviction]
    held: Mapping[str, int]
    """Root quota -> evictions that the breaker holds."""
    told: Sequence[tuple[str, Condition]]
    """Quota names, each with a condition for its status."""
    clocks: Clocks
    due: Sequence[int]
    """Milliseconds at which something may change without an event; the caller ignores past ones."""
    would_wait: Sequence[Wait] = ()
    would_evict: Sequence[Eviction] = ()


@dataclass(frozen=True, slots=True)
class _Course:
    """The cycle of a tree up to its evictions."""

    admission: Admission
    inadmissible: InadmissibleQueues
    targets: PreemptionTargets
    back: reclaim.Reclaim
    wanted: Sequence[tuple[Eviction, ...]]
    """The evictions of each victim."""
    before: Clocks
    head_since: Mapping[str, int]
    cooldowns: Mapping[str, Cooldown]


def play(
    cluster: ClusterSnapshot, tree: TreeBooks, inadmissible: InadmissibleQueues, moment: Moment
) -> TreeRound:
    """Decide ``tree`` at this moment; ``inadmissible`` have followed the cluster."""
    now, policy, ledger = moment.now, moment.policy, moment.ledger
    observes = cluster.forest.observes(tree.tree.root)
    before = observe.clocks(ledger.clocks, tree.tree.id, observes=observes)
    gone = in_flight.gone(ledger, before.in_flight)
    cooldowns = cooldown.remembered(before.cooldowns, gone, tree, policy, now)
    snapshot, admission = _admitted(cluster, tree, inadmissible, moment, cooldowns, before)
    helps = not admission.is_settled()
    if helps and admission.could_help_inadmissible():
        inadmissible.activate_all()
        snapshot, admission = _admitted(cluster, tree, inadmissible, moment, cooldowns, before)
    targets = PreemptionTargets(cluster, tree, snapshot, _most(policy, observes=observes))
    back = reclaim.skipped(targets, before)
    if helps:
        back = _help(targets, admission, inadmissible.over, before, moment)
    helped = {} if observes else unschedulable.help_refused(targets, before.helped, policy, now)
    if helped:
        back = replace(back, clocks=replace(back.clocks, helped=helped))
    wanted = targets.evictions()
    head_since = admission.at_head(before.head_since, now) if policy.head_of_line else {}
    course = _Course(admission, inadmissible, targets, back, wanted, before, head_since, cooldowns)
    found = _observed(course, moment) if observes else _enforced(course, moment)
    admission.save_inadmissible(head_since)
    return found


def _enforced(course: _Course, moment: Moment) -> TreeRound:
    now, policy, ledger = moment.now, moment.policy, moment.ledger
    targets, back, before = course.targets, course.back, course.before
    tree = targets.tree
    wanted = list(chain.from_iterable(course.wanted))
    look = breaker.look(before.histories.get(tree.tree.id), tree, wanted, policy, now)
    known = in_flight.of_tree(ledger, tree, (), before.in_flight)
    under_way = in_flight.under_way(targets.cluster, known)
    going = in_flight.next_ones(course.wanted, under_way, policy.max_in_flight)
    if look.until is not None:
        going = []
    evicted = in_flight.of_tree(ledger, tree, going, known)
    waiting = starved.all_owed(course.admission, targets, before.owed_since)
    uids = [owed.pod.uid for owed in waiting]
    owed_since = {uid: before.owed_since.get(uid, now) for uid in uids}

    def told() -> Iterator[tuple[str, Condition]]:
        if look.until is not None:
            yield tree.tree.root, breaker.condition(look)
        refusals = in_flight.active(ledger, tree, going)
        yield from in_flight.conditions(ledger, evicted, refusals)
        obstacles = starved.Obstacles(policy.paused, refusals, back.spared_young)
        yield from starved.conditions(waiting, owed_since, targets, obstacles, policy, now)

    def due() -> Iterator[int]:
        yield from (end for end in (back.due, look.until) if end is not None)
        yield from (cooldown.due(found, policy, now) for found in course.cooldowns.values())
        yield from unschedulable.due(targets, back.clocks.helped, now)
        for owed in waiting:
            yield starved.due(owed_since[owed.pod.uid], owed.quota, targets.cluster, policy)

    clocks = replace(
        back.clocks,
        head_since=course.head_since,
        histories={} if look.history is None else {tree.tree.id: look.history},
        in_flight=evicted,
        owed_since=owed_since,
        cooldowns=course.cooldowns,
        booked=targets.snapshot.nodes.booked(),
    )
    return TreeRound(
        releases=[
            protected_nodes.spare(each, ledger.pods[each.pod], targets.snapshot)
            if each.pod in ledger.pods
            else each
            for each in course.admission.releases
        ],
        waits=course.admission.waits(),
        evictions=going,
        held={} if look.until is None else {tree.tree.root: len(wanted)},
        told=tuple(told()),
        clocks=clocks,
        due=tuple(due()),
    )


def _observed(course: _Course, moment: Moment) -> TreeRound:
    """No pod is evicted, so the breaker, in-flight evictions and ``Starved`` do not apply."""
    targets, back = course.targets, course.back
    wanted = list(chain.from_iterable(course.wanted))
    tree_id = targets.tree.tree.id
    since = course.before.observing.get(tree_id, moment.now)
    clocks = replace(back.clocks, head_since=course.head_since, observing={tree_id: since})
    would_wait = observe.would_wait(
        targets.tree, course.admission, course.inadmissible, targets, wanted
    )
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
    """The most victims that one cycle may choose: 0 while paused, no limit in observe mode."""
    if policy.paused:
        return 0
    return _ALL if observes else policy.max_in_flight


def _help(
    targets: PreemptionTargets,
    admission: Admission,
    over: Mapping[str, Resources],
    before: Clocks,
    moment: Moment,
) -> reclaim.Reclaim:
    """Reclaim, then release blocked pods on idle resources; if none is released, preempt."""
    back = reclaim.reclaim(
        targets,
        admission.blocked,
        admission.without_node,
        over,
        before,
        moment.policy,
        moment.now,
    )
    if not borrowing.give(targets, admission, _IDLE_ROOM):
        preempt.preempt(targets, admission.blocked, last=back.due is None)
    return back


def _admitted(
    cluster: ClusterSnapshot,
    tree: TreeBooks,
    inadmissible: InadmissibleQueues,
    moment: Moment,
    cooldowns: Mapping[str, Cooldown],
    before: Clocks,
) -> tuple[TreeSnapshot, Admission]:
    left = {
        owner: cooldown.left(found, moment.policy, moment.now) for owner, found in cooldowns.items()
    }
    snapshot = TreeSnapshot(cluster, tree, Cooldowns(cluster, left), moment.released, before.booked)
    admission = Admission(cluster, tree, snapshot, moment.terminating, moment.overdue, inadmissible)
    admission.admit_all()
    return snapshot, admission
