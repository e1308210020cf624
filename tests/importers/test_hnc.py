"""HNC's hierarchy of namespaces becomes a tree of quotas with its limits."""

from pathlib import Path
from typing import Any

import translations
from elasticquota import names
from elasticquota.integrations.translation.translation import Translation
from elasticquota.model.quota import Quota


EXAMPLE = Path(__file__).parents[2] / "examples/import/hnc.yaml"


def limit(namespace: str, name: str = "q", **spec: Any) -> Any:
    return _object("HierarchicalResourceQuota", name, namespace, spec)


def child(namespace: str, parent: Any, name: str = "hierarchy") -> Any:
    return _object("HierarchyConfiguration", name, namespace, {"parent": parent})


def anchor(parent: str, name: str) -> Any:
    return _object("SubnamespaceAnchor", name, parent, None)


def _object(kind: str, name: str, namespace: str, spec: Any) -> Any:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "hnc.x-k8s.io/v1alpha2", "kind": kind, "metadata": metadata, "spec": spec}


def subnamespace(name: str, parent: str) -> Any:
    annotations = {"hnc.x-k8s.io/subnamespace-of": parent}
    metadata = {"name": name, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def quotas(found: Translation) -> dict[str, Quota]:
    return {quota.name: quota for quota in found.quotas}


def parents(found: Translation) -> dict[str, str]:
    return {quota.name: quota.parent for quota in found.quotas}


def test_the_example_is_a_tree_with_the_limits_of_its_quotas() -> None:
    found = translations.of_hnc(*translations.decoded(EXAMPLE.read_text()))
    assert translations.limits(found) == {
        "department-tree": ({}, {"cpu": "12", "memory": "48Gi"}),
        "department": ({}, {}),
        "team-one": ({}, {"cpu": "4"}),
        "team-two": ({}, {}),
    }
    assert parents(found) == {
        "department-tree": names.ROOT_QUOTA,
        "department": "department-tree",
        "team-one": "department-tree",
        "team-two": "department-tree",
    }
    assert translations.refusals(found, ("department", "team-one", "team-two")) == []


def test_the_own_pods_of_a_namespace_with_children_belong_to_a_leaf_below_it() -> None:
    found = translations.of_hnc(limit("top", hard={"cpu": 4}), child("low", "top"))
    assert {name: quota.namespaces for name, quota in quotas(found).items()} == {
        "top-tree": (),
        "top": ("top",),
        "low": ("low",),
    }


def test_no_pod_may_name_the_quota_of_another_namespace() -> None:
    found = translations.of_hnc(limit("top", hard={"cpu": 4}), child("low", "top"))
    leaves = {name: quota for name, quota in quotas(found).items() if not quota.is_parent}
    assert {name: quota.allowed_namespaces for name, quota in leaves.items()} == {
        "top": (),
        "low": (),
    }


def test_the_smallest_of_several_limits_counts() -> None:
    found = translations.of_hnc(
        limit("a", "x", hard={"cpu": 4, "memory": "1Gi"}),
        limit("a", "y", hard={"requests.cpu": 3, "memory": "2Gi"}),
    )
    assert translations.limits(found) == {"a": ({}, {"cpu": "3", "memory": "1Gi"})}


def test_a_hierarchy_without_a_quota_is_not_taken_over() -> None:
    found = translations.of_hnc(
        limit("a", hard={"cpu": 1}), child("c", "b"), child("x", "y"), child("y", "x")
    )
    assert list(quotas(found)) == ["a"]
    assert found.warnings == ()


def test_anchors_and_annotations_name_the_parent_and_the_configuration_comes_first() -> None:
    found = translations.of_hnc(
        limit("top", hard={"cpu": 4}),
        anchor("top", "one"),
        subnamespace("two", "top"),
        subnamespace("three", "one"),
        child("three", "top"),
    )
    assert {name: parents(found)[name] for name in ("one", "two", "three")} == {
        "one": "top-tree",
        "two": "top-tree",
        "three": "top-tree",
    }
    assert translations.lines(found) == [
        "Namespace three: metadata.annotations[hnc.x-k8s.io/subnamespace-of]: by "
        "HierarchyConfiguration three/hierarchy the parent is 'top'; left out"
    ]


def test_only_the_configuration_called_hierarchy_counts() -> None:
    found = translations.of_hnc(limit("a", hard={"cpu": 1}), child("b", "a", name="other"))
    assert list(quotas(found)) == ["a"]


def test_namespaces_in_a_circle_are_first_levels() -> None:
    found = translations.of_hnc(limit("a", hard={"cpu": 1}), child("a", "b"), child("b", "a"))
    assert parents(found) == {"a": names.ROOT_QUOTA}
    assert translations.lines(found) == [
        "HierarchyConfiguration a/hierarchy: spec.parent: is its own ancestor (a -> b -> a); taken "
        "over without a parent"
    ]


def test_what_is_left_out_is_reported() -> None:
    found = translations.of_hnc(
        limit("a", "x", hard={"cpu": 1, "limits.cpu": 2, "secrets": 3}),
        limit("a", "y", hard={"cpu": 1}, scopes=["BestEffort"]),
        limit("a", "z", hard={"cpu": -1}),
        child("b", 5),
        anchor("a\nb", "c"),
    )
    assert [(warning.source.partition(" ")[2], warning.where) for warning in found.warnings] == [
        ("a/x", "spec.hard.limits.cpu"),
        ("a/x", "spec.hard.secrets"),
        ("a/y", "spec.scopes"),
        ("a/z", "spec.hard.cpu"),
        ("b/hierarchy", "spec.parent"),
        ("'a?b'/c", "metadata.namespace"),
    ]
