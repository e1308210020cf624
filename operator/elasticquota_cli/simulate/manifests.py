"""Turns manifests into domain objects, kind by kind; what cannot be understood is a fault.

Quotas and profiles stay documents until they are applied, because an object that is applied again
keeps the labels and annotations that the new manifest does not mention. Kinds that do not concern
quotas are counted and skipped. ``$patch: delete`` deletes an object.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from elasticquota import names
from elasticquota.jobs.kinds import table
from elasticquota.model.claims import ClaimTemplate, DeviceClaim
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.pod_groups import reading
from elasticquota.structs import replace
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.codec.metadata import StatusManifest
from elasticquota.wire.devices import claims, classes, dumped, slices
from elasticquota.wire.kubernetes import namespaces, nodes, pods
from elasticquota.wire.quota import pod_groups, profiles, queued_jobs, quotas
from elasticquota_cli.failures.failure import InputFault
from elasticquota_cli.simulate import passed_over, shape, submitted, workloads
from elasticquota_cli.simulate.documents import Document
from elasticquota_cli.simulate.group_documents import GroupDocuments
from elasticquota_cli.simulate.objects import DeviceObject, Objects, Placed, PriorityClass, Removal
from elasticquota_cli.simulate.submitted import SubmittedObjects
from elasticquota_config import config_map, model
from elasticquota_config.model import Configuration


DIRECTIVE: Final = "$patch"
DELETE: Final = "delete"
_STAYING: Final = frozenset({"Namespace", "PriorityClass"})
WITHOUT_NAMESPACE: Final = frozenset(
    {"Node", "Namespace", "PriorityClass", "DeviceClass", "ResourceSlice"}
)


class _StoredPriorityClass(msgspec.Struct, rename="camel", gc=False):
    value: int = 0
    global_default: bool | None = None


def read(
    documents: list[Document], faults: list[InputFault], chosen: Configuration | None = None
) -> Objects:
    """Read all documents, with a fault for each that cannot be understood.

    ``chosen`` says which jobs and pod groups there are, in preference to the configuration among
    the documents.
    """
    objects = Objects()
    for document in filter(_is_in_force, documents):
        objects.configuration = _configuration(document, faults)
    configuration = chosen or objects.configuration or Configuration()
    objects.job_labels = table.labels(configuration.kinds_of_jobs())
    objects.groups = reading.reader(configuration.group_adapters())
    groups = GroupDocuments(configuration.group_adapters())
    for number, document in enumerate(documents):
        if _is_in_force(document):
            continue
        objects.passed_over += passed_over.of(document)
        if groups.take(document):
            continue
        reader = _READERS.get((document.api_version, document.kind))
        if reader is None:
            objects.skipped[document.kind, document.api_version] += 1
            continue
        key = _key(document, number, faults)
        if key is None:
            continue
        directive = document.content.get(DIRECTIVE)
        if directive is None:
            own_faults: list[InputFault] = []
            reader(document, key, objects, own_faults)
            # What a cluster has stored is no mistake of who simulates it, and counts as there.
            stored = _is_stored(document)
            objects.notes += map(str, own_faults if stored else ())
            faults += () if stored else own_faults
        elif document.kind in _STAYING:
            problem = f"a {document.kind} cannot be deleted here; delete what uses it"
            faults.append(document.fault(problem, DIRECTIVE))
        elif directive == DELETE:
            objects.removals.append(Removal(document.kind, key, document.where))
        else:
            faults.append(document.fault(f"must be {DELETE}, got {directive}", DIRECTIVE))
    groups.store(objects)
    return objects


def is_read(document: Document) -> bool:
    """Whether objects of its kind have a part in the simulation."""
    return (document.api_version, document.kind) in _READERS or _is_in_force(document)


def _is_in_force(document: Document) -> bool:
    metadata = document.content.get("metadata")
    return (
        (document.api_version, document.kind) == ("v1", "ConfigMap")
        and isinstance(metadata, dict)
        and metadata.get("name") == config_map.IN_FORCE
    )


def _is_stored(document: Document) -> bool:
    """Whether it is of a cluster; a document that stands for a job or a group is not."""
    metadata = document.content.get("metadata")
    in_place = document.api_version == pod_groups.API
    return not in_place and isinstance(metadata, dict) and bool(metadata.get("uid"))


def _configuration(document: Document, faults: list[InputFault]) -> Configuration | None:
    where = f"data.{config_map.CONFIGURATION}"
    unread: list[Fault] = []
    data = fields.mapping(document.content.get("data"), "data", unread)
    text = data.get(config_map.CONFIGURATION)
    found = None
    if isinstance(text, str):
        try:
            found = model.parse(text)
        except model.ConfigurationError as error:
            unread += [Fault(where, str(fault)) for fault in error.faults]
    elif not unread:
        unread.append(fields.mismatch(where, "a text", text))
    faults.extend(document.located(unread))
    return found


class _NamedManifest(msgspec.Struct, rename="camel", gc=False):
    name: str | None = None
    generate_name: str | None = None
    namespace: str | None = None


class _ManifestHead(msgspec.Struct, gc=False):
    metadata: _NamedManifest | None = None


def _key(document: Document, number: int, faults: list[InputFault]) -> Key | None:
    head = shape.convert(document, _ManifestHead, faults)
    if head is None:
        return None
    metadata = head.metadata or _NamedManifest()
    name = metadata.name or (metadata.generate_name and f"{metadata.generate_name}{number}")
    if not name:
        faults.append(document.fault("must be given", "metadata.name"))
        return None
    if document.kind in WITHOUT_NAMESPACE:
        return Key("", name)
    return Key(metadata.namespace or "default", name)


def _priority_class(
    document: Document, key: Key, objects: Objects, faults: list[InputFault]
) -> None:
    found = shape.convert(document, _StoredPriorityClass, faults)
    if found is not None:
        default = bool(found.global_default)
        objects.priority_classes.append(PriorityClass(key.name, found.value, default))


def _namespace(document: Document, key: Key, objects: Objects, faults: list[InputFault]) -> None:
    found = shape.convert(document, namespaces.NamespaceManifest, faults)
    if found is not None:
        found.metadata.name = key.name
        objects.namespaces.append(namespaces.read(found))


def _node(document: Document, key: Key, objects: Objects, faults: list[InputFault]) -> None:
    manifest = shape.convert(document, nodes.NodeManifest, faults)
    if manifest is None:
        return
    manifest.metadata.name = key.name
    unread: list[Fault] = []
    status = fields.mapping(document.content.get("status"), "status", unread)
    allocatable = fields.mapping(status.get("allocatable"), "status.allocatable", unread)
    reported = bool(status.get("conditions"))
    if not (allocatable or unread or reported):
        faults.append(document.fault("must say what the node offers", "status.allocatable"))
        return
    amounts.read_any(allocatable, "status.allocatable", unread)
    if allocatable and names.PODS not in allocatable and not reported:
        # Without it no pod fits on the node, which is surely not intended.
        unread.append(Fault(f"status.allocatable.{names.PODS}", "must be given, usually 110"))
    faults.extend(document.located(unread))
    # No kubelet reports on a node that was written by hand: it counts as ready.
    node = dumped.node(nodes.read(manifest), manifest.metadata.annotations or {})
    objects.nodes.append(node if reported else replace(node, ready=True))


def _profile(document: Document, key: Key, objects: Objects, faults: list[InputFault]) -> None:
    if shape.convert(document, profiles.ProfileManifest, faults) is not None:
        objects.profiles.append(Placed(key, document))


def _quota(document: Document, key: Key, objects: Objects, faults: list[InputFault]) -> None:
    if shape.convert(document, quotas.QuotaManifest, faults) is not None:
        objects.quotas.append(Placed(key, document))


def _pod(document: Document, key: Key, objects: Objects, faults: list[InputFault]) -> None:
    manifest = shape.convert(document, submitted.SubmittedPod, faults)
    if manifest is None or manifest.finished:
        return
    manifest.metadata.namespace, manifest.metadata.name = key
    live = manifest.metadata.uid != ""
    if manifest.metadata.deleting and not live:
        return
    priority_class = "" if live or manifest.spec is None else manifest.spec.priority_class
    pod = pods.read(manifest, objects.job_labels, objects.groups)
    seen = (manifest.metadata.annotations or {}).get(pod_groups.ANNOTATION)
    if seen:
        pod = replace(pod, group=pod_groups.group(seen))
    pod = dumped.pod(pod, manifest.metadata.annotations or {})
    faults.extend(document.located(pod.faults))
    owner = submitted.owner_of(manifest.metadata)
    objects.pods.append(SubmittedObjects(pod, owner, priority_class, live, document.where))


def _queued_job(document: Document, key: Key, objects: Objects, faults: list[InputFault]) -> None:
    manifest = shape.convert(document, queued_jobs.QueuedJobManifest, faults)
    if manifest is None:
        return
    manifest.metadata.namespace, manifest.metadata.name = key
    unread: list[Fault] = []
    found = queued_jobs.read(manifest, unread)
    faults.extend(document.located(unread))
    objects.jobs.append(found)


def _group_object(document: Document, key: Key, objects: Objects, faults: list[InputFault]) -> None:
    manifest = shape.convert(document, pod_groups.GroupSizeManifest, faults)
    if manifest is not None:
        objects.group_objects.append(replace(manifest.spec, key=key))


def _group_kind(_document: Document, key: Key, objects: Objects, _faults: list[InputFault]) -> None:
    objects.group_kinds.add(key.name)


def _unread(document: Document, _key: Key, objects: Objects, faults: list[InputFault]) -> None:
    manifest = shape.convert(document, pod_groups.UnreadManifest, faults)
    if manifest is not None:
        objects.unread.append(manifest.spec)


def _workload(document: Document, key: Key, objects: Objects, faults: list[InputFault]) -> None:
    found = workloads.read(document, key, faults, objects.groups)
    if found is not None:
        objects.workloads.append(found)


def _devices(document: Document, key: Key, objects: Objects, faults: list[InputFault]) -> None:
    manifest = shape.convert(document, StatusManifest, faults)
    if manifest is None:
        return
    manifest.metadata.namespace, manifest.metadata.name = key
    found = _DEVICES[document.kind](manifest)
    unread = found.spec.faults if isinstance(found, DeviceClaim | ClaimTemplate) else found.faults
    faults.extend(document.located(unread))
    objects.devices.append(found)


_DEVICES: Final[dict[str, Callable[[StatusManifest], DeviceObject]]] = {
    "DeviceClass": classes.read,
    "ResourceSlice": slices.read,
    "ResourceClaim": claims.read,
    "ResourceClaimTemplate": claims.read_template,
}
_Reader = Callable[[Document, Key, Objects, list[InputFault]], None]
_READERS: Final[dict[tuple[str, str], _Reader]] = {
    ("scheduling.k8s.io/v1", "PriorityClass"): _priority_class,
    ("v1", "Namespace"): _namespace,
    ("v1", "Node"): _node,
    (names.PROFILE_API, names.PROFILE_KIND): _profile,
    (names.QUOTA_API, names.QUOTA_KIND): _quota,
    ("v1", "Pod"): _pod,
    (pod_groups.API, queued_jobs.KIND): _queued_job,
    (pod_groups.API, pod_groups.SIZE): _group_object,
    (pod_groups.API, pod_groups.FOLLOWED): _group_kind,
    (pod_groups.API, pod_groups.UNREAD): _unread,
    **{(names.DEVICE_API, kind): _devices for kind in _DEVICES},
    **dict.fromkeys(workloads.KINDS, _workload),
}
