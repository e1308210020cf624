"""C5, Y19: ``doctor`` reports with numbers which binds first, a ResourceQuota or a quota."""

import pytest

from doctor_fixture import StoredCluster
from elasticquota_cli.doctor.report import Finding


REFUSED = "pods that do not fit are refused when they are created, instead of waiting"


@pytest.fixture
def cluster() -> StoredCluster:
    return StoredCluster()


def only(cluster: StoredCluster) -> Finding:
    (found,) = cluster.findings()
    return found


def test_a_resource_quota_below_min_leaves_part_of_the_guarantee_unused(
    cluster: StoredCluster,
) -> None:
    cluster.alone("team-a", 8, 16)
    cluster.resource_quota("team-a", {"requests.cpu": "4500m"})
    assert only(cluster) == Finding(
        "error",
        "ElasticQuota team-a/team-a",
        "team-a may ask for 4.5 cpu (ResourceQuota team-a/rq), less than its min 8: 3.5 cpu "
        "of the guarantee go unused",
        "raise it well above 16, or leave cpu to the quota: what waits counts in a ResourceQuota "
        "too",
        ("team-a",),
    )


@pytest.mark.parametrize(
    ("hard", "level", "text"),
    [
        ("8", "warning", f"less than max 16, which is never reached: {REFUSED}"),
        ("10", "warning", f"less than max 16, which is never reached: {REFUSED}"),
        ("16", "warning", f"as much as max 16: {REFUSED}"),
        ("20", "info", "more than max 16: 4 cpu may wait while all of max is used, and more is "
         "refused"),
    ],
)  # fmt: skip
def test_y19_each_of_the_three_cases_is_reported(
    hard: str, level: str, text: str, cluster: StoredCluster
) -> None:
    cluster.alone("team-a", 8, 16)
    cluster.resource_quota("team-a", {"requests.cpu": hard})
    found = only(cluster)
    assert found.level == level
    assert found.message == f"team-a may ask for {hard} cpu (ResourceQuota team-a/rq), {text}"


def test_the_smallest_max_on_the_path_counts(cluster: StoredCluster) -> None:
    cluster.department_and_team(4, 40, 12)
    cluster.resource_quota("team-a", {"cpu": "12"})
    (found,) = (each for each in cluster.findings() if "may ask" in each.message)
    assert f"as much as max 12 of quota dept above it: {REFUSED}" in found.message


def test_a_max_that_means_unlimited_is_no_limit(cluster: StoredCluster) -> None:
    cluster.alone("team-a", 8, 4611686018427387)
    cluster.resource_quota("team-a", {"cpu": "12"})
    assert ", and its quota has no max: " in only(cluster).message


def test_the_smallest_of_several_resource_quotas_counts(cluster: StoredCluster) -> None:
    cluster.alone("team-a", 8, 16)
    cluster.resource_quota("team-a", {"requests.cpu": "40"}, "wide")
    cluster.resource_quota("team-a", {"requests.cpu": "30", "cpu": "12"}, "narrow")
    assert "12 cpu (ResourceQuota team-a/narrow)" in only(cluster).message


def test_without_a_max_the_resource_quota_is_the_limit(cluster: StoredCluster) -> None:
    cluster.alone("team-a", {"memory": "8Gi"}, {})
    cluster.resource_quota("team-a", {"requests.memory": "16Gi"})
    found = only(cluster)
    assert found.level == "warning"
    assert found.message == (
        "team-a may ask for 16Gi memory (ResourceQuota team-a/rq), and its quota has no max: "
        "beyond that pods are refused when they are created, instead of waiting"
    )


def test_a_pod_count_limit_includes_gated_pods(cluster: StoredCluster) -> None:
    cluster.alone("team-a", 8, 16)
    cluster.resource_quota("team-a", {"pods": "10"})
    found = only(cluster)
    assert found.level == "info"
    assert found.message == (
        "team-a may ask for 10 pods (ResourceQuota team-a/rq), those at the gate included: more "
        "are refused when they are created"
    )


def test_the_resource_quotas_of_all_namespaces_of_a_quota_add_up(cluster: StoredCluster) -> None:
    cluster.alone("team-a", 8, 16, "lab")
    cluster.resource_quota("team-a", {"requests.cpu": "6"})
    cluster.resource_quota("lab", {"requests.cpu": "7"})
    found = only(cluster)
    assert found.namespaces == ("lab", "team-a")
    assert found.message == (
        "lab and team-a may ask for 13 cpu (ResourceQuotas lab/rq, team-a/rq), less than max 16, "
        f"which is never reached: {REFUSED}"
    )
    assert cluster.findings(namespace="lab") == [found]
    assert cluster.findings(namespace="elsewhere") == []


def test_a_namespace_without_a_resource_quota_may_use_the_whole_quota(
    cluster: StoredCluster,
) -> None:
    cluster.alone("team-a", 8, 16)
    cluster.resource_quota("team-a", {"requests.cpu": "4"})
    label = {"quota.scheduling.koordinator.sh/name": "team-a"}
    cluster.runs("web", 1, namespace="lab", labels=label)
    found = only(cluster)
    assert found.level == "info"
    assert found.message == (
        "team-a may ask for 4 cpu (ResourceQuota team-a/rq); what lab may ask for is limited by "
        "the quota alone"
    )


def test_a_bound_namespace_without_pods_counts_too(cluster: StoredCluster) -> None:
    cluster.alone("team-a", 8, 16, "lab")
    cluster.resource_quota("team-a", {"requests.cpu": "4"})
    assert "; what lab may ask for is limited by the quota alone" in only(cluster).message


def test_a_resource_quota_with_scopes_is_not_compared(cluster: StoredCluster) -> None:
    cluster.alone("team-a", 8, 16)
    cluster.resource_quota("team-a", {"requests.cpu": "1"}, scopes=["BestEffort"])
    found = only(cluster)
    assert found.level == "info"
    assert found.message == (
        "ResourceQuota team-a/rq has scopes and counts only some of the pods: it is not compared, "
        "and may refuse pods that would wait here"
    )


def test_a_resource_quota_with_scopes_in_another_namespace_is_not_mentioned(
    cluster: StoredCluster,
) -> None:
    cluster.alone("team-a", 8, 16)
    cluster.resource_quota("lab", {"requests.cpu": "1"}, scopes=["BestEffort"])
    assert cluster.findings() == []


def test_a_resource_that_only_the_resource_quota_names_is_ignored(cluster: StoredCluster) -> None:
    cluster.alone("team-a", 8, 16)
    cluster.resource_quota("team-a", {"requests.memory": "1Gi", "limits.cpu": "1", "secrets": "3"})
    assert cluster.findings() == []


def test_a_namespace_without_a_quota_is_skipped(cluster: StoredCluster) -> None:
    cluster.alone("team-a", 8, 16)
    cluster.resource_quota("lab", {"requests.cpu": "1"})
    cluster.runs("web", 1, namespace="lab")
    assert cluster.findings() == []
