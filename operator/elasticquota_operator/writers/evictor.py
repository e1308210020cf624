"""The evictor asks victims to leave through the eviction API, and handles each of its answers.

What happens when it is stale or dies: eviction respects disruption budgets and grace periods and
names the pod by uid, so a re-created namesake is never hit. A decision may be some moments old; it
is made again in every cycle, and a pod that is being evicted or terminates counts as returned, so
staleness evicts late rather than twice. When the process dies in the middle, deletionTimestamp is
the only record that the next leader needs. A pod with a longer grace than ``maxGraceSeconds`` is
evicted again with this grace, which the API server accepts as a shorter one. A pod that a budget
protects is withheld for 5 to 60 s, so that others are chosen meanwhile. So is an external pod that
took the room of one that was evicted (``node_backoff``). Where the administrator set
``deleteAfterSeconds``, a pod that budgets have kept for so long, and that is still a victim, is
deleted; a restart begins this time again. A pod at the size limit of the store cannot be evicted:
the store takes no write of it, and an eviction writes its ``deletionTimestamp``. So the time of
its admission and its managed fields are taken off it. Then it is evicted again or, where
``deleteAfterSeconds`` is set, deleted: that writes less. The API server asks the disruption budgets
before the write, so they have allowed the first eviction, and count it: a second one they would
refuse, if they allow one, for two minutes. Others are chosen instead of a pod without room even for
its deletion.
"""

import asyncio
import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

import structlog

from elasticquota import names
from elasticquota.model.decision import Decisions, Eviction
from elasticquota.model.refusal import Blocker, Refusal
from elasticquota_kube import eviction as door
from elasticquota_kube.client import retry
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_kube.events import Regarding
from elasticquota_kube.eviction import EvictionAnswer, Outcome
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.workqueue import work_queue
from elasticquota_operator.workqueue.workers import ItemRefused, Workers
from elasticquota_operator.writers.node_backoff import NodeBackoff


EVICTING: Final = 16
"""Evictions at one time: with fewer, slow answers of the API server would set the rate."""
FIRST_PAUSE: Final = 5.0
LONGEST_PAUSE: Final = 60.0
MEMORY: Final = 2 * LONGEST_PAUSE
"""Seconds for which a refusal is remembered of a pod that is no victim meanwhile."""
_PATIENCE: Final = 30.0
"""Seconds after a successful answer in which the pod must be seen leaving."""

_BLOCKERS: Final[Mapping[EvictionAnswer, Blocker]] = {
    EvictionAnswer.BLOCKED: "DisruptionBudget",
    EvictionAnswer.AMBIGUOUS_BUDGETS: "SeveralBudgets",
    EvictionAnswer.TOO_LARGE: "ApiServer",
    EvictionAnswer.REFUSED: "ApiServer",
}

_OF_BUDGETS: Final = frozenset({EvictionAnswer.BLOCKED, EvictionAnswer.AMBIGUOUS_BUDGETS})

log = structlog.get_logger(__name__)


class _Refusals(NamedTuple):
    """When a pod was refused in a row (seconds of the loop's clock)."""

    first: float
    last: float


def rest(refusals: int) -> float:
    """Seconds before a pod that may not be evicted is asked again: 5, 10, 20, 40, 60."""
    return retry.doubled(refusals, FIRST_PAUSE, LONGEST_PAUSE)


