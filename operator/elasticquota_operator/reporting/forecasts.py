"""Feed the forecaster, and take over what an earlier leader published.

A new process reads the turnover of each quota from its status once, and goes on from there. The
history of reclaim and the resource-hours are those of the stored status as long as another process
leads; from then on they are kept here, and the status follows. So edits of others in it are
corrected, as in the whole status.
"""

import time
from collections.abc import Callable, Iterator
from typing import Final

from elasticquota.forecast import expectation
from elasticquota.forecast.forecaster import Forecaster
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.model.decision import Decisions, Eviction, Wait
from elasticquota.model.key import Key
from elasticquota.model.reclaim_record import ReclaimRecord
from elasticquota.wire.quota import metered, reclaim_records, wait_estimates
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.manifest_store import Manifest


_SECOND: Final = 1000


class Forecasts:
    """Call ``follow()`` in each cycle, and ``evicted()`` when a pod or a job was evicted."""

    def __init__(self, context: ControllerContext, clock: Callable[[], float] = time.time) -> None:
        """``clock`` is the wall clock, in seconds."""
        self._ledger = context.ledger
        self._quotas = context.quotas
        self._leading = context.leading
        self._touch = context.touch
        self._clock = clock
        self._forecaster = Forecaster()
        self._ledger.on_gone = self._forecaster.ended
        self._seen: dict[Key, Manifest] = {}

    def evicted(self, eviction: Eviction) -> None:
        """Note an eviction that the API server accepted, or a job that was suspended."""
        self._forecaster.histories.note(eviction, int(self._clock() * _SECOND))
        self._touch()

    def follow(self, decisions: Decisions, now: int) -> Decisions:
        """Return the decisions with estimate, turnover and history in the statuses.

        ``now`` is the time of the decisions, milliseconds.
        """
        self._take_over(self._ledger.snapshot)
        return self._forecaster.follow(self._ledger, decisions, now)

    def records(self) -> Iterator[ReclaimRecord]:
        """Yield who took what from whom, as the statuses of all quotas say."""
        for manifest in self._quotas.values.values():
            status = manifest.get("status")
            if isinstance(status, dict):
                yield from reclaim_records.read_history(status).records

    def expects(self, wait: Wait) -> str:
        """Return the sentence about the expected start of a waiting pod; empty: none is known."""
        now = int(self._clock() * _SECOND)
        return expectation.sentence(self._forecaster.estimate(wait.quota), wait.place, now)

    def _take_over(self, cluster: ClusterSnapshot) -> None:
        leads, seen = self._leading(), self._seen
        self._seen = dict(self._quotas.values)
        for key, manifest in self._seen.items():
            if seen.get(key) is manifest or (leads and key in seen):
                continue
            held, status = cluster.forest.quotas.get(key.name), manifest.get("status")
            if held is None or held.key != key or not isinstance(status, dict):
                continue
            turnover = wait_estimates.read_turnover(status)
            if turnover is not None:
                self._forecaster.restore(key.name, turnover, cluster.time)
            history = reclaim_records.read_history(status)
            self._forecaster.histories.restore(key.name, history)
            self._forecaster.meter.restore(key, metered.read(status))
