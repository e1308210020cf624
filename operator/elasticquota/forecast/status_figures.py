"""Adds what the forecaster knows to the statuses of a cycle, at a cost of what changed."""

from collections import defaultdict
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from elasticquota.forest.structure import Forest
from elasticquota.model.decision import QuotaStatus
from elasticquota.model.key import Key
from elasticquota.model.reclaim_record import NO_HISTORY, ReclaimHistory
from elasticquota.model.resource_hours import ResourceHours
from elasticquota.model.wait_estimate import Turnover, WaitEstimate
from elasticquota.structs import replace


class ForecastFigures(NamedTuple):
    """What is known of one quota."""

    estimate: WaitEstimate | None
    turnover: Turnover | None
    history: ReclaimHistory
    resource_hours: ResourceHours | None


_NOTHING: Final = ForecastFigures(None, None, NO_HISTORY, None)

Statuses = tuple[QuotaStatus, ...]


class StatusFigures:
    """Remembers the statuses of the last cycle; mutable."""

    def __init__(self) -> None:
        self._before: Statuses = ()
        self._after: Statuses = ()
        self._places: dict[str, list[int]] = {}
        """Where the statuses of a name are; a name that is stored twice has two."""

    def add(
        self,
        statuses: Statuses,
        changed: AbstractSet[str],
        figures: Callable[[Key], ForecastFigures],
        forest: Forest,
    ) -> Statuses:
        """Return ``statuses`` with the figures of their quotas.

        ``figures`` has changed since the last call only for the quotas in ``changed``. A status
        that is the same object as in the last cycle gets the same result. An object that does not
        hold its name has no figures.
        """
        cached = self._known(statuses)
        for name in changed:
            for place in self._places.get(name, ()):
                cached[place] = None
        self._after = tuple(
            [
                _with(status, figures, forest) if known is None else known
                for status, known in zip(statuses, cached, strict=True)
            ]
        )
        self._before = statuses
        return self._after

    def _known(self, statuses: Statuses) -> list[QuotaStatus | None]:
        """The results of the last cycle for the same objects; None for the others."""
        before = self._before
        if len(statuses) == len(before):
            last = zip(statuses, before, self._after, strict=True)
            found = [after if status is was else None for status, was, after in last]
            others = [place for place, known in enumerate(found) if known is None]
            if all(statuses[place].key == before[place].key for place in others):
                return found
        self._places = defaultdict(list)
        for place, status in enumerate(statuses):
            self._places[status.key.name].append(place)
        return [None] * len(statuses)


def _with(
    status: QuotaStatus, figures: Callable[[Key], ForecastFigures], forest: Forest
) -> QuotaStatus:
    held = forest.quotas.get(status.key.name)
    if held is None or held.key != status.key:
        return status
    own_figures = figures(status.key)
    if own_figures == _NOTHING:
        return status
    return replace(
        status,
        wait_estimate=own_figures.estimate,
        turnover=own_figures.turnover,
        history=own_figures.history,
        resource_hours=own_figures.resource_hours,
    )
