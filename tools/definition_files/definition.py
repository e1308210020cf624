"""The CustomResourceDefinition of a kind."""

from typing import Any, Final

from definition_files import structural
from elasticquota_api.model import Column, KubernetesObject, ServedKind


Document = dict[str, Any]

_OBJECT: Final = {
    "apiVersion": {"type": "string"},
    "kind": {"type": "string"},
    "metadata": {"type": "object"},
}
"""Fields of every object, of which the API server has the schema."""


def of(kind: type[KubernetesObject]) -> Document:
    """Return the definition of a kind of which there is a model."""
    schema = structural.schema(kind)
    schema["properties"] |= _OBJECT
    return definition(kind.__name__, kind.served, schema)


def definition(kind: str, served: ServedKind, schema: Document) -> Document:
    """Return the definition of a kind; ``schema`` is that of the whole object."""
    called: Document = {
        "kind": kind,
        "listKind": f"{kind}List",
        "plural": served.plural,
        "singular": kind.lower(),
    }
    if served.short_names:
        called["shortNames"] = list(served.short_names)
    if served.categories:
        called["categories"] = list(served.categories)
    approved = {"api-approved.kubernetes.io": served.approval} if served.approval else {}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{served.plural}.{served.group}",
            # An uninstall with Helm must not delete objects of users.
            "annotations": {**approved, "helm.sh/resource-policy": "keep"},
        },
        "spec": {
            "group": served.group,
            "scope": "Namespaced",
            "names": called,
            "versions": [
                {
                    "name": served.version,
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": [_column(each) for each in served.columns],
                    "schema": {"openAPIV3Schema": schema},
                }
            ],
        },
    }


def _column(found: Column) -> Document:
    shown: Document = {"name": found.name, "type": found.type, "jsonPath": found.path}
    if found.description:
        shown["description"] = found.description
    return {**shown, "priority": 1} if found.wide else shown
