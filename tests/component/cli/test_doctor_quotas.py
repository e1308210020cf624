"""``doctor`` on quotas, their statuses, and pods without a quota."""

import pytest

from doctor_fixture import StoredCluster, publish
from elasticquota_cli.doctor.report import Finding
from stored import PREFIX


STRAY = {f"{PREFIX}name": "tema-a"}


@pytest.fixture
def cluster() -> StoredCluster:
    """A cluster with a faultless quota."""
    cluster = StoredCluster()
    cluster.alone("team-a", 8, 16)
    return cluster


def test_a_faultless_cluster_has_no_findings(cluster: StoredCluster) -> None:
    cluster.runs("web", 1)
    assert cluster.findings() == []


def test_pods_that_name_a_missing_quota_are_reported_with_the_quota_that_counts_them(
    cluster: StoredCluster,
) -> None:
    for number in range(5):
        cluster.runs(f"web-{number}", 1, labels=STRAY)
    assert cluster.findings() == [
        Finding(
            "warning",
            "Namespace team-a",
            "5 pods (web-0, web-1, web-2 and 2 more) with label "
            "quota.scheduling.koordinator.sh/name=tema-a, and there is no such quota: until there "
            "is, quota team-a counts instead; did you mean team-a?",
            "create quota tema-a, or correct the label where the pods are made",
            ("team-a",),
        )
    ]


def test_without_a_default_quota_no_quota_counts_such_a_pod(cluster: StoredCluster) -> None:
    cluster.configuration("accounting: {defaultQuota: false}")
    cluster.runs("web", 1, namespace="lab", labels=STRAY)
    (found,) = cluster.findings()
    assert "no such quota: until there is, none counts" in found.message


def test_system_pods_may_name_any_quota(cluster: StoredCluster) -> None:
    cluster.configuration("{}")
    cluster.runs("dns", 1, namespace="kube-system", labels=STRAY)
    cluster.runs("controller", 1, namespace="eq", labels=STRAY)
    assert cluster.findings() == []


def test_a_rejected_quota_is_reported_with_the_controllers_message(cluster: StoredCluster) -> None:
    publish(cluster.documents[0], ("Accepted", "False", "ParentNotFound", "parent 'x' is missing"))
    assert cluster.findings() == [
        Finding(
            "error",
            "ElasticQuota team-a/team-a",
            "Accepted is False: ParentNotFound: parent 'x' is missing",
            "correct what the message names; until then the quota guarantees nothing and its pods "
            "wait",
            ("team-a",),
        )
    ]


@pytest.mark.parametrize("type_", ["ProfileMissing", "Starved", "ReclaimBlocked", "Unscheduled"])
def test_conditions_that_need_an_administrator_are_reported(
    type_: str, cluster: StoredCluster
) -> None:
    publish(cluster.documents[0], (type_, "True", "Why", "with figures"))
    (found,) = cluster.findings()
    assert (found.level, found.message) == ("warning", f"{type_} is True: Why: with figures")
    publish(cluster.documents[0], (type_, "False", "Why", "all is well"))
    assert cluster.findings() == []


def test_a_message_beside_the_acceptance_is_reported(cluster: StoredCluster) -> None:
    text = "guaranteed 4 cpu; warning: allow-lent-resource must be true or false"
    publish(
        cluster.documents[0],
        ("Accepted", "True", "Accepted", text),
        ("Ready", "True", "AcceptedWithWarnings", "in force"),
    )
    (found,) = cluster.findings()
    assert (found.level, found.message) == ("warning", text)


def test_a_quota_without_a_controller_status_is_reported(cluster: StoredCluster) -> None:
    cluster.documents[0]["metadata"]["generation"] = 3
    (late,) = cluster.findings()
    assert late.message == "the controller has processed generation 0, and not the last one, 3"
    del cluster.documents[0]["status"]
    (unseen,) = cluster.findings()
    assert unseen.message == "the controller has not reported on it yet"
    assert (late.level, unseen.level) == ("warning", "warning")


