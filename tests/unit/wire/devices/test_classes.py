"""DeviceClasses as values."""

from typing import Any

import msgspec
import pytest

from elasticquota.model.claims import DeviceClass
from elasticquota.wire.codec.metadata import StatusManifest
from elasticquota.wire.devices import classes


def read(spec: Any) -> DeviceClass:
    metadata = {"name": "gpu", "creationTimestamp": "2026-01-01T00:00:00Z", "uid": "u"}
    return classes.read(msgspec.convert({"metadata": metadata, "spec": spec}, StatusManifest))


def test_a_class_has_expressions_and_an_extended_resource() -> None:
    selectors = [{"cel": {"expression": "true"}}, {"cel": {"expression": "false"}}]
    spec = {"selectors": selectors, "extendedResourceName": "example.com/gpu"}
    assert read(spec) == DeviceClass(
        "gpu", "2026-01-01T00:00:00Z", ("true", "false"), "example.com/gpu", (), "u"
    )
    assert read({}) == read(None) == DeviceClass("gpu", "2026-01-01T00:00:00Z", uid="u")


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ([], "spec: must be a map, got a list"),
        ({"selectors": {}}, "spec.selectors: must be a list, got a map"),
        ({"selectors": [{}]}, "spec.selectors[0]: must be a CEL expression"),
        (
            {"selectors": [{"cel": {"expression": 3}}]},
            "spec.selectors[0]: must be a CEL expression",
        ),
        (
            {"extendedResourceName": "not a name"},
            "spec.extendedResourceName: must be the name of a resource, got 'not a name'",
        ),
    ],
)
def test_each_wrong_part_is_one_line(spec: Any, fault: str) -> None:
    assert tuple(map(str, read(spec).faults)) == (fault,)
