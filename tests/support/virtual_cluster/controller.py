"""Drives the ledger and ``decide`` as the product's shell does, with the faults of an API.

Events come late, but per kind in order; a cycle runs 50 ms after a change (``engine``). Requests to
the API server take a moment, may be refused, or succeed although the answer is lost (``ungater``,
``evictor``). ``restart`` loses everything but what the cluster stores.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

import stored_roots
from elasticquota.decisions import decide, nominations
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.forecast.forecaster import Forecaster
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions, Eviction, QuotaStatus, Release
from elasticquota.model.group import GroupObject
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.reclaim_record import ReclaimRecord
from elasticquota.model.refusal import Blocker, Refusal
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota_kube.eviction import EvictionAnswer
from virtual_cluster.budgets import Budgets
from virtual_cluster.cluster import Change, Cluster, Thing
from virtual_cluster.timeline import SECOND


Decider = Callable[[Ledger, int, Policy, CycleCache], Decisions]

QUIET: Final = 50
MIN_WAIT: Final = 200
FIRST_PAUSE: Final = 5 * SECOND
LONGEST_PAUSE: Final = 60 * SECOND
PATIENCE: Final = 30 * SECOND
_CHECKED: Final = 3
"""One of so many cycles is decided without a cache too, and must give the same result."""


@dataclass(frozen=True, slots=True)
class ApiFaults:
    """Delays in milliseconds, and how many of 100 calls fail."""

    watch_delay: int = 0
    call_delay: int = 0
    refused: int = 0
    """Releases that are answered with a refusal."""
    failed: int = 0
    """Calls that do not reach the server and are repeated."""
    lost: int = 0
    """Calls that succeed, but whose answer is lost; they are repeated."""


class Controller:
    """``dice`` decides the faults; ``on_round`` gets every decision before it is carried out."""

    def __init__(
        self, cluster: Cluster, budgets: Budgets, policy: Policy, faults: ApiFaults, dice: Random
    ) -> None:
        self._cluster = cluster
        self._budgets = budgets
        self._troubles = faults
        self._dice = dice
        self.policy = policy
        self.published: dict[str, QuotaStatus] = {}
        """The last status of each quota."""
        self._begin()
        self.decider: Decider | None = None
        """What decides in place of ``decide``."""
        self.on_round: list[Callable[[Decisions], None]] = []
        self.rounds = 0
        cluster.watchers.append(self._watch)
        self._wake()

    def restart(self) -> None:
        """All memory is lost; calls under way may still arrive, their answers do not."""
        self._begin()
        for things in (
            self._cluster.group_objects,
            self._cluster.nodes,
            self._cluster.profiles,
            self._cluster.quotas,
            self._cluster.pods,
        ):
            for key, thing in things.items():
                self._learn((type(thing), key, thing))
        self.ledger.set_time(self._cluster.timeline.now)
        nominations.restore(self.ledger, self._records(), self.policy)
        self._wake()

    def _records(self) -> list[ReclaimRecord]:
        histories = self.forecaster.histories
        return [each for name in histories.quotas() for each in histories.of(name).records]

    def _begin(self) -> None:
        """Begin with an empty memory, besides what the statuses say."""
        self.ledger = Ledger()
        self.forecaster = Forecaster()
        self.ledger.on_gone = self.forecaster.ended
        for name, status in self.published.items():
            if status.turnover is not None:
                self.forecaster.restore(name, status.turnover, self._cluster.timeline.now)
            self.forecaster.histories.restore(name, status.history)
            self.forecaster.meter.restore(status.key, status.resource_hours)
        self.follow_groups()

    def follow_groups(self) -> None:
        """All objects that state the size of groups are known."""
        self.ledger.follow_group_kind("volcano")

    def _wake(self) -> None:
        """Begin with an empty memory, besides the ledger."""
        self._cache = CycleCache()
        self._seen_until: dict[type[Thing], int] = {}
        self._refusals: dict[str, tuple[int, int]] = {}
        """Of releases, by uid: how often, and not again before."""
        self._blocked: dict[str, int] = {}
        """Of evictions, by uid: how often in a row."""
        self._asking: set[str] = set()
        self._round_at: int | None = None
        self.touch()

    def touch(self) -> None:
        """Note that something changed."""
        self._decide_at(self._cluster.timeline.now + QUIET)

    def _decide_at(self, time: int) -> None:
        if self._round_at is not None and self._round_at <= time:
            return
        self._round_at = time
        self._unless_restarted(time - self._cluster.timeline.now, lambda: self._round(time))

    def _round(self, due: int) -> None:
        if self._round_at != due:
            return
        self._round_at = None
        self.rounds += 1
        now = self._cluster.timeline.now
        self.ledger.set_time(now)
        decisions = (self.decider or decide.decide)(self.ledger, now, self.policy, self._cache)
        if self.decider is None and self.rounds % _CHECKED == 0:
            assert decisions == decide.decide(self.ledger, now, self.policy), "notes changed it"
        decisions = self.forecaster.follow(self.ledger, decisions, now)
        self.published = {status.key.name: status for status in decisions.statuses}
        self.ledger.remember(decisions.clocks)
        for told in self.on_round:
            told(decisions)
        for release in decisions.releases:
            self._take_release(release)
        for eviction in decisions.evictions:
            self._take_eviction(eviction)
        for root in decisions.roots:
            stored = self._cluster.quotas[root.key]
            wanted = stored_roots.written(stored, root)
            if wanted != stored:
                self._cluster.put_quota(wanted)
        if decisions.wake_at is not None:
            self._decide_at(max(decisions.wake_at, now + MIN_WAIT))

    def _take_release(self, release: Release) -> None:
        _, rests_until = self._refusals.get(release.uid, (0, 0))
        if rests_until <= self._cluster.timeline.now:
            self.ledger.expect_release(release.uid)
            self._call(lambda: self._release(release))

    def _release(self, release: Release) -> Callable[[], None]:
        if self._happens(self._troubles.refused):
            return lambda: self._refused(release)
        if self._cluster.open_gate(release.pod, release.uid, release.nodes):
            return lambda: None
        return lambda: self.ledger.forget_release(release.uid)

    def _refused(self, release: Release) -> None:
        self.ledger.forget_release(release.uid)
        times = self._refusals.get(release.uid, (0, 0))[0] + 1
        rest = SECOND * min(2**times, 60)
        self._refusals[release.uid] = (times, self._cluster.timeline.now + rest)
        self._unless_restarted(rest, self.touch)

    def _take_eviction(self, eviction: Eviction) -> None:
        if eviction.uid not in self._asking:
            self._asking.add(eviction.uid)
            self.ledger.expect_eviction(eviction.uid)
            self._call(lambda: self._evict(eviction))

    def _evict(self, eviction: Eviction) -> Callable[[], None]:
        grace = None if eviction.grace is None else eviction.grace * 1000
        answer = self._budgets.evict(eviction.pod, eviction.uid, grace)
        return lambda: self._answered(eviction, answer)

    def _answered(self, eviction: Eviction, answer: EvictionAnswer) -> None:
        uid = eviction.uid
        self._asking.discard(uid)
        match answer:
            case EvictionAnswer.EVICTED:
                self.forecaster.histories.note(eviction, self._cluster.timeline.now)
                self._unless_restarted(PATIENCE, lambda: self._give_up(uid))
            case EvictionAnswer.BLOCKED | EvictionAnswer.AMBIGUOUS_BUDGETS:
                before = self._blocked.get(uid, 0)
                self._blocked[uid] = before + 1
                blocker: Blocker = "SeveralBudgets"
                if answer is EvictionAnswer.BLOCKED:
                    blocker = "DisruptionBudget"
                refusal = Refusal(eviction.pod, eviction.quota, eviction.owner, blocker)
                self._withhold(uid, min(FIRST_PAUSE * 2**before, LONGEST_PAUSE), refusal)
            case _:
                self._withhold(uid, FIRST_PAUSE)

    def _withhold(self, uid: str, rest: int, refusal: Refusal | None = None) -> None:
        self.ledger.withhold(uid, refusal)
        self._give_up(uid)
        self._unless_restarted(rest, lambda: self._offer_again(uid))

    def _offer_again(self, uid: str) -> None:
        self.ledger.offer_again(uid)
        self.touch()

    def _give_up(self, uid: str) -> None:
        if uid in self.ledger.evicting:
            self.ledger.forget_eviction(uid)
            self.touch()

    def _call(self, ask: Callable[[], Callable[[], None]]) -> None:
        """Send the request, and handle its answer later if it comes; otherwise repeat it."""

        def arrive() -> None:
            if self._happens(self._troubles.failed):
                self._unless_restarted(SECOND, lambda: self._call(ask))
                return
            hear = ask()
            if self._happens(self._troubles.lost):
                self._unless_restarted(SECOND, lambda: self._call(ask))
            else:
                self._unless_restarted(self._moment(self._troubles.call_delay), hear)

        self._cluster.timeline.after(self._moment(self._troubles.call_delay), arrive)

    def _unless_restarted(self, wait: int, action: Callable[[], None]) -> None:
        """Unless the controller restarts before."""
        ledger = self.ledger

        def now() -> None:
            if self.ledger is ledger:
                action()

        self._cluster.timeline.after(wait, now)

    def _watch(self, change: Change) -> None:
        kind, _, _ = change
        now = self._cluster.timeline.now
        due = max(self._seen_until.get(kind, now), now + self._moment(self._troubles.watch_delay))
        self._seen_until[kind] = due
        if due == now:
            self._learn(change)
            self.touch()
        else:
            self._unless_restarted(due - now, lambda: self._hear(change))

    def _hear(self, change: Change) -> None:
        self._learn(change)
        self.touch()

    def _learn(self, change: Change) -> None:
        kind, key, thing = change
        match thing:
            case Pod():
                self.ledger.upsert_pod(thing)
            case Node():
                self.ledger.upsert_node(thing)
            case Quota():
                self.ledger.upsert_quota(thing)
            case Profile():
                self.ledger.upsert_profile(thing)
            case GroupObject():
                self.ledger.upsert_group_object(thing)
            case None:
                self._unlearn(kind, key)

    def _unlearn(self, kind: type[Thing], key: Key | str) -> None:
        if isinstance(key, str):
            self.ledger.delete_node(key)
        elif kind is Pod:
            self.ledger.delete_pod(key)
        elif kind is Quota:
            self.ledger.delete_quota(key)
        elif kind is GroupObject:
            self.ledger.delete_group_object(key)
        else:
            self.ledger.delete_profile(key)

    def _moment(self, longest: int) -> int:
        return self._dice.randint(0, longest) if longest else 0

    def _happens(self, of_hundred: int) -> bool:
        return of_hundred > 0 and self._dice.randrange(100) < of_hundred
