"""Rendered manifests in one file, and as a base: the namespace first, then the definitions."""

import yaml

from dist import manifests


RENDERED = """---
# Source: a.yaml
apiVersion: v1
kind: ServiceAccount
metadata: {name: a}
---
# Source: b.yaml
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: b}
---
# Source: empty.yaml
"""


def kinds(text: str) -> list[str]:
    return [document["kind"] for document in yaml.safe_load_all(text)]


def test_one_file_has_the_namespace_then_the_definitions_then_the_rest() -> None:
    found = kinds(manifests.install(RENDERED))
    assert found == ["Namespace", "CustomResourceDefinition", "ServiceAccount"]


def test_a_base_names_each_of_its_files() -> None:
    files = manifests.kustomize(RENDERED, "1.2.3")
    base = yaml.safe_load(files.pop("kustomization.yaml"))
    assert set(base["resources"]) == set(files)
    assert kinds(files["definitions.yaml"]) == ["CustomResourceDefinition"]
    assert kinds(files["operator.yaml"]) == ["ServiceAccount"]
