"""The cycle of one tree: which pods are admitted, which are evicted, and who borrows.

Admission comes first, in the queues that are not inadmissible. Reclaim, idle resources and
preemption follow for the blocked pods. Where their result could be another one with inadmissible
queues, the cycle runs again with these. The eviction breaker checks all evictions; then the
starving pods are found. A tree in observe mode goes through the same steps until its evictions are
known, and none is carried out (``observe``).
"""

import itertools
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.clocks import Clocks, Nomination
from elasticquota.model.decision import Eviction, Release
from elasticquota.model.pod import Pod
from elasticquota.model.refusal import Refusal
from elasticquota.scheduling import observe, starved
from elasticquota.scheduling.admission import borrowing, pool_nodes, protected_nodes
from elasticquota.scheduling.admission.admit import Admission, Admitted
from elasticquota.scheduling.evictions import breaker, eviction_rate, in_flight
from elasticquota.scheduling.evictions.breaker import NOT_HELD, BreakerState
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.preemption import preempt
from elasticquota.scheduling.preemption.reclaim import Reclaim
from elasticquota.scheduling.preemption.refused_pods import RefusedPods
from elasticquota.scheduling.preemption.targets import PreemptionTargets, Victim
from elasticquota.scheduling.queue.inadmissible import InadmissibleQueues
from elasticquota.scheduling.snapshot.nodes.expected_pods import ExpectedPods
from elasticquota.scheduling.snapshot.nodes.node_reservations import NodeReservations
from elasticquota.scheduling.snapshot.reasons import Waiting
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.scheduling.starved import Starving
from elasticquota.structs import Struct, field, replace


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
    reserved: Sequence[NodeReservations] = ()
    """What these trees keep on their nodes."""


class TreeDecision(Struct, frozen=True):
    """The result of one tree's cycle, in reasons and figures."""

    tree: TreeBooks
    clocks: Clocks
    due: Sequence[int]
    """Milliseconds at which something may change without an event; the caller ignores past ones."""
    waits: Mapping[str, tuple[Waiting, ...]]
    """By queue, of those that were active; in the others the same waits as in the last cycle."""
    evictions: Sequence[Eviction]
    victims: Sequence[Victim]
    """All that were chosen, also those that wait for the rate or the breaker."""
    observed: bool = False
    """The tree is in observe mode: nothing of this is carried out."""
    releases: Sequence[Release] = ()
    admitted: Mapping[str, Admitted] = field(default_factory=dict)
    """By uid of what is released."""
    held_back: int = 0
    """How many evictions wait for the rate, or for the breaker."""
    breaker: BreakerState = NOT_HELD
    refusals: Sequence[Refusal] = ()
    """Of evictions that are still needed."""
    reserved: NodeReservations | None = None
    """What is kept on nodes; None: nothing is."""
    starving: Sequence[Starving] = ()


class _Pass:
    """One sequence of all waiting workloads of a tree, after its refused pods; mutable."""

    def __init__(
        self,
        cluster: ClusterSnapshot,
        tree: TreeBooks,
        inadmissible: InadmissibleQueues,
        inputs: CycleInput,
    ) -> None:
        now, policy, observes = inputs.now, inputs.policy, cluster.forest.observes(tree.tree.root)
        self.inadmissible = inadmissible
        self.before = observe.clocks(inputs.ledger.clocks, tree.tree.id, observes=observes)
        expected = ExpectedPods(self.before, now, cluster.time)
        snapshot = TreeSnapshot(cluster, tree, inputs.released, expected, inputs.reserved)
        most = 0 if policy.paused else _ALL if observes else eviction_rate.burst(policy)
        self.targets = PreemptionTargets(snapshot, most, policy.min_runtime)
        self.reclaim = Reclaim(self.targets, inadmissible.over, self.before, policy, now)
        self.refused = RefusedPods(self.targets, self.reclaim, self.before.cleared, now)
        if not observes:
            self.refused.make_room()
        terminating, overdue = inputs.terminating, inputs.overdue
        self.admission = Admission(snapshot, terminating, overdue, inadmissible, policy)
        self.admission.admit_all(self.reclaim.make_room, self.before.nominated)

    def nominations(self, evicted: AbstractSet[str]) -> dict[str, Nomination]:
        """By uid, the workloads for which room is on its way from victims, all ``evicted``."""
        lacking, nominated = self.targets.lacking_one_of(evicted), self.targets.nominated
        made = {uid: nominated[uid] for uid in sorted(nominated.keys() - lacking)}
        started = {
            uid: Nomination(self.before.nominated[uid].quota, (node,))
            for uid, (node, _) in self.targets.snapshot.nodes.taken.items()
        }
        return started | self.admission.nominations | made


def decide_tree(
    cluster: ClusterSnapshot, tree: TreeBooks, inadmissible: InadmissibleQueues, inputs: CycleInput
) -> TreeDecision:
    """Decide ``tree`` at this moment; ``inadmissible`` have followed the cluster."""
    inadmissible.activate_each({its.quota for its in inputs.ledger.clocks.nominated.values()})
    for attempt in itertools.count():
        last_pass = _up_to_victims(cluster, tree, inadmissible, inputs)
        if not inadmissible.activate_each({each.quota for each in last_pass.targets.victims}):
            break
        if attempt:
            inadmissible.activate_each(inadmissible.queues.keys())
    since, policy = last_pass.before.head_since, inputs.policy
    head_since = last_pass.admission.at_head(since, inputs.now) if policy.head_of_line else {}
    observes = cluster.forest.observes(tree.tree.root)
    decision = (_observed if observes else _enforced)(last_pass, head_since, inputs)
    last_pass.admission.save_inadmissible(head_since)
    return decision


