"""The switch that holds a job: a field of its kind, or an annotation if there is none (Q21).

The annotation works for every kind: an operator that supports it obeys it whatever the field says.
So a job is suspended when either says so, and a patch turns each of the two that is there.

A job in the queue of another system is suspended and started by that one. Two controllers that turn
one switch would do so against each other, so such a job is not queued here. Its pods are admitted
like any others, after the other system has started it.
"""

from collections.abc import Iterable
from typing import Any, Final

from elasticquota import names
from elasticquota.jobs import paths
from elasticquota.jobs.adapter import JobAdapter


KUEUE: Final = "kueue.x-k8s.io/queue-name"
"""kueue.sigs.k8s.io, "Run A Kubernetes Job": the label of a job that names its LocalQueue. Where a
namespace has a LocalQueue called ``default``, Kueue's webhook writes the label."""

EXTERNAL: Final = (KUEUE,)
"""The labels by which other systems queue a job, unless the configuration names others."""


def is_external(document: Any, labels: Iterable[str]) -> bool:
    """Whether one of ``labels`` of the job names a queue; an empty value names none."""
    return any(paths.text(document, "metadata.labels", label) for label in labels)


def is_suspended(document: Any, adapter: JobAdapter) -> bool:
    """Whether the job is suspended, by its field or by the annotation."""
    switched = bool(adapter.suspend) and paths.value(document, adapter.suspend) is True
    return switched or _annotation(document) == "true"


def patch(document: Any, adapter: JobAdapter, suspended: bool) -> dict[str, Any]:
    """A merge patch (RFC 7386) that turns the switch of this version of the object.

    The API server refuses it with a conflict when the object has changed since it was read.
    """
    made = paths.nested(adapter.suspend, suspended) if adapter.suspend else {}
    metadata: dict[str, Any] = {}
    version = paths.value(document, "metadata.resourceVersion")
    if version is not None:
        metadata["resourceVersion"] = version
    if not adapter.suspend or _annotation(document) is not None:
        metadata["annotations"] = {names.SUSPEND: "true" if suspended else "false"}
    return {"metadata": metadata, **made} if metadata else made


def _annotation(document: Any) -> Any:
    annotations = paths.value(document, "metadata.annotations")
    return annotations.get(names.SUSPEND) if isinstance(annotations, dict) else None
