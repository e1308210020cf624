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
    pods = tuple(
        (ledger_pod, _expected(ledger, ledger_pod.uid)) for ledger_pod in ledger.pods.values()
    )
    jobs = tuple(
        (ledger_job, _expected(ledger, ledger_job.uid)) for ledger_job in ledger.jobs.values()
    )
    groups = tuple(ledger.group_objects.values())
    kinds = tuple(sorted(ledger.group_kinds))
    unread = tuple(ledger.unread.values())
    parts = (
        [_stored(names.PROFILE_API, names.PROFILE_KIND, profile) for profile in profiles],
        [_stored(names.QUOTA_API, names.QUOTA_KIND, quota) for quota in quotas],
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


def node(ledger_node: Node) -> Manifest:
    """The manifest of a node, as far as the ledger knows it."""
    # A node that was never ready is one without the condition (``wire.kubernetes.nodes``).
    never_ready = ledger_node.joining and not ledger_node.ready
    conditions = [] if never_ready else [{"type": "Ready", "status": str(ledger_node.ready)}]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": ledger_node.name,
            "creationTimestamp": ledger_node.created,
            "labels": dict(ledger_node.labels),
            "annotations": dumped.node_annotations(ledger_node),
        },
        "spec": {
            "unschedulable": ledger_node.unschedulable,
            "taints": [taint._asdict() for taint in ledger_node.taints],
        },
        "status": {"allocatable": amounts.plain(ledger_node.allocatable), "conditions": conditions},
    }


def namespace(ledger_namespace: Namespace) -> Manifest:
    """The manifest of a namespace, as far as the ledger knows it."""
    said: dict[str, Any] = {"name": ledger_namespace.name}
    if ledger_namespace.quota is not None:
        said["labels"] = {names.NAMESPACE_QUOTA: ledger_namespace.quota}
    if ledger_namespace.terminating:
        said["deletionTimestamp"] = _moment(None)
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": said}


def pod(ledger_pod: Pod, expected: str = "") -> Manifest:
    """The manifest of a pod; ``expected`` is for the annotation `names.EXPECTED`."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _pod_metadata(ledger_pod, expected),
        "spec": _pod_spec(ledger_pod),
        "status": _pod_status(ledger_pod),
    }


def _pod_metadata(ledger_pod: Pod, expected: str) -> dict[str, Any]:
    labels = {
        **dict(each.split("=", 1) for each in ledger_pod.jobs),
        names.QUOTA_NAME: ledger_pod.quota_label,
        names.PREEMPTIBLE: "" if ledger_pod.preemptible else "false",
        # Labels hold seconds, the ledger milliseconds.
        names.ADMITTED_AT: ""
        if ledger_pod.unplaced_since is None
        else str(ledger_pod.unplaced_since // 1000),
    }
    annotations = {
        names.EXPECTED: expected,
        names.MIRROR_POD: "mirror" if ledger_pod.mirror else "",
        names.EVICT_LAST: "true" if ledger_pod.evict_last else "",
        **dumped.pod_annotations(ledger_pod),
        **holders.annotations(ledger_pod.holder),
    }
    owners = [{"kind": "DaemonSet", "name": ledger_pod.key.name, "controller": True}]
    if not ledger_pod.daemon:
        owners = []
    if ledger_pod.group is not None and ledger_pod.group != Group(
        ledger_pod.group.name, ledger_pod.group.size
    ):
        annotations[pod_groups.ANNOTATION] = pod_groups.text(ledger_pod.group)
    elif ledger_pod.group is not None:
        kind, _, name = ledger_pod.group.name.rpartition("/")
        # A named group has a size, valid or not; the pods of a controller may have none.
        if ledger_pod.group.size or not kind:
            annotations[names.POD_GROUP_SIZE] = str(ledger_pod.group.size)
        if kind:
            annotations[names.ALL_OR_NOTHING] = "true"
            kind = "DaemonSet" if ledger_pod.daemon else kind
            owners = [{"kind": kind, "name": name, "controller": True}]
        else:
            labels[names.POD_GROUP] = name
    said: dict[str, Any] = {
        "namespace": ledger_pod.key.namespace,
        "name": ledger_pod.key.name,
        "uid": ledger_pod.uid,
        "creationTimestamp": ledger_pod.created,
        "labels": {key: value for key, value in labels.items() if value},
        "annotations": {key: value for key, value in annotations.items() if value},
        "ownerReferences": owners,
    }
    if ledger_pod.deleting:
        said["deletionTimestamp"] = _moment(ledger_pod.ends_at)
        grace = (ledger_pod.gone_after or 0) - (ledger_pod.ends_at or 0)
        said["deletionGracePeriodSeconds"] = grace // 1000
    return said


def _pod_spec(ledger_pod: Pod) -> dict[str, Any]:
    asked = resources.subtract(ledger_pod.request, ledger_pod.overhead)
    asked.pop(names.PODS, None)
    spec: dict[str, Any] = {
        "nodeName": ledger_pod.node_name,
        "priority": ledger_pod.priority,
        "schedulingGates": [{"name": gate} for gate in ledger_pod.gates],
        "containers": [{"name": "all", "resources": {"requests": amounts.plain(asked)}}],
        "overhead": amounts.plain(ledger_pod.overhead),
    }
    if not ledger_pod.may_preempt:
        spec["preemptionPolicy"] = "Never"
    if ledger_pod.scheduler != names.STOCK_SCHEDULER:
        spec["schedulerName"] = ledger_pod.scheduler
    return {**spec, **constraints.manifest(ledger_pod.constraints)}


def _pod_status(ledger_pod: Pod) -> dict[str, Any]:
    status: dict[str, Any] = {"phase": "Running" if ledger_pod.started else "Pending"}
    if ledger_pod.started:
        status["startTime"] = ledger_pod.started
    if ledger_pod.waiting_message or ledger_pod.refused:
        scheduled = {
            "type": "PodScheduled",
            "status": "False",
            "message": ledger_pod.waiting_message,
        }
        if ledger_pod.refused:
            scheduled["reason"] = "Unschedulable"
        status["conditions"] = [scheduled]
    return status


def _moment(milliseconds: int | None) -> str:
    """The time as RFC 3339; empty when it is not known. The key alone marks a deleted object."""
    if milliseconds is None:
        return ""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
