"""Reads a live cluster with the user's own credentials: everything, or else what a tenant may read.

Decisions need all quotas, profiles, nodes, namespaces and pods. A user who may not read one of
these everywhere gets a tenant's view: the readable quotas and pods with their published figures.
The lists are read one after the other, so a busy cluster may change between two of them.
"""

import time
from typing import TypeVar

from elasticquota.ledger.ledger import Ledger
from elasticquota.wire.kubernetes import namespaces, nodes, pods
from elasticquota.wire.quota import profiles, quotas
from elasticquota_cli import listing
from elasticquota_cli.explain import lists, live_jobs, live_state, tenant_view
from elasticquota_cli.explain.live_state import LiveState
from elasticquota_cli.explain.moment import Inputs
from elasticquota_cli.explain.parts import past_pod
from elasticquota_cli.explain.tenant_view import TenantView
from elasticquota_cli.listing import Raws
from elasticquota_config.model import Configuration
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource


T = TypeVar("T")


def read(
    cluster: listing.Cluster, namespace: str, chosen: Configuration | None
) -> Inputs | TenantView:
    """Read the cluster; ``namespace`` is that of the object in question, or empty.

    Without a ``chosen`` configuration that of the operator's ConfigMap counts.
    """
    return lists.run(cluster, lambda api: _read(api, namespace, chosen))


async def _read(api: Api, namespace: str, given: Configuration | None) -> Inputs | TenantView:
    found = await live_state.ground(api)
    closed = [each.plural for each, listed in found.items() if listed is None]
    if not closed:
        listed = await lists.listed(api, paths.PODS)
        if listed is not None:
            cluster = {**found, paths.PODS: listed}
            return _scene(cluster, await live_state.read(api, given))
    return await tenant_view.of(api, namespace, [*closed, paths.PODS.plural], found[paths.QUOTAS])


def _scene(found: dict[Resource, Raws | None], around: LiveState) -> Inputs:
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
            past[pod.key] = past_pod.finished(pod, manifest.status.phase)
        else:
            tracker.pods.upsert_pod(pod)
    tracker.flush()
    groups.store(ledger)
    now = int(time.time() * 1000)
    for job in live_jobs.counted(jobs, list(ledger.pods.values()), now):
        tracker.jobs.upsert_job(job)
    ledger.set_time(now)
    return Inputs(ledger, around.configuration.policy(), past, tuple(notes))
