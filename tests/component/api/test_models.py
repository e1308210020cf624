"""Programs make and read objects by the models; what they get wrong is said with its path."""

from typing import Any

import pydantic
import pytest

from elasticquota_api import (
    ElasticQuota,
    ElasticQuotaProfile,
    Metadata,
    NodeSelector,
    ProfileSpec,
    Queue,
    QueueUnit,
    QuotaSpec,
)
from elasticquota_api.profile import LabelSelectorRequirement


TEAM: dict[str, Any] = {
    "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
    "kind": "ElasticQuota",
    "metadata": {"name": "team-a", "namespace": "team-a", "managedFields": [{"manager": "x"}]},
    "spec": {"min": {"cpu": 4, "memory": "8Gi"}, "max": {"cpu": "10.5", "memory": "1e10"}},
}


def faults(kind: type[pydantic.BaseModel], manifest: dict[str, Any]) -> list[str]:
    """Path and sentence of each fault."""
    with pytest.raises(pydantic.ValidationError) as raised:
        kind.model_validate(manifest)
    found = raised.value.errors()
    return [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in found]


def test_a_manifest_comes_out_as_it_went_in() -> None:
    assert ElasticQuota.read(TEAM).manifest() == TEAM


def test_a_program_names_fields_as_python_does() -> None:
    profile = ElasticQuotaProfile(
        metadata=Metadata(name="gpu", namespace="kube-system"),
        spec=ProfileSpec(
            quota_name="gpu-root",
            node_selector=NodeSelector(
                match_labels={"pool": "gpu"},
                match_expressions=[LabelSelectorRequirement(key="gpu.model", operator="Exists")],
            ),
        ),
    )
    assert profile.manifest() == {
        "apiVersion": "quota.koordinator.sh/v1alpha1",
        "kind": "ElasticQuotaProfile",
        "metadata": {"name": "gpu", "namespace": "kube-system"},
        "spec": {
            "quotaName": "gpu-root",
            "nodeSelector": {
                "matchLabels": {"pool": "gpu"},
                "matchExpressions": [{"key": "gpu.model", "operator": "Exists"}],
            },
        },
    }


def test_the_smallest_quota_has_an_empty_spec() -> None:
    quota = ElasticQuota.read({**TEAM, "spec": {}})
    assert quota == ElasticQuota.read({key: TEAM[key] for key in TEAM if key != "spec"})
    assert quota.spec == QuotaSpec(min=None, max=None)


def test_a_misspelled_field_is_refused() -> None:
    assert faults(ElasticQuota, {**TEAM, "spec": {"mim": {"cpu": 1}}}) == [
        "spec.mim: Extra inputs are not permitted"
    ]


@pytest.mark.parametrize("amount", ["four", "", "1e25", "1" * 65, 1.5, True, None])
def test_what_is_no_quantity_is_refused(amount: object) -> None:
    found = faults(ElasticQuota, {**TEAM, "spec": {"max": {"cpu": amount}}})
    assert all(each.startswith("spec.max.cpu.") for each in found)


def test_an_object_of_another_kind_is_refused() -> None:
    assert faults(ElasticQuota, {**TEAM, "apiVersion": "scheduling.x-k8s.io/v1alpha1"}) == [
        "apiVersion: Value error, must be scheduling.sigs.k8s.io/v1alpha1"
    ]
    assert faults(Queue, {**TEAM, "apiVersion": "scheduling.x-k8s.io/v1alpha1", "spec": {}}) == [
        "kind: Value error, must be Queue"
    ]


def test_what_a_newer_controller_writes_is_passed_over() -> None:
    quota = ElasticQuota.read({**TEAM, "status": {"tree": "cpu", "newer": {"field": 1}}})
    assert quota.status is not None
    assert quota.manifest()["status"] == {"tree": "cpu"}


def test_what_a_queue_has_for_other_systems_is_kept() -> None:
    checks = [{"name": "a", "labels": {"b": "c"}}]
    spec = {"queuePolicy": "Block", "admissionChecks": checks}
    assert Queue.read({"spec": spec, **_queueing("Queue")}).manifest()["spec"] == spec
    unit: dict[str, Any] = {"podSet": [{"template": {"spec": {}}}]}
    assert QueueUnit.read({"spec": unit, **_queueing("QueueUnit")}).manifest()["spec"] == unit


def _queueing(kind: str) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": kind,
        "metadata": {"name": "a", "namespace": "b"},
    }
