"""One cycle: the ledger is brought up to date, the core decides, and writers get the decisions."""

from collections.abc import Sequence
from typing import Protocol

from elasticquota.decisions import decide, nominations
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions
from elasticquota.structs import Struct, replace
from elasticquota_operator.context.settings import Settings
from elasticquota_operator.jobs.ordering import JobOrdering
from elasticquota_operator.reporting.forecasts import Forecasts


class Refresher(Protocol):
    """Brings what it follows up to date in the ledger."""

    def refresh(self) -> None: ...


class ReleaseHolder(Protocol):
    """Takes out of the decisions what has to wait for something else."""

    def hold(self, decisions: Decisions) -> Decisions: ...


class Writer(Protocol):
    """Carries out its part of the decisions."""

    def apply(self, decisions: Decisions) -> None: ...


class CycleParts(Struct, frozen=True, kw_only=True):
    """Those of each list are called in order."""

    refreshers: Sequence[Refresher]
    unheld: Sequence[Writer]
    """Writers that get the decisions as they were made."""
    holders: Sequence[ReleaseHolder]
    writers: Sequence[Writer]
    """They get what the holders let pass."""


class Cycle:
    """The engine calls ``decide()``, and ``apply()`` if this process leads."""

    def __init__(
        self, settings: Settings, ordering: JobOrdering, forecasts: Forecasts, parts: CycleParts
    ) -> None:
        self._settings = settings
        self._ordering = ordering
        self._forecasts = forecasts
        self._parts = parts
        self._cache = CycleCache()
        self._has_decided = False

    def decide(self, ledger: Ledger, now: int) -> Decisions:
        """Return what is to be done; ``now`` is in milliseconds of a monotonic clock."""
        for part in self._parts.refreshers:
            part.refresh()
        policy = replace(self._settings.policy, queues=self._ordering.queue_order())
        if not self._has_decided:
            nominations.restore(ledger, self._forecasts.records(), policy)
        decisions = decide.decide(ledger, now, policy, self._cache)
        decisions = self._forecasts.follow(decisions, now)
        self._has_decided = True
        return decisions

    def apply(self, decisions: Decisions) -> None:
        """Carry out the decisions."""
        for writer in self._parts.unheld:
            writer.apply(decisions)
        for part in self._parts.holders:
            decisions = part.hold(decisions)
        for writer in self._parts.writers:
            writer.apply(decisions)
