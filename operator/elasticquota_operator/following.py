"""All that follows neighbours' objects, put together: their watches, the keeper, and the tellers.

With no dialect switched on there is nothing to do and nothing is watched.
"""

from collections.abc import Callable
from functools import partial

from elasticquota.dialects import yunikorn
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions
from elasticquota_kube.api import Api
from elasticquota_kube.configuration_sections import Dialects
from elasticquota_kube.events import Recorder
from elasticquota_operator import neighbours
from elasticquota_operator.neighbours import Neighbour
from elasticquota_operator.queue_source import QueueSource
from elasticquota_operator.queue_teller import QueueTeller
from elasticquota_operator.quota_keeper import QuotaKeeper
from elasticquota_operator.shelf import Shelf
from elasticquota_operator.telemetry import Telemetry


class Following:
    """``take()`` in each round; ``run()`` as a task. ``touch`` wakes the engine."""

    def __init__(
        self,
        api: Api,
        ledger: Ledger,
        quotas: Shelf,
        recorder: Recorder,
        touch: Callable[[], None],
        *,
        dialects: Dialects,
        home: str,
        system: Callable[[], frozenset[str]],
        blocking: Callable[[], frozenset[str]],
        telemetry: Telemetry,
    ) -> None:
        """``home`` has the quotas that are made; ``system()`` are namespaces that follow nobody,
        ``blocking()`` quotas in whose lines nobody passes.
        """
        restarted = telemetry.watch_restarted
        found = [
            Neighbour(api, dialect, home, touch, on_restart=restarted)
            for dialect in neighbours.chosen(dialects)
        ]
        sources = [
            QueueSource(
                api,
                namespace,
                home,
                system,
                touch,
                judged=partial(telemetry.dialect_is, yunikorn.NAME),
                on_restart=restarted,
            )
            for namespace in ([dialects.yunikorn_namespace] if dialects.yunikorn else [])
        ]
        self._keeper = keeper = QuotaKeeper(
            api, ledger, quotas, [*found, *sources], blocking=blocking
        )
        self._tellers = [
            QueueTeller(each, lambda: keeper.taken(yunikorn.NAME), recorder) for each in sources
        ]

    def take(self, decisions: Decisions) -> None:
        self._keeper.take(decisions)
        for teller in self._tellers:
            teller.take()

    async def run(self) -> None:
        """Watch and write until cancelled; returns at once when nothing is to be followed."""
        await self._keeper.run()
