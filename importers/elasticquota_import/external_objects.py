"""Reads and translates the objects of Kueue, HNC, Volcano and KAI Scheduler.

Their objects are served in several versions, so the group and the kind decide.
"""

from collections.abc import Mapping
from typing import Final

from elasticquota.integrations.translation.translation import Translation
from elasticquota.wire.codec.metadata import SpecManifest, StatusManifest
from elasticquota.wire.kubernetes import resource_quotas
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota_import.manifests import (
    hnc_namespaces,
    kai_queues,
    kueue_queues,
    volcano_queues,
)
from elasticquota_import.pod_queues import PodQueues
from elasticquota_import.sources import Given, Imported
from elasticquota_import.translators import hnc, kai, volcano
from elasticquota_import.translators.kueue import queues as kueue
from elasticquota_import.translators.kueue.queues import KueueObjects


_KUEUE: Final = (
    kueue_queues.COHORT,
    kueue_queues.CLUSTER_QUEUE,
    kueue_queues.LOCAL_QUEUE,
    kueue_queues.FLAVOR,
)
_HNC: Final = (hnc_namespaces.QUOTA, hnc_namespaces.CONFIGURATION, hnc_namespaces.ANCHOR)


def of_kueue(given: Given) -> Imported:
    """Cohorts, ClusterQueues, LocalQueues and ResourceFlavors; at least one of the first two."""
    found = given.of_group(kueue_queues.API, _KUEUE, needed=_KUEUE[:2])
    cohorts, cluster_queues, local_queues, flavors = (found[kind] for kind in _KUEUE)
    objects = KueueObjects(
        tuple(map(kueue_queues.cohort, given.manifests(cohorts, SpecManifest))),
        tuple(map(kueue_queues.cluster_queue, given.manifests(cluster_queues, SpecManifest))),
        tuple(map(kueue_queues.local_queue, given.homed_of(local_queues))),
        tuple(map(kueue_queues.flavor, given.manifests(flavors, SpecManifest))),
        _names(given),
    )
    made = kueue.translate(objects, given.namespace)
    origins = kueue.origins(objects.local_queues)
    return Imported(made, PodQueues(kueue_queues.QUEUE_NAME, True, _quotas(made, origins)))


def of_hnc(given: Given) -> Imported:
    """HierarchicalResourceQuotas, and the objects that say which namespace is whose parent."""
    found = given.of_group(hnc_namespaces.API, _HNC, needed=_HNC[:1])
    quotas, configurations, anchors = (found[kind] for kind in _HNC)
    spaces = given.manifests(given.of_namespaces(), NamespaceManifest)
    parentages = [
        *map(hnc_namespaces.configuration, given.homed_of(configurations)),
        *map(hnc_namespaces.anchor, given.homed_of(anchors)),
        *map(hnc_namespaces.namespace, spaces),
    ]
    hard = map(resource_quotas.read, given.homed_of(quotas))
    return Imported(hnc.translate(hard, filter(None, parentages), given.namespace))


def of_volcano(given: Given) -> Imported:
    """Queues, and Namespaces that name one."""
    kind = volcano_queues.QUEUE
    found = given.of_group(volcano_queues.API, (kind,), needed=(kind,))
    queues = [
        volcano_queues.read(each, _state(each))
        for each in given.manifests(found[kind], StatusManifest)
    ]
    spaces = given.manifests(given.of_namespaces(), NamespaceManifest)
    bound = map(volcano_queues.namespace, spaces)
    made = volcano.translate(queues, bound, given.namespace)
    origins = {("", each.name): volcano.origin(each.name) for each in queues}
    return Imported(made, PodQueues(volcano_queues.QUEUE_NAME, False, _quotas(made, origins)))


def of_kai(given: Given) -> Imported:
    """Queues."""
    kind = kai_queues.QUEUE
    found = given.of_group(kai_queues.API, (kind,), needed=(kind,))
    queues = [kai_queues.read(each) for each in given.manifests(found[kind], SpecManifest)]
    made = kai.translate(queues, given.namespace, _names(given))
    origins = {("", each.name): kai.origin(each.name) for each in queues}
    return Imported(made, PodQueues(kai_queues.QUEUE_NAME, True, _quotas(made, origins)))


def _names(given: Given) -> frozenset[str]:
    """The names of the Namespaces."""
    spaces = given.manifests(given.of_namespaces(), NamespaceManifest)
    return frozenset(each.metadata.name for each in spaces)


def _state(manifest: StatusManifest) -> str:
    state = manifest.status.get("state") if isinstance(manifest.status, dict) else ""
    return state if isinstance(state, str) else ""


def _quotas(
    made: Translation, origins: Mapping[tuple[str, str], str]
) -> dict[tuple[str, str], str]:
    """The names of the quotas that have these origins."""
    called = {origin: name for name, origin in made.origins.items()}
    leaves = {quota.name for quota in made.quotas if not quota.is_parent}
    return {key: called[origin] for key, origin in origins.items() if called.get(origin) in leaves}
