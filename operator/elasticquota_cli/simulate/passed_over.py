"""Warns of keys and fields in a document that have no effect and look like one that has.

The webhook gives the same warnings, except of fields, which the API server drops before.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from elasticquota import names
from elasticquota.forest import nearest_names
from elasticquota.forest.nearest_names import Kind
from elasticquota_cli.simulate.documents import Document


_KINDS: Final[Mapping[tuple[str, str], Kind]] = {
    (names.QUOTA_API, names.QUOTA_KIND): "quota",
    (names.PROFILE_API, names.PROFILE_KIND): "profile",
    (names.TREE_API, names.TREE_KIND): "tree",
    ("v1", "Namespace"): "namespace",
    ("v1", "Pod"): "pod",
}
_TEMPLATES: Final = (("spec", "template"), ("spec", "jobTemplate", "spec", "template"))
"""Where the workloads of Kubernetes have the template of their pods."""


def of(document: Document) -> Iterator[str]:
    """The warnings, each with the place of the document."""
    kind = _KINDS.get((document.api_version, document.kind))
    content = document.content
    if kind is not None:
        for warning in (
            *_of_keys(kind, content),
            *nearest_names.of_fields(kind, content.get("spec")),
        ):
            yield f"{document.where}: {warning}"
        return
    for path in _TEMPLATES:
        for warning in _of_keys("pod", _at(content, path)):
            yield f"{document.where}: {'.'.join(path)}.{warning}"


def _of_keys(kind: Kind, content: Mapping[str, Any]) -> tuple[str, ...]:
    metadata = _at(content, ("metadata",))
    parts = (_at(metadata, (part,)) for part in ("labels", "annotations"))
    labels, annotations = ([key for key in part if isinstance(key, str)] for part in parts)
    return nearest_names.of_keys(kind, labels, annotations)


def _at(content: Mapping[Any, Any], path: tuple[str, ...]) -> Mapping[Any, Any]:
    """The map at ``path``; empty where there is none."""
    found: Any = content
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}
