"""The evictor asks victims to leave through the eviction API, and knows what each answer means.

Honesty about the door: eviction respects disruption budgets and grace periods and names the pod by
uid, so a re-created namesake is never hit. What was decided may be some moments old; need is
decided anew every round, and a pod that is asked or terminating counts as returned, so staleness
evicts late rather than twice. When the process dies in the middle, deletionTimestamp is the only
record that the next leader needs. A pod that a budget protects is withheld for 5 to 60 s, so that
others are chosen meanwhile.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

import structlog

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Eviction
from elasticquota_kube import eviction as door
from elasticquota_kube.api import Api
from elasticquota_kube.errors import ApiError
from elasticquota_kube.events import Recorder, Regarding
from elasticquota_kube.eviction import Answer, Outcome
from elasticquota_operator.worklist import Worklist


FIRST_REST: Final = 5.0
LONGEST_REST: Final = 60.0
"""Seconds before a pod that may not be evicted is asked again: 5, 10, 20, 40, 60."""
_PATIENCE: Final = 30.0
"""Seconds after a successful answer in which the pod must be seen leaving."""

log = structlog.get_logger(__name__)


class Evictor:
    """``take()`` in each round; ``run()`` as a task. ``touch`` wakes the engine.

    ``spares`` says at the last moment that a victim's tree only observes by now.
    """

    def __init__(
        self,
        api: Api,
        ledger: Ledger,
        recorder: Recorder,
        touch: Callable[[], None],
        *,
        on_outcome: Callable[[str, Answer], None] = lambda _quota, _answer: None,
        spares: Callable[[Eviction], bool] = lambda _eviction: False,
    ) -> None:
        self._api = api
        self._ledger = ledger
        self._recorder = recorder
        self._touch = touch
        self._on_outcome = on_outcome
        self._spares = spares
        self._refusals: dict[str, int] = {}  # uid -> how often in a row
        self._asking: Worklist[str, Eviction] = Worklist("evictions", self._ask, at_once=5)

    def take(self, evictions: Iterable[Eviction]) -> None:
        wanted = {eviction.uid: eviction for eviction in evictions}
        remembered = wanted.keys() | self._ledger.withheld
        self._refusals = {uid: n for uid, n in self._refusals.items() if uid in remembered}
        for uid, eviction in wanted.items():
            if uid not in self._asking:
                self._ledger.expect_eviction(uid)
                self._asking.put(uid, eviction)

    async def run(self) -> None:
        """Ask until cancelled."""
        await self._asking.run()

    async def _ask(self, eviction: Eviction) -> None:
        key = eviction.pod
        if self._spares(eviction):
            self._give_up(eviction.uid)
            return
        outcome = await door.evict(self._api, key.namespace, key.name, eviction.uid)
        self._on_outcome(eviction.quota, outcome.answer)
        match outcome.answer:
            case Answer.EVICTED:
                log.info("evicted", pod=str(key), quota=eviction.quota, why=eviction.message)
                self._tell(eviction, "QuotaReclaim", eviction.message)
                # Should its leaving never be seen, the pod counts as it is.
                asyncio.get_running_loop().call_later(_PATIENCE, self._give_up, eviction.uid)
            case Answer.GONE | Answer.NAMESPACE_TERMINATING | Answer.REPLACED:
                self._withhold(eviction.uid, FIRST_REST)  # the watch will tell
            case Answer.RETRY:
                raise ApiError(0, "Retry", outcome.message, retry_after=outcome.retry_after)
            case Answer.BLOCKED | Answer.AMBIGUOUS_BUDGETS | Answer.REFUSED:
                self._blocked(eviction, outcome)

    def _blocked(self, eviction: Eviction, outcome: Outcome) -> None:
        before = self._refusals.get(eviction.uid, 0)
        self._refusals[eviction.uid] = before + 1
        pause = min(FIRST_REST * 2**before, LONGEST_REST)
        pause = max(pause, outcome.retry_after or 0.0)
        self._withhold(eviction.uid, pause)
        log.warning(
            "eviction refused",
            pod=str(eviction.pod),
            quota=eviction.quota,
            answer=outcome.answer,
            budget=outcome.budget,
            why=outcome.message,
            retry_seconds=pause,
        )
        holder = f" ({outcome.budget})" if outcome.budget else ""
        note = f"{eviction.message}; refused: {outcome.message}{holder}"
        self._tell(eviction, "QuotaReclaimBlocked", note)

    def _withhold(self, uid: str, seconds: float) -> None:
        self._ledger.withhold(uid)
        self._give_up(uid)
        asyncio.get_running_loop().call_later(seconds, self._offer_again, uid)

    def _offer_again(self, uid: str) -> None:
        self._ledger.offer_again(uid)
        self._touch()

    def _give_up(self, uid: str) -> None:
        """The pod counts again for what it holds, and the next round decides anew."""
        if uid in self._ledger.evicting:
            self._ledger.forget_eviction(uid)
            self._touch()

    def _tell(self, eviction: Eviction, reason: str, note: str) -> None:
        pod = Regarding("v1", "Pod", eviction.pod.namespace, eviction.pod.name, eviction.uid)
        self._recorder.record(pod, reason, note, action="Evict", type="Warning")
