"""Adds what the forecaster knows to the statuses of a cycle, at a cost of what changed."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final, NamedTuple

from elasticquota.forest.structure import Forest
from elasticquota.model.decision import QuotaStatus
from elasticquota.model.key import Key
from elasticquota.model.reclaim_record import NO_HISTORY, ReclaimHistory
from elasticquota.model.resource_hours import ResourceHours
from elasticquota.model.wait_estimate import Turnover, WaitEstimate


class Figures(NamedTuple):
    """What is known of one quota."""

    estimate: WaitEstimate | None
    turnover: Turnover | None
    history: ReclaimHistory
    resource_hours: ResourceHours | None


_NOTHING: Final = Figures(None, None, NO_HISTORY, None)

Statuses = tuple[QuotaStatus, ...]


class StatusFigures:
    """Remembers the statuses of the last cycle; mutable."""

    def __init__(self) -> None:
        self._before: Statuses = ()
        self._after: Statuses = ()

    def add(
        self,
        statuses: Statuses,
        changed: AbstractSet[str],
        figures: Callable[[Key], Figures],
        forest: Forest,
    ) -> Statuses:
        """Return ``statuses`` with the figures of their quotas.

        ``figures`` has changed since the last call only for the quotas in ``changed``. A status
        that is the same object as in the last cycle gets the same result. An object that does not
        hold its name has no figures.
        """
        found: list[QuotaStatus | None] = [None] * len(statuses)
        if len(statuses) == len(self._before):
            last = zip(statuses, self._before, self._after, strict=True)
            if changed:
                found = [
                    after if status is before and status.key.name not in changed else None
                    for status, before, after in last
                ]
            else:
                found = [after if status is before else None for status, before, after in last]
        self._after = tuple(
            [
                _with(status, figures, forest) if known is None else known
                for status, known in zip(statuses, found, strict=True)
            ]
        )
        self._before = statuses
        return self._after


def _with(status: QuotaStatus, figures: Callable[[Key], Figures], forest: Forest) -> QuotaStatus:
    held = forest.quotas.get(status.key.name)
    if held is None or held.key != status.key:
        return status
    found = figures(status.key)
    if found == _NOTHING:
        return status
    return replace(
        status,
        wait_estimate=found.estimate,
        turnover=found.turnover,
        history=found.history,
        resource_hours=found.resource_hours,
    )
