"""Pods that controllers make are those of who made the Deployment, Job and so on (Y24).

The user is written into the pod template, as on pods, and controllers copy it from there. What a
controller makes itself is left as it is: its template is that of its owner. An edit that leaves the
user out, as kubectl replace does, gets it back, so that nothing is rolled out for its sake.

Down: the configuration says Ignore; pods are then those of the controller that makes them, unless
the policy refuses an edit that takes the user away. Stale and raced: only the request counts.
"""

from elasticquota.wire.codec import patch
from elasticquota.wire.kubernetes import review
from elasticquota.wire.kubernetes.review import Request, Response
from elasticquota.wire.kubernetes.workloads import WorkloadManifest
from elasticquota.wire.quota import holders
from elasticquota_webhooks.handlers import creators, replies


async def default(request: Request) -> Response:
    """Write the user into the template of a new workload, and keep it there."""
    new = review.subject(request.object, WorkloadManifest, "the workload")
    found = new.template
    if request.sub_resource or found is None or new.annotation(holders.STAMP):
        return replies.allow(request)
    text = _stamp(request)
    if not text:
        return replies.allow(request)
    where, template = found
    metadata = template.metadata
    present = metadata.annotations if metadata is not None else None
    return replies.allow(
        request,
        patch=patch.annotations(
            present, {holders.STAMP: text}, where=where, has_metadata=metadata is not None
        ),
    )


def _stamp(request: Request) -> str:
    """Empty: nobody's is to be written."""
    match request.operation:
        case "CREATE":
            return creators.stamp(request.user_info)
        case "UPDATE":
            old = review.subject(request.old_object, WorkloadManifest, "the old workload")
            return old.annotation(holders.STAMP)
        case _:
            return ""
