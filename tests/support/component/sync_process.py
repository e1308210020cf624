"""The parts of a controller that keep quotas in step with those of other systems, on a double."""

import asyncio
import contextlib
from typing import Any, Final

from api_double.waiting import until
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions
from elasticquota_config.model import Configuration
from elasticquota_kube.client import paths
from elasticquota_operator.context.manifest_store import ManifestStore
from elasticquota_operator.context.settings import Settings
from elasticquota_operator.informers import ledger_handlers
from elasticquota_operator.integrations.quota_sync import QuotaSync
from writer_fixture import Scene


HOME: Final = "operator"
"""The namespace of the operator."""
PAUSE: Final = 0.02
"""Seconds between two cycles without an event."""


class SyncProcess:
    """Cycles like those of the engine, over what a sweep would see."""

    keeper: QuotaSync

    def __init__(self, scene: Scene, configuration: Configuration, **others: Any) -> None:
        self.scene = scene
        scene.double.put(paths.NAMESPACES, {"metadata": {"name": HOME}})
        self.ledger = Ledger()
        self._changed = asyncio.Event()
        feed = ledger_handlers.of_quotas(self.ledger, self._changed.set)
        self._store = ManifestStore(feed.on_change)
        self.context = scene.context(
            ledger=self.ledger,
            quotas=self._store,
            touch=self._changed.set,
            settings=Settings(configuration, HOME),
            **others,
        )
        self.decisions = Decisions()
        self._rounds = 0

    async def begin(self, tasks: asyncio.TaskGroup) -> None:
        """Start the parts, before the first cycle."""
        tasks.create_task(self.keeper.run())

    def cycle(self) -> None:
        self.keeper.apply(self.decisions)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            await self.begin(tasks)
            while True:
                known = self._store.start_list()
                self._store.finish_list(known, self.scene.double.objects(paths.QUOTAS))
                self.cycle()
                self._rounds += 1
                self._changed.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(PAUSE):
                        await self._changed.wait()

    async def rounds(self, more: float) -> None:
        """Wait until so many more cycles have ended."""
        before = self._rounds
        await until(lambda: self._rounds > before + more)
