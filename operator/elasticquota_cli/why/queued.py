"""A job that is queued as a whole and has no pod yet: its QueueUnit says why it waits.

Such a job is suspended, so there is no pod to ask (docs/job-queues.md).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from elasticquota.model.key import Key
from elasticquota.wire.codec import fields
from elasticquota_cli import listing
from elasticquota_cli.explain import message_text
from elasticquota_cli.why import advice, report
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import QUEUE_UNITS
from elasticquota_kube.client.rest.errors import ApiError


_WAITS: Final = ("Enqueued", "TimeoutBackoff")
Unit = Mapping[str, Any]


def of(cluster: listing.Cluster, kind: str, key: Key) -> report.Why | None:
    """The answer about a waiting job; ``kind`` in small letters, or empty for any.

    None: no such job waits as a whole, or its unit may not be read.
    """
    for unit in cluster.run(lambda api: _units(api, key.namespace)):
        spec, status = _map(unit, "spec"), _map(unit, "status")
        consumer = _map(spec, "consumerRef")
        shown = fields.text(consumer.get("kind"))
        asked = fields.text(consumer.get("name")) == key.name and kind in ("", shown.lower())
        if asked and status.get("phase") in _WAITS:
            return _answer(shown, key, spec, status)
    return None


def _answer(kind: str, key: Key, spec: Unit, status: Unit) -> report.Why:
    quota, message = fields.text(spec.get("queue")), fields.text(status.get("message"))
    reason = message_text.reason(message)
    line = message_text.line(message)
    resource = _map(spec, "resource")
    return report.Why(
        api_version=report.API_VERSION,
        workload_kind=kind,
        namespace=key.namespace,
        name=key.name,
        quota=quota,
        pods=0,
        waiting=0,
        running=0,
        first=report.First(
            name=key.name,
            request={name: str(resource[name]) for name in sorted(resource)},
            place=line.place if line else 0,
            length=line.length if line else 0,
            since=fields.text(status.get("lastUpdateTime")),
            reason=reason,
            message=message_text.without_pointer(message),
            starts=[],
            evicts=0,
        ),
        can_do=advice.of(reason, quota),
        reclaimable="",
        notes=[],
        summary=f"{kind} {key} waits as a whole for quota {quota}; it has no pods yet.",
    )


async def _units(api: Api, namespace: str) -> Sequence[Unit]:
    """None where there is no such kind, or the user may not list it."""
    try:
        return await listing.of(api, QUEUE_UNITS, namespace, into=dict[str, Any]) or ()
    except ApiError:
        return ()


def _map(of: Unit, name: str) -> Unit:
    return fields.mapping(of.get(name), name, [])
