"""The cycle of one tree: which pods are admitted, which are evicted, and who borrows.

Admission comes first, in the queues that are not inadmissible. Reclaim, idle resources and
preemption follow for the blocked pods. Where their result could be another one with inadmissible
queues, the cycle runs again with these. The eviction breaker checks all evictions; then the
statuses are computed. A tree in observe mode goes through the same steps until its evictions are
known, and none is carried out (``observe``).
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Final

from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.clocks import Clocks
from elasticquota.model.decision import Condition, Eviction, Release, Wait
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources
from elasticquota.scheduling import observe
from elasticquota.scheduling.admission import borrowing, protected_nodes
from elasticquota.scheduling.admission.admit import Admission
from elasticquota.scheduling.admission.pool_choice import PoolChoices
from elasticquota.scheduling.policy import Policy
from elasticquota.scheduling.preemption import (
    breaker,
    in_flight,
    preempt,
    reclaim,
    unschedulable,
)
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.queue.inadmissible import InadmissibleQueues
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.scheduling.status import starved, waiting_for_nodes
from elasticquota.scheduling.status.reclaim_progress import ReclaimProgress
from elasticquota.structs import Struct, replace


_ALL: Final = 2**63
_IDLE_ROOM: Final = 20
"""How many pods get idle resources in one cycle; each release changes the order of the rest."""


class CycleInput(Struct, frozen=True):
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


class TreeDecision(Struct, frozen=True):
    """The result of one tree's cycle."""

    releases: Sequence[Release]
    waits: Sequence[Wait]
    evictions: Sequence[Eviction]
    held: Mapping[str, int]
    """Root quota -> evictions that the breaker holds."""
    conditions: Sequence[tuple[str, Condition]]
    """Quota names, each with a condition for its status."""
    clocks: Clocks
    due: Sequence[int]
    """Milliseconds at which something may change without an event; the caller ignores past ones."""
    would_wait: Sequence[Wait] = ()
    would_evict: Sequence[Eviction] = ()


class _CycleState(Struct, frozen=True):
    """The cycle of a tree up to its victims."""

    admission: Admission
    inadmissible: InadmissibleQueues
    targets: PreemptionTargets
    reclaimed: reclaim.Reclaim
    before: Clocks
    choices: PoolChoices

    def head_since(self, inputs: CycleInput) -> Mapping[str, int]:
        """Since when pods are at the heads of their queues, by uid."""
        if not inputs.policy.head_of_line:
            return {}
        return self.admission.at_head(self.before.head_since, inputs.now)


def decide_tree(
    cluster: ClusterSnapshot, tree: TreeBooks, inadmissible: InadmissibleQueues, inputs: CycleInput
) -> TreeDecision:
    """Decide ``tree`` at this moment; ``inadmissible`` have followed the cluster."""
    observes = cluster.forest.observes(tree.tree.root)
    state = _up_to_victims(cluster, tree, inadmissible, inputs)
    if inadmissible.activate_each(state.targets.quotas):
        state = _up_to_victims(cluster, tree, inadmissible, inputs)
        if inadmissible.activate_each(state.targets.quotas):
            inadmissible.activate_all()
            state = _up_to_victims(cluster, tree, inadmissible, inputs)
    head_since = state.head_since(inputs)
    found = (_observed if observes else _enforced)(state, head_since, inputs)
    state.admission.save_inadmissible(head_since)
    return found


def _up_to_victims(
    cluster: ClusterSnapshot, tree: TreeBooks, inadmissible: InadmissibleQueues, inputs: CycleInput
) -> _CycleState:
    """Run the cycle with the active queues, up to its victims."""
    now, policy, ledger = inputs.now, inputs.policy, inputs.ledger
    observes = cluster.forest.observes(tree.tree.root)
    before = observe.clocks(ledger.clocks, tree.tree.id, observes=observes)
    snapshot, admission = _admitted(cluster, tree, inadmissible, inputs, before)
    needs_help = not admission.is_settled()
    if needs_help and admission.could_help_inadmissible():
        inadmissible.activate_all()
        snapshot, admission = _admitted(cluster, tree, inadmissible, inputs, before)
    targets = PreemptionTargets(cluster, tree, snapshot, _most(policy, observes=observes))
    choices = PoolChoices(cluster, tree, before.pools, now)
    choices.move_infeasible(tree.tree.order)
    choices.move(admission, snapshot)
    targets.nominated |= choices.moved
    reclaimed = reclaim.skipped(targets, before)
    if needs_help:
        reclaimed = _help(targets, admission, inadmissible.over, before, inputs)
    choices.move_rest(admission, snapshot)
    cleared = {} if observes else unschedulable.clear_nodes(targets, before.cleared, policy, now)
    if cleared:
        reclaimed = replace(reclaimed, clocks=replace(reclaimed.clocks, cleared=cleared))
    return _CycleState(admission, inadmissible, targets, reclaimed, before, choices)


