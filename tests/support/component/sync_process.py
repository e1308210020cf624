"""The parts of a controller that keep quotas in step with those of other systems, on a double."""

import asyncio
from typing import Any, Final

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Decisions
from elasticquota_config.model import Configuration
from elasticquota_kube.client import paths
from elasticquota_operator.context.manifest_store import ManifestStore
from elasticquota_operator.context.settings import Settings
from elasticquota_operator.informers import ledger_handlers
from elasticquota_operator.integrations.quota_sync import QuotaSync
from engine_cycles import EngineCycles
from writer_fixture import Scene


HOME: Final = "operator"
"""The namespace of the operator."""


class SyncProcess(EngineCycles):
    """Cycles over what a sweep would see."""

    keeper: QuotaSync

    def __init__(self, scene: Scene, configuration: Configuration, **others: Any) -> None:
        super().__init__()
        self.scene = scene
        scene.double.put(paths.NAMESPACES, {"metadata": {"name": HOME}})
        self.ledger = Ledger()
        feed = ledger_handlers.of_quotas(self.ledger, self.touch)
        self._store = ManifestStore(feed.on_change)
        self.context = scene.context(
            ledger=self.ledger,
            quotas=self._store,
            touch=self.touch,
            settings=Settings(configuration, HOME),
            **others,
        )
        self.decisions = Decisions()

    async def begin(self, tasks: asyncio.TaskGroup) -> None:
        tasks.create_task(self.keeper.run())

    def cycle(self) -> None:
        known = self._store.start_list()
        self._store.finish_list(known, self.scene.double.objects(paths.QUOTAS))
        self.keeper.apply(self.decisions)
