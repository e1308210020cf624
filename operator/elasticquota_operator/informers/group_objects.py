"""Follows the objects of other systems that state the size of pod groups (``pod_groups``).

Each kind is watched once the API server serves it. Only then a pod waits for an object that does
not exist. So are the objects that make several groups one workload. The watch reads and never
writes.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import msgspec

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.group import GroupObject
from elasticquota.model.key import Key
from elasticquota.pod_groups import composites, objects
from elasticquota.pod_groups.adapter import ComposedBy, PodGroupAdapter, SizedBy
from elasticquota.pod_groups.composites import Composite, Composites
from elasticquota_kube.client import paths
from elasticquota_kube.informer.store import InformerHandler, ignore
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.manifest_store import KeptManifest
from elasticquota_operator.context.runnable import run_all
from elasticquota_operator.informers import crd_informer
from elasticquota_operator.informers.crd_informer import CrdInformer


_Stated = tuple[GroupObject, Key | None]
"""A group, and the composite group above it."""


class GroupObjects:
    """``run()`` as a task; all ``filled`` are set once it is known which objects there are."""

    def __init__(
        self,
        context: ControllerContext,
        adapters: Sequence[PodGroupAdapter],
        *,
        every: float = crd_informer.ASKS_EVERY,
    ) -> None:
        self._informers = [
            informer for each in adapters for informer in _informers(context, each, every)
        ]
        self.filled: Sequence[asyncio.Event] = [each.filled for each in self._informers]

    async def run(self) -> None:
        """Watch until canceled; return at once if no kind is to be watched."""
        await run_all(*self._informers)


def _informers(
    context: ControllerContext, adapter: PodGroupAdapter, every: float
) -> Iterator[CrdInformer[KeptManifest]]:
    if adapter.object is None:
        return
    groups = _Groups(context, adapter, adapter.object)
    informer = partial(
        CrdInformer, context.api, every=every, on_restart=context.telemetry.watch_restarted
    )
    yield informer(
        paths.of_kind(adapter.object),
        KeptManifest,
        lambda _: groups.handler,
        on_unread=partial(context.unread, adapter=adapter.name),
    )
    if adapter.composite is not None:
        above = groups.above(adapter.composite)
        yield informer(
            paths.of_kind(adapter.composite),
            KeptManifest,
            lambda _: above,
            on_unread=context.unread,
        )


class _Groups:
    """The groups of one adapter: from its watches into the ledger."""

    def __init__(self, context: ControllerContext, adapter: PodGroupAdapter, kind: SizedBy) -> None:
        self._context = context
        self._ledger: Ledger = context.ledger
        self._adapter = adapter
        self._kind = kind
        self._composites = Composites(adapter.composite)
        self.handler: InformerHandler[KeptManifest, _Stated] = InformerHandler(
            self._read,
            lambda key: self._composites.group(self._source(key)),
            self._change,
            self._synced,
        )

    def above(self, kind: ComposedBy) -> InformerHandler[KeptManifest, Composite]:
        """The handler of the objects above the groups."""
        return InformerHandler(
            lambda manifest: composites.read(msgspec.to_builtins(manifest), self._adapter, kind),
            lambda key: self._composites.composite(self._source(key)),
            self._change_above,
            ignore,
        )

    def _read(self, manifest: KeptManifest) -> _Stated:
        document = msgspec.to_builtins(manifest)
        found = objects.read(document, self._adapter, self._kind)
        return found, composites.parent(document, self._adapter, self._adapter.composite)

    def _change(self, key: Key, _before: _Stated | None, now: _Stated | None) -> None:
        if now is None:
            self._ledger.delete_group_object(self._source(key))
            self._store(self._composites.drop(self._source(key)))
        else:
            self._store(self._composites.put(*now))

    def _change_above(self, key: Key, _before: Composite | None, now: Composite | None) -> None:
        if now is None:
            self._store(self._composites.drop_composite(self._source(key)))
        else:
            self._store(self._composites.put_composite(now))

    def _store(self, changed: Iterable[GroupObject]) -> None:
        for found in changed:
            if self._ledger.group_objects.get(found.key) != found:
                self._ledger.upsert_group_object(found)
        self._context.touch()

    def _synced(self) -> None:
        self._ledger.follow_group_kind(self._adapter.name)
        self._context.touch()

    def _source(self, key: Key) -> Key:
        return Key(key.namespace, f"{self._adapter.name}/{key.name}")
