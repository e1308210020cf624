"""KAI Scheduler's Queues become quotas of their names, in our units."""

from pathlib import Path
from typing import Any

import pytest

import translations
from elasticquota import names
from elasticquota.integrations.translation.translation import Translation
from elasticquota.model.quota import Quota


EXAMPLE = Path(__file__).parents[2] / "examples/import/kai.yaml"
GPU = "nvidia.com/gpu"
FREE = {"quota": 0, "limit": -1, "overQuotaWeight": 1}


def queue(name: str, parent: str = "", **spec: Any) -> Any:
    resources = {"cpu": FREE, "gpu": FREE, "memory": FREE} | spec.pop("resources", {})
    return {
        "apiVersion": "scheduling.run.ai/v2",
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": {"parentQueue": parent, "resources": resources, **spec},
    }


def quotas(found: Translation) -> dict[str, Quota]:
    return {quota.name: quota for quota in found.quotas}


def test_the_example_is_a_tree_with_the_numbers_of_its_queues() -> None:
    found = translations.of_kai(*translations.decoded(EXAMPLE.read_text()))
    said = quotas(found)
    assert {name: quota.min for name, quota in said.items()} == {
        "department": {"cpu": 16_000, "memory": 64 * 10**9, GPU: 8},
        "vision": {"cpu": 8000, "memory": 32 * 10**9, GPU: 6},
        "language": {"cpu": 4000, "memory": 16 * 10**9, GPU: 2},
    }
    assert {name: quota.max[GPU] for name, quota in said.items()} == {
        "department": 8,
        "vision": 8,
        "language": 4,
    }
    assert said["vision"].shared_weight == {"cpu": 2000, "memory": 2, GPU: 2}
    assert {said[name].parent for name in ("vision", "language")} == {"department"}
    assert translations.refusals(found) == []


def test_cpu_is_in_millicores_and_memory_in_megabytes() -> None:
    cpu, memory = ({"quota": 1500, "limit": 2000, "overQuotaWeight": 1} for _ in range(2))
    found = translations.of_kai(queue("a", resources={"cpu": cpu, "memory": memory}))
    quota = quotas(found)["a"]
    assert quota.min == {"cpu": 1500, "memory": 1_500_000_000}
    assert (quota.max["cpu"], quota.max["memory"]) == (2000, 2_000_000_000)
    assert found.warnings == ()


def test_a_limit_of_minus_1_is_no_limit() -> None:
    most = quotas(translations.of_kai(queue("a")))["a"].max
    assert min(most.values()) >= 2**52


def test_without_a_limit_a_queue_may_use_nothing() -> None:
    only_cpu = {
        "apiVersion": "scheduling.run.ai/v2",
        "kind": "Queue",
        "metadata": {"name": "a"},
        "spec": {"resources": {"cpu": {"quota": 1000, "limit": 1000}}},
    }
    found = translations.of_kai(only_cpu)
    assert quotas(found)["a"].max == {"cpu": 1000, "memory": 0, GPU: 0}


def test_an_unlimited_quota_is_no_min_and_reported() -> None:
    unlimited = {"quota": -1, "limit": -1, "overQuotaWeight": 1}
    found = translations.of_kai(queue("a", resources={"cpu": unlimited}))
    assert quotas(found)["a"].min == {}
    assert translations.lines(found) == [
        "Queue a: spec.resources.cpu.quota: -1 means that all its pods are within quota; no min "
        "can say that, so it is 0"
    ]


def test_over_quota_weights_are_weights_of_each_resource() -> None:
    weighed = [{"quota": 0, "limit": -1, "overQuotaWeight": weight} for weight in (3, 2)]
    found = translations.of_kai(queue("a", resources={"cpu": weighed[0], "gpu": weighed[1]}))
    assert quotas(found)["a"].shared_weight == {"cpu": 3000, GPU: 2, "memory": 1}


@pytest.mark.parametrize("weight", [0, None])
def test_a_weight_of_0_is_the_smallest_one(weight: int | None) -> None:
    light = {"quota": 0, "limit": -1, "overQuotaWeight": weight}
    found = translations.of_kai(queue("a", resources={"gpu": light}))
    assert quotas(found)["a"].shared_weight == {"cpu": 1000, GPU: 1, "memory": 1000}
    assert [warning.where for warning in found.warnings] == ["spec.resources.gpu.overQuotaWeight"]


def test_fractions_are_rounded_down_and_reported() -> None:
    half = {"quota": 1.5, "limit": 2.7, "overQuotaWeight": 1}
    found = translations.of_kai(queue("a", resources={"gpu": half}))
    assert (quotas(found)["a"].min, quotas(found)["a"].max[GPU]) == ({GPU: 1}, 2)
    assert [warning.where for warning in found.warnings] == [
        "spec.resources.gpu.limit",
        "spec.resources.gpu.quota",
    ]


def test_a_lending_limit_of_0_is_kept_and_others_are_reported() -> None:
    lends = [
        {"quota": 4000, "limit": -1, "overQuotaWeight": 1, "lendingLimit": m} for m in (0, 1000)
    ]
    found = translations.of_kai(
        queue("a", resources={"cpu": lends[0]}), queue("b", resources={"cpu": lends[1]})
    )
    assert {name: quota.allow_lent for name, quota in quotas(found).items()} == {
        "a": False,
        "b": True,
    }
    assert translations.lines(found) == [
        "Queue b: spec.resources.cpu.lendingLimit: lends at most 1 of 4 there; here all of it is "
        "lent, and reclaimed when it is needed"
    ]


def test_an_unknown_parent_and_a_circle_are_reported_and_the_rest_is_taken_over() -> None:
    found = translations.of_kai(queue("a", "x"), queue("b", "b"), queue("c", "b"))
    assert {name: quota.parent for name, quota in quotas(found).items()} == {
        "a": names.ROOT_QUOTA,
        "b": names.ROOT_QUOTA,
        "c": "b",
    }
    assert [warning.where for warning in found.warnings] == ["spec.parentQueue"] * 2


def test_what_is_left_out_is_reported() -> None:
    found = translations.of_kai(
        queue("a", priority=5, reclaimMinRuntime="1m", preemptMinRuntime="1m", displayName="A")
    )
    assert [warning.where for warning in found.warnings] == [
        "spec.preemptMinRuntime",
        "spec.priority",
        "spec.reclaimMinRuntime",
    ]


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (-3, "must be -1 or not negative, got -3"),
        ("much", "must be a number, got 'much'"),
        (float("inf"), "must be a number, got inf"),
        (True, "must be a number, got true"),
    ],
)
def test_a_number_that_cannot_be_read_is_0_and_reported(value: Any, fault: str) -> None:
    found = translations.of_kai(
        queue("a", resources={"cpu": {"quota": 0, "limit": value, "overQuotaWeight": 1}})
    )
    assert quotas(found)["a"].max["cpu"] == 0
    assert translations.lines(found) == [f"Queue a: spec.resources.cpu.limit: {fault}; left out"]
