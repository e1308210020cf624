"""Refuses a queue configuration that YuniKorn would refuse (Y25).

The answer lists all faults, each with its path in ``queues.yaml``. An edit that does not change the
text passes, and so does an edit of a namespace that adds no fault.

Webhook down: the failure policy is Ignore, so the text is stored, and the controller does not
follow it while it has faults. Stale cache and races: none, only the text decides.
"""

import asyncio
from typing import Final

import msgspec

from elasticquota.integrations.yunikorn import queue_rules
from elasticquota.wire.integrations import queue_maps, queue_namespaces
from elasticquota.wire.integrations.queue_maps import QueueMap, StoredConfigMap
from elasticquota.wire.kubernetes import review
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota.wire.kubernetes.review import Request, Response
from elasticquota_webhooks.handlers import replies


_SHORT: Final = 16 * 1024
"""Characters. A shorter text is parsed on the event loop, a longer one in a thread."""


async def validate(request: Request) -> Response:
    """Judge a ConfigMap."""
    if request.sub_resource or request.operation not in ("CREATE", "UPDATE"):
        return replies.allow(request)
    manifest = _config_map(request.object)
    found = queue_maps.read(manifest)
    is_other = _is_null(request.old_object) or found != queue_maps.read(
        _config_map(request.old_object)
    )
    if found.name not in queue_maps.NAMES or not is_other:
        return replies.allow(request)
    if len(found.text) < _SHORT:
        faults = _faults(found)
    else:
        faults = await asyncio.to_thread(_faults, found)
    if faults:
        return replies.refuse_document(request, "ConfigMap", manifest.metadata.key, faults)
    return replies.allow(request)


async def validate_namespace(request: Request) -> Response:
    """Judge the queue annotations of a namespace."""
    if request.sub_resource or request.operation not in ("CREATE", "UPDATE"):
        return replies.allow(request)
    manifest = _namespace(request.object)
    before = () if _is_null(request.old_object) else _queue_faults(_namespace(request.old_object))
    faults = [fault for fault in _queue_faults(manifest) if fault not in before]
    if faults:
        return replies.refuse_document(request, "Namespace", manifest.metadata.key, faults)
    return replies.allow(request)


def _faults(found: QueueMap) -> tuple[str, ...]:
    config = queue_maps.config(found)
    return () if config is None else queue_rules.faults(config)


def _queue_faults(manifest: NamespaceManifest) -> tuple[str, ...]:
    return queue_namespaces.read(manifest).faults


def _config_map(content: msgspec.Raw) -> StoredConfigMap:
    return review.subject(content, StoredConfigMap, "the ConfigMap")


def _namespace(content: msgspec.Raw) -> NamespaceManifest:
    return review.subject(content, NamespaceManifest, "the Namespace")


def _is_null(content: msgspec.Raw) -> bool:
    return bytes(content) == b"null"
