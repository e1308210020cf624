"""The status that people read: exact quantities, and the columns beside them."""

from typing import Any

import pytest

from elasticquota.model.decision import Condition, ProfileStatus, QuotaStatus
from elasticquota.model.key import Key
from elasticquota.structs import replace
from elasticquota.wire.quota import statuses


GI = 1024**3
ACCEPTED = Condition("Accepted", True, "Accepted", "guaranteed 4 cpu")

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
            "min": "10 cpu, 32Gi memory",
            "max": "40 cpu, 90Gi memory",
            "mode": "Enforce",
            "weight": "40 cpu",
            "borrowed": "2 cpu",
        },
        "conditions": [
            {
                "type": "Accepted",
                "status": "True",
                "observedGeneration": 3,
                "reason": "Accepted",
                "message": "guaranteed 4 cpu",
            }
        ],
    }


def ready(*, status: bool = True, reason: str = "Accepted") -> Condition:
    return Condition("Ready", status, reason, "")


GPUS = {"nvidia.com/gpu": 2, "amd.com/gpu": 1}
A100, T4 = (f"{name}.pool.elasticquota.dev/nvidia.com_gpu" for name in ("a100", "t4"))
SPOT, SPOT_GPU = (f"spot.pool.elasticquota.dev/{name}" for name in ("cpu", "nvidia.com_gpu"))


@pytest.mark.parametrize(
    ("changes", "columns"),
    [
        pytest.param(
            {"max": {"cpu": 4_611_686_018_427_387_000}},
            {"cpu": "12/16/10..-", "memory": "20Gi/64Gi/32Gi..-"},
            id="no limit is a dash",
        ),
        *(
            pytest.param(
                {"used": {}, "request": {"cpu": asked}, "runtime": {"cpu": 5_000}},
                {"cpu": f"0/{shown}/10..40"},
                id=f"who asks for {asked}m of its min of 10",
            )
            for asked, shown in [(0, "10"), (9_999, "10"), (10_000, "5")]
        ),
        pytest.param(
            {"conditions": (Condition("Observed", True, "TreeOnlyObserves", "x"),)},
            {"mode": "Observe"},
            id="a tree that only observes",
        ),
        pytest.param(
            {"used": GPUS, "runtime": GPUS, "max": {"nvidia.com/gpu": 8, "amd.com/gpu": 4}},
            {"gpu": "3/3/0..12"},
            id="GPUs of all makers are counted together",
        ),
        pytest.param(
            {"conditions": (Condition("Accepted", False, "ParentNotFound", "no quota 'x'"),)},
            {"reason": "ParentNotFound"},
            id="why it is not accepted",
        ),
        pytest.param({"conditions": (ready(),)}, {"ready": "True"}, id="ready"),
        pytest.param({"conditions": (ready(status=False),)}, {"ready": "False"}, id="not ready"),
        pytest.param(
            {"conditions": (ready(), Condition("Paused", True, "", ""))},
            {"ready": "Paused"},
            id="a pause",
        ),
        pytest.param(
            {
                "used": {"nvidia.com/gpu": 3, A100: 2, T4: 1},
                "runtime": {A100: 2, T4: 4},
                "max": {A100: 2, T4: 4},
            },
            {"pools": "a100 2/2/0..2, t4 1/4/0..4", "gpu": "3/-/0..-"},
            id="pools do not count as GPUs again",
        ),
        pytest.param(
            {"used": {SPOT: 1500, SPOT_GPU: 1}, "runtime": {SPOT: 2000}, "max": {}},
            {"pools": "spot cpu 1.5/2/0..-, spot nvidia.com/gpu 1/-/0..-"},
            id="several resources of pools are named",
        ),
    ],
)
def test_a_column_shows(changes: dict[str, Any], columns: dict[str, str]) -> None:
    summary = statuses.quota_status(replace(TEAM, **changes))["summary"]
    assert {column: summary[column] for column in columns} == columns


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
