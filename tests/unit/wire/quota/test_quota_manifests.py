"""A quota that a translation made is created whole and patched by what differs."""

from typing import Any

from elasticquota import names
from elasticquota.model import limit
from elasticquota.model.key import Key
from elasticquota.model.limit import Limit, QuotaLimits
from elasticquota.model.quota import NOT_EVER, Quota
from elasticquota.model.selector import EVERYTHING, Requirement, Selector
from elasticquota.structs import replace
from elasticquota.wire.quota import quota_manifests


QUOTA = Quota(
    Key("home", "r-a"),
    uid="",
    created="",
    parent="r",
    min={"cpu": 1000},
    max={"cpu": 4000, "memory": 1024},
    namespaces=("one", "two"),
    reclaim_grace=1500,
    preemption=names.FENCE,
    over_max_delay=NOT_EVER,
    application_order=names.FAIR,
    orders_by_priority=False,
    nodes=Selector((Requirement("model", "In", ("a100", "v100")),)),
    limits=QuotaLimits(9, (Limit(("ann",), ("dev",), {"cpu": 500}, 2), Limit(("*",), (), {}, 1))),
    kept_for="ack",
)
SOURCE = {names.SOURCE: "ack:r/a"}


def stored(quota: Quota = QUOTA) -> dict[str, Any]:
    return quota_manifests.manifest(quota, SOURCE)


def test_the_manifest_has_everything() -> None:
    assert stored() == {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {
            "namespace": "home",
            "name": "r-a",
            "labels": {names.DIALECT: "ack"},
            "annotations": {names.SOURCE: "ack:r/a"},
        },
        "spec": {
            "parent": "r",
            "namespaces": ["one", "two"],
            "min": {"cpu": "1"},
            "max": {"cpu": "4", "memory": "1Ki"},
            "queue": {"order": "Age", "applications": "Fair"},
            "reclaim": {"grace": "1500ms", "overMaxDelay": "Never", "preemption": "Fence"},
            "nodeSelector": {"model": ["a100", "v100"]},
            "limits": {
                "applications": 9,
                "people": [
                    {
                        "users": ["ann"],
                        "groups": ["dev"],
                        "max": {"cpu": "500m"},
                        "applications": 2,
                    },
                    {"users": ["*"], "applications": 1},
                ],
            },
        },
    }


def test_what_was_created_needs_no_patch() -> None:
    assert quota_manifests.patch(QUOTA, SOURCE, stored()) is None


def test_what_others_add_and_write_differently_is_no_difference() -> None:
    found = stored()
    found["metadata"]["labels"] |= {"theirs": "x", names.TREE_ID: ""}
    found["metadata"]["annotations"]["theirs"] = "x"
    found["spec"]["min"]["cpu"] = "1000m"
    assert quota_manifests.patch(QUOTA, SOURCE, found) is None


def test_only_what_differs_is_patched_and_what_is_gone_is_taken_off() -> None:
    after = replace(
        QUOTA,
        parent=names.ROOT_QUOTA,
        is_parent=True,
        min={"memory": 1024},
        namespaces=(),
        preemption="",
        over_max_delay=None,
        application_order="",
        orders_by_priority=True,
        nodes=EVERYTHING,
        limits=limit.NONE,
    )
    assert quota_manifests.patch(after, SOURCE, stored()) == {
        "metadata": {
            "labels": {names.PARENT: names.ROOT_QUOTA, names.IS_PARENT: "true"},
        },
        "spec": {
            "parent": names.ROOT_QUOTA,
            "namespaces": None,
            "isParent": True,
            "min": {"cpu": None, "memory": "1Ki"},
            "queue": None,
            "nodeSelector": None,
            "limits": None,
            "reclaim": {"overMaxDelay": None, "preemption": None},
        },
    }


def test_a_parent_that_holds_without_being_named_may_be_named() -> None:
    quota = replace(QUOTA, parent=names.ROOT_QUOTA)
    found = stored(quota)
    assert quota_manifests.patch(quota, SOURCE, found) is None
    found["metadata"]["labels"][names.PARENT] = names.ROOT_QUOTA
    assert quota_manifests.patch(quota, SOURCE, found) is None


def test_a_parent_that_only_the_label_names_is_no_difference() -> None:
    found = stored()
    del found["spec"]["parent"]
    found["metadata"]["labels"][names.PARENT] = "r"
    assert quota_manifests.patch(QUOTA, SOURCE, found) is None
    found["spec"]["parent"] = "s"
    assert quota_manifests.patch(QUOTA, SOURCE, found) == {"spec": {"parent": "r"}}


def test_where_the_field_is_dropped_the_label_is_written_and_then_nothing_more() -> None:
    found = stored()
    del found["spec"]["parent"]
    both = {"metadata": {"labels": {names.PARENT: "r"}}, "spec": {"parent": "r"}}
    assert quota_manifests.patch(QUOTA, SOURCE, found) == both
    found["metadata"]["labels"][names.PARENT] = "r"
    assert quota_manifests.patch(QUOTA, SOURCE, found) is None


def test_where_a_field_is_dropped_its_annotation_is_written_and_then_nothing_more() -> None:
    found = stored()
    del found["spec"]["namespaces"]
    bound = {names.NAMESPACES: '["one","two"]'}
    both = {"metadata": {"annotations": bound}, "spec": {"namespaces": ["one", "two"]}}
    assert quota_manifests.patch(QUOTA, SOURCE, found) == both
    found["metadata"]["annotations"] |= bound
    assert quota_manifests.patch(QUOTA, SOURCE, found) is None


def test_a_field_that_no_longer_holds_goes_with_its_key() -> None:
    found = stored(replace(QUOTA, is_parent=True))
    found["metadata"]["labels"][names.IS_PARENT] = "true"
    gone = {"metadata": {"labels": {names.IS_PARENT: None}}, "spec": {"isParent": None}}
    assert quota_manifests.patch(QUOTA, SOURCE, found) == gone
    found["spec"]["isParent"] = False
    assert quota_manifests.patch(QUOTA, SOURCE, found) is None


def test_what_has_no_shape_is_replaced() -> None:
    patch = quota_manifests.patch(QUOTA, SOURCE, {"metadata": {}, "spec": {"min": 7, "queue": 7}})
    assert patch is not None
    assert patch["spec"]["min"] == {"cpu": "1"}
    assert patch["spec"]["queue"] == {"order": "Age", "applications": "Fair"}
    assert patch["spec"]["parent"] == "r"
    assert patch["metadata"]["labels"] == {names.PARENT: "r", names.DIALECT: "ack"}


def test_the_manifest_has_what_only_an_import_states() -> None:
    quota = replace(
        QUOTA,
        shared_weight={"cpu": 2000, "memory": 3},
        allow_lent=False,
        allowed_namespaces=("c",),
        strict_queue=True,
    )
    spec = stored(quota)["spec"]
    assert spec["access"] == {"pods": ["c"]}
    assert spec["queue"]["policy"] == "Strict"
    assert spec["lends"] is False
    assert spec["weight"] == {"cpu": "2", "memory": "3"}


def test_a_patch_keeps_the_weight_the_lending_and_the_allowed_namespaces_of_a_stored_quota() -> (
    None
):
    there = stored()
    there["spec"]["lends"] = False
    there["spec"]["weight"] = {"cpu": "7"}
    there["spec"]["access"] = {"pods": []}
    assert quota_manifests.patch(QUOTA, SOURCE, there) is None
