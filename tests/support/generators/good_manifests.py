"""Manifests of our kinds that use every field of the models, and the places in them.

The models say which fields there are. A field that the manifests below do not have gets a value
from its schema, so a new field occurs here without a new line; its value is the first that the
reader takes.
"""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from definition_files import structural
from elasticquota_api import ElasticQuota, ElasticQuotaProfile
from elasticquota_api.model import KubernetesObject


Document = dict[str, Any]
Path = tuple[str | int, ...]
Faults = Callable[[type[KubernetesObject], Any], tuple[str, ...]]
"""What a reader finds wrong with an object of a kind."""

_TREE: Final[Document] = {
    "enforcement": "Observe",
    "guaranteeUsage": True,
    "pools": [
        {"name": "a100", "nodeLabels": {"gpu.model": "a100"}},
        {"name": "rest", "nodeLabels": {}},
    ],
    "poolResources": ["cpu", "nvidia.com/gpu"],
}
_ELASTIC: Final[Document] = {
    "mode": "Elastic",
    "max": {"cpu": "20", "memory": "80Gi"},
    "largestNode": {"cpu": 8, "memory": "32Gi"},
    "scaleUpTimeout": "15m",
}
_DECLARED: Final[Document] = {"mode": "Declared", "total": {"cpu": 20, "memory": "80Gi"}}
_QUOTA: Final[Document] = {
    "min": {"cpu": "10", "memory": "4Gi", "nvidia.com/gpu": 4},
    "max": {"cpu": 40, "memory": "16Gi", "nvidia.com/gpu": "8"},
    "parent": "engineering",
    "access": {"pods": ["team-a", "*"], "children": ["team-b"]},
    "queue": {"policy": "Strict", "order": "Age", "applications": "Fair"},
    "reclaim": {"grace": "30s", "overMaxDelay": "1m30s", "preemption": "Fence"},
    "limits": {
        "applications": 9,
        "people": [
            {"users": ["ann"], "groups": ["a b"], "max": {"cpu": "4"}, "applications": 2},
            {"users": ["*"]},
        ],
    },
    "nodeSelector": {"gpu": ["a100", "v100"], "nvidia.com/gpu.product": [""]},
}
_PROFILE: Final[Document] = {
    "quotaName": "gpu-root",
    "nodeSelector": {
        "matchLabels": {"pool": "gpu"},
        "matchExpressions": [
            {"key": "gpu.model", "operator": "In", "values": ["a100", "v100"]},
            {"key": "example.com/old", "operator": "DoesNotExist"},
        ],
    },
    "quotaLabels": {"team": "a"},
    "resourceRatio": "0.9",
    "resourceKeys": ["cpu", "nvidia.com/gpu"],
    "provisioning": {"className": "check-capacity.autoscaling.x-k8s.io", "timeout": "10m"},
}
SPECS: Final[dict[type[KubernetesObject], tuple[Document, ...]]] = {
    ElasticQuota: (
        {**_QUOTA, "tree": {**_TREE, "capacity": _ELASTIC}},
        {**_QUOTA, "tree": {"capacity": _DECLARED}},
    ),
    ElasticQuotaProfile: (
        {**_PROFILE, **_TREE, "capacity": _ELASTIC},
        {**_PROFILE, "capacity": _DECLARED},
    ),
}
KINDS: Final = tuple(SPECS)
_TEXTS: Final = ("a", "1m", "0.5", "2")
_KEY: Final = "cpu"


@dataclass(frozen=True)
class Site:
    """A place in a manifest, and what the schema says of it."""

    path: Path
    schema: Document
    value: Any


def manifests(kind: type[KubernetesObject], faults: Faults) -> tuple[Document, ...]:
    """The manifests of a kind; ``faults`` says which values of further fields are good."""
    schema = schema_of(kind)
    head = {"apiVersion": f"{kind.served.group}/{kind.served.version}", "kind": kind.__name__}
    found = []
    for spec in SPECS[kind]:
        manifest = {**head, "metadata": {"name": "tried"}, "spec": copy.deepcopy(spec)}
        known = len(faults(kind, manifest))
        for path, value in [*_absent(schema, manifest["spec"], ("spec",))]:
            for each in value:
                tried = edited(manifest, path, each)
                if len(faults(kind, tried)) == known:
                    manifest = tried
                    break
        found.append(manifest)
    return tuple(found)


def schema_of(kind: type[KubernetesObject]) -> Document:
    """The schema of the spec of a kind."""
    found: Document = structural.schema(kind)["properties"]["spec"]
    return found


def sites(kind: type[KubernetesObject], manifest: Document) -> tuple[Site, ...]:
    """Each place in the spec of a manifest, the spec first."""
    return tuple(_sites(schema_of(kind), manifest["spec"], ("spec",)))


def fields(schema: Document, path: Path = ("spec",)) -> Iterator[Path]:
    """The path of each field of a schema; an item of a list is 0, an entry of a map ``*``."""
    for key, part in schema.get("properties", {}).items():
        yield (*path, key)
        yield from fields(part, (*path, key))
    if "items" in schema:
        yield from fields(schema["items"], (*path, 0))
    if isinstance(schema.get("additionalProperties"), dict):
        yield from fields(schema["additionalProperties"], (*path, "*"))


def has(manifest: Any, path: Path) -> bool:
    """Whether something is at a path of ``fields``."""
    if not path:
        return True
    key, *rest = path
    if isinstance(manifest, list):
        return any(has(each, tuple(rest)) for each in manifest)
    if not isinstance(manifest, dict):
        return False
    inner = manifest.values() if key == "*" else [manifest[key]] if key in manifest else []
    return any(has(each, tuple(rest)) for each in inner)


def edited(manifest: Any, path: Path, value: Any) -> Any:
    """A copy of a manifest with ``value`` at a path."""
    if not path:
        return value
    key, *rest = path
    copied = copy.copy(manifest)
    copied[key] = edited(copied[key] if rest else None, tuple(rest), value)
    return copied


def _sites(schema: Document, value: Any, path: Path) -> Iterator[Site]:
    yield Site(path, schema, value)
    if isinstance(value, dict):
        entries = schema.get("additionalProperties")
        for key, each in value.items():
            yield from _sites(schema.get("properties", {}).get(key, entries), each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _sites(schema["items"], each, (*path, index))


def _absent(schema: Document, value: Any, path: Path) -> Iterator[tuple[Path, list[Any]]]:
    """Each field that is not there, with the values to try, the likeliest first."""
    for key, part in schema.get("properties", {}).items():
        if key not in value:
            yield (*path, key), _examples(part)
        elif isinstance(value[key], dict):
            yield from _absent(part, value[key], (*path, key))


def _examples(schema: Document) -> list[Any]:
    if "items" in schema:
        return [[each] for each in _examples(schema["items"])]
    if "additionalProperties" in schema:
        return [{_KEY: each} for each in _examples(schema["additionalProperties"])]
    if "properties" not in schema:
        simple = {"boolean": [True], "integer": [schema.get("minimum", 1)], "string": _TEXTS}
        return list(schema.get("enum") or simple.get(schema.get("type", ""), [2, "2"]))
    parts = {key: _examples(part) for key, part in schema["properties"].items()}
    longest = max(map(len, parts.values()))
    whole = [{k: v[min(n, len(v) - 1)] for k, v in parts.items()} for n in range(longest)]
    needed = schema.get("required", ())
    return [*whole, *({key: each[key] for key in needed} for each in whole)]
