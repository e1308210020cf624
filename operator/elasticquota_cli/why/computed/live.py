"""Puts the lists of a live cluster into a ledger, as the controller does."""

import time
from collections.abc import Mapping
from typing import TypeVar

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.kubernetes import namespaces, nodes, pods
from elasticquota.wire.quota import profiles, quotas
from elasticquota_cli.live import jobs as live_jobs
from elasticquota_cli.live import listing
from elasticquota_cli.live.listing import Raws
from elasticquota_cli.live.state import LiveState
from elasticquota_cli.simulate import submitted
from elasticquota_cli.why.computed.moment import Inputs
from elasticquota_cli.why.parts import past_pod
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource


T = TypeVar("T")


def inputs(raws: Mapping[Resource, Raws], around: LiveState) -> Inputs:
    """What decisions are made from: the lists of ``readable``, and what else counts."""
    ledger, past = Ledger(), {}
    above: dict[Key, ObjectMeta] = {}
    notes, jobs, groups = [*around.notes], around.jobs, around.groups
    tracker = around.devices.tracker(ledger)

    def objects(resource: Resource, kind: type[T]) -> list[T]:
        return listing.understood(raws[resource], kind, resource.plural, notes)

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
            continue
        tracker.pods.upsert_pod(pod)
        above[pod.key] = manifest.metadata
    tracker.flush()
    groups.store(ledger)
    now = int(time.time() * 1000)
    for job in live_jobs.counted(jobs, list(ledger.pods.values()), now):
        tracker.jobs.upsert_job(job)
    ledger.set_time(now)
    policy = around.configuration.policy()
    return Inputs(
        ledger,
        policy,
        past,
        tuple(notes),
        {key: owner for key, meta in above.items() if (owner := submitted.owner_of(meta))},
        {key: meta.controller for key, meta in above.items() if meta.controller},
    )