def _up_to_victims(
    cluster: ClusterSnapshot, tree: TreeBooks, inadmissible: InadmissibleQueues, inputs: CycleInput
) -> _Pass:
    """Run the cycle with the active queues, up to its victims."""
    last_pass = _Pass(cluster, tree, inadmissible, inputs)
    needs_help = not last_pass.admission.is_settled()
    helps_all = needs_help and last_pass.admission.could_help_inadmissible()
    helped = inadmissible.queues.keys() if helps_all else _gaining(inadmissible, last_pass.reclaim)
    if inadmissible.activate_each(helped):
        last_pass = _Pass(cluster, tree, inadmissible, inputs)
    if needs_help:
        last_pass.reclaim.enforce_limits()
        if not borrowing.release(last_pass.targets, last_pass.admission, _IDLE_ROOM):
            preempt.preempt(last_pass.targets, last_pass.reclaim, last_pass.admission.blocked)
    return last_pass


def _gaining(inadmissible: InadmissibleQueues, reclaim: Reclaim) -> set[str]:
    """The inadmissible queues with a pod that another quota could give a fair share."""
    most = reclaim.largest_share
    return {
        name
        for name, pending in (inadmissible.queues.items() if most else ())
        if pending.least_share < most
        and any(reclaim.could_gain(name, dict(size)) for size in pending.sizes)
    }


def _enforced(last_pass: _Pass, head_since: Mapping[str, int], inputs: CycleInput) -> TreeDecision:
    now, policy, ledger = inputs.now, inputs.policy, inputs.ledger
    targets, reclaim, before = last_pass.targets, last_pass.reclaim, last_pass.before
    admission, tree, nodes = last_pass.admission, targets.tree, targets.snapshot.nodes
    victims = targets.evictions(reclaim.over)
    wanted = list(itertools.chain.from_iterable(victims))
    withheld = targets.cluster.withheld
    checked = breaker.check(before.histories.get(tree.tree.id), tree, wanted, withheld, policy, now)
    known = in_flight.of_tree(ledger, tree, (), before.in_flight)
    evictions, bucket, rate_due = eviction_rate.limit(
        before.buckets.get(tree.tree.id),
        victims if checked.until is None else (),
        len(known.keys() & ledger.evicting),
        policy,
        now,
    )
    held_back = len(wanted) - len(evictions)
    if held_back:
        last_pass.refused.forget_held_back()
    evicted = in_flight.of_tree(ledger, tree, evictions, known)
    waiting = starved.entitled_pods(admission, targets, before.entitled_since, policy, now)
    refusals = in_flight.active(ledger, tree, evictions)
    starving = starved.starving(waiting, targets, now, paused=policy.paused, refused=bool(refusals))
    due = [end for end in (checked.until, rate_due) if end is not None]
    due += (*reclaim.due, *nodes.expected.due(nodes.unplaced), *last_pass.refused.due)
    due += (each.ends for each in waiting)
    clocks = replace(
        reclaim.clocks,
        cleared=last_pass.refused.cleared,
        nominated=last_pass.nominations({each.uid for each in evictions}),
        head_since=head_since,
        histories={} if checked.history is None else {tree.tree.id: checked.history},
        buckets={} if bucket is None else {tree.tree.id: bucket},
        in_flight=evicted,
        entitled_since={each.pod.uid: each.since for each in waiting},
        booked=nodes.booked(),
        unbound_since=nodes.expected.seen_since(nodes.unplaced),
        held_since=nodes.expected.held_since,
        pools=pool_nodes.chosen(ledger, targets.cluster, before.pools, admission.released),
    )
    return TreeDecision(
        tree,
        clocks,
        due,
        admission.waits(targets.nominated),
        evictions,
        targets.victims,
        releases=protected_nodes.exclude(admission.releases, admission.released, targets.snapshot),
        admitted=admission.admitted,
        held_back=held_back,
        breaker=checked,
        refusals=refusals,
        starving=tuple(starving),
        reserved=nodes.with_kept_room(),
    )


def _observed(last_pass: _Pass, head_since: Mapping[str, int], inputs: CycleInput) -> TreeDecision:
    """No pod is evicted, so the breaker, in-flight evictions and ``Starved`` do not apply."""
    targets, reclaim = last_pass.targets, last_pass.reclaim
    wanted = list(itertools.chain.from_iterable(targets.evictions(reclaim.over)))
    tree_id = targets.tree.tree.id
    since = last_pass.before.observing.get(tree_id, inputs.now)
    return TreeDecision(
        targets.tree,
        replace(reclaim.clocks, head_since=head_since, observing={tree_id: since}),
        reclaim.due,
        observe.would_wait(targets, last_pass.admission, last_pass.inadmissible),
        wanted,
        targets.victims,
        observed=True,
    )
