"""Follows claims, templates, classes and slices of devices (DRA) once the API server serves them.

The watches read and never write. ``off``, or a server without ``resource.k8s.io/v1``: pods and
nodes go into the ledger unchanged. A class that cannot be counted is logged once, with the reason,
and gets an event.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import structlog

from elasticquota import names
from elasticquota.devices.tracker import DeviceTracker
from elasticquota.model.key import Key
from elasticquota.wire.codec.metadata import StatusManifest
from elasticquota.wire.devices import claims, classes, slices
from elasticquota_cel.selectors import DeviceSelectors
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.events import Regarding
from elasticquota_kube.informer.store import InformerHandler
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.runnable import run_all
from elasticquota_operator.informers.crd_informer import CrdInformer


EVERY: Final = 60.0
"""Seconds between two questions for the kinds; they come with an upgrade of the API server."""

V = TypeVar("V")

log = structlog.get_logger(__name__)


class DeviceObjects:
    """``run()`` as a task; call ``refresh()`` before the ledger is read."""

    def __init__(
        self, context: ControllerContext, *, follows: bool = True, every: float = EVERY
    ) -> None:
        self.tracker: DeviceTracker | None = None
        """Takes the events of pods and nodes; None: devices are not followed."""
        self._context = context
        self._informers: Sequence[CrdInformer[StatusManifest]] = ()
        self._logged: dict[str, str] = {}
        self._reported: dict[str, str] = {}
        """By class, the reports in events."""
        self._unsynced = {"resourceclaims", "resourceclaimtemplates", "deviceclasses"}
        if follows:
            self.tracker = DeviceTracker(context.ledger, DeviceSelectors().matches)
            self._informers = self._following(self.tracker, every)
        self.filled: Sequence[asyncio.Event] = [each.filled for each in self._informers]
        """All set once it is known which objects there are."""

    async def run(self) -> None:
        """Watch until canceled; return at once if devices are not followed."""
        await run_all(*self._informers)

    def refresh(self) -> None:
        """Bring the pods and nodes of the ledger up to date."""
        if self.tracker is None:
            return
        self.tracker.flush()
        reports = self.tracker.nodes.reports()
        for name, why in reports.items():
            if self._logged.get(name) != why:
                log.warning("devices of a class do not count", device_class=name, why=why)
        self._logged = reports
        if self._context.leading() and reports != self._reported:
            self._record(self.tracker, reports)

    def _record(self, tracker: DeviceTracker, reports: dict[str, str]) -> None:
        """Put an event on each class whose report is new."""
        for name, why in reports.items():
            found = tracker.nodes.device_class(name)
            if found is not None and self._reported.get(name) != why:
                self._context.recorder.record(
                    Regarding(names.DEVICE_API, "DeviceClass", "", name, found.uid),
                    "QuotaDevicesNotCounted",
                    f"{why}; such devices do not count in quotas",
                    action="Count",
                    type="Warning",
                )
        self._reported = reports

    def _following(self, tracker: DeviceTracker, every: float) -> list[CrdInformer[StatusManifest]]:
        pods, nodes = tracker.pods, tracker.nodes

        def informer(
            plural: str,
            read: Callable[[StatusManifest], V | None],
            get: Callable[[Key], V | None],
            upsert: Callable[[V], None],
            delete: Callable[[Key], None],
        ) -> CrdInformer[StatusManifest]:
            def change(key: Key, _before: V | None, now: V | None) -> None:
                if now is None:
                    delete(key)
                else:
                    upsert(now)
                self._context.touch()

            handler = InformerHandler(read, get, change, lambda: self._synced(plural))
            return CrdInformer(
                self._context.api,
                [Resource(names.DEVICE_GROUP, names.DEVICE_VERSION, plural)],
                StatusManifest,
                lambda _: handler,
                every=every,
                on_restart=self._context.telemetry.watch_restarted,
                on_unread=self._context.unread,
            )

        return [
            informer(
                "deviceclasses",
                classes.read,
                lambda key: nodes.device_class(key.name),
                nodes.upsert_class,
                lambda key: nodes.delete_class(key.name),
            ),
            informer(
                "resourceslices",
                slices.read,
                lambda key: nodes.slice(key.name),
                nodes.upsert_slice,
                lambda key: nodes.delete_slice(key.name),
            ),
            informer(
                "resourceclaimtemplates",
                claims.read_template,
                pods.template,
                pods.upsert_template,
                pods.delete_template,
            ),
            informer(
                "resourceclaims", claims.read, pods.claim, pods.upsert_claim, pods.delete_claim
            ),
        ]

    def _synced(self, plural: str) -> None:
        """Only when all claims and classes are known, a missing one holds a pod."""
        self._unsynced.discard(plural)
        if self.tracker is not None and not self._unsynced:
            self.tracker.pods.follow()
        self._context.touch()
