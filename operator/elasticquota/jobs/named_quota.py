"""Which quota a job names on itself, as in Koord-Queue, and where its pods carry the label of it.

A label names the quota (``names.QUOTA_NAME``, or one of ``names.QUOTA_ALIASES``). An annotation or
label ``kube-queue/queue-name`` names the queue; here each queue is that of one quota and has its
name. Pods are counted by their own label, so admission copies the quota into the pod templates:
a job and its pods are then in one quota.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

from elasticquota import names
from elasticquota.jobs import paths
from elasticquota.jobs.adapter import JobAdapter
from elasticquota.model.fault import Fault
from elasticquota.wire.codec import fields


_ANY: Final = "*"


class NamedQuota(NamedTuple):
    """The quota that a job names."""

    quota: str
    """Empty: none."""
    where: str = ""
    """Path of the label or annotation."""
    is_queue: bool = False
    """The job names a queue, which must exist."""


NOTHING: Final = NamedQuota("")


def of_labels(labels: Mapping[str, str]) -> str:
    """Return the quota that the labels of a pod or job name, empty if none; ours comes first."""
    found = (labels.get(key) for key in (names.QUOTA_NAME, *names.QUOTA_ALIASES))
    return next((name for name in found if isinstance(name, str) and name), "")


def named(
    labels: Mapping[str, str], annotations: Mapping[str, str], faults: list[Fault]
) -> NamedQuota:
    """Return the quota that a job names; a queue and a quota that differ are a fault."""
    quota = of_labels(labels)
    key = next((key for key in (names.QUOTA_NAME, *names.QUOTA_ALIASES) if labels.get(key)), "")
    asked = annotations.get(names.QUEUE_NAME, "")
    kind = "annotations" if asked else "labels"
    queue = asked or labels.get(names.QUEUE_NAME, "")
    if not queue:
        return NamedQuota(quota, f"metadata.labels[{key}]") if quota else NOTHING
    where = f"metadata.{kind}[{names.QUEUE_NAME}]"
    if quota and quota != queue:
        faults.append(
            Fault(
                where,
                f"{fields.shown(queue)} is not the queue of quota {fields.shown(quota)}, which "
                f"metadata.labels[{key}] names; a queue has its name, so leave either out",
            )
        )
    return NamedQuota(queue, where, is_queue=True)


def unavailable(
    named: NamedQuota, namespace: str, available: Collection[str] | None
) -> Fault | None:
    """Return a fault if the namespace restricts its jobs to other quotas, or None.

    ``available`` are the quotas that the namespace's annotation lists; None: there is none.
    """
    if available is None or _ANY in available or named.quota in available:
        return None
    listed = ", ".join(sorted(available)[:5]) or "none"
    return Fault(
        named.where,
        f"namespace {fields.shown(namespace)} has no quota "
        f"{fields.shown(named.quota)} available; its annotation {names.AVAILABLE_QUOTA[0]} lists: "
        f"{listed}",
    )


def templates(document: Any, adapter: JobAdapter) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each pod template of a job with its JSON pointer.

    Nothing is yielded for a kind that describes its pods without templates.
    """
    for row in adapter.pods:
        if not row.bare:
            for pointer, value in paths.pointers(document, row.template):
                if isinstance(value, dict):
                    yield pointer, value
