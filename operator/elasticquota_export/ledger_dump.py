"""Writes the objects of a ledger as manifests that read back as the same values.

So the state of one moment can be examined elsewhere: ``simulate -f`` and ``explain -f`` read these
manifests like the output of kubectl. Custom resources are written as stored. Of pods, nodes and
namespaces the ledger keeps only what quotas need, so a pod has one container with the whole
request (with the devices of its claims), and neither images nor environment. Of queued jobs only
what is counted is written (``wire.quota.queued_jobs``), and so of the groups of other systems
(``wire.quota.pod_groups``).
Left out is what no manifest holds: how long a quota has been over
its runtime, and the expected results of requests under way, except that an annotation names these
requests. A ConfigMap holds the version and the configuration in force.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from elasticquota import names, resources
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.group import Group
from elasticquota.model.namespace import Namespace
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.structs import replace
from elasticquota.wire.codec import amounts
from elasticquota.wire.devices import dumped
from elasticquota.wire.kubernetes import constraints, holders
from elasticquota.wire.quota import pod_groups, queued_jobs
from elasticquota_config import config_map, text
from elasticquota_config.model import Configuration


Manifest = Mapping[str, Any]


def objects(
    ledger: Ledger, profiles: Iterable[Manifest], quotas: Iterable[Manifest]
) -> Iterator[Manifest]:
    """All objects at the time of the call, even if read later; custom resources as stored."""
    # The values are immutable; the mappings that hold them are not.
    pods = tuple((found, _expected(ledger, found.uid)) for found in ledger.pods.values())
    jobs = tuple((found, _expected(ledger, found.uid)) for found in ledger.jobs.values())
    groups = tuple(ledger.group_objects.values())
    kinds = tuple(sorted(ledger.group_kinds))
    unread = tuple(ledger.unread.values())
    parts = (
        [_stored(names.PROFILE_API, names.PROFILE_KIND, found) for found in profiles],
        [_stored(names.QUOTA_API, names.QUOTA_KIND, found) for found in quotas],
        map(node, tuple(ledger.nodes.values())),
        map(namespace, tuple(ledger.namespaces.values())),
        itertools.starmap(pod, pods),
        itertools.starmap(queued_jobs.manifest, jobs),
        map(pod_groups.manifest, groups),
        map(pod_groups.followed, kinds),
        map(pod_groups.unread, unread),
    )
    return itertools.chain.from_iterable(parts)


def in_force(chosen: Configuration, namespace: str) -> Manifest:
    """A ConfigMap with the configuration in force, in the controller's namespace."""
    # A reader of the file cannot know which namespace was the controller's own.
    spaces = dict.fromkeys((*chosen.system_namespaces, namespace))
    whole = replace(chosen, system_namespaces=tuple(spaces))
    version = metadata.version("elastic-quota-operator")
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "namespace": namespace,
            "name": config_map.IN_FORCE,
            "labels": {"app.kubernetes.io/version": version},
        },
        "data": {config_map.CONFIGURATION: text.effective(whole)},
    }


def _stored(api: str, kind: str, manifest: Manifest) -> Manifest:
    """The manifest without managed fields; api and kind are added, because list items lack them."""
    said = {key: value for key, value in manifest["metadata"].items() if key != "managedFields"}
    return {**manifest, "apiVersion": api, "kind": kind, "metadata": said}


def _expected(ledger: Ledger, uid: str) -> str:
    marks = {
        "release": ledger.releasing,
        "eviction": ledger.evicting,
        "withheld": ledger.withheld,
    }
    return ", ".join(word for word, uids in marks.items() if uid in uids)


def node(found: Node) -> Manifest:
    """The manifest of a node, as far as the ledger knows it."""
    # A node that was never ready is one without the condition (``wire.kubernetes.nodes``).
    never_ready = found.joining and not found.ready
    conditions = [] if never_ready else [{"type": "Ready", "status": str(found.ready)}]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": found.name,
            "creationTimestamp": found.created,
            "labels": dict(found.labels),
            "annotations": dumped.node_annotations(found),
        },
        "spec": {
            "unschedulable": found.unschedulable,
            "taints": [taint._asdict() for taint in found.taints],
        },
        "status": {"allocatable": amounts.plain(found.allocatable), "conditions": conditions},
    }


