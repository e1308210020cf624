"""The switch that holds a job: a field of its kind, or an annotation if there is none (Q21).

The annotation works for every kind: an operator that supports it obeys it whatever the field says.
So a job is suspended when either says so, and a patch turns each of the two that is there.
"""

from typing import Any

from elasticquota import names
from elasticquota.jobs import paths
from elasticquota.jobs.adapter import Adapter


def is_suspended(document: Any, adapter: Adapter) -> bool:
    """Whether the job is suspended, by its field or by the annotation."""
    switched = bool(adapter.suspend) and paths.value(document, adapter.suspend) is True
    return switched or _annotation(document) == "true"


def patch(document: Any, adapter: Adapter, suspended: bool) -> dict[str, Any]:
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
