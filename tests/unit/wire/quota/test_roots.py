"""A root quota is created whole and patched by what differs."""

from elasticquota import names
from elasticquota.model.decision import RootQuota
from elasticquota.model.key import Key
from elasticquota.structs import replace
from elasticquota.wire.quota import roots


ROOT = RootQuota(
    key=Key("pools", "cpu-root"),
    labels={names.IS_ROOT: "true", names.TREE_ID: "42"},
    annotations={names.TOTAL_RESOURCE: '{"cpu":"24"}'},
    min={"cpu": 24_000},
    max={"cpu": 4_611_686_018_427_387_000},
)


def test_the_manifest_has_everything() -> None:
    assert roots.manifest(ROOT) == {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {
            "namespace": "pools",
            "name": "cpu-root",
            "labels": {names.IS_ROOT: "true", names.TREE_ID: "42"},
            "annotations": {names.TOTAL_RESOURCE: '{"cpu":"24"}'},
        },
        "spec": {"min": {"cpu": "24"}, "max": {"cpu": "4611686018427387"}},
    }


def test_what_was_created_needs_no_patch() -> None:
    assert roots.patch(ROOT, roots.manifest(ROOT)) is None


def test_the_patch_has_only_what_differs_and_removes_what_is_too_much() -> None:
    stored = roots.manifest(ROOT)
    stored["spec"]["min"] = {"cpu": 16, "memory": "1Gi"}
    stored["metadata"]["labels"][names.TREE_ID] = "7"
    assert roots.patch(ROOT, stored) == {
        "metadata": {"labels": {names.TREE_ID: "42"}},
        "spec": {"min": {"cpu": "24", "memory": None}},
    }


def test_what_the_labels_of_the_profile_say_no_field_says() -> None:
    root = replace(ROOT, labels={names.IS_PARENT: "true", names.ALLOW_LENT: "false"})
    stored = roots.manifest(root)
    stored["spec"] |= {"isParent": False, "lends": True, "parent": "a"}
    gone: dict[str, object] = {"isParent": None, "lends": None}
    assert roots.patch(root, stored) == {"spec": gone}


def test_a_stored_spec_without_the_shape_of_one_is_replaced() -> None:
    for garbage in ("four", ["min"], {"min": "four", "max": 4}, {"min": {"cpu": "lots"}}, None):
        stored = {**roots.manifest(ROOT), "spec": garbage}
        assert roots.patch(ROOT, stored) == {"spec": roots.manifest(ROOT)["spec"]}


def test_what_must_not_be_there_is_taken_off_once() -> None:
    stored = roots.manifest(ROOT)
    stored["metadata"]["annotations"][names.PRESENT_RESOURCE] = "{}"
    without = replace(ROOT, not_annotated=(names.PRESENT_RESOURCE,))
    assert roots.patch(ROOT, stored) is None
    assert roots.patch(without, stored) == {
        "metadata": {"annotations": {names.PRESENT_RESOURCE: None}}
    }
    assert roots.patch(without, roots.manifest(without)) is None


def test_the_settings_of_the_tree_are_those_of_the_profile_and_no_others() -> None:
    elastic = {"mode": "Elastic", "max": {"cpu": "8", "memory": "64Gi"}}
    root = replace(ROOT, tree={"enforcement": "Observe", "capacity": elastic})
    stored = roots.manifest(root)
    assert roots.patch(root, stored) is None
    assert roots.patch(ROOT, stored) == {"spec": {"tree": None}}
    stored["spec"]["tree"] = {"guaranteeUsage": True, "capacity": {**elastic, "largestNode": {}}}
    assert roots.patch(root, stored) == {
        "spec": {
            "tree": {
                "enforcement": "Observe",
                "guaranteeUsage": None,
                "capacity": {"largestNode": None},
            }
        }
    }
    for garbage in ("four", None):
        stored["spec"]["tree"] = garbage
        assert roots.patch(root, stored) == {"spec": {"tree": root.tree}}
