"""Koordinator's definition of ElasticQuota in place of ours: min, max and used, and nothing else.

No status subresource, no columns, no short names: as docs/reference/other-systems.md says.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from users import Document, RefusedError, User
from waiting import eventually


NAME: Final = "elasticquotas.scheduling.sigs.k8s.io"
_QUANTITY: Final = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+"
    r"(\.[0-9]*)?)|(\.[0-9]+))))?$"
)


def _amounts() -> Document:
    quantity = {
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": _QUANTITY,
        "x-kubernetes-int-or-string": True,
    }
    return {"type": "object", "additionalProperties": quantity}


def _version() -> Document:
    spec = {"type": "object", "properties": {"min": _amounts(), "max": _amounts()}}
    status = {"type": "object", "properties": {"used": _amounts()}}
    texts = {key: {"type": "string"} for key in ("apiVersion", "kind")}
    parts = {**texts, "metadata": {"type": "object"}, "spec": spec, "status": status}
    schema = {"openAPIV3Schema": {"type": "object", "properties": parts}}
    return {"name": "v1alpha1", "served": True, "storage": True, "schema": schema}


@contextmanager
def installed(admin: User, probe: Document) -> Iterator[None]:
    """Replace our definition, and put it back; ``probe`` has a field that only ours has."""
    (ours,) = admin.get("CustomResourceDefinition", NAME)["spec"]["versions"]

    def define(version: Document) -> None:
        change = [{"op": "replace", "path": "/spec/versions/0", "value": version}]
        admin.patch("CustomResourceDefinition", NAME, change=change)

    def kept() -> bool:
        try:
            stored = admin.create(probe, dry_run=True)
        except RefusedError as error:
            if error.code in (404, 429, 503):  # it changes just now
                return not _is_installed(admin)
            raise
        return bool(probe["spec"].keys() <= stored["spec"].keys())

    define(_version())
    try:
        eventually(kept, wanted=False)
        yield
    finally:
        define(ours)
        eventually(kept, wanted=True)


def _is_installed(admin: User) -> bool:
    (version,) = admin.get("CustomResourceDefinition", NAME)["spec"]["versions"]
    return "subresources" not in version
