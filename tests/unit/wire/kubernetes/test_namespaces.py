"""What is read of a namespace."""

from typing import Any

import msgspec
import pytest

from elasticquota import names
from elasticquota.model.namespace import Namespace
from elasticquota.wire.kubernetes import namespaces


@pytest.mark.parametrize(
    ("metadata", "namespace"),
    [
        ({}, Namespace("team")),
        ({"labels": None}, Namespace("team")),
        ({"labels": {"other": "x"}}, Namespace("team")),
        ({"labels": {names.NAMESPACE_QUOTA: "a"}}, Namespace("team", quota="a")),
        ({"labels": {names.NAMESPACE_QUOTA: ""}}, Namespace("team", quota="")),
        ({"deletionTimestamp": "2026-01-01T00:00:00Z"}, Namespace("team", terminating=True)),
    ],
)
def test_the_label_is_read_as_it_is(metadata: dict[str, Any], namespace: Namespace) -> None:
    manifest = {"metadata": {"name": "team", **metadata}}
    assert namespaces.read(msgspec.convert(manifest, namespaces.NamespaceManifest)) == namespace
