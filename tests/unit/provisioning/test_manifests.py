"""Names are the same for the same need, objects belong to their workload, others are not ours."""

from typing import Any

import pytest

from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.model.owner import Owner
from elasticquota.provisioning import manifests
from elasticquota.provisioning.manifests import Asking


CHECK = "check-capacity.autoscaling.x-k8s.io"
POD = Owner("v1", "Pod", "train-0", "uid-0")


def asking(**other: Any) -> Asking:
    facts: dict[str, Any] = {
        "subject": Key("teams", "koordinator/train"),
        "uids": ["uid-0", "uid-1"],
        "owners": [POD],
        "class_name": CHECK,
        "parameters": (),
        "counts": [2],
    }
    return manifests.asking(**{**facts, **other})


def test_the_same_need_has_the_same_name_whatever_the_order_of_its_parts() -> None:
    assert asking().prefix == asking(uids=["uid-1", "uid-0"]).prefix
    assert asking().prefix.startswith("train-")


@pytest.mark.parametrize(
    "other",
    [
        {"uids": ["uid-0", "uid-2"]},
        {"counts": [1]},
        {"class_name": "other"},
        {"parameters": (("a", "b"),)},
        {"subject": Key("other", "koordinator/train")},
    ],
)
def test_another_need_has_another_name(other: dict[str, Any]) -> None:
    assert asking(**other).prefix != asking().prefix


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("job/Ä_x", "x"),
        ("-.-", "workload"),
        ("a" * 300, "a" * 40),
        ("job.batch/train.v1", "train-v1"),
    ],
)
def test_a_name_is_valid_whatever_the_workload_is_called(name: str, base: str) -> None:
    found = asking(subject=Key("teams", name)).name(1)
    assert found.rpartition("-")[0].rpartition("-")[0] == base
    assert len(found) < 60


def test_a_request_belongs_to_its_workload_and_refers_to_its_templates() -> None:
    asked = asking(counts=[2, 1], parameters=(("maxRunDurationSeconds", "60"),))
    name = asked.name(3)
    found = manifests.request(asked, 3)
    assert found["metadata"] == {
        "name": name,
        "namespace": "teams",
        "annotations": {names.PROVISIONING_FOR: "koordinator/train"},
        "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "train-0", "uid": "uid-0"}],
    }
    assert found["spec"] == {
        "provisioningClassName": CHECK,
        "parameters": {"maxRunDurationSeconds": "60"},
        "podSets": [
            {"count": 2, "podTemplateRef": {"name": f"{name}-0"}},
            {"count": 1, "podTemplateRef": {"name": f"{name}-1"}},
        ],
    }
    template = manifests.pod_template(asked, 3, 1, {"spec": {}})
    assert template["metadata"] == {**found["metadata"], "name": f"{name}-1"}
    assert manifests.templates(found) == [f"{name}-0", f"{name}-1"]


def test_a_large_group_has_few_owners() -> None:
    many = [Owner("v1", "Pod", f"p-{n}", f"uid-{n}") for n in range(1000)]
    assert len(asking(owners=many).owners) == manifests.MOST_OWNERS


def test_a_request_of_the_same_name_by_another_user_is_not_ours() -> None:
    asked = asking()
    ours = manifests.request(asked, 1)
    assert manifests.is_ours(ours, asked, 1)
    for change in (
        {"spec": {**ours["spec"], "podSets": [{"count": 1, "podTemplateRef": {"name": "x"}}]}},
        {"spec": {**ours["spec"], "provisioningClassName": "free"}},
        {"metadata": {**ours["metadata"], "ownerReferences": []}},
        {"metadata": {**ours["metadata"], "ownerReferences": [{"uid": "forged"}]}},
        {"metadata": {**ours["metadata"], "ownerReferences": "odd"}},
        {"spec": None},
    ):
        assert not manifests.is_ours({**ours, **change}, asked, 1)


def test_only_templates_that_are_named_after_the_request_go_with_it() -> None:
    stored: dict[str, Any] = {"metadata": {"name": "train-1"}, "spec": {"podSets": [None, {}]}}
    assert manifests.templates(stored) == []
    refs = ["victim", "train-1-0", "train-12", 3]
    stored["spec"] = {"podSets": [{"podTemplateRef": {"name": name}} for name in refs]}
    assert manifests.templates(stored) == ["train-1-0"]
    assert manifests.templates({**stored, "spec": 4}) == []


@pytest.mark.parametrize(
    ("name", "attempt"),
    [("p-1", 1), ("p-10", 10), ("p-01", None), ("p-x", None), ("q-1", None), ("p-9999999", None)],
)
def test_the_number_of_an_attempt_is_read_from_its_name(name: str, attempt: int | None) -> None:
    assert manifests.attempt_of(name, "p") == attempt


def test_the_workload_of_a_request_is_what_it_says() -> None:
    assert manifests.subject(manifests.request(asking(), 1)) == Key("teams", "koordinator/train")
    odd: list[Any] = [None, [], {}, {names.PROVISIONING_FOR: 3}]
    for annotations in odd:
        stored = {"metadata": {"name": "x", "annotations": annotations}}
        assert manifests.subject(stored) is None


def test_pods_name_the_request_whose_nodes_they_use_in_both_spellings() -> None:
    assert manifests.consumption("train-1", CHECK) == {
        "autoscaling.x-k8s.io/consume-provisioning-request": "train-1",
        "cluster-autoscaler.kubernetes.io/consume-provisioning-request": "train-1",
        "autoscaling.x-k8s.io/provisioning-class-name": CHECK,
        "cluster-autoscaler.kubernetes.io/provisioning-class-name": CHECK,
    }
