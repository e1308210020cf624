"""``simulate`` treats manifests as the API server, the webhook and workload controllers would."""

import pytest

from simulated import (
    GATE,
    PARENT,
    Manifest,
    Simulator,
    counts,
    deleted,
    live,
    node,
    pod,
    quota,
    workload,
)


def test_a_new_pod_waits_at_the_gate_and_is_admitted_when_it_fits(simulator: Simulator) -> None:
    found = simulator.rest(node("n"), quota("a"), *(pod(f"p{i}") for i in range(5)))
    assert counts(found) == (4, 1)
    assert [(wait.name, wait.reason) for wait in found.waiting] == [("p4", "QuotaExhausted")]
    assert found.quotas[0].used["cpu"] == "8"


def test_a_new_pod_without_namespace_is_in_the_default_one(simulator: Simulator) -> None:
    bare = pod("p")
    del bare["metadata"]["namespace"]
    assert counts(simulator.rest(node("n"), quota("default"), bare), "default") == (1, 0)


def test_a_pod_of_generated_name_gets_one(simulator: Simulator) -> None:
    named = pod("p")
    named["metadata"] = {"generateName": "p-", "namespace": "a"}
    assert counts(simulator.rest(node("n"), quota("a"), named, named)) == (2, 0)


def test_missing_requests_default_to_the_limits(simulator: Simulator) -> None:
    limited = pod("p")
    limited["spec"] = {"containers": [{"resources": {"limits": {"cpu": 3}}}]}
    assert simulator.rest(node("n"), quota("a"), limited).quotas[0].used["cpu"] == "3"


def test_limits_of_the_whole_pod_count_where_no_container_asks(simulator: Simulator) -> None:
    limited = pod("p", resources={"limits": {"cpu": 6, "memory": 5}})
    found = simulator.rest(
        node("n") | {"status": {"allocatable": {"cpu": 8, "memory": 9, "pods": 9}}},
        quota("a"),
        limited,
    )
    assert (found.quotas[0].used["cpu"], found.quotas[0].used["memory"]) == ("2", "5")


def test_priority_classes_set_the_order(simulator: Simulator) -> None:
    classes = [
        {
            "kind": "PriorityClass",
            "apiVersion": "scheduling.k8s.io/v1",
            "value": value,
            "metadata": {"name": name},
            "globalDefault": name == "usual",
        }
        for name, value in (("low", 1), ("usual", 5))
    ]
    pods = [pod("low", cpu=8, priorityClassName="low"), pod("usual", cpu=8)]
    found = simulator.rest(node("n"), quota("a"), *classes, *pods)
    assert [wait.name for wait in found.waiting] == ["low"]


def test_an_unknown_priority_class_is_reported(simulator: Simulator) -> None:
    found = simulator.rest(node("n"), quota("a"), pod("p", priorityClassName="vip"))
    assert found.notes == ["priority class vip is not known: 0 is used"]


def test_finished_and_terminating_pods_count_nowhere(simulator: Simulator) -> None:
    done = live(pod("done", nodeName="n"), phase="Succeeded")
    going = live(pod("going", nodeName="n"))
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert counts(simulator.rest(node("n"), quota("a"), done, going)) == (0, 0)


def test_live_pods_are_unchanged(simulator: Simulator) -> None:
    bound = live(pod("bound", nodeName="n", cpu=6))
    gated = live(pod("gated", cpu=4, schedulingGates=[GATE]))
    unscheduled = live(pod("unscheduled", cpu=1))
    found = simulator.rest(node("n"), quota("a"), bound, gated, unscheduled)
    assert counts(found) == (2, 1)
    assert found.quotas[0].used["cpu"] == "6"


def test_a_gate_of_another_controller_keeps_a_pod_waiting(simulator: Simulator) -> None:
    found = simulator.rest(
        node("n"), quota("a"), pod("p", schedulingGates=[{"name": "example.com/x"}])
    )
    assert counts(found) == (0, 1)


def test_a_gated_pod_that_no_team_holds_is_not_placed(simulator: Simulator) -> None:
    default = quota("koordinator-default-quota", most=2**62)
    stray = pod("p", "elsewhere", schedulingGates=[{"name": "example.com/x"}])
    (found,) = simulator.rest(node("n"), default, stray).quotas
    assert (found.used.get("cpu"), found.pods.running) == (None, 1)


def test_a_pod_in_a_parent_quota_is_refused(simulator: Simulator) -> None:
    parent = quota("a", labels={"quota.scheduling.koordinator.sh/is-parent": "true"})
    found = simulator.rest(node("n"), parent, pod("p"), workload("Deployment", "web", replicas=3))
    assert [(refused.kind, refused.name) for refused in found.refused] == [
        ("Pod", "p"),
        ("Deployment", "web"),
    ]
    assert "is a parent quota" in found.refused[0].message