def _enforced(
    state: _CycleState, head_since: Mapping[str, int], inputs: CycleInput
) -> TreeDecision:
    now, policy, ledger = inputs.now, inputs.policy, inputs.ledger
    targets, reclaimed, before = state.targets, state.reclaimed, state.before
    tree = targets.tree
    victims = targets.evictions()
    wanted = list(chain.from_iterable(victims))
    withheld = targets.cluster.withheld
    checked = breaker.check(before.histories.get(tree.tree.id), tree, wanted, withheld, policy, now)
    known = in_flight.of_tree(ledger, tree, (), before.in_flight)
    under_way = in_flight.under_way(targets.cluster, known)
    evictions = in_flight.next_ones(victims, under_way, policy.max_in_flight)
    if checked.until is not None:
        evictions = []
    evicted = in_flight.of_tree(ledger, tree, evictions, known)
    waiting = starved.entitled_pods(state.admission, targets, before.entitled_since)
    uids = [entitled.pod.uid for entitled in waiting]
    entitled_since = {uid: before.entitled_since.get(uid, now) for uid in uids}

    def conditions() -> Iterator[tuple[str, Condition]]:
        if checked.until is not None:
            yield tree.tree.root, breaker.condition(checked)
        refusals = in_flight.active(ledger, tree, evictions)
        yield from in_flight.conditions(ledger, evicted, refusals)
        obstacles = starved.Obstacles(policy.paused, refusals, reclaimed.spared_young)
        yield from starved.conditions(waiting, entitled_since, targets, obstacles, policy, now)
        yield from waiting_for_nodes.conditions(targets.cluster, tree)

    def due() -> Iterator[int]:
        yield from (end for end in (reclaimed.due, checked.until) if end is not None)
        yield from unschedulable.due(targets, reclaimed.clocks.cleared, now)
        yield from state.choices.due
        for entitled in waiting:
            yield starved.due(
                entitled_since[entitled.pod.uid], entitled.quota, targets.cluster, policy
            )

    clocks = replace(
        reclaimed.clocks,
        head_since=head_since,
        histories={} if checked.history is None else {tree.tree.id: checked.history},
        in_flight=evicted,
        entitled_since=entitled_since,
        booked=targets.snapshot.nodes.booked(),
        pools=state.choices.choices,
    )
    return TreeDecision(
        releases=[
            protected_nodes.exclude(each, ledger.pods[each.pod], targets.snapshot)
            if each.pod in ledger.pods
            else each
            for each in state.admission.releases
        ],
        waits=state.admission.waits(
            ReclaimProgress(targets.cluster, evicted.values(), inputs.policy)
        ),
        evictions=evictions,
        held={} if checked.until is None else {tree.tree.root: len(wanted)},
        conditions=tuple(conditions()),
        clocks=clocks,
        due=tuple(due()),
    )


def _observed(
    state: _CycleState, head_since: Mapping[str, int], inputs: CycleInput
) -> TreeDecision:
    """No pod is evicted, so the breaker, in-flight evictions and ``Starved`` do not apply."""
    targets, reclaimed = state.targets, state.reclaimed
    wanted = list(chain.from_iterable(targets.evictions()))
    tree_id = targets.tree.tree.id
    since = state.before.observing.get(tree_id, inputs.now)
    clocks = replace(
        reclaimed.clocks,
        head_since=head_since,
        observing={tree_id: since},
        pools=state.choices.choices,
    )
    would_wait = observe.would_wait(
        targets.tree, state.admission, state.inadmissible, targets, wanted
    )
    return TreeDecision(
        releases=(),
        waits=(),
        evictions=(),
        held={},
        conditions=(),
        clocks=clocks,
        due=(*(() if reclaimed.due is None else (reclaimed.due,)), *state.choices.due),
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
    inputs: CycleInput,
) -> reclaim.Reclaim:
    """Reclaim, then release blocked pods on idle resources; if none is released, preempt."""
    reclaimed = reclaim.reclaim(
        targets,
        admission.blocked,
        admission.without_node,
        admission.turn,
        over,
        before,
        inputs.policy,
        inputs.now,
    )
    if not borrowing.release(targets, admission, _IDLE_ROOM):
        preempt.preempt(targets, admission.blocked, last=reclaimed.due is None)
    return reclaimed


def _admitted(
    cluster: ClusterSnapshot,
    tree: TreeBooks,
    inadmissible: InadmissibleQueues,
    inputs: CycleInput,
    before: Clocks,
) -> tuple[TreeSnapshot, Admission]:
    snapshot = TreeSnapshot(cluster, tree, inputs.released, before.booked)
    admission = Admission(
        cluster,
        tree,
        snapshot,
        inputs.terminating,
        inputs.overdue,
        inadmissible,
        inputs.policy,
    )
    admission.admit_all()
    return snapshot, admission
