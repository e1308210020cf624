"""The documents in which the API server says what it serves; Kopf and kubectl read them first."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from api_double.kinds import Kind
from elasticquota_kube.client.paths import Resource


Document = dict[str, Any]

_VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"]


def document(  # noqa: PLR0911 - a table of paths
    kinds: Sequence[Kind], path: str, kept: Mapping[Resource, Sequence[str]]
) -> Document | None:
    """Return the discovery document at `path`, or None when there is none.

    ``kept``: the fields of a status, for the kinds whose schema is published.
    """
    match path.strip("/").split("/"):
        case ["version"]:
            return {"major": "1", "minor": "37", "gitVersion": "v1.37.2"}
        case ["api"]:
            return {"kind": "APIVersions", "versions": ["v1"]}
        case ["apis"]:
            groups = sorted({kind.resource.group for kind in kinds} - {""})
            return {
                "kind": "APIGroupList",
                "apiVersion": "v1",
                "groups": [_group(kinds, group) for group in groups],
            }
        case ["apis", group] if any(kind.resource.group == group for kind in kinds):
            return {"kind": "APIGroup", "apiVersion": "v1", **_group(kinds, group)}
        case ["api", version]:
            return _resources(kinds, "", version)
        case ["apis", group, version]:
            return _resources(kinds, group, version)
        case ["openapi", "v3"]:
            return {"paths": dict(_index(kept))}
        case ["openapi", "v3", "apis", group, version] if kept:
            asked = [kind for kind in kinds if kind.resource in kept]
            return {
                "components": {
                    "schemas": {
                        kind.kind: _schema(kind, kept[kind.resource])
                        for kind in asked
                        if (kind.resource.group, kind.resource.version) == (group, version)
                    }
                }
            }
        case _:
            return None


def _index(kept: Mapping[Resource, Sequence[str]]) -> Iterator[tuple[str, Document]]:
    for resource, fields in kept.items():
        path = f"apis/{resource.group}/{resource.version}"
        yield path, {"serverRelativeURL": f"/openapi/v3/{path}?hash={'-'.join(sorted(fields))}"}


def _schema(kind: Kind, kept: Sequence[str]) -> Document:
    group, version = kind.resource.group, kind.resource.version
    return {
        "properties": {
            "kind": {"type": "string"},
            "spec": {"x-kubernetes-preserve-unknown-fields": True},
            "status": {"properties": {name: {"type": "object"} for name in kept}},
        },
        "x-kubernetes-group-version-kind": [
            {"group": group, "version": version, "kind": kind.kind}
        ],
    }


def _group(kinds: Sequence[Kind], group: str) -> Document:
    versions = sorted({kind.resource.version for kind in kinds if kind.resource.group == group})
    served = [{"groupVersion": f"{group}/{version}", "version": version} for version in versions]
    return {"name": group, "versions": served, "preferredVersion": served[0]}


def _resources(kinds: Sequence[Kind], group: str, version: str) -> Document | None:
    resources: list[Document] = []
    for kind in kinds:
        if (kind.resource.group, kind.resource.version) != (group, version):
            continue
        entry: Document = {
            "name": kind.resource.plural,
            "singularName": kind.kind.lower(),
            "namespaced": kind.namespaced,
            "kind": kind.kind,
            "verbs": _VERBS,
        }
        resources.append(entry)
        if kind.status:
            status = {"name": f"{kind.resource.plural}/status", "verbs": ["get", "patch", "update"]}
            resources.append({**entry, **status})
    if not resources:
        return None
    text = f"{group}/{version}" if group else version
    return {"kind": "APIResourceList", "groupVersion": text, "resources": resources}
