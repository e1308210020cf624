"""Handlers feed the ledger: each object that an informer shows becomes a value, and the engine
wakes when it is another value.

Reading is total (``elasticquota.wire``): at worst a value has faults. An object that does not even
have the shape of its kind is reported, and its last good state stays.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from elasticquota.devices.tracker import DeviceTracker
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
from elasticquota_kube.informer.store import InformerHandler
from elasticquota_operator.context import manifest_store
from elasticquota_operator.context.manifest_store import Manifest


M = TypeVar("M", bound=reflector.WatchedObject)
V = TypeVar("V", bound=Pod | Node | Namespace | Quota | Profile)

Touch = Callable[[], None]


class LedgerHandler(InformerHandler[M, V]):
    """The way of one kind into the ledger; a handler for reflectors and manifest stores."""

    def __init__(
        self,
        kind: type[M],
        read: Callable[[M], V | None],
        get: Callable[[Key], V | None],
        upsert: Callable[[V], None],
        delete: Callable[[Key], None],
        touch: Touch,
    ) -> None:
        """``read`` returns None for objects that count nowhere; they are dropped."""
        self.kind = kind

        def change(key: Key, _before: V | None, now: V | None) -> None:
            if now is None:
                delete(key)
            else:
                upsert(now)
            touch()

        super().__init__(read, get, change, touch)

    def upsert_manifest(self, manifest: Manifest) -> None:
        """Take in an object that is not decoded."""
        try:
            self.upsert(msgspec.convert(manifest, self.kind))
        except msgspec.ValidationError as error:
            key = manifest_store.identity(manifest)
            reflector.report_undecodable(self.kind.__name__, key, error)

    def on_change(self, key: Key, _before: Manifest | None, now: Manifest | None) -> None:
        """Take in a change of a manifest store."""
        if now is None:
            self._change(key, None)
        else:
            self.upsert_manifest(now)


def of_pods(
    ledger: Ledger,
    touch: Touch,
    job_labels: Sequence[str] = (),
    groups: pods.GroupReader = pods.no_groups,
    devices: DeviceTracker | None = None,
) -> LedgerHandler[pods.PodManifest, Pod]:
    """Finished pods count nowhere. By ``job_labels`` jobs know their pods, the outer ones first.

    ``groups`` reads the pod groups of other systems, ``devices`` adds what claims take.
    """

    def read(manifest: pods.PodManifest) -> Pod | None:
        return None if manifest.finished else pods.read(manifest, job_labels, groups)

    if devices is not None:
        to = devices.pods
        return LedgerHandler(pods.PodManifest, read, to.pod, to.upsert_pod, to.delete_pod, touch)
    return LedgerHandler(
        pods.PodManifest, read, ledger.pods.get, ledger.upsert_pod, ledger.delete_pod, touch
    )


def of_nodes(
    ledger: Ledger, touch: Touch, devices: DeviceTracker | None = None
) -> LedgerHandler[nodes.NodeManifest, Node]:
    if devices is not None:
        to = devices.nodes
        return LedgerHandler(
            nodes.NodeManifest,
            nodes.read,
            lambda key: to.node(key.name),
            to.upsert_node,
            lambda key: to.delete_node(key.name),
            touch,
        )
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
