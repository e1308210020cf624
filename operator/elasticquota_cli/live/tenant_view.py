"""What a user may read who may not read everything: quotas and pods as they are published."""

from typing import Any, Final

import msgspec

from elasticquota.structs import Struct
from elasticquota.wire.kubernetes import pods
from elasticquota_cli.live import listing
from elasticquota_cli.live.listing import Raws
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, Document


_WITHOUT_NAMESPACE: Final = (paths.NODES.plural, paths.NAMESPACES.plural)


class TenantView(Struct, frozen=True):
    """What a user may read who may not read everything."""

    quotas: tuple[Document, ...]
    pods: tuple[pods.PodManifest, ...] | None
    """The pods of the namespace in question; None if they may not be read either."""
    closed: tuple[str, ...]
    """What may not be read, in words."""
    all_quotas: bool
    """Whether the quotas of all namespaces were read."""
    notes: tuple[str, ...] = ()


async def read(api: Api, namespace: str) -> TenantView:
    """Read only what is published: the pods of the namespace, and the quotas. Raises `Failure`."""
    return await of(api, namespace, [], await listing.listed(api, paths.QUOTAS, into=msgspec.Raw))


async def of(api: Api, namespace: str, closed: list[str], everywhere: Raws | None) -> TenantView:
    """The view of a namespace; ``closed`` are the kinds that may not be listed."""
    notes: list[str] = []
    stored, own = everywhere, None
    if namespace:
        own = await listing.listed(api, paths.PODS, namespace, into=msgspec.Raw)
        if stored is None:
            stored = await listing.listed(api, paths.QUOTAS, namespace, into=msgspec.Raw)
    return TenantView(
        quotas=tuple(listing.understood(stored or (), dict[str, Any], paths.QUOTAS.plural, notes)),
        pods=None
        if own is None
        else tuple(listing.understood(own, pods.PodManifest, paths.PODS.plural, notes)),
        closed=tuple(_words(plural, stored) for plural in closed),
        all_quotas=everywhere is not None,
        notes=tuple(notes),
    )


def _words(plural: str, quotas_here: Raws | None) -> str:
    """Adds "of all namespaces", except for cluster-wide kinds, and when no quota may be read."""
    nowhere = plural == paths.QUOTAS.plural and quotas_here is None
    return plural if nowhere or plural in _WITHOUT_NAMESPACE else f"{plural} of all namespaces"
