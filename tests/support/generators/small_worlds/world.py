"""One small world in virtual time: ledger and ``decide``, a simulated scheduler and kubelets.

Every pod is owned: when it is evicted, a new one like it comes and waits. A released pod is bound
to a node with room at once, or refused. The world counts nothing by itself: ``Observer`` sees each
decision before it is carried out, and the world whenever it is at rest.
"""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

import stored_roots
from elasticquota import names
from elasticquota.decisions import nominations
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.decisions.decide import decide
from elasticquota.forecast.reclaim_history import ReclaimHistories
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.constraints import (
    ANYWHERE,
    EVERYWHERE,
    Constraints,
    NodeRequirement,
    NodeTerm,
)
from elasticquota.model.decision import Decisions, QuotaStatus
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.selector import Selector
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from small_worlds import objects
from small_worlds.description import (
    AT_REST,
    NEXT,
    Amounts,
    Bounds,
    Lowered,
    PodSpec,
    WorldSpec,
)
from small_worlds.recording import Moment, Recording


_START: Final = 1_000_000
_STEP: Final = 100
"""Milliseconds from a change to the next cycle."""
GRACE: Final = 30_000
"""How long a slow pod takes to end."""
MOST_ROUNDS: Final = 60
"""After so many cycles with changes a world does not come to rest."""
_MOST_IDLE: Final = 20
"""So many cycles without any change, each at the time that the one before asked for, are rest."""
_GATES: Final = (names.GATE,)


class LivePod:
    """A pod as the API server has it, with what the oracles add up."""

    __slots__ = (
        "ends",
        "excluded",
        "gang",
        "gated",
        "name",
        "node",
        "pod",
        "refused",
        "request",
        "spec",
    )

    def __init__(self, spec: PodSpec, pod: Pod, gang: str) -> None:
        self.spec = spec
        self.pod = pod
        self.name = pod.key.name
        self.request: Amounts = (spec.cpu, spec.second)
        self.gated = True
        self.node = -1
        self.refused = False
        self.excluded: tuple[str, ...] = ()
        """Names of the nodes that it may not use since its release."""
        self.ends: int | None = None
        """When it is gone; None: it was not asked to end."""
        self.gang = gang


Decider = Callable[[Ledger, int, Policy, CycleCache], Decisions]


class Observer(Protocol):
    """What judges a world."""

    def decided(self, world: "World", decisions: Decisions) -> None:
        """See a decision before it is carried out."""

    def arrives(self, world: "World", pods: Sequence[LivePod]) -> None:
        """See a pod or a gang that comes alone, while the world rests."""

    def refused(self, world: "World", pod: LivePod) -> None:
        """See that the scheduler has no node for a pod that was released."""

    def rests(self, world: "World") -> None:
        """See the world at rest."""

    def moves_on(self, world: "World") -> None:
        """See that the world does not come to rest."""


class CacheWithoutStatuses(CycleCache):
    """Computes no statuses, where nothing reads them."""

    def statuses(
        self,
        ledger: Ledger,  # noqa: ARG002 - as in the base
        cluster: ClusterSnapshot,
    ) -> tuple[QuotaStatus, ...]:
        """None."""
        self._generation = cluster.generation
        return ()