class Evictor:
    """``apply()`` in each cycle; ``run()`` as a task.

    A victim whose tree only observes by now is spared at the last moment.
    """

    def __init__(
        self,
        context: ControllerContext,
        *,
        wait: retry.Backoff = rest,
        memory: float = MEMORY,
    ) -> None:
        """``wait`` is the back-off of a refused victim."""
        self._api = context.api
        self._ledger = context.ledger
        self._recorder = context.recorder
        self._touch = context.touch
        self._settings = context.settings
        self._telemetry = context.telemetry
        self._outcomes = context.outcomes
        self._wait = wait
        self._memory = memory
        self._refusals: dict[str, _Refusals] = {}  # by uid
        self._nodes = NodeBackoff()
        self._asking: Workers[str, Eviction] = Workers(
            "evictions",
            self._ask,
            at_once=EVICTING,
            on_ready=self._offer_again,
            relation=lambda _uid, eviction: eviction.pod.namespace,
        )

    def apply(self, decisions: Decisions) -> None:
        wanted = {eviction.uid: eviction for eviction in decisions.evictions}
        self._forget_refusals(wanted.keys() | self._ledger.withheld)
        for uid, eviction in wanted.items():
            if uid in self._asking:
                continue
            pause = self._pause_of_node(eviction)
            if pause:
                self._withhold(uid)
                self._touch()
                asyncio.get_running_loop().call_later(pause, self._offer_again, uid)
            else:
                self._ledger.expect_eviction(uid)
                self._asking.put(uid, eviction)

    async def run(self) -> None:
        """Ask until cancelled."""
        await self._asking.run()

    @property
    def _delete_after(self) -> int | None:
        """Seconds for which budgets may keep a victim; None: without end."""
        return self._settings.configuration.reclaim.delete_after_seconds or None

    async def _ask(self, eviction: Eviction) -> None:
        key = eviction.pod
        if self._ledger.snapshot.forest.observes(eviction.quota):
            self._give_up(eviction.uid)
            return
        outcome, how = await self._evict(eviction), _shortened(eviction)
        limit = self._delete_after  # as it was decided by, also if it is changed meanwhile
        if outcome.answer is EvictionAnswer.TOO_LARGE:
            await door.shrink(self._api, key.namespace, key.name, eviction.uid, names.ADMITTED_AT)
            if limit is None:
                outcome = await self._evict(eviction)
            else:
                outcome = await self._delete(eviction)
                how = " Deleted, as it is too large for the store to be evicted."
        elif outcome.answer in _OF_BUDGETS and self._left(eviction.uid) <= 0:
            outcome = await self._delete(eviction)
            how = f" Deleted, as its disruption budget kept it for {limit} s."
        match outcome.answer:
            case EvictionAnswer.EVICTED | EvictionAnswer.DELETED:
                log.info(
                    "evicted",
                    pod=str(key),
                    quota=eviction.quota,
                    answer=outcome.answer,
                    why=eviction.message,
                )
                self._record(eviction, "QuotaReclaim", f"Evicted: {eviction.message}.{how}")
                self._outcomes.evicted(eviction)
                # Should its leaving never be seen, the pod counts as it is.
                patience = _PATIENCE + (eviction.grace or 0)
                asyncio.get_running_loop().call_later(patience, self._give_up, eviction.uid)
            case (
                EvictionAnswer.GONE | EvictionAnswer.NAMESPACE_TERMINATING | EvictionAnswer.REPLACED
            ):
                self._withhold(eviction.uid)  # the watch will tell
                asyncio.get_running_loop().call_later(FIRST_PAUSE, self._offer_again, eviction.uid)
            case EvictionAnswer.RETRY:
                retry_after = outcome.retry_after
                raise ApiError(outcome.status, "Retry", outcome.message, retry_after=retry_after)
            case (
                EvictionAnswer.BLOCKED
                | EvictionAnswer.AMBIGUOUS_BUDGETS
                | EvictionAnswer.TOO_LARGE
                | EvictionAnswer.REFUSED
            ):
                raise self._blocked(eviction, outcome)

    def _pause_of_node(self, eviction: Eviction) -> float:
        """Seconds for which an external pod stays, as others took the room of earlier victims."""
        pod = self._ledger.pods.get(eviction.pod)
        if pod is None or not eviction.external:
            return 0.0
        return self._nodes.evict(pod, self._ledger.time, work_queue.loop_time())

    async def _evict(self, eviction: Eviction) -> Outcome:
        key = eviction.pod
        outcome = await door.evict(
            self._api, key.namespace, key.name, eviction.uid, grace=eviction.grace
        )
        self._telemetry.asked_to_evict(eviction.quota, outcome.answer)
        return outcome

    async def _delete(self, eviction: Eviction) -> Outcome:
        key = eviction.pod
        outcome = await door.delete(
            self._api, key.namespace, key.name, eviction.uid, grace=eviction.grace
        )
        self._telemetry.asked_to_evict(eviction.quota, outcome.answer)
        return outcome

    def _blocked(self, eviction: Eviction, outcome: Outcome) -> ItemRefused:
        now = work_queue.loop_time()
        first, _ = self._refusals.get(eviction.uid, _Refusals(now, now))
        self._refusals[eviction.uid] = _Refusals(first, now)
        blocker = _BLOCKERS[outcome.answer]
        most = self._delete_after or 0 if outcome.answer in _OF_BUDGETS else 0
        refusal = Refusal(
            eviction.pod, eviction.quota, eviction.owner, blocker, outcome.budget, most
        )
        self._withhold(eviction.uid, refusal)
        holder = f" ({outcome.budget})" if outcome.budget else ""
        note = f"To be evicted: {eviction.message}. Refused: {outcome.message}{holder}"
        self._record(eviction, "QuotaReclaimBlocked", note)
        return ItemRefused(
            outcome.message,
            wait=lambda refusals: self._pause(refusals, eviction.uid, outcome),
            object=str(eviction.pod),
            quota=eviction.quota,
            answer=outcome.answer,
            budget=outcome.budget,
        )

    def _pause(self, refusals: int, uid: str, outcome: Outcome) -> float:
        """Seconds until the pod may be asked again; not after its budget has lost its say."""
        pause = self._wait(refusals)
        if outcome.answer in _OF_BUDGETS:
            pause = min(pause, max(FIRST_PAUSE, self._left(uid)))
        return max(pause, outcome.retry_after or 0.0)

    def _left(self, uid: str) -> float:
        """Seconds for which a budget may still keep the pod."""
        if self._delete_after is None or uid not in self._refusals:
            return math.inf
        return self._refusals[uid].first + self._delete_after - work_queue.loop_time()

    def _forget_refusals(self, of_interest: AbstractSet[str]) -> None:
        oldest = work_queue.loop_time() - self._memory
        for uid, refusals in list(self._refusals.items()):
            if uid not in of_interest and refusals.last < oldest:
                del self._refusals[uid]
                self._ledger.forget_refusal(uid)

    def _withhold(self, uid: str, refusal: Refusal | None = None) -> None:
        """Other pods are chosen until `_offer_again`."""
        self._ledger.withhold(uid, refusal)
        self._give_up(uid)

    def _offer_again(self, uid: str) -> None:
        self._ledger.offer_again(uid)
        self._touch()

    def _give_up(self, uid: str) -> None:
        """The pod counts again for what it holds, and the next cycle decides again."""
        if uid in self._ledger.evicting:
            self._ledger.forget_eviction(uid)
            self._touch()

    def _record(self, eviction: Eviction, reason: str, note: str) -> None:
        pod = Regarding.pod(eviction.pod, eviction.uid)
        self._recorder.record(pod, reason, note, action="Evict", type="Warning")


def _shortened(eviction: Eviction) -> str:
    """Said of a pod that was on its way out already, with more time than it may take."""
    if eviction.grace is None:
        return ""
    return f" It was deleted with a longer grace, and may take {eviction.grace} s to end now."