def namespace(found: Namespace) -> Manifest:
    """The manifest of a namespace, as far as the ledger knows it."""
    said: dict[str, Any] = {"name": found.name}
    if found.quota is not None:
        said["labels"] = {names.NAMESPACE_QUOTA: found.quota}
    if found.terminating:
        said["deletionTimestamp"] = _moment(None)
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": said}


def pod(found: Pod, expected: str = "") -> Manifest:
    """The manifest of a pod; ``expected`` is for the annotation `names.EXPECTED`."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _pod_metadata(found, expected),
        "spec": _pod_spec(found),
        "status": _pod_status(found),
    }


def _pod_metadata(found: Pod, expected: str) -> dict[str, Any]:
    labels = {
        **dict(each.split("=", 1) for each in found.jobs),
        names.QUOTA_NAME: found.quota_label,
        names.PREEMPTIBLE: "" if found.preemptible else "false",
        # Labels hold seconds, the ledger milliseconds.
        names.ADMITTED_AT: ""
        if found.unplaced_since is None
        else str(found.unplaced_since // 1000),
    }
    annotations = {
        names.EXPECTED: expected,
        names.MIRROR_POD: "mirror" if found.mirror else "",
        names.EVICT_LAST: "true" if found.evict_last else "",
        **dumped.pod_annotations(found),
        **holders.annotations(found.holder),
    }
    owners = [{"kind": "DaemonSet", "name": found.key.name, "controller": True}]
    if not found.daemon:
        owners = []
    if found.group is not None and found.group != Group(found.group.name, found.group.size):
        annotations[pod_groups.ANNOTATION] = pod_groups.text(found.group)
    elif found.group is not None:
        kind, _, name = found.group.name.rpartition("/")
        # A named group has a size, valid or not; the pods of a controller may have none.
        if found.group.size or not kind:
            annotations[names.POD_GROUP_SIZE] = str(found.group.size)
        if kind:
            annotations[names.ALL_OR_NOTHING] = "true"
            kind = "DaemonSet" if found.daemon else kind
            owners = [{"kind": kind, "name": name, "controller": True}]
        else:
            labels[names.POD_GROUP] = name
    said: dict[str, Any] = {
        "namespace": found.key.namespace,
        "name": found.key.name,
        "uid": found.uid,
        "creationTimestamp": found.created,
        "labels": {key: value for key, value in labels.items() if value},
        "annotations": {key: value for key, value in annotations.items() if value},
        "ownerReferences": owners,
    }
    if found.deleting:
        said["deletionTimestamp"] = _moment(found.ends_at)
        grace = (found.gone_after or 0) - (found.ends_at or 0)
        said["deletionGracePeriodSeconds"] = grace // 1000
    return said


def _pod_spec(found: Pod) -> dict[str, Any]:
    asked = resources.subtract(found.request, found.overhead)
    asked.pop(names.PODS, None)
    spec: dict[str, Any] = {
        "nodeName": found.node_name,
        "priority": found.priority,
        "schedulingGates": [{"name": gate} for gate in found.gates],
        "containers": [{"name": "all", "resources": {"requests": amounts.plain(asked)}}],
        "overhead": amounts.plain(found.overhead),
    }
    if not found.may_preempt:
        spec["preemptionPolicy"] = "Never"
    if found.scheduler != names.STOCK_SCHEDULER:
        spec["schedulerName"] = found.scheduler
    if found.deadline:
        spec["activeDeadlineSeconds"] = found.deadline
    return {**spec, **constraints.manifest(found.constraints)}


def _pod_status(found: Pod) -> dict[str, Any]:
    status: dict[str, Any] = {"phase": "Running" if found.started else "Pending"}
    if found.started:
        status["startTime"] = found.started
    if found.waiting_message or found.refused:
        scheduled = {"type": "PodScheduled", "status": "False", "message": found.waiting_message}
        if found.refused:
            scheduled["reason"] = "Unschedulable"
        status["conditions"] = [scheduled]
    return status


def _moment(milliseconds: int | None) -> str:
    """The time as RFC 3339; empty when it is not known. The key alone marks a deleted object."""
    if milliseconds is None:
        return ""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
