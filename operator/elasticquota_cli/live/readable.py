"""Reads what decisions need, or else what a tenant may read.

Decisions need all quotas, profiles, nodes, namespaces and pods. A user who may not read one of
these everywhere gets a tenant's view: the readable quotas and pods with their published figures.
The lists are read one after the other, so a busy cluster may change between two of them.
"""

import asyncio
from collections.abc import Mapping
from typing import Final

import msgspec

from elasticquota_cli.live import listing, tenant_view
from elasticquota_cli.live.listing import Raws
from elasticquota_cli.live.tenant_view import TenantView
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource


_GROUND: Final = (paths.QUOTAS, paths.PROFILES, paths.NODES, paths.NAMESPACES)


async def ground(api: Api) -> Mapping[Resource, Raws | None]:
    """Quotas, profiles, nodes and namespaces; None for what may not be listed."""
    found = await asyncio.gather(*(listing.listed(api, each, into=msgspec.Raw) for each in _GROUND))
    return dict(zip(_GROUND, found, strict=True))


async def of(api: Api, namespace: str) -> Mapping[Resource, Raws] | TenantView:
    """Read it all; ``namespace`` is that of the object in question, or empty. Raises `Failure`."""
    found = await ground(api)
    closed = [each.plural for each, listed in found.items() if listed is None]
    if not closed:
        pods = await listing.listed(api, paths.PODS, into=msgspec.Raw)
        if pods is not None:
            return {**{each: listed or () for each, listed in found.items()}, paths.PODS: pods}
    return await tenant_view.of(api, namespace, [*closed, paths.PODS.plural], found[paths.QUOTAS])
