"""The status that people read: exact quantities, and the columns beside them."""

import pytest

from elasticquota.model.decision import Condition, ProfileStatus, QuotaStatus
from elasticquota.model.key import Key
from elasticquota.structs import replace
from elasticquota.wire.quota import statuses


GI = 1024**3
ACCEPTED = Condition("Accepted", True, "Accepted", "guaranteed cpu 4")

TEAM = QuotaStatus(
    key=Key("team", "team-a"),
    generation=3,
    tree="cpu-root",
    parent="dept",
    used={"cpu": 12_000, "memory": 20 * GI, "pods": 6},
    request={"cpu": 14_000, "memory": 24 * GI, "pods": 7},
    runtime={"cpu": 16_000, "memory": 64 * GI},
    admitted={"cpu": 12_000, "memory": 20 * GI, "pods": 6},
    min={"cpu": 10_000, "memory": 32 * GI},
    max={"cpu": 40_000, "memory": 90 * GI},
    weight={"cpu": 40_000},
    pods_admitted=6,
    pods_gated=1,
    conditions=(ACCEPTED,),
)


def test_a_quota_shows_exact_quantities_and_figures_for_the_columns() -> None:
    assert statuses.quota_status(TEAM) == {
        "observedGeneration": 3,
        "tree": "cpu-root",
        "parent": "dept",
        "used": {"cpu": "12", "memory": "20Gi", "pods": "6"},
        "request": {"cpu": "14", "memory": "24Gi", "pods": "7"},
        "runtime": {"cpu": "16", "memory": "64Gi"},
        "admitted": {"cpu": "12", "memory": "20Gi", "pods": "6"},
        "min": {"cpu": "10", "memory": "32Gi"},
        "pods": {"admitted": 6, "gated": 1},
        "summary": {
            "cpu": "12/16/10..40",
            "memory": "20Gi/64Gi/32Gi..90Gi",
            "min": "cpu 10, memory 32Gi",
            "max": "cpu 40, memory 90Gi",
            "mode": "Enforce",
            "weight": "cpu 40",
            "borrowed": "cpu 2",
        },
        "conditions": [
            {
                "type": "Accepted",
                "status": "True",
                "observedGeneration": 3,
                "reason": "Accepted",
                "message": "guaranteed cpu 4",
            }
        ],
    }


def test_no_limit_is_a_dash() -> None:
    boundless = replace(TEAM, max={"cpu": 4_611_686_018_427_387_000})
    summary = statuses.quota_status(boundless)["summary"]
    assert (summary["cpu"], summary["memory"]) == ("12/16/10..-", "20Gi/64Gi/32Gi..-")


@pytest.mark.parametrize(("asked", "shown"), [(0, "10"), (9_999, "10"), (10_000, "5")])
def test_who_asks_for_less_than_its_min_reads_that_it_may_use_it(asked: int, shown: str) -> None:
    status = replace(TEAM, used={}, request={"cpu": asked}, runtime={"cpu": 5_000})
    assert statuses.quota_status(status)["summary"]["cpu"] == f"0/{shown}/10..40"


def test_a_quota_shows_that_its_tree_only_observes() -> None:
    status = replace(TEAM, conditions=(Condition("Observed", True, "TreeOnlyObserves", "x"),))
    assert statuses.quota_status(status)["summary"]["mode"] == "Observe"


def test_gpus_of_all_makers_are_counted_together() -> None:
    gpus = {"nvidia.com/gpu": 2, "amd.com/gpu": 1}
    status = replace(TEAM, used=gpus, runtime=gpus, max={"nvidia.com/gpu": 8, "amd.com/gpu": 4})
    assert statuses.quota_status(status)["summary"]["gpu"] == "3/3/0..12"


def test_a_quota_that_is_not_accepted_says_why_in_its_column() -> None:
    refused = Condition("Accepted", False, "ParentNotFound", "no quota 'x'")
    status = statuses.quota_status(replace(TEAM, conditions=(refused,)))
    assert status["summary"]["reason"] == "ParentNotFound"


@pytest.mark.parametrize(
    ("conditions", "column"),
    [
        ((Condition("Ready", True, "Accepted", ""),), "True"),
        ((Condition("Ready", False, "ParentNotFound", ""),), "False"),
        ((Condition("Ready", True, "", ""), Condition("Paused", True, "", "")), "Paused"),
    ],
)
def test_the_column_ready_shows_a_pause(conditions: tuple[Condition, ...], column: str) -> None:
    status = statuses.quota_status(replace(TEAM, conditions=conditions))
    assert status["summary"]["ready"] == column


def test_only_named_resources_are_borrowed() -> None:
    assert TEAM.above_min == {"cpu": 2000}


def test_a_profile_says_its_capacity_only_where_it_is_not_the_nodes() -> None:
    plain = ProfileStatus(Key("kube", "pool"), "42", 3, 1, (ACCEPTED,), total={"cpu": 8_000})
    assert "capacity" not in statuses.profile_status(plain)
    elastic = replace(
        plain, mode="Elastic", total={"cpu": 20_000, "memory": 4}, present={"cpu": 7_500}
    )
    assert statuses.profile_status(elastic)["capacity"] == {
        "mode": "Elastic",
        "total": {"cpu": "20", "memory": "4"},
        "present": {"cpu": "7500m"},
        "summary": "Elastic 7.5/20 cpu",
    }


def test_a_profile_shows_its_tree_and_its_nodes() -> None:
    profile = ProfileStatus(Key("kube", "pool"), "42", 3, 1, (ACCEPTED,))
    status = statuses.profile_status(profile)
    assert (status["tree"], status["nodes"], status["observedGeneration"]) == ("42", 3, 1)


def test_pools_have_a_column_of_their_own_and_do_not_count_as_gpus_again() -> None:
    a100, t4 = (f"{name}.pool.elasticquota.dev/nvidia.com_gpu" for name in ("a100", "t4"))
    status = replace(
        TEAM,
        used={"nvidia.com/gpu": 3, a100: 2, t4: 1},
        runtime={a100: 2, t4: 4},
        max={a100: 2, t4: 4},
    )
    summary = statuses.quota_status(status)["summary"]
    assert (summary["pools"], summary["gpu"]) == ("a100 2/2/0..2, t4 1/4/0..4", "3/-/0..-")


def test_several_resources_of_pools_are_named() -> None:
    cpu, gpu = "spot.pool.elasticquota.dev/cpu", "spot.pool.elasticquota.dev/nvidia.com_gpu"
    status = replace(TEAM, used={cpu: 1500, gpu: 1}, runtime={cpu: 2000}, max={})
    summary = statuses.quota_status(status)["summary"]
    assert summary["pools"] == "spot cpu 1.5/2/0..-, spot nvidia.com/gpu 1/-/0..-"