def test_a_status_written_by_hand_is_not_the_controllers(cluster: StoredCluster) -> None:
    del cluster.documents[0]["status"]
    del cluster.documents[0]["metadata"]["uid"]
    assert cluster.findings() == []


@pytest.mark.parametrize("status", [None, 3, [], {"conditions": [3, {}]}, {"runtime": {"cpu": []}}])
def test_an_unreadable_status_has_no_findings(status: object, cluster: StoredCluster) -> None:
    cluster.documents[0]["status"] = status
    (found,) = cluster.findings()
    assert found.message == "the controller has not reported on it yet"


def test_conditions_of_profiles_are_reported() -> None:
    cluster = StoredCluster()
    cluster.tree(4)
    profile = cluster.documents[-1]
    publish(profile, ("Ready", "False", "NoNodes", "no node matches spec.nodeSelector"))
    (bare,) = cluster.findings()
    assert (bare.level, bare.object) == ("error", "ElasticQuotaProfile sys/pool")
    assert bare.message == "Ready is False: NoNodes: no node matches spec.nodeSelector"
    shared = ("NodesOverlap", "True", "OwnedByOlderProfile", "node-1 is of profile sys/old")
    publish(profile, ("Ready", "True", "TreeReady", "1 node"), shared)
    (overlap,) = cluster.findings()
    assert overlap.level == "warning"


def test_guarantees_beyond_the_nodes_are_reported_as_shrunk() -> None:
    cluster = StoredCluster()
    root = cluster.grown_tree(20)
    publish(root, tree="pool", runtime={"cpu": "20", "memory": "64Gi"})
    publish(cluster.documents[-2], ("Ready", "True", "TreeReady", "1 node"))
    for name, low in (("team-a", 16), ("team-b", 8)):
        below = cluster.quota(name, low, 40)
        promised = {"cpu": str(low), "memory": "1Gi"}
        publish(below, tree="pool", parent="pool", min=promised, runtime={"cpu": "10"})
    assert cluster.findings() == [
        Finding(
            "warning",
            "ElasticQuota sys/pool",
            "its tree offers 20 cpu, and the quotas directly below are guaranteed 24: each "
            "guarantee shrinks in proportion to min",
            "add nodes, or lower the min of quotas below",
            ("sys", "team-a", "team-b"),
        )
    ]


@pytest.mark.parametrize(
    ("capacity", "key"),
    [
        ({"mode": "Elastic", "max": {"cpu": "20", "memory": "64Gi"}}, "max"),
        ({"mode": "Declared", "total": {"cpu": "20"}}, "total"),
    ],
)
def test_guarantees_beyond_the_capacity_of_a_profile_are_reported_with_its_key(
    capacity: dict[str, object], key: str
) -> None:
    cluster = StoredCluster()
    root = cluster.grown_tree(20)
    root["spec"]["tree"] = {"capacity": capacity}
    publish(root, tree="pool", runtime={"cpu": "20"})
    publish(cluster.documents[-2], ("Ready", "True", "TreeReady", "1 node"))
    below = cluster.quota("team-a", 24, 40)
    promised = {"cpu": "24", "ephemeral-storage": "1Gi"}
    publish(below, tree="pool", parent="pool", min=promised, runtime={"cpu": "20"})
    (found,) = cluster.findings()
    assert "its tree offers 20 cpu" in found.message
    assert found.remedy == (
        f"raise spec.capacity.{key} of the profile, or lower the min of quotas below"
    )


def test_guarantees_that_just_fit_the_nodes_are_fine() -> None:
    cluster = StoredCluster()
    publish(cluster.grown_tree(20), tree="pool", runtime={"cpu": "20"})
    publish(cluster.documents[-2], ("Ready", "True", "TreeReady", "1 node"))
    below = cluster.quota("team-a", 20, 40)
    publish(below, tree="pool", parent="pool", min={"cpu": "20"}, runtime={"cpu": "20"})
    assert cluster.findings() == []


