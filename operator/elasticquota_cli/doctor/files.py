"""Reads an inventory from files; "now" is the last moment that the files name.

Parts of the operator that are not in the files are not checked: a missing Lease is no finding.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from elasticquota import names
from elasticquota.wire.admission.admission_policies import MUTATING, VALIDATING
from elasticquota.wire.codec import fields
from elasticquota_cli.doctor import reading
from elasticquota_cli.doctor.inventory import Found, Inventory
from elasticquota_cli.failures import failure
from elasticquota_cli.failures.failure import InputFault
from elasticquota_cli.live.installed import OPERATOR, PART_LABEL
from elasticquota_cli.simulate import documents
from elasticquota_cli.simulate.documents import Document
from elasticquota_config import config_map
from elasticquota_config.model import Configuration
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource


_ABSENT: Final = "not in the files"
_KINDS: Final[Mapping[tuple[str, str], Resource]] = {
    (resource.api_version, kind): resource
    for kind, resource in (
        ("Pod", paths.PODS),
        ("Namespace", paths.NAMESPACES),
        ("Node", paths.NODES),
        ("ConfigMap", paths.CONFIG_MAPS),
        ("ResourceQuota", paths.RESOURCE_QUOTAS),
        ("Deployment", paths.DEPLOYMENTS),
        ("Lease", paths.LEASES),
        ("MutatingWebhookConfiguration", paths.MUTATING_WEBHOOKS),
        ("ValidatingWebhookConfiguration", paths.VALIDATING_WEBHOOKS),
        (VALIDATING, paths.VALIDATING_POLICIES),
        (f"{VALIDATING}Binding", paths.VALIDATING_BINDINGS),
        (MUTATING, paths.MUTATING_POLICIES),
        (f"{MUTATING}Binding", paths.MUTATING_BINDINGS),
        (names.QUOTA_KIND, paths.QUOTAS),
        (names.PROFILE_KIND, paths.PROFILES),
        (names.TREE_KIND, paths.TREES),
        (names.QUEUE_UNIT_KIND, paths.QUEUE_UNITS),
        (names.JOB_QUEUE_KIND, paths.JOB_QUEUES),
    )
}
_WEBHOOKS: Final = (paths.MUTATING_WEBHOOKS, paths.VALIDATING_WEBHOOKS)
_POLICIES: Final = (*paths.POLICIES[VALIDATING], *paths.POLICIES[MUTATING])
_WITHOUT_NAMESPACE: Final = (*_WEBHOOKS, *_POLICIES, paths.NAMESPACES, paths.NODES)
_OF_OPERATOR: Final = (paths.CONFIG_MAPS, paths.DEPLOYMENTS, paths.LEASES)
_OF_CHART: Final = (paths.CONFIG_MAPS, paths.DEPLOYMENTS, *_WEBHOOKS)


def read(files: Sequence[str], chosen: Configuration | None) -> Inventory:
    """Read the files; raises `Failure` with one line for each fault."""
    faults: list[InputFault] = []
    everything = documents.read(files, faults)
    failure.refuse(faults)
    found = _found(everything)
    at = reading.in_force(found, chosen)
    if at.known:
        found.closed.pop(paths.CONFIG_MAPS, None)
    policies = reading.policies_of(at)
    if not any(each in found.objects for each in policies):
        found.closed |= dict.fromkeys(policies, _ABSENT)
    return reading.inventory(found, at, reading.newest(found))


def _found(everything: Sequence[Document]) -> Found:
    found = Found()
    raws: dict[Resource, list[msgspec.Raw]] = {}
    for document in everything:
        resource = _KINDS.get((document.api_version, document.kind))
        if resource is not None and _counts(resource, document):
            raws.setdefault(resource, []).append(msgspec.Raw(_encoded(resource, document)))
    found.objects = dict(raws)
    absent = [each for each in _OF_OPERATOR if each not in raws]
    absent += [] if any(each in raws for each in _WEBHOOKS) else _WEBHOOKS
    found.closed = dict.fromkeys(absent, _ABSENT)
    return found


def _counts(resource: Resource, document: Document) -> bool:
    """Whether the document is read; of kinds that others use too, only objects of the chart are."""
    if resource in _OF_CHART:
        metadata = fields.mapping(document.content.get("metadata"), "metadata", [])
        labels = fields.mapping(metadata.get("labels"), "metadata.labels", [])
        ours = labels.get(PART_LABEL) == OPERATOR
        return ours or metadata.get("name") == config_map.IN_FORCE
    return True


def _encoded(resource: Resource, document: Document) -> bytes:
    content = dict(document.content)
    metadata = content.get("metadata")
    if isinstance(metadata, dict) and resource not in _WITHOUT_NAMESPACE:
        content["metadata"] = {"namespace": "default", **metadata}
    return msgspec.json.encode(content)
