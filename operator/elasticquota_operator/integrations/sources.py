"""External objects are watched as ours are, once their kind is served.

An administrator may enable an integration before its definition is installed, so the absence is no
error: the kind is tried every ten seconds, and reported once. While it is absent nothing is done,
because an API server that has just started does not serve custom resources at once; a definition
that was removed is noticed by the objects that went with it.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

import msgspec

from elasticquota import names
from elasticquota.integrations import capacity, source_status
from elasticquota.integrations.ack import trees
from elasticquota.integrations.ack.flavors import Flavors
from elasticquota.integrations.ack.pools import Kinds, Pools
from elasticquota.integrations.source_status import Figures, SourceStatus
from elasticquota.integrations.translation.translation import Translation
from elasticquota.model.key import Key
from elasticquota.structs import Struct
from elasticquota.wire.codec.metadata import SpecManifest, StatusManifest
from elasticquota.wire.integrations import ack_trees, capacity_quotas
from elasticquota.wire.integrations.ack_trees import QuotaTree
from elasticquota.wire.integrations.capacity_quotas import CapacityQuota
from elasticquota_config.sections.dialects import Dialects
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer.store import FanOut, Store
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.informers import crd_informer
from elasticquota_operator.informers.crd_informer import CrdInformer


class _Value(Protocol):
    @property
    def key(self) -> Key: ...


V = TypeVar("V", bound=_Value)


class QuotaSource(Protocol):
    """Whatever quotas are kept in step with."""

    @property
    def name(self) -> str:
        """As it stands in the mark of the quotas."""

    @property
    def is_known(self) -> bool:
        """Whether it can be gone by."""

    @property
    def made(self) -> Translation:
        """What it means."""

    async def run(self) -> None:
        """Watch until cancelled."""


class Dialect(Struct, Generic[V], frozen=True):
    """How the objects of one kind are read, what they mean and what their status says."""

    name: str
    """As it stands in the mark of kept quotas."""
    resource: Resource
    read: Callable[[SpecManifest], V]
    translate: Callable[[Iterable[V], str, Pools, Kinds], Translation]
    source_statuses: Callable[
        [Iterable[V], Translation, Iterable[str], Figures], tuple[SourceStatus, ...]
    ]


def _ack(flavors: Flavors) -> Dialect[QuotaTree]:
    def translate(found: Iterable[QuotaTree], home: str, pools: Pools, kinds: Kinds) -> Translation:
        return trees.translate(found, home, pools, flavors, kinds)

    return Dialect("ack", paths.TREES, ack_trees.read, translate, source_status.trees)


CAPACITY: Final[Dialect[CapacityQuota]] = Dialect(
    names.CAPACITY,
    paths.CAPACITY_QUOTAS,
    capacity_quotas.read,
    lambda found, home, _pools, _kinds: capacity.translate(found, home, together=True),
    source_status.capacity_quotas,
)


def chosen(dialects: Dialects) -> Sequence[Dialect[Any]]:
    """Those that are switched on."""
    wanted = ((dialects.ack, _ack(dialects.flavors)), (dialects.capacity, CAPACITY))
    return tuple(found for is_on, found in wanted if is_on)


class ExternalSource(Generic[V]):
    """The objects of one dialect; ``run()`` as a task."""

    def __init__(
        self,
        context: ControllerContext,
        dialect: Dialect[V],
        *,
        every: float = crd_informer.ASKS_EVERY,
    ) -> None:
        self.dialect = dialect
        self._home = context.settings.home
        self._values: Store[StatusManifest, V] = Store(dialect.read, lambda *_: self._forget())
        # Also when an object means the same: what we say in its status may have been overwritten.
        # Of a large tree the decoded spec has megabytes, and it is read already.
        self._manifests: Store[StatusManifest, StatusManifest] = Store(
            lambda obj: msgspec.structs.replace(obj, spec=None),
            lambda *_: context.touch(),
            on_synced=context.touch,
        )
        self._informer = CrdInformer(
            context.api,
            [dialect.resource],
            StatusManifest,
            lambda _: FanOut(self._values, self._manifests),
            every=every,
            on_restart=context.telemetry.watch_restarted,
            on_unread=context.unread,
        )
        self._pools: Pools = {}
        self._kinds: Kinds = {}
        self._made: Translation | None = None
        """None: it has to be made again."""

    @property
    def name(self) -> str:
        return self.dialect.name

    @property
    def is_known(self) -> bool:
        """Whether all objects were read once."""
        return self._informer.has_synced

    @property
    def made(self) -> Translation:
        """What the objects mean."""
        if self._made is None:
            self._made = self.dialect.translate(
                self._values.list(), self._home, self._pools, self._kinds
            )
        return self._made

    def reconfigure(self, pools: Pools, kinds: Kinds) -> None:
        """What trees of their own hang below from now on; that they are the same costs nothing."""
        if (pools, kinds) != (self._pools, self._kinds):
            self._pools, self._kinds = pools, kinds
            self._made = None

    def source_statuses(self, taken: Iterable[str], figures: Figures) -> tuple[SourceStatus, ...]:
        """The status of the objects."""
        return self.dialect.source_statuses(self._values.list(), self.made, taken, figures)

    def stored(self, key: Key) -> StatusManifest | None:
        """The object as it was seen last, without its spec."""
        return self._manifests.get(key)

    async def run(self) -> None:
        """Watch until cancelled."""
        await self._informer.run()

    def _forget(self) -> None:
        self._made = None
