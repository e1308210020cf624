"""Keep Koordinator's annotations on quotas, for tools that read them there.

This is apart from the status writer, because annotations belong to the object itself. At most one
write per quota and second, as for its status, so they are at most a second behind it; always the
newest, only what differs, and only when nothing more urgent is to be written. An annotation that
cannot be written is only old; nothing is decided from it.
"""

from typing import Final

from elasticquota.model.decision import Decisions, QuotaStatus
from elasticquota.model.key import Key
from elasticquota.wire.quota import koordinator_annotations
from elasticquota_kube.client.paths import QUOTAS
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.manifest_store import Manifest
from elasticquota_operator.workqueue import workers
from elasticquota_operator.workqueue.workers import Workers
from elasticquota_operator.writers.status_writer import StatusWriter


INTERVAL = 1.0
"""Seconds between two writes to one quota."""
PAUSE: Final = 1.0
"""Seconds after each write while many pods are ungated."""


class AnnotationWriter:
    """``apply()`` in each cycle; ``run()`` as a task."""

    def __init__(self, context: ControllerContext, statuses: StatusWriter) -> None:
        """A status of ``statuses`` that waits is more urgent."""
        self._api = context.api
        self._quotas = context.quotas
        self._settings = context.settings
        self._backlog = context.backlog
        self._statuses = statuses
        self._judged: dict[Key, tuple[QuotaStatus, Manifest, bool]] = {}
        self._writes: Workers[Key, QuotaStatus] = Workers(
            "annotations", self._write, interval=INTERVAL, yields=self._yields, pause=self._pause
        )

    def apply(self, decisions: Decisions) -> None:
        statuses = decisions.statuses if self._settings.writes_annotations else ()
        found = {status.key: status for status in statuses}
        for key in self._judged.keys() - found.keys():
            del self._judged[key]
        self._writes.replace_changed(found, self._is_news)

    async def run(self) -> None:
        """Write until cancelled."""
        await self._writes.run()

    def _yields(self) -> bool:
        return self._backlog.ungating_many() or self._statuses.is_busy()

    def _pause(self) -> float:
        return PAUSE if self._backlog.ungating_many() else workers.PAUSE

    def _is_news(self, key: Key, status: QuotaStatus) -> bool:
        """Cheap while nothing changes: the same status of the same object needs no second look."""
        stored = self._quotas.get(key)
        if stored is None:
            return False
        past = self._judged.get(key)
        if past is not None and past[1] is stored and past[0] == status:
            return past[2]
        if self._yields():
            return True  # it will have changed again before its turn, and is compared then
        is_news = bool(_difference(status, stored))
        self._judged[key] = (status, stored, is_news)
        return is_news

    async def _write(self, status: QuotaStatus) -> None:
        key = status.key
        stored = self._quotas.get(key)
        change = _difference(status, stored) if stored is not None else {}
        if not change:
            return
        try:
            written = await self._api.patch(
                QUOTAS, key.namespace, key.name, {"metadata": {"annotations": change}}
            )
        except ApiError as error:
            if error.is_not_found or error.is_conflict:
                return  # gone or replaced: the watch shows it, and the next cycle decides again
            raise
        self._quotas.upsert(written)


def _difference(status: QuotaStatus, stored: Manifest) -> dict[str, str]:
    return koordinator_annotations.difference(status, stored["metadata"].get("annotations") or {})
