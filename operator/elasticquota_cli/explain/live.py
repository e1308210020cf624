"""Reads a live cluster with the user's own credentials: everything, or else a glimpse.

Decisions need all quotas, profiles, nodes, namespaces and pods. A user who may not read one of
these everywhere gets a glimpse: the readable quotas and pods with their published figures. The
lists are read one after the other, so a busy cluster may change between two of them.
"""

import time
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from elasticquota.ledger.ledger import Ledger
from elasticquota.wire.kubernetes import namespaces, nodes, pods
from elasticquota.wire.quota import profiles, quotas
from elasticquota_cli import listing
from elasticquota_cli.explain import live_jobs, live_state, moment
from elasticquota_cli.explain.live_state import Surroundings
from elasticquota_cli.explain.moment import Inputs
from elasticquota_cli.listing import Raws
from elasticquota_config.model import Configuration
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, Document
from elasticquota_kube.client.paths import Resource


T = TypeVar("T")

_WITHOUT_NAMESPACE: Final = (paths.NODES.plural, paths.NAMESPACES.plural)


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What a user may read who may not read everything."""

    quotas: tuple[Document, ...]
    pods: tuple[pods.PodManifest, ...] | None
    """The pods of the namespace in question; None if they may not be read either."""
    closed: tuple[str, ...]
    """What may not be read, in words."""
    all_quotas: bool
    """Whether the quotas of all namespaces were read."""
    notes: tuple[str, ...] = ()


def read(
    cluster: listing.Cluster, namespace: str, chosen: Configuration | None
) -> Inputs | Glimpse:
    """Read the cluster; ``namespace`` is that of the object in question, or empty.

    Without a ``chosen`` configuration that of the operator's ConfigMap counts.
    """
    return live_state.run(cluster, lambda api: _read(api, namespace, chosen))


def glimpse(cluster: listing.Cluster, namespace: str) -> Glimpse:
    """Read only what is published: the pods of the namespace, and the quotas. Raises `Failure`."""

    async def work(api: Api) -> Glimpse:
        return await _glimpse(api, namespace, [], await live_state.listed(api, paths.QUOTAS))

    return live_state.run(cluster, work)


async def _read(api: Api, namespace: str, given: Configuration | None) -> Inputs | Glimpse:
    found = await live_state.ground(api)
    closed = [each.plural for each, listed in found.items() if listed is None]
    if not closed:
        listed = await live_state.listed(api, paths.PODS)
        if listed is not None:
            cluster = {**found, paths.PODS: listed}
            return _scene(cluster, await live_state.surroundings(api, given))
    return await _glimpse(api, namespace, [*closed, paths.PODS.plural], found[paths.QUOTAS])


def _scene(found: dict[Resource, Raws | None], around: Surroundings) -> Inputs:
    ledger, past = Ledger(), {}
    notes, jobs, groups = [*around.notes], around.jobs, around.groups
    tracker = around.devices.tracker(ledger)

    def objects(resource: Resource, kind: type[T]) -> list[T]:
        return listing.understood(found[resource] or (), kind, resource.plural, notes)

    for quota in objects(paths.QUOTAS, quotas.QuotaManifest):
        ledger.upsert_quota(quotas.read(quota))
    for profile in objects(paths.PROFILES, profiles.ProfileManifest):
        ledger.upsert_profile(profiles.read(profile))
    for node in objects(paths.NODES, nodes.NodeManifest):
        tracker.nodes.upsert_node(nodes.read(node))
    for namespace in objects(paths.NAMESPACES, namespaces.NamespaceManifest):
        ledger.upsert_namespace(namespaces.read(namespace))
    for manifest in objects(paths.PODS, pods.PodManifest):
        pod = pods.read(manifest, jobs.labels, groups.of_pod)
        if manifest.finished and manifest.status is not None:
            past[pod.key] = moment.finished(pod, manifest.status.phase)
        else:
            tracker.pods.upsert_pod(pod)
    tracker.flush()
    groups.store(ledger)
    now = int(time.time() * 1000)
    for job in live_jobs.counted(jobs, list(ledger.pods.values()), now):
        tracker.jobs.upsert_job(job)
    ledger.set_time(now)
    return Inputs(ledger, around.configuration.policy(), past, tuple(notes))


async def _glimpse(api: Api, namespace: str, closed: list[str], everywhere: Raws | None) -> Glimpse:
    notes: list[str] = []
    stored, own = everywhere, None
    if namespace:
        own = await live_state.listed(api, paths.PODS, namespace)
        if stored is None:
            stored = await live_state.listed(api, paths.QUOTAS, namespace)
    return Glimpse(
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
