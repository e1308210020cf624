"""Reading is total: any JSON value at any place of an object gives a value, never an exception.

Metadata is the exception that the API server makes impossible: it decodes the metadata of every
object itself and stores only what it understood. There, and for pods, whose shape it guarantees
too, a wrong type is refused by the decoder with its path.
"""

import copy
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elasticquota import names
from elasticquota.wire import fields, namespaces, nodes, pods, profiles, quotas


Path = tuple[str | int, ...]

META = {
    "name": "a",
    "namespace": "b",
    "uid": "u",
    "generation": 1,
    "creationTimestamp": "2026-01-01T00:00:00Z",
    "labels": {names.PARENT: "p"},
    "annotations": {names.SHARED_WEIGHT: '{"cpu": 1}', names.NAMESPACES: '["x"]'},
    "ownerReferences": [{"kind": "DaemonSet", "controller": True}],
}
QUOTA = {
    "metadata": META,
    "spec": {"min": {"cpu": 1, "memory": "1Gi"}, "max": {"cpu": 2, "memory": "2Gi"}},
    "status": {"used": {"cpu": "1"}},
}
PROFILE = {
    "metadata": META,
    "spec": {
        "quotaName": "root",
        "nodeSelector": {
            "matchLabels": {"pool": "gpu"},
            "matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}],
        },
        "quotaLabels": {"cost": "1"},
        "resourceRatio": "0.9",
    },
}
NODE = {
    "metadata": META,
    "spec": {"unschedulable": True},
    "status": {
        "allocatable": {"cpu": "8", "memory": "32Gi"},
        "conditions": [{"type": "Ready", "status": "True"}],
    },
}
CONTAINER = {"name": "c", "resources": {"requests": {"cpu": "1"}}, "restartPolicy": "Always"}
POD = {
    "metadata": META,
    "spec": {
        "nodeName": "n",
        "priority": 1,
        "schedulingGates": [{"name": names.GATE}],
        "containers": [CONTAINER],
        "initContainers": [CONTAINER],
        "resources": {"requests": {"cpu": "1"}},
        "overhead": {"cpu": "1m"},
    },
    "status": {
        "phase": "Running",
        "startTime": "2026-01-01T00:00:00Z",
        "conditions": [{"type": "PodScheduled", "reason": "r", "message": "m"}],
        "containerStatuses": [
            {"name": "c", "resources": {"requests": {"cpu": "1"}}, "allocatedResources": {}}
        ],
    },
}


def places(value: Any, here: Path = ()) -> list[Path]:
    """The paths of everything inside a document."""
    inner: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    found: list[Path] = []
    for step, each in inner:
        found += [(*here, step), *places(each, (*here, step))]
    return found


def replaced(document: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    target: Any = changed
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return changed


TEXTS = st.text(st.characters(codec="utf-8"), max_size=80) | st.sampled_from(
    ["cpu", "1", "-1", "1e9", "0.5", "[]", "{}", "In", "x" * 70_000, '{"cpu": [', "\x00\u202e"]
)
NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("document", "manifest", "read"),
    [
        (QUOTA, quotas.QuotaManifest, quotas.read),
        (PROFILE, profiles.ProfileManifest, profiles.read),
        (NODE, nodes.NodeManifest, nodes.read),
    ],
    ids=["quota", "profile", "node"],
)
@settings(deadline=None)
@given(data=st.data(), value=JSON)
def test_any_value_at_any_place_gives_an_object_of_the_same_name(
    document: dict[str, Any], manifest: Any, read: Any, data: st.DataObject, value: Any
) -> None:
    path = data.draw(st.sampled_from([p for p in places(document) if p[0] != "metadata"]))
    changed = replaced(document, path, value)
    found = read(msgspec.json.decode(msgspec.json.encode(changed), type=manifest))
    assert found.name == "a" if manifest is nodes.NodeManifest else found.key == ("b", "a")
    assert read(msgspec.convert(changed, manifest)) == found
    for fault in getattr(found, "faults", ()):
        assert fault.isprintable()
        assert len(fault) < 700  # two resource names of the greatest length, and a sentence


@pytest.mark.parametrize(
    ("document", "manifest", "read"),
    [
        (QUOTA, quotas.QuotaManifest, quotas.read),
        (PROFILE, profiles.ProfileManifest, profiles.read),
        (NODE, nodes.NodeManifest, nodes.read),
        (POD, pods.PodManifest, pods.read),
        ({"metadata": META}, namespaces.NamespaceManifest, namespaces.read),
    ],
    ids=["quota", "profile", "node", "pod", "namespace"],
)
@settings(deadline=None)
@given(data=st.data(), value=JSON)
def test_where_the_shape_is_guaranteed_a_value_is_read_or_refused_with_its_path(
    document: dict[str, Any], manifest: Any, read: Any, data: st.DataObject, value: Any
) -> None:
    path = data.draw(st.sampled_from(places(document)))
    why = refusal(msgspec.json.encode(replaced(document, path, value)), manifest, read)
    assert why is None or f"at `$.{path[0]}" in why


def refusal(encoded: bytes, manifest: Any, read: Any) -> str | None:
    try:
        read(msgspec.json.decode(encoded, type=manifest))
    except msgspec.ValidationError as error:
        return str(error)
    return None


@given(value=JSON)
def test_what_is_shown_is_short_and_printable(value: Any) -> None:
    shown = fields.shown(value)
    assert shown.isprintable()
    assert len(shown) <= 45
