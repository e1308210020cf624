"""Collects the manifests of objects that state the size of groups, or are above several groups."""

from collections.abc import Iterable
from typing import Any

from elasticquota.pod_groups import composites
from elasticquota.pod_groups.adapter import PodGroupAdapter
from elasticquota_cli.simulate.documents import Document
from elasticquota_cli.simulate.objects import Objects


class GroupDocuments:
    """``take`` each document, then ``store`` what all of them say together."""

    def __init__(self, adapters: Iterable[PodGroupAdapter]) -> None:
        self._adapters = {each.name: each for each in adapters}
        self._groups: dict[str, list[dict[str, Any]]] = {}
        """By the name of their adapter, as ``_above``."""
        self._above: dict[str, list[dict[str, Any]]] = {}
        self._kinds = {
            (f"{kind.group}/{version}", kind.kind): (name, into)
            for name, each in self._adapters.items()
            for kind, into in ((each.object, self._groups), (each.composite, self._above))
            if kind is not None
            for version in kind.versions
        }

    def take(self, document: Document) -> bool:
        """Keep the document if it is of such a kind; return whether it is."""
        kind = self._kinds.get((document.api_version, document.kind))
        if kind is None:
            return False
        name, into = kind
        into.setdefault(name, []).append(_named(document))
        return True

    def store(self, objects: Objects) -> None:
        """Add the groups to ``objects``."""
        for name, found in self._groups.items():
            adapter = self._adapters[name]
            if adapter.object is not None:
                above = self._above.get(name, ())
                said = composites.of_documents(adapter, adapter.object, found, above)
                objects.group_objects += said
                objects.group_kinds.add(name)


def _named(document: Document) -> dict[str, Any]:
    """The document, in the namespace default if it names none."""
    metadata = document.content.get("metadata")
    if not isinstance(metadata, dict) or metadata.get("namespace"):
        return document.content
    return {**document.content, "metadata": {**metadata, "namespace": "default"}}