def test_c18_a_pod_that_names_the_plugin_is_warned_that_no_scheduler_may_place_it(
    cluster: StoredCluster,
) -> None:
    cluster.waits("web", 1, spec={"schedulerName": "capacityscheduler"})
    publish_wait(cluster)
    assert cluster.findings() == [
        Finding(
            "warning",
            "Namespace team-a",
            "1 pod without a node (web) with schedulerName capacityscheduler: once admitted, "
            "not placed unless the scheduler of capacity scheduling runs",
            "leave schedulerName out where the pods are made, unless that scheduler is wanted",
            ("team-a",),
        )
    ]


def test_pods_that_wait_for_their_claims_are_listed_with_what_is_missing(
    cluster: StoredCluster,
) -> None:
    for name in ("train-1", "train-0"):
        cluster.waits(name, 1)
        told = {
            "type": "PodScheduled",
            "status": "False",
            "message": "Waiting for quota team-a: spec.resourceClaims[gpu]: DeviceClass gpus does "
            "not exist. Create it, or correct ResourceClaim team-a/x. [WaitingForClaim]",
        }
        cluster.documents[-1]["status"] = {"conditions": [told]}
    (found,) = cluster.findings()
    assert found.message == (
        "2 pods (train-0, train-1) cannot be admitted for the claims of devices; train-0: "
        "Waiting for quota team-a: spec.resourceClaims[gpu]: DeviceClass gpus does not exist. "
        "Create it, or correct ResourceClaim team-a/x. [WaitingForClaim]"
    )


def publish_wait(cluster: StoredCluster) -> None:
    said = "Waiting for quota team-a: why. [QuotaExhausted]"
    told = {"type": "PodScheduled", "status": "False", "message": said}
    cluster.documents[-1]["status"] = {"conditions": [told]}


def test_a_running_external_system_is_reported_as_a_second_limit(cluster: StoredCluster) -> None:
    cluster.runs("old", 1, spec={"schedulerName": "yunikorn"})
    cluster.waits("web", 1, spec={"schedulerName": "yunikorn"})
    publish_wait(cluster)
    (found,) = cluster.findings()
    assert found.message.endswith(
        "the scheduler of YuniKorn runs, and what it limits comes on top of our quotas"
    )


def test_another_scheduler_is_fine_if_it_places_pods(cluster: StoredCluster) -> None:
    cluster.waits("web", 1, spec={"schedulerName": "own"})
    publish_wait(cluster)
    (found,) = cluster.findings()
    assert found.level == "info"
    assert found.message.endswith("once admitted, not placed unless it runs")
    cluster.runs("old", 1, spec={"schedulerName": "own"})
    assert cluster.findings() == []


@pytest.mark.parametrize(
    ("namespace", "phase"), [("kube-system", "Pending"), ("team-a", "Succeeded")]
)
def test_system_pods_and_finished_pods_are_ignored(
    namespace: str, phase: str, cluster: StoredCluster
) -> None:
    pod = {"schedulerName": "yunikorn"}
    cluster.waits("old", 1, namespace=namespace, spec=pod, status={"phase": phase})
    assert cluster.findings() == []


def test_the_stock_scheduler_is_not_reported(cluster: StoredCluster) -> None:
    cluster.waits("web", 1, spec={"schedulerName": "default-scheduler"})
    publish_wait(cluster)
    assert cluster.findings() == []


def test_a_resource_that_no_node_offers_is_reported_with_the_nearest(
    cluster: StoredCluster,
) -> None:
    cluster.configuration("{}")
    for each in cluster.documents:
        if each["metadata"]["name"] == "koordinator-root-quota":
            total = '{"cpu": "64", "memory": "256Gi", "pods": "110"}'
            each["metadata"]["annotations"] = {f"{PREFIX}total-resource": total}
    cluster.alone("team-b", {"memeory": "4Gi"}, {"memeory": "8Gi"})
    assert cluster.findings("warning") == [
        Finding(
            "warning",
            "ElasticQuota team-b/team-b",
            "spec.max.memeory: no node of tree 'koordinator-root-quota' offers 'memeory', but cpu, "
            "memory, pods, so no pod can ask for it",
            "Did you mean 'memory'? It is limited once a node of the tree offers it",
            ("team-b",),
        )
    ]
