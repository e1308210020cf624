"""Reads whole lists of a live cluster, which may take a while."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import msgspec

from elasticquota_cli.failures import refusal
from elasticquota_cli.failures.failure import Failure
from elasticquota_cli.live import listing
from elasticquota_cli.live.listing import Raws
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError


T = TypeVar("T")

_SECONDS: Final = 30.0
"""Timeout for one page of a list."""


def run(cluster: listing.Cluster, work: Callable[[Api], Awaitable[T]]) -> T:
    """The result of ``work``, whose lists may take a while; raises `Failure`."""
    try:
        return cluster.run(lambda api: work(api.within(_SECONDS)))
    except RecursionError:
        raise Failure("cannot read the cluster: an object is nested too deeply") from None


async def listed(api: Api, resource: Resource, namespace: str | None = None) -> Raws | None:
    """All objects, undecoded; None when that is forbidden."""
    try:
        return await listing.of(api, resource, namespace, into=msgspec.Raw)
    except ApiError:
        raise Failure(refusal.unknown(resource)) from None
