"""Reads a live cluster with the user's own credentials; forbidden kinds are noted, not fatal.

If the user may not read a kind in all namespaces, only the namespace in question is read.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from elasticquota import names
from elasticquota.model import definition_fields
from elasticquota.model.unread import Unread
from elasticquota_cli.doctor import reading
from elasticquota_cli.doctor.inventory import Found, InForce, Inventory
from elasticquota_cli.failures.failure import Failure
from elasticquota_cli.live import listing
from elasticquota_cli.live.configuration import OF_OPERATOR
from elasticquota_cli.live.listing import Cluster
from elasticquota_config.model import Configuration
from elasticquota_kube.client import discovery, paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.login import Login
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError


_OF_NAMESPACES: Final = (paths.QUOTAS, paths.PROFILES, paths.PODS, paths.RESOURCE_QUOTAS)
_OF_CLUSTER: Final = (paths.QUEUE_UNITS, paths.JOB_QUEUES, paths.NAMESPACES, paths.TREES)
_WEBHOOKS: Final = (paths.MUTATING_WEBHOOKS, paths.VALIDATING_WEBHOOKS)
_MUST_BE_THERE: Final = {paths.QUOTAS: names.QUOTA_KIND, paths.PROFILES: names.PROFILE_KIND}
_SYSTEM: Final = "kube-system"
_AUTOSCALER_STATUS: Final = {"fieldSelector": "metadata.name=cluster-autoscaler-status"}
_FORBIDDEN: Final = "you may not read them"


def read(
    login: Login, namespace: str, chosen: Configuration | None, *, operator: bool = False
) -> Inventory:
    """Read the cluster, or only what concerns the ``operator``; raises `Failure`.

    ``chosen`` replaces the operator's ConfigMap.
    """
    return Cluster(login).read(lambda api: _read(api, namespace, chosen, operator=operator))


async def _read(
    api: Api, namespace: str, chosen: Configuration | None, *, operator: bool
) -> Inventory:
    collected = Found()
    if namespace:
        await _must_be_there(api, namespace)
    await _take(collected, api, paths.CONFIG_MAPS, namespace, params=OF_OPERATOR)
    if chosen is not None:
        collected.closed.pop(paths.CONFIG_MAPS, None)
    at = reading.in_force(collected, chosen)
    asked = (paths.PROVISIONING_REQUESTS,) if at.chosen.provisioning.class_name else ()
    of_namespaces = tuple(_MUST_BE_THERE) if operator else _OF_NAMESPACES
    of_cluster = () if operator else (*_OF_CLUSTER, *asked)
    named = {"fieldSelector": f"metadata.name={at.chosen.lease.name}"}
    await asyncio.gather(
        *(_take(collected, api, each, namespace) for each in of_namespaces),
        *(_take(collected, api, each) for each in of_cluster),
        _take(collected, api, paths.DEPLOYMENTS, namespace, params=OF_OPERATOR),
        *(_take(collected, api, each, params=OF_OPERATOR) for each in _WEBHOOKS),
        *(_take(collected, api, each) for each in reading.policies_of(at)),
        _take(collected, api, paths.LEASES, at.home, params=named),
    )
    if not operator:
        await _take_nodes(collected, api)
        await _take_authority(collected, api, at)
    await asyncio.gather(
        *(_take_fields(collected, api, *each) for each in _MUST_BE_THERE.items()),
        *(_take_versions(collected, api, *each) for each in sorted(_of_others(at.chosen))),
    )
    return reading.inventory(collected, at, int(time.time() * 1000))


def _of_others(chosen: Configuration) -> Iterator[tuple[str, str, tuple[str, ...], str]]:
    """Group, plural and versions of each kind that is read, and the adapter of pod groups."""
    for each in chosen.group_adapters():
        if each.object is not None:
            yield each.object.group, each.object.plural, each.object.versions, each.name
    for kind in chosen.adapters():
        yield kind.group, kind.plural, kind.versions, ""


async def _take_versions(
    collected: Found, api: Api, group: str, plural: str, read: tuple[str, ...], adapter: str
) -> None:
    """Ask in which versions a kind is served, and note it if none of them is read."""
    definition = f"{plural}.{group}"
    try:
        served = await discovery.instead(api, group, plural, read)
    except ApiError as error:
        collected.notes.append(f"not checked: the versions of {definition} ({error.reason})")
        return
    if served:
        collected.unread.append(Unread(definition, served, read, adapter))


async def _take_fields(collected: Found, api: Api, resource: Resource, kind: str) -> None:
    """Note the fields of ours that the definition does not have."""
    try:
        lacking = await discovery.lacking(api, resource, kind, definition_fields.FIELDS[kind])
    except ApiError as error:
        if not error.is_not_found:
            collected.notes.append(f"not checked: the fields of {resource.plural} ({error.reason})")
        return
    if lacking:
        collected.lacking[resource] = lacking


async def _take_nodes(collected: Found, api: Api) -> None:
    """Read nodes where there are profiles, and what shows an autoscaler where one asks for it."""
    said = list(reading.profiles_of(collected))
    if said:
        await _take(collected, api, paths.NODES)
    if any(each.capacity.elastic for each in said):
        await _take(collected, api, paths.KARPENTER_POOLS)
        listed = await listing.of(
            api, paths.CONFIG_MAPS, _SYSTEM, into=msgspec.Raw, params=_AUTOSCALER_STATUS
        )
        collected.has_autoscaler_status = None if listed is None else bool(listed)
        if listed is None:
            collected.notes.append(
                f"not checked: autoscalers (configmaps of {_SYSTEM}: {_FORBIDDEN})"
            )


async def _take_authority(collected: Found, api: Api, at: InForce) -> None:
    """Look whether the Secret with the webhook's authority is there; its data is not read."""
    webhook = at.chosen.webhook
    if not (at.known and at.home and webhook.certificates.mode == "self"):
        return
    try:
        kept = await api.get(
            paths.SECRETS, at.home, webhook.ca_secret, into=msgspec.Raw, metadata_only=True
        )
        collected.objects[paths.SECRETS] = (kept,)
    except ApiError as error:
        if error.is_not_found:
            collected.objects[paths.SECRETS] = ()
        else:
            collected.closed[paths.SECRETS] = _FORBIDDEN


async def _must_be_there(api: Api, namespace: str) -> None:
    """Check that the namespace exists, because a misspelled one would give no findings.

    Raises `Failure`. Other errors are ignored here; the lists that follow report them.
    """
    try:
        await api.get(paths.NAMESPACES, None, namespace)
    except ApiError as error:
        if error.is_not_found:
            raise Failure(f"there is no namespace '{namespace}'") from None


async def _take(
    collected: Found,
    api: Api,
    resource: Resource,
    namespace: str = "",
    *,
    params: Mapping[str, str] = {},
) -> None:
    """Read all objects, or those of ``namespace`` if the others are forbidden."""
    listed = None
    try:
        listed = await listing.of(api, resource, into=msgspec.Raw, params=params)
        if listed is None and namespace:
            listed = await listing.of(api, resource, namespace, into=msgspec.Raw, params=params)
            if not listed and params is OF_OPERATOR:
                listed = None  # the chart may be in a namespace that was not read
            if listed is not None:
                collected.partly.add(resource)
    except ApiError as error:
        listed = ()
        if resource in _MUST_BE_THERE:
            collected.missing.add(resource)
        elif error.is_not_found:
            collected.not_served.add(resource)
    if listed is None:
        collected.closed[resource] = _FORBIDDEN
    else:
        collected.objects[resource] = listed