def test_pods_of_no_team_are_counted(simulator: Simulator) -> None:
    found = simulator.rest(node("n"), quota("a"), pod("p", namespace="elsewhere"))
    assert found.notes == ["pods of no team's quota, held by koordinator-default-quota: 1"]


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        ("Deployment", {"replicas": 3}, 3),
        ("Deployment", {}, 1),
        ("StatefulSet", {"replicas": 2}, 2),
        ("ReplicaSet", {"replicas": 2}, 2),
        ("ReplicationController", {"replicas": 2}, 2),
        ("Job", {}, 1),
        ("Job", {"parallelism": 3}, 3),
        ("Job", {"parallelism": 3, "completions": 2}, 2),
        ("Job", {"parallelism": 3, "suspend": True}, 0),
    ],
)
def test_a_workload_creates_its_pods(
    kind: str, spec: Manifest, expected: int, simulator: Simulator
) -> None:
    assert counts(simulator.rest(node("n"), quota("a"), workload(kind, "w", **spec))) == (
        expected,
        0,
    )


def test_completed_pods_of_a_job_are_not_created_again(simulator: Simulator) -> None:
    job = live(workload("Job", "j", parallelism=3, completions=4), succeeded=3)
    assert counts(simulator.rest(node("n"), quota("a"), job)) == (1, 0)


def test_the_pods_of_an_all_or_nothing_job_start_together_or_not_at_all(
    simulator: Simulator,
) -> None:
    job = workload("Job", "j", parallelism=3)
    job["spec"]["template"]["metadata"] = {
        "annotations": {
            "elasticquota.dev/all-or-nothing": "true",
            "elasticquota.dev/pod-group-size": "3",
        }
    }
    assert counts(simulator.rest(node("n"), quota("a", most=6), job)) == (3, 0)
    found = simulator.rest(node("n"), quota("a", most=5), job)
    assert counts(found) == (0, 3)
    assert {(each.reason, "group job/j" in each.message) for each in found.waiting} == {
        ("ExceedsMax", True)
    }


def test_the_order_of_a_strict_queue_is_shown(simulator: Simulator) -> None:
    strict = quota("a", most=5)
    strict["spec"]["queue"] = {"policy": "Strict"}
    pods = [pod("first", cpu=3), pod("second", cpu=3), pod("third", cpu=1)]
    found = simulator.rest(node("n"), strict, *pods)
    assert [(each.name, each.reason) for each in found.waiting] == [
        ("second", "QuotaExhausted"),
        ("third", "WaitingInLine"),
    ]


def test_an_export_with_workloads_and_their_pods_counts_no_pod_twice(simulator: Simulator) -> None:
    deployment = live(workload("Deployment", "web", replicas=3))
    replicas = live(workload("ReplicaSet", "web-5d9", replicas=3), owner="Deployment/web")
    pods = []
    for number in range(2):
        found = live(pod(f"web-5d9-{number}", nodeName="n"), owner="ReplicaSet/web-5d9")
        found["metadata"]["labels"] = {"pod-template-hash": "5d9"}
        pods.append(found)
    assert counts(simulator.rest(node("n"), quota("a"), deployment, replicas, *pods)) == (3, 0)


def test_the_later_of_two_manifests_of_an_object_counts(simulator: Simulator) -> None:
    found = simulator.rest(node("n"), quota("a", most=2), quota("a", most=4))
    assert [each.max["cpu"] for each in found.quotas] == ["4"]


def test_the_controllers_verdict_and_the_webhooks_sentence_are_both_reported(
    simulator: Simulator,
) -> None:
    found = simulator.rest(quota("a", labels={PARENT: "koordinator-default-quota"}))
    assert [(each.accepted, each.reason) for each in found.quotas] == [(False, "ParentNotAParent")]
    assert [refused.message for refused in found.refused] == [
        f"ElasticQuota a/a: metadata.labels[{PARENT}]: 'koordinator-default-quota' is not a parent "
        "quota. Name another parent. [EQ1101]"
    ]


def test_a_strict_max_is_compared_with_the_use_of_simulated_pods(simulator: Simulator) -> None:
    strict = quota("a")
    strict["metadata"]["annotations"] = {
        "quota.scheduling.koordinator.sh/max-strict-check-resource-keys": '["cpu"]'
    }
    less = strict | {"spec": {"max": {"cpu": 1}}}
    found = simulator.what_if([node("n"), strict, pod("p")], [less])
    (refused,) = found.refused
    assert "1 must be greater than or equal to what is used, which is 2 now" in refused.message