class World:
    """The objects of a world, mutable."""

    def __init__(
        self,
        spec: WorldSpec,
        observer: Observer,
        decider: Decider = decide,
        recording: Recording | None = None,
        caches: Callable[[], CycleCache] = CycleCache,
    ) -> None:
        """``decider``: what decides in place of ``decide``, for tests of the oracles.

        ``recording``: what the same decider decided in the world before. ``caches``: makes the
        cache of each process.
        """
        self.spec = spec
        self.now = _START
        self.live: dict[str, LivePod] = {}
        """By name."""
        self.ran: dict[str, int] = {}
        """Pods that had a node, by name, and since when."""
        self.maxes: dict[str, Bounds] = {quota.name: quota.max for quota in spec.quotas}
        self.cycles = 0
        self.restarted = False
        self.replays = False
        """Whether this cycle is one that the world before had, too."""
        self._observer = observer
        self._decider = decider
        self._recording = recording
        self._arrived = 0
        self._processes = 1
        self._has_lowered = False
        self._restarts = spec.restarts
        self._policy = objects.policy(spec.patience)
        self._serial = 0
        known = recording.ledger if recording is not None else None
        self._ledger = known or Ledger()
        self._caches = caches
        self._cache = caches()
        self._histories = ReclaimHistories()
        """What the statuses of the quotas say."""
        self._free = [[node.cpu, node.second] for node in spec.nodes]
        if known is None:
            self._begin()
        if recording is not None:
            recording.ledger = self._ledger

    def run(self, *, restarts: bool = True) -> bool:
        """Play the world to its end; False: it does not come to rest.

        ``restarts``: at the end a new process reads the objects.
        """
        lowered = self.spec.lowered
        for number, pod in enumerate(self.spec.pods):
            if number and pod.moment == AT_REST and not self._settle():
                return False
            if number and pod.moment == NEXT:
                self._round()
            if lowered is not None and lowered.before == number:
                self._lower(lowered)
            self._arrive(pod, number)
        if not self._settle():
            return False
        if lowered is not None and lowered.before == len(self.spec.pods):
            self._lower(lowered)
            if not self._settle():
                return False
        return not restarts or self._restart()

    def rebuilt(self) -> Ledger:
        """A ledger with the same objects, which come in another order."""
        fresh = Ledger()
        for live in reversed(self.live.values()):
            fresh.upsert_pod(live.pod)
        for quota in reversed(self._ledger.quotas.values()):
            fresh.upsert_quota(quota)
        for node in self._ledger.nodes.values():
            fresh.upsert_node(node)
        for profile in self._ledger.profiles.values():
            fresh.upsert_profile(profile)
        fresh.set_time(self.now)
        return fresh

    def decided_by(self, ledger: Ledger) -> Decisions:
        """What is decided now with another ledger, which gets the clocks of this one."""
        ledger.remember(self._ledger.clocks)
        return decide(ledger, self.now, self._policy)

    def _begin(self) -> None:
        """Add the objects that never change, and what the controller writes on the root."""
        for quota in objects.quotas(self.spec):
            self._ledger.upsert_quota(quota)
        pooled = self.spec.pooled
        self._ledger.upsert_profile(objects.IN_POOLS if pooled else objects.PROFILE)
        for node in objects.nodes(self.spec.nodes, self.spec.second):
            self._ledger.upsert_node(node)
        if pooled:
            for root in objects.pooled_roots(self.spec.nodes, self.spec.second):
                before = self._ledger.quotas[root.key]
                self._ledger.upsert_quota(stored_roots.written(before, root))

    def _restart(self) -> bool:
        """Let a new process read the objects; nothing may happen but at times of its own."""
        if not any(live.gated for live in self.live.values()):
            return True
        self._take_over()
        self.restarted = True
        return self._settle()

    def _take_over(self) -> None:
        self._processes += 1
        self._ledger, self._cache = self.rebuilt(), self._caches()
        self._ledger.set_time(self.now)
        quotas = self._histories.quotas()
        records = [each for name in quotas for each in self._histories.of(name).records]
        nominations.restore(self._ledger, records, self._policy)

    def _settle(self) -> bool:
        rounds = idle = 0
        while rounds < MOST_ROUNDS:
            changed, wake = self._round()
            if changed:
                rounds += 1
                idle = 0
                continue
            idle += 1
            ends = [live.ends for live in self.live.values() if live.ends is not None]
            if wake is not None:
                ends.append(wake)
            if not ends or idle > _MOST_IDLE:
                self._observer.rests(self)
                return True
            self.now = max(min(ends), self.now)
        self._observer.moves_on(self)
        return False

    def _round(self) -> tuple[bool, int | None]:
        """One cycle and what follows; returns whether anything changed, and when to look again."""
        changed = self._end_pods()
        self.cycles += 1
        decisions = self._decide()
        self._observer.decided(self, decisions)
        self._ledger.remember(decisions.clocks)
        for release in decisions.releases:
            live = self.live[release.pod.name]
            self._release(live, release.nodes)
            changed = True
        for eviction in decisions.evictions:
            self._evict(self.live[eviction.pod.name], eviction.grace)
            self._histories.note(eviction, self.now)
            changed = True
        if changed:
            self._schedule()
        if decisions.evictions and self._restarts:
            self._restarts = False
            self._take_over()
        self.now += _STEP
        return changed, decisions.wake_at

    def _decide(self) -> Decisions:
        self._ledger.set_time(self.now)
        recording = self._recording
        if recording is None:
            return self._decider(self._ledger, self.now, self._policy, self._cache)
        moment = Moment(self.now, self._arrived, self._has_lowered, self._processes)
        decisions = recording.at(moment)
        self.replays = decisions is not None
        if decisions is None:
            decisions = self._decider(self._ledger, self.now, self._policy, self._cache)
        recording.note(moment, decisions)
        return decisions

    def _arrive(self, spec: PodSpec, number: int) -> None:
        self.now += 1000
        self._arrived += 1
        name = f"{spec.quota}-{number}"
        gang = name if spec.gang else ""
        created = (f"{name}x", f"{name}y") if gang else (name,)
        for each in created:
            self._create(spec, each, gang)
        pods = self.spec.pods
        alone = number + 1 == len(pods) or pods[number + 1].moment == AT_REST
        at_rest = number == 0 or spec.moment == AT_REST
        if alone and at_rest and (self.spec.lowered is None or self.spec.lowered.before != number):
            self._observer.arrives(self, [self.live[each] for each in created])

    def _create(self, spec: PodSpec, name: str, gang: str) -> None:
        self._serial += 1
        pod = Pod(
            key=Key("t", name),
            uid=f"{self._serial:04}-{name}",
            created=objects.stamp(self.now // 1000),
            quota_label=spec.quota,
            request=objects.request(spec.cpu, spec.second, self.spec.second),
            priority=spec.priority,
            preemptible=spec.preemptible,
            may_preempt=spec.may_preempt,
            gates=_GATES,
            constraints=EVERYWHERE if spec.tolerates else ANYWHERE,
            group=Group(gang, 2) if gang else None,
        )
        live = self.live[name] = LivePod(spec, pod, gang)
        self._put(live, pod)

    def _release(self, live: LivePod, nodes: Selector) -> None:
        """Open the gate, and write the node affinity that is asked for."""
        live.gated = False
        pod = live.pod
        if nodes.requirements:
            more = tuple(
                NodeRequirement(each.key, each.operator, each.values) for each in nodes.requirements
            )
            live.excluded = tuple(
                node.name
                for node in self._ledger.nodes.values()
                if not all(each.holds(node.labels) for each in more)
            )
            terms = (NodeTerm(more),)
            tolerations = pod.constraints.tolerations
            pod = replace(pod, constraints=Constraints(terms=terms, tolerations=tolerations))
        self._put(live, replace(pod, gates=(), unplaced_since=self.now))

    def _put(self, live: LivePod, pod: Pod) -> None:
        live.pod = pod
        self._ledger.upsert_pod(pod)

    def _evict(self, live: LivePod, grace: int | None) -> None:
        if live.ends is not None:
            return
        if live.spec.slow and live.node >= 0 and grace != 0:
            end = live.ends = self.now + (GRACE if grace is None else min(grace * 1000, GRACE))
            self._put(live, replace(live.pod, deleting=True, ends_at=end, gone_after=end))
        else:
            self._vanish(live)

    def _end_pods(self) -> bool:
        ended = [live for live in self.live.values() if (live.ends or self.now + 1) <= self.now]
        for live in ended:
            self._vanish(live)
        return bool(ended)

    def _vanish(self, live: LivePod) -> None:
        """The pod is gone, and its owner creates the next one."""
        del self.live[live.name]
        self._ledger.delete_pod(live.pod.key)
        if live.node >= 0:
            free = self._free[live.node]
            free[0] += live.request[0]
            free[1] += live.request[1]
        name = live.name.split(".")[0]
        self._create(live.spec, f"{name}.{self._serial}", live.gang)

    def _schedule(self) -> None:
        """Bind the released pods, the most important one first."""
        pending = [
            live
            for live in self.live.values()
            if live.node < 0 and not live.gated and live.ends is None
        ]
        if len(pending) > 1:
            pending.sort(key=lambda live: -live.spec.priority)
        for live in pending:
            node = self._choose(live)
            if node >= 0:
                self._bind(live, node)
            elif not live.refused:
                live.refused = True
                self._observer.refused(self, live)
                self._put(live, replace(live.pod, refused=True))

    def _choose(self, live: LivePod) -> int:
        """The node that the scheduler prefers, or -1."""
        cpu, second = live.request
        best, most = -1, 0
        for number, (free, node) in enumerate(zip(self._free, self.spec.nodes, strict=True)):
            if free[0] < cpu or free[1] < second or (node.tainted and not live.spec.tolerates):
                continue
            if f"n{number}" in live.excluded:
                continue
            score = -free[0] if self.spec.packs else free[0]
            if best < 0 or score > most:
                best, most = number, score
        return best

    def _bind(self, live: LivePod, node: int) -> None:
        live.node = node
        live.refused = False
        self.ran[live.name] = self.now
        free = self._free[node]
        free[0] -= live.request[0]
        free[1] -= live.request[1]
        started = objects.stamp(self.now // 1000)
        self._put(
            live,
            replace(
                live.pod,
                node_name=f"n{node}",
                started=started,
                unplaced_since=None,
                refused=False,
            ),
        )

    def _lower(self, lowered: Lowered) -> None:
        self.now += 1000
        self._has_lowered = True
        self.maxes[lowered.quota] = lowered.max
        quota = self._ledger.quotas[Key("t", lowered.quota)]
        if self._recording is not None:
            self._recording.ledger = None  # The next world begins with the max of before.
        self._ledger.upsert_quota(
            replace(quota, max=objects.resources(lowered.max, self.spec.second))
        )
