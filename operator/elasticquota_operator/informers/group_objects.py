"""Follows the objects of other systems that state the size of pod groups (``pod_groups``).

Each kind is watched once the API server serves it. Only then a pod waits for an object that does
not exist. The watch reads and never writes.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.group import GroupObject
from elasticquota.model.key import Key
from elasticquota.pod_groups import objects
from elasticquota.pod_groups.adapter import Adapter, SizedBy
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer.store import InformerHandler
from elasticquota_operator.controller_context import ControllerContext
from elasticquota_operator.informers import crd_informer
from elasticquota_operator.informers.crd_informer import CrdInformer


class _Metadata(msgspec.Struct, rename="camel", gc=False, omit_defaults=True):
    """The fields that are read; the others are dropped."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    labels: Any = None
    annotations: Any = None


class Manifest(msgspec.Struct, gc=False, omit_defaults=True):
    """An object that states the size of groups."""

    metadata: _Metadata = msgspec.field(default_factory=_Metadata)
    spec: Any = None


class GroupObjects:
    """``run()`` as a task; all ``filled`` are set once it is known which objects there are."""

    def __init__(
        self,
        context: ControllerContext,
        adapters: Sequence[Adapter],
        *,
        every: float = crd_informer.ASKS_EVERY,
    ) -> None:
        self._informers = [
            _informer(context, each, each.object, every)
            for each in adapters
            if each.object is not None
        ]
        self.filled: Sequence[asyncio.Event] = [each.filled for each in self._informers]

    async def run(self) -> None:
        """Watch until canceled; return at once if no kind is to be watched."""
        async with asyncio.TaskGroup() as tasks:
            for informer in self._informers:
                tasks.create_task(informer.run())


def _informer(
    context: ControllerContext, adapter: Adapter, kind: SizedBy, every: float
) -> CrdInformer[Manifest]:
    return CrdInformer(
        context.api,
        [Resource(kind.group, version, kind.plural) for version in kind.versions],
        Manifest,
        lambda _: _handler(context, adapter, kind),
        every=every,
        on_restart=context.on_restart,
        on_unread=partial(context.unread, adapter=adapter.name),
    )


def _handler(
    context: ControllerContext, adapter: Adapter, kind: SizedBy
) -> InformerHandler[Manifest, GroupObject]:
    ledger = context.ledger

    def change(key: Key, _before: GroupObject | None, now: GroupObject | None) -> None:
        if now is None:
            ledger.delete_group_object(_source(adapter, key))
        else:
            ledger.upsert_group_object(now)
        context.touch()

    def synced() -> None:
        ledger.follow_group_kind(adapter.name)
        context.touch()

    return InformerHandler(
        lambda manifest: objects.read(msgspec.to_builtins(manifest), adapter, kind),
        partial(_known, ledger, adapter),
        change,
        synced,
    )


def _known(ledger: Ledger, adapter: Adapter, key: Key) -> GroupObject | None:
    return ledger.group_objects.get(_source(adapter, key))


def _source(adapter: Adapter, key: Key) -> Key:
    return Key(key.namespace, f"{adapter.name}/{key.name}")