def test_stored_quotas_get_only_a_verdict(simulator: Simulator) -> None:
    found = simulator.rest(live(quota("a", labels={PARENT: "absent"})))
    assert ([each.reason for each in found.quotas], found.refused) == (["ParentNotFound"], [])


def test_borrowed_and_lent_are_reported_below_a_root_only(simulator: Simulator) -> None:
    closed = quota("c", 1, labels={"quota.scheduling.koordinator.sh/allow-lent-resource": "false"})
    found = simulator.rest(node("n"), quota("a", 2), quota("b", 3), closed, pod("p", cpu=4))
    figures = {each.name: (each.borrowed, each.lent) for each in found.quotas}
    assert figures == {"a": ({"cpu": "2"}, {}), "b": ({}, {"cpu": "3"}), "c": ({}, {})}


def test_a_key_of_a_profile_that_is_edited_alone_moves_its_field(simulator: Simulator) -> None:
    said: Manifest = {
        "kind": "ElasticQuotaProfile",
        "apiVersion": "quota.koordinator.sh/v1alpha1",
        "metadata": {"name": "pool", "namespace": "pools"},
        "spec": {"quotaName": "root", "nodeSelector": {}, "resourceKeys": ["cpu"]},
    }
    key = "quota.scheduling.koordinator.sh/resource-keys"
    edited = {**said, "metadata": {**said["metadata"], "annotations": {key: '["cpu", "pods"]'}}}
    found = simulator.what_if([node("n"), said], [edited])
    shared = [
        (set(each.before.min), set(each.after.min))
        for each in found.quotas
        if each.before and each.after and each.after.name == "root"
    ]
    assert shared == [({"cpu"}, {"cpu", "pods"})]


def cordoned(name: str, cpu: int) -> Manifest:
    return {**node(name, cpu), "spec": {"unschedulable": True}}


def test_no_more_pods_are_admitted_than_the_nodes_take_that_are_not_cordoned(
    simulator: Simulator,
) -> None:
    """Its tree has 12 cpu, of which 4 take pods."""
    web = workload("Deployment", "web", replicas=6)
    found = simulator.rest(node("n", 4), cordoned("off", 8), quota("a", 12, 12), web)
    assert counts(found) == (2, 4)
    assert {each.reason for each in found.waiting} == {"NoNodeFitsNow"}


def test_pods_that_wait_for_no_quota_take_room_on_nodes_too(simulator: Simulator) -> None:
    agent = pod("agent", namespace="kube-system", cpu=3)
    found = simulator.rest(node("n", 4), cordoned("off", 8), quota("a", 12, 12), agent, pod("p"))
    assert counts(found) == (0, 1)


def test_released_pods_go_with_their_node(simulator: Simulator) -> None:
    web = workload("Deployment", "web", replicas=4)
    found = simulator.what_if(
        [node("n", 4), node("m", 4), quota("a", 8), web], [deleted(node("n"))]
    )
    assert [each.reason for each in found.starts_waiting] == ["QuotaExhausted"] * 2


def test_pods_that_are_written_onto_a_node_without_room_are_noted(simulator: Simulator) -> None:
    bound = [pod(f"p{number}", cpu=4, nodeName="n") for number in range(3)]
    found = simulator.rest(node("n", 4), node("m", 8), quota("a", 12, 12), *bound)
    assert found.notes == [
        "pods ask for more than their nodes have: n (12 of 4 cpu); kubelets would refuse some"
    ]


def test_taints_keep_pods_off_nodes(simulator: Simulator) -> None:
    tainted = {**node("off", 8), "spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}}
    found = simulator.rest(node("n", 4), tainted, quota("a", 12, 12), pod("p"), pod("q", cpu=4))
    assert counts(found) == (1, 1)


def test_what_the_webhook_lets_pass_with_a_warning_is_noted(simulator: Simulator) -> None:
    misspelt = quota("a")
    misspelt["spec"]["max"]["cpuu"] = 4
    (note,) = simulator.rest(node("n"), misspelt).notes
    assert note.startswith("the webhook warns: ElasticQuota a/a: spec.max.cpuu: no node of tree ")
    assert "Did you mean 'cpu'?" in note


def test_the_webhook_warns_of_a_change_alone(simulator: Simulator) -> None:
    misspelt = quota("b")
    misspelt["spec"]["max"]["cpuu"] = 4
    found = simulator.what_if([node("n"), quota("a")], [misspelt])
    assert [each.split(":")[0] for each in found.notes] == ["the webhook warns"]


def test_more_than_twenty_warnings_are_counted(simulator: Simulator) -> None:
    many = [quota(f"q{number}") for number in range(23)]
    for each in many:
        each["spec"]["max"]["cpuu"] = 4
    notes = simulator.rest(node("n"), *many).notes
    assert (len(notes), notes[-1]) == (21, "and 3 more warnings")
