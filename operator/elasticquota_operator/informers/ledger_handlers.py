"""Handlers feed the ledger: each object that an informer shows becomes a value, and the engine
wakes.

Reading is total (``elasticquota.wire``): at worst a value has faults. An object that does not even
have the shape of its kind is reported, and its last good state stays. An object that means the same
as before wakes nothing: kubelets and our own status writes would keep the engine busy.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import msgspec
import structlog

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota.model.namespace import Namespace
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.wire.kubernetes import namespaces, nodes, pods
from elasticquota.wire.quota import profiles, quotas
from elasticquota_kube.informer import reflector


M = TypeVar("M")
V = TypeVar("V", bound=Pod | Node | Namespace | Quota | Profile)

Touch = Callable[[], None]

log = structlog.get_logger(__name__)


class LedgerHandler(Generic[M, V]):
    """The way of one kind into the ledger; a handler for reflectors and stores."""

    def __init__(
        self,
        kind: type[M],
        read: Callable[[M], V | None],
        known: Callable[[Key], V | None],
        put: Callable[[V], None],
        drop: Callable[[Key], None],
        touch: Touch,
    ) -> None:
        """``read`` answers None for objects that count nowhere; they are dropped."""
        self.kind = kind
        self._read = read
        self._known = known
        self._put = put
        self._drop = drop
        self._touch = touch

    def upsert(self, obj: M, /) -> None:
        value = self._read(obj)
        if value is None:
            self.forget(obj.metadata.key)  # type: ignore[attr-defined]  # every manifest has it
        elif self._known(_key(value)) != value:
            self._put(value)
            self._touch()

    def take(self, document: Mapping[str, Any]) -> None:
        """Take in an object that comes as a plain document."""
        try:
            manifest = msgspec.convert(document, self.kind)
        except msgspec.ValidationError as error:
            self.poison(None, error)
            return
        self.upsert(manifest)

    def delete(self, key: reflector.Key, /) -> None:
        self.forget(Key(key.namespace, key.name))

    def forget(self, key: Key) -> None:
        if self._known(key) is not None:
            self._drop(key)
            self._touch()

    def synced(self) -> None:
        self._touch()

    def poison(self, key: reflector.Key | None, error: Exception, /) -> None:
        log.warning("not understood", kind=self.kind.__name__, object=str(key), why=str(error))


def _key(value: Pod | Node | Namespace | Quota | Profile) -> Key:
    return Key("", value.name) if isinstance(value, Node | Namespace) else value.key


def of_pods(
    ledger: Ledger, touch: Touch, job_labels: Sequence[str] = ()
) -> LedgerHandler[pods.PodManifest, Pod]:
    """Finished pods count nowhere. By ``job_labels`` jobs know their pods, the outer ones first."""

    def read(manifest: pods.PodManifest) -> Pod | None:
        return None if manifest.finished else pods.read(manifest, job_labels)

    return LedgerHandler(
        pods.PodManifest, read, ledger.pods.get, ledger.upsert_pod, ledger.delete_pod, touch
    )


def of_nodes(ledger: Ledger, touch: Touch) -> LedgerHandler[nodes.NodeManifest, Node]:
    return LedgerHandler(
        nodes.NodeManifest,
        nodes.read,
        lambda key: ledger.nodes.get(key.name),
        ledger.upsert_node,
        lambda key: ledger.delete_node(key.name),
        touch,
    )


def of_namespaces(
    ledger: Ledger, touch: Touch
) -> LedgerHandler[namespaces.NamespaceManifest, Namespace]:
    return LedgerHandler(
        namespaces.NamespaceManifest,
        namespaces.read,
        lambda key: ledger.namespaces.get(key.name),
        ledger.upsert_namespace,
        lambda key: ledger.delete_namespace(key.name),
        touch,
    )


def of_quotas(ledger: Ledger, touch: Touch) -> LedgerHandler[quotas.QuotaManifest, Quota]:
    return LedgerHandler(
        quotas.QuotaManifest,
        quotas.read,
        ledger.quotas.get,
        ledger.upsert_quota,
        ledger.delete_quota,
        touch,
    )


def of_profiles(ledger: Ledger, touch: Touch) -> LedgerHandler[profiles.ProfileManifest, Profile]:
    return LedgerHandler(
        profiles.ProfileManifest,
        profiles.read,
        ledger.profiles.get,
        ledger.upsert_profile,
        ledger.delete_profile,
        touch,
    )
