"""Ungating takes our gate off one pod and, in the same patch, sends it to the nodes of its tree.

A required node affinity outlives its writer: the profile may have been edited while the pod waited,
or no webhook ran when the pod was created. So what the pod lacks of its tree's nodes, as they are
selected at this moment, is added here; the API server allows the affinity of gated pods to be
narrowed, and nothing else. A pod without required node affinity is taken to have no affinity, which
the patch tests. A pod is read again only when it has some and lacks something all the same, when it
is not as the watch showed it, or when it has no quota label and so may have other labels or none.

The pod was admitted as one of its quota, of its size and priority, on a node that takes it. Before
the gate is off, its owner may give it another quota, resize it, or narrow its choice of nodes: then
it is not released, and is judged again. The patch tests the pod's generation, which the API server
increments with every change of its spec (since Kubernetes 1.33; not with our messages, which are
status), and the labels that steer scheduling. Only where these tests fail is the pod read and
compared with what was judged. A pod that is terminating keeps its gate, because its room went to
others when it was seen to go. (Gated pods end at once as a rule; those of Jobs stay until their
controller has counted them.)

A release with annotations always reads the pod, because they need to know whether it has any.

The moment of the release is written on the pod as a label, because nothing else passes it to the
next controller: the PodScheduled condition keeps the time of the pod's creation.

Once the gate is off the affinity is final: a later edit of the profile moves no pod. Nor can an
expression be removed: a pod that was sent to nodes which the profile has since replaced by others
matches neither, and has to be re-created.
"""

import time
from http import HTTPStatus
from typing import Final

from elasticquota import names
from elasticquota.defaulting import pod_affinity
from elasticquota.model.decision import Release
from elasticquota.model.pod import Pod
from elasticquota.wire.admission import patch, review
from elasticquota.wire.kubernetes import pods
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import PODS
from elasticquota_kube.client.rest.errors import ApiError


READS: Final = 3
"""Times that a pod is read which changes while it is released."""

CHANGED: Final = "Changed"
"""Reason of the error for a pod that is not any more what was judged."""

_JUDGED: Final = {
    "request": "request",
    "priority": "priority",
    "preemptible": "preemptibility",
    "constraints": "choice of nodes",
    "group": "pod group",
    "holder": "user or application",
}
"""What a release rests on beside the quota label, as people call it."""


async def open_gate(api: Api, release: Release, decided: Pod) -> None:
    """Release the pod, which was decided on as ``decided``; fine if its gate is gone already.

    Raises `ApiError`: 404 when it goes, or another pod has its name by now; 412 ``CHANGED``.
    """
    label = decided.quota_label
    lacking = _lacking(release, decided)
    if label and lacking is not None and not release.annotations:
        try:
            # A pod that has one label has the map to which another can be added.
            first = [*lacking, *patch.labels({}, _stamp())]
            still = patch.still_judged(decided)
            opening = patch.opening(release.uid, release.gate_index, still=still, first=first)
            await _write(api, release, opening)
        except ApiError as error:
            if not _is_stale(error):
                raise
        else:
            return
    for left in reversed(range(READS)):
        operations = await _from_life(api, release, decided)
        try:
            if operations:
                await _write(api, release, operations)
        except ApiError as error:
            if not (left and _is_stale(error)):
                raise
        else:
            return


def _lacking(release: Release, decided: Pod) -> list[review.Operation] | None:
    """What the pod lacks of its tree's nodes by what the watch showed; None: it has to be read."""
    labels, terms = dict(decided.constraints.selector), decided.constraints.terms
    lacking = pod_affinity.narrow(labels, terms or (), release.nodes)
    if not lacking:
        return []
    return patch.first_affinity(lacking) if terms is None else None


async def _from_life(api: Api, release: Release, decided: Pod) -> list[review.Operation]:
    """The patch for the pod as it is now and no other; empty when the gate is gone."""
    key = release.pod
    pod = await api.get(PODS, key.namespace, key.name, into=pods.PodManifest)
    if pod.metadata.uid != release.uid:
        raise ApiError(HTTPStatus.NOT_FOUND, "NotFound", f"another pod is called {key} now")
    if pod.metadata.deleting:
        raise ApiError(HTTPStatus.NOT_FOUND, "NotFound", f"{key} is on its way out")
    spec = pod.spec or pods.PodSpec()
    gates = [gate.name for gate in spec.scheduling_gates or ()]
    if names.GATE not in gates:
        return []
    changed = _changed(decided, pods.read(pod))
    if changed:
        why = f"its {changed} while it was being released, so it is judged again"
        raise ApiError(HTTPStatus.PRECONDITION_FAILED, CHANGED, why)
    return patch.opening(
        release.uid,
        gates.index(names.GATE),
        still=patch.still_read(pod.metadata.resource_version),
        first=[
            *patch.affinity(spec.node_selector, spec.affinity, release.nodes),
            *patch.labels(pod.metadata.labels, _stamp()),
            *patch.annotations(pod.metadata.annotations, release.annotations),
        ],
    )


def _changed(decided: Pod, found: Pod) -> str:
    """What is not as it was judged, for people; empty: nothing."""
    before, now = decided.quota_label, found.quota_label
    if before != now:
        return f"quota label changed from '{before}' to '{now}'"
    for field, name in _JUDGED.items():
        if getattr(decided, field) != getattr(found, field):
            return f"{name} changed"
    return ""


def _stamp() -> dict[str, str]:
    return {names.ADMITTED_AT: str(int(time.time()))}


async def _write(api: Api, release: Release, operations: list[review.Operation]) -> None:
    key = release.pod
    await api.patch(PODS, key.namespace, key.name, operations, kind="json")


def _is_stale(error: ApiError) -> bool:
    """The pod is not as the patch takes it to be; a failed ``test`` of a patch is a 422."""
    return error.is_invalid or error.is_conflict or error.status == HTTPStatus.PRECONDITION_FAILED
