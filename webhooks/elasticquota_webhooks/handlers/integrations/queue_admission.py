"""Refuses a queue configuration that YuniKorn would refuse (Y25).

The answer lists all faults, each with its path in ``queues.yaml``. An edit that does not change the
text passes, and so does an edit of a namespace that adds no fault.

Webhook down: the failure policy is Ignore, so the text is stored, and the controller does not
follow it while it has faults. Stale cache and races: none, only the text decides.
"""

import asyncio
from typing import Final

from elasticquota.integrations.yunikorn import queue_rules
from elasticquota.model.fault import Fault
from elasticquota.structs import Struct
from elasticquota.wire.admission import review
from elasticquota.wire.admission.review import AdmissionRequest, Response
from elasticquota.wire.integrations import queue_maps, queue_namespaces
from elasticquota.wire.integrations.queue_maps import QueueMap, StoredConfigMap
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota_webhooks.reviews import replies


_SHORT: Final = 16 * 1024
"""Characters. A shorter text is parsed on the event loop, a longer one in a thread."""


class QueueAdmission(Struct, frozen=True):
    """Judges configurations; ``places_pods``: whether the webhook sees pods, too."""

    places_pods: bool = True

    async def validate(self, request: AdmissionRequest) -> Response:
        """Judge a ConfigMap."""
        if not request.is_write:
            return replies.allow(request)
        new = review.subject(request.object, StoredConfigMap, "the ConfigMap")
        old = review.present(request.old_object, StoredConfigMap, "the ConfigMap")
        queue_map = queue_maps.read(new)
        is_same = old is not None and queue_map == queue_maps.read(old)
        if queue_map.name not in queue_maps.NAMES or is_same:
            return replies.allow(request)
        if len(queue_map.text) < _SHORT:
            faults = self._faults(queue_map)
        else:
            faults = await asyncio.to_thread(self._faults, queue_map)
        if faults:
            return replies.refuse_document(request, "ConfigMap", new.metadata.key, faults)
        return replies.allow(request)

    def _faults(self, queue_map: QueueMap) -> tuple[Fault, ...]:
        config = queue_maps.config(queue_map)
        return () if config is None else queue_rules.faults(config, places_pods=self.places_pods)


async def validate_namespace(request: AdmissionRequest) -> Response:
    """Judge the queue annotations of a namespace."""
    if not request.is_write:
        return replies.allow(request)
    new = review.subject(request.object, NamespaceManifest, "the Namespace")
    old = review.present(request.old_object, NamespaceManifest, "the Namespace")
    before = () if old is None else queue_namespaces.read(old).faults
    faults = [fault for fault in queue_namespaces.read(new).faults if fault not in before]
    if faults:
        return replies.refuse_document(request, "Namespace", new.metadata.key, faults)
    return replies.allow(request)
