"""A neighbour's objects are watched as ours are, once their kind is there.

Whoever switches a dialect on may install the definition later, so its absence is no fault: it is
asked for every ten seconds, and told once. While it is absent nothing is known of the objects and
nothing is done, for an API server that has just started does not serve custom resources at once;
that a definition was taken away is known by the objects that went with it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, Protocol, TypeVar

import structlog

from elasticquota.dialects import ack, capacity, keeping, telling
from elasticquota.dialects.flavors import Flavors
from elasticquota.dialects.pools import Pools
from elasticquota.dialects.telling import Figures, Told
from elasticquota.dialects.translation import Translation
from elasticquota.model.key import Key
from elasticquota.wire import ack_trees, capacity_quotas
from elasticquota.wire.ack_trees import QuotaTree
from elasticquota.wire.capacity_quotas import CapacityQuota
from elasticquota.wire.metadata import StatusManifest
from elasticquota_kube import paths, reflector
from elasticquota_kube.api import Api
from elasticquota_kube.configuration_sections import Dialects
from elasticquota_kube.paths import Resource
from elasticquota_kube.reflector import Reflector
from elasticquota_operator import served


log = structlog.get_logger(__name__)


class _Value(Protocol):
    @property
    def key(self) -> Key: ...


V = TypeVar("V", bound=_Value)


class Followed(Protocol):
    """Whatever quotas are kept in step with."""

    @property
    def name(self) -> str:
        """As it stands in the mark of the quotas."""

    @property
    def is_known(self) -> bool:
        """Whether it can be gone by."""

    @property
    def made(self) -> Translation:
        """What it means, in marked quotas."""

    async def run(self) -> None:
        """Watch until cancelled."""


@dataclass(frozen=True, slots=True)
class Dialect(Generic[V]):
    """How the objects of one kind are read, what they mean and what they are told."""

    name: str
    """As it stands in the mark of kept quotas."""
    resource: Resource
    read: Callable[[StatusManifest], V]
    translate: Callable[[Iterable[V], str, Pools], Translation]
    told: Callable[[Iterable[V], Translation, Iterable[str], Figures], tuple[Told, ...]]


def _ack(flavors: Flavors) -> Dialect[QuotaTree]:
    translate = partial(ack.translate, flavors=flavors)
    return Dialect("ack", paths.TREES, ack_trees.read, translate, telling.trees)


CAPACITY: Final[Dialect[CapacityQuota]] = Dialect(
    "capacity",
    paths.CAPACITY_QUOTAS,
    capacity_quotas.read,
    lambda found, home, _pools: capacity.translate(found, home, together=True),
    telling.capacity_quotas,
)


def chosen(dialects: Dialects) -> Sequence[Dialect[Any]]:
    """Those that are switched on."""
    wanted = ((dialects.ack, _ack(dialects.flavors)), (dialects.capacity, CAPACITY))
    return tuple(found for is_on, found in wanted if is_on)


class Neighbour(Generic[V]):
    """The objects of one dialect; ``run()`` as a task, a sink for its reflector."""

    def __init__(
        self,
        api: Api,
        dialect: Dialect[V],
        home: str,
        touch: Callable[[], None],
        *,
        every: float = served.ASKS_EVERY,
        on_restart: Callable[[Resource, str], None] = lambda _resource, _why: None,
    ) -> None:
        """``home`` is the namespace of the quotas that are made."""
        self.dialect = dialect
        self._api = api
        self._home = home
        self._touch = touch
        self._every = every
        self._reflector = Reflector(
            api, dialect.resource, StatusManifest, self, on_restart=on_restart
        )
        self._values: dict[Key, V] = {}
        self._manifests: dict[Key, StatusManifest] = {}
        self._pools: Pools = {}
        self._made: Translation | None = None

    @property
    def name(self) -> str:
        return self.dialect.name

    @property
    def is_known(self) -> bool:
        """Whether all objects were read once."""
        return self._reflector.synced.is_set()

    @property
    def made(self) -> Translation:
        """What the objects mean."""
        if self._made is None:
            made = self.dialect.translate(self._values.values(), self._home, self._pools)
            self._made = keeping.marked(self.dialect.name, made)
        return self._made

    def go_by(self, pools: Pools) -> None:
        """What trees of their own hang below from now on; that they are the same costs nothing."""
        if pools != self._pools:
            self._pools = pools
            self._made = None

    def told(self, taken: Iterable[str], figures: Figures) -> tuple[Told, ...]:
        """What the objects are to be told."""
        return self.dialect.told(self._values.values(), self.made, taken, figures)

    def stored(self, key: Key) -> StatusManifest | None:
        """The object as it was seen last."""
        return self._manifests.get(key)

    async def run(self) -> None:
        """Watch until cancelled."""
        await served.first(self._api, [self.dialect.resource], self._every)
        await self._reflector.run()

    # -- as a sink

    def upsert(self, obj: StatusManifest, /) -> None:
        key = obj.metadata.key
        value = self.dialect.read(obj)
        self._manifests[key] = obj
        if self._values.get(key) != value:
            self._values[key] = value
            self._made = None
        # Also when it means the same: what we say in its status may have been overwritten.
        self._touch()

    def delete(self, key: reflector.Key, /) -> None:
        gone = Key(key.namespace, key.name)
        self._manifests.pop(gone, None)
        if self._values.pop(gone, None) is not None:
            self._made = None
            self._touch()

    def synced(self) -> None:
        self._touch()

    def poison(self, key: reflector.Key | None, error: Exception, /) -> None:
        log.warning(
            "not understood", kind=self.dialect.resource.plural, object=str(key), why=str(error)
        )
