"""The switch by which a job is held: a field of its kind, or an annotation where it has none (Q21).

The annotation holds every kind: an operator that knows it goes by it whatever the field says. So a
job is suspended when either says so, and a patch turns both wherever both are there.
"""

from typing import Any

from elasticquota import names
from elasticquota.jobs import paths
from elasticquota.jobs.adapter import Adapter


def is_suspended(document: Any, adapter: Adapter) -> bool:
    """Whether its operator holds it."""
    switched = bool(adapter.suspend) and paths.value(document, adapter.suspend) is True
    return switched or _annotation(document) == "true"


def patch(document: Any, adapter: Adapter, suspended: bool) -> dict[str, Any]:
    """A merge patch (RFC 7386) that turns the switch of this very version of the object.

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
