"""Warns the user of labels and annotations that are passed over and look like one that is read.

Nothing is refused. Webhook down: the failure policy is Ignore, so the object is stored without a
warning; ``doctor`` gives the same one later. Stale cache and races: none, only the object counts.
"""

from typing import Final

from elasticquota import names
from elasticquota.forest import nearest_names
from elasticquota.forest.nearest_names import Kind
from elasticquota.wire.admission import review
from elasticquota.wire.admission.review import AdmissionRequest, Response
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota_webhooks.reviews import replies


_KINDS: Final[dict[str, Kind]] = {"namespaces": "namespace", names.TREE_PLURAL: "tree"}
"""By the plural of the resource under review."""


async def validate(request: AdmissionRequest) -> Response:
    """Allow a namespace or a tree, with warnings."""
    kind = _KINDS.get(request.resource.resource)
    if kind is None or not request.is_write:
        return replies.allow(request)
    return replies.allow(request, notes=notes(kind, request))


def notes(kind: Kind, request: AdmissionRequest) -> tuple[str, ...]:
    """The warnings for the object under review; none for a removal."""
    if request.operation == "DELETE":
        return ()
    return of(kind, review.subject(request.object, review.AnyObject, f"the {kind}").metadata)


def of(kind: Kind, meta: ObjectMeta) -> tuple[str, ...]:
    """The warnings for an object with this metadata."""
    return nearest_names.of_keys(kind, meta.labels, meta.annotations)


def of_pod(meta: ObjectMeta) -> tuple[str, ...]:
    """The warnings for a new pod that a user creates.

    No user sees an answer about a pod that a controller creates, and its log is not the place.
    """
    return () if meta.owner_references else of("pod", meta)
