"""Attributes the pods of a Deployment, Job and so on to the user that created the workload (Y24).

The webhook writes the user into the pod template, as it does on pods, and controllers copy it from
there. A workload that a controller creates is left alone: its template comes from its owner. When
an edit leaves the user out, as kubectl replace does, the webhook puts it back, so that the edit
causes no rollout.

Webhook down: the failure policy is Ignore; the pods then belong to the controller that creates
them, unless the policy refuses an edit that removes the user. Stale cache and races: none, only the
request decides.
"""

from elasticquota.wire.admission import patch, review
from elasticquota.wire.admission.review import AdmissionRequest, Response
from elasticquota.wire.kubernetes import holders
from elasticquota.wire.kubernetes.workloads import WorkloadManifest
from elasticquota_webhooks.cache import creators
from elasticquota_webhooks.reviews import replies


async def default(request: AdmissionRequest) -> Response:
    """Write the user into the pod template of a new workload, and keep it there on edits."""
    new = review.subject(request.object, WorkloadManifest, "the workload")
    pod_template = new.template
    if request.sub_resource or pod_template is None or new.annotation(holders.STAMP):
        return replies.allow(request)
    text = _stamp(request)
    if not text:
        return replies.allow(request)
    where, template = pod_template
    metadata = template.metadata
    present = metadata.annotations if metadata is not None else None
    return replies.allow(
        request,
        patch=patch.annotations(
            present, {holders.STAMP: text}, where=where, has_metadata=metadata is not None
        ),
    )


def _stamp(request: AdmissionRequest) -> str:
    """The annotation value to write; empty: none."""
    match request.operation:
        case "CREATE":
            return creators.stamp(request.user_info)
        case "UPDATE":
            old = review.subject(request.old_object, WorkloadManifest, "the old workload")
            return old.annotation(holders.STAMP)
        case _:
            return ""
