"""Jobs that are queued as a whole and have no pod yet: their QueueUnits say why they wait.

Such a job is suspended, so there is no pod to ask (docs/job-queues.md).
"""

from collections.abc import Mapping
from typing import Any, Final

from elasticquota.model.key import Key
from elasticquota.wire.codec import fields
from elasticquota_cli.live import listing
from elasticquota_cli.why.parts import message_text, report
from elasticquota_cli.why.parts.known import KnownJob
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import QUEUE_UNITS
from elasticquota_kube.client.rest.errors import ApiError


_WAITS: Final = ("Enqueued", "TimeoutBackoff")
Unit = Mapping[str, Any]


async def waiting(api: Api, namespace: str) -> dict[KnownJob, report.PodAnswer]:
    """The jobs that wait; none where there is no such kind, or the user may not list it."""
    try:
        units = await listing.of(api, QUEUE_UNITS, namespace, into=dict[str, Any]) or ()
    except ApiError:
        return {}
    answers: dict[KnownJob, report.PodAnswer] = {}
    for unit in units:
        spec, status = _map(unit, "spec"), _map(unit, "status")
        consumer = _map(spec, "consumerRef")
        kind, name = (fields.text(consumer.get(each)) for each in ("kind", "name"))
        if status.get("phase") in _WAITS:
            key = Key(namespace, name)
            place = Key(namespace, f"{kind}/{name}")
            answers[KnownJob(kind, key, place)] = _answer(kind, key, spec, status)
    return answers


def _answer(kind: str, key: Key, spec: Unit, status: Unit) -> report.PodAnswer:
    said = message_text.read(fields.text(status.get("message")))
    resource, priority = _map(spec, "resource"), spec.get("priority")
    return report.PodAnswer(
        kind=kind,
        namespace=key.namespace,
        name=key.name,
        state="Waiting",
        message=said.text,
        reason=said.reason,
        line=said.line,
        quota=fields.text(spec.get("queue")),
        tree="",
        rule="namespace",
        rule_message="its QueueUnit says so",
        request={name: str(resource[name]) for name in sorted(resource)},
        priority=priority if isinstance(priority, int) else 0,
        since=fields.text(status.get("lastUpdateTime")),
    )


def _map(of: Unit, name: str) -> Unit:
    return fields.mapping(of.get(name), name, [])
