"""Refuses an ElasticQuotaTree that contradicts itself, and a second one beside the one that counts.

The answer lists all faults, each with its path. An edit that adds no fault passes, so that a tree
that was stored before can be repaired step by step.

Webhook down: the failure policy is Ignore, so the tree is stored; the controller follows it with
its bad parts cut, and the tree's condition reports them. Stale cache: none, the other trees are
read live. Races: two trees created at one time both pass, and the older one counts.
"""

import asyncio
from typing import Final

import structlog

from elasticquota.integrations.ack import tree_rules
from elasticquota.model.fault import Fault
from elasticquota.wire.admission import review
from elasticquota.wire.admission.review import AdmissionRequest, Response
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.integrations import ack_trees
from elasticquota.wire.integrations.ack_trees import QuotaTree
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_webhooks.reviews import replies


SECONDS: Final = 5.0
"""About half of what the API server gives a review; on a timeout other trees are not asked for."""

_SHORT: Final = 16 * 1024
"""Bytes. A shorter object is judged on the event loop, a longer one in a thread."""

log = structlog.get_logger(__name__)


class TreeAdmission:
    """Judges trees by themselves, and against the other trees of the cluster."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._turns = asyncio.Semaphore(1)

    async def validate(self, request: AdmissionRequest) -> Response:
        """Judge a tree."""
        if not request.is_write:
            return replies.allow(request)
        if len(memoryview(request.object)) < _SHORT:
            new, old, faults = _judged(request)
        else:
            new, old, faults = await asyncio.to_thread(_judged, request)
        if old is None or old.profile != new.profile:
            rival = tree_rules.rival(new, await self._others(new))
            faults = (rival, *faults) if rival is not None else faults
        if faults:
            return replies.refuse_document(request, "ElasticQuotaTree", new.key, faults)
        return replies.allow(request)

    async def _others(self, new: QuotaTree) -> list[QuotaTree]:
        """The trees of the namespace, without their nodes; none if they cannot be read now."""
        found: list[QuotaTree] = []
        try:
            async with asyncio.timeout(SECONDS), self._turns:
                pages = self._api.pages(paths.TREES, new.key.namespace, metadata_only=True)
                async for page in pages:
                    items = page.items or ()
                    read = (review.subject(raw, SpecManifest, "a tree") for raw in items)
                    found.extend(map(ack_trees.read, read))
        except (ApiError, TimeoutError) as error:
            log.warning("other trees cannot be read", error=str(error) or type(error).__name__)
        return found


def _judged(request: AdmissionRequest) -> tuple[QuotaTree, QuotaTree | None, tuple[Fault, ...]]:
    new = ack_trees.read(review.subject(request.object, SpecManifest, "the tree"))
    stored = review.present(request.old_object, SpecManifest, "the tree")
    if stored is None:
        return new, None, tree_rules.faults(new)
    old = ack_trees.read(stored)
    return new, old, tree_rules.added(old, new)
