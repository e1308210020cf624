"""Definitions of ours with fewer fields: of an older version, or of another project."""

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from users import Document, User


QUOTAS: Final = "elasticquotas.scheduling.sigs.k8s.io"
PROFILES: Final = "elasticquotaprofiles.quota.koordinator.sh"


@contextmanager
def defined(admin: User, kept: Mapping[str, tuple[str, ...]]) -> Iterator[None]:
    """The definitions have only these fields of the status inside the block."""
    before = {name: admin.get("CustomResourceDefinition", name)["spec"] for name in kept}
    try:
        for name, fields in kept.items():
            versions = copy.deepcopy(before[name]["versions"])
            parts = versions[0]["schema"]["openAPIV3Schema"]["properties"]
            parts["status"] = _only(parts["status"], fields)
            _define(admin, name, versions)
        yield
    finally:
        for name, spec in before.items():
            _define(admin, name, spec["versions"])


def _only(status: Document, fields: tuple[str, ...]) -> Document:
    """Without the other fields, and without rules, which may be about these."""
    kept = {key: part for key, part in status.items() if key != "x-kubernetes-validations"}
    return {**kept, "properties": {field: status["properties"][field] for field in fields}}


def _define(admin: User, name: str, versions: object) -> None:
    change = [{"op": "replace", "path": "/spec/versions", "value": versions}]
    admin.patch("CustomResourceDefinition", name, change=change)
