"""Capacity scheduling's ElasticQuotas become quotas below one (seed 003; C1-C4, C8)."""

from pathlib import Path
from typing import Any

import translations


EXAMPLE = Path(__file__).parents[3] / "examples/import/capacity.yaml"
ALL = "ElasticQuotas of scheduling.x-k8s.io: capacity.max: "


def quota(name: str, quota_min: Any = None, quota_max: Any = None, **metadata: Any) -> Any:
    return {
        "metadata": {"name": name, "namespace": name, **metadata},
        "spec": {"min": quota_min, "max": quota_max},
    }


def test_seed_003_proposal_the_sample_is_the_quota_of_its_namespace() -> None:
    sample = quota(
        "test",
        {"cpu": 10, "memory": "20Gi", "nvidia.com/gpu": 1},
        {"cpu": 20, "memory": "40Gi", "nvidia.com/gpu": 2},
    )
    found = translations.of_capacity(sample)
    assert translations.limits(found)["test"] == (
        {"cpu": "10", "memory": "20Gi", "nvidia.com/gpu": "1"},
        {"cpu": "20", "memory": "40Gi", "nvidia.com/gpu": "2"},
    )
    mine = found.quotas[1]
    assert str(mine.key) == "test/test"
    assert mine.binds("test")
    assert mine.parent == "capacity"
    assert translations.refusals(found) == []
    assert translations.not_accepted(found) == []


def test_seed_003_proposal_min_is_nothing_and_max_unlimited_by_default() -> None:
    found = translations.of_capacity(quota("a"), quota("b", {"cpu": 1}, {"cpu": 2}))
    assert translations.limits(found)["a"] == ({}, {})
    assert translations.refusals(found) == []


def test_seed_003_user_story_1_both_quotas_together_have_their_ten_gpus() -> None:
    gpu = "nvidia.com/gpu"
    found = translations.of_capacity(
        quota("quota-a", {gpu: 4}, {gpu: 6}), quota("quota-b", {gpu: 6}, {gpu: 8})
    )
    assert translations.limits(found) == {
        "capacity": ({gpu: "10"}, {gpu: "10"}),
        "quota-a": ({gpu: "4"}, {gpu: "6"}),
        "quota-b": ({gpu: "6"}, {gpu: "8"}),
    }
    assert translations.refusals(found) == []


def test_seed_003_user_story_2_three_quotas_together_have_their_ten_gpus() -> None:
    gpu = "nvidia.com/gpu"
    found = translations.of_capacity(
        quota("quota-a", {gpu: 3}, {gpu: 4}),
        quota("quota-b", {gpu: 4}, {gpu: 6}),
        quota("quota-c", {gpu: 3}, {gpu: 4}),
    )
    assert translations.limits(found)["capacity"] == ({gpu: "10"}, {gpu: "10"})
    assert translations.refusals(found) == []


def test_seed_003_preemption_all_use_at_most_the_sum_of_min_as_in_the_restricted_example() -> None:
    found = translations.of_capacity(*translations.decoded(EXAMPLE.read_text()))
    assert translations.limits(found) == {
        "capacity": ({"cpu": "1"}, {"cpu": "1"}),
        "quota1": ({}, {"cpu": "2"}),
        "quota2": ({}, {"cpu": "2"}),
        "quota3": ({"cpu": "1"}, {"cpu": "2"}),
    }
    assert translations.lines(found) == [
        f"{ALL}together the quotas use at most the sum of their min, 1 cpu; to let them borrow all "
        "that the cluster has, take the max from 'capacity'"
    ]
    assert translations.refusals(found) == []


def test_seed_003_known_limitations_the_two_namespaces_of_the_cross_node_example() -> None:
    found = translations.of_capacity(
        quota("quota1", {"cpu": 0}, {"cpu": 2}), quota("quota2", {"cpu": 2}, {"cpu": 2})
    )
    assert translations.limits(found)["capacity"] == ({"cpu": "2"}, {"cpu": "2"})
    assert translations.refusals(found) == []


def test_a_resource_that_no_min_names_is_unlimited_for_all_together() -> None:
    found = translations.of_capacity(quota("a", {"cpu": 1}, {"cpu": 2, "memory": "1Gi"}))
    assert translations.limits(found)["capacity"][1] == {
        "cpu": "1",
        "memory": "4611686018427387",
    }
    assert translations.lines(found)[0] == (
        f"{ALL}leaves memory unlimited; named here with the number that stands for no limit"
    )
    assert translations.refusals(found) == []


def test_without_any_min_no_pod_is_limited_together() -> None:
    found = translations.of_capacity(quota("a", None, {"cpu": 2}))
    assert translations.limits(found)["capacity"] == ({}, {})
    assert translations.lines(found) == [
        f"{ALL}no quota has a min, so capacity scheduling would let none of them use anything; "
        "here they do"
    ]


def test_seed_003_proposal_of_two_quotas_in_a_namespace_the_older_counts() -> None:
    older = quota("b", None, {"cpu": 2}, namespace="ns", creationTimestamp="2026-01-01T00:00:00Z")
    younger = quota("a", None, {"cpu": 3}, namespace="ns", creationTimestamp="2026-01-02T00:00:00Z")
    found = translations.of_capacity(younger, older)
    assert found.origins["ns"] == "capacity:ns/b"
    assert translations.lines(found)[0] == (
        "ElasticQuota ns/a: the namespace has one quota, and that is b; not taken over"
    )


def test_a_namespace_called_capacity_gets_another_name_and_keeps_its_pods() -> None:
    found = translations.of_capacity(quota("capacity", {"cpu": 1}, {"cpu": 2}))
    top, mine = found.quotas
    assert top.name.startswith("capacity-")
    assert mine.name.startswith("capacity-")
    assert mine.namespaces == ("capacity",)
    assert translations.refusals(found) == []


def test_what_cannot_be_read_is_reported_with_its_path() -> None:
    found = translations.of_capacity(quota("a", {"cpu": -1}, 7))
    assert translations.lines(found)[:2] == [
        "ElasticQuota a/a: spec.max: must be a map, got 7; left out",
        "ElasticQuota a/a: spec.min.cpu: must not be negative, got -1; left out",
    ]
