"""What is applied to a simulated cluster later: workloads, nodes and quotas change, pods go."""

from pathlib import Path

import msgspec
import pytest

from elasticquota_cli import main as cli
from elasticquota_cli.simulate import report, settle
from simulated import PARENT, Manifest, Simulator, counts, deleted, live, node, pod, quota, workload


def test_a_changed_min_reclaims_what_was_lent(simulator: Simulator) -> None:
    base = [
        node("n"), quota("a", 4), quota("b", 0),
        *(pod(f"p{i}", "b") for i in range(4)),
        *(pod(f"p{i}") for i in range(4)),
    ]  # fmt: skip
    found = simulator.what_if(base, [quota("a", 8)])
    assert [(gone.namespace, gone.returns) for gone in found.reclaims] == [("b", False)]
    assert [(each.name, each.runs) for each in found.stops_waiting] == [("p3", True)]


def test_an_evicted_pod_of_a_workload_waits_again_and_a_bare_one_is_gone(
    simulator: Simulator,
) -> None:
    b = quota("b", 8)
    base = [node("n"), quota("a"), b, pod("bare", cpu=4), workload("Deployment", "web", cpu=4)]
    found = simulator.what_if(base, [pod("p", "b", cpu=8)])
    assert {gone.name: gone.returns for gone in found.reclaims} == {"bare": False, "web-0": True}
    assert [wait.name for wait in found.starts_waiting] == ["web-0"]


def queued_job(name: str, cpu: int) -> Manifest:
    """An admitted job, as in a controller's file."""
    request = {"cpu": str(cpu), "kube-queue/max-jobs": "1"}
    return {
        "kind": "JobStandIn",
        "apiVersion": "explain.elasticquota.dev/v1",
        "metadata": {"name": f"job.batch/{name}", "namespace": "a", "uid": f"uid-{name}"},
        "spec": {
            "job": f"Job a/{name}",
            "request": request,
            "parts": [{"cpu": "2", "pods": "1"}],
            "bears": [f"batch.kubernetes.io/job-name={name}"],
        },
    }


def test_a_reclaimed_job_loses_its_pods_and_is_queued_again(simulator: Simulator) -> None:
    mine = pod("train-0")
    mine["metadata"] |= {"uid": "u", "labels": {"batch.kubernetes.io/job-name": "train"}}
    mine["spec"]["nodeName"] = "n"
    base = [node("n"), quota("a"), quota("b", 8), queued_job("train", 6), mine]
    found = simulator.what_if(base, [pod("p", "b", cpu=8)])
    assert [(gone.name, gone.returns) for gone in found.reclaims] == [("job.batch/train", True)]
    assert [wait.name for wait in found.starts_waiting] == ["job.batch/train"]
    after = {each.after.name: each.after for each in found.quotas if each.after is not None}
    assert (after["a"].pods.running, after["b"].used["cpu"]) == (0, "8")


def test_a_queued_job_that_cannot_be_read_is_named(simulator: Simulator, tmp_path: Path) -> None:
    odd = queued_job("train", 6)
    odd["spec"]["request"]["cpu"] = "much"
    file = tmp_path / "odd.json"
    file.write_bytes(msgspec.json.encode(odd))
    assert cli.main(["simulate", "-f", str(file)]) == 2
    assert simulator.said() == (
        f"elastic-quota: {file}, document 1 (JobStandIn a/job.batch/train): spec.request.cpu: "
        "'much' is not a quantity; write a number with an optional suffix like 500m, 2, 1.5, 64k "
        "or 16Gi\n"
    )


def test_a_gang_of_another_system_waits_for_the_minimum_of_its_object(
    simulator: Simulator,
) -> None:
    def member(name: str) -> Manifest:
        found = pod(name)
        found["metadata"]["annotations"] = {"scheduling.k8s.io/group-name": "train"}
        return found

    in_force = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "elastic-quota-in-force", "namespace": "system"},
        "data": {"config.yaml": "podGroups: {kinds: [volcano]}"},
    }
    group = {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": "train", "namespace": "a"},
        "spec": {"minMember": 3},
    }
    base = [in_force, node("n"), quota("a"), group, member("one"), member("two")]
    waiting = simulator.what_if(base, [pod("other")])
    before = {each.before.name: each.before for each in waiting.quotas if each.before is not None}
    assert (before["a"].pods.running, before["a"].pods.waiting) == (0, 2)
    found = simulator.what_if(base, [member("three")])
    assert {each.name for each in found.stops_waiting} == {"one", "two"}


def test_scaling_up_keeps_the_existing_pods(simulator: Simulator) -> None:
    base = [node("n"), quota("a"), workload("Deployment", "web", replicas=2)]
    more = simulator.what_if(base, [workload("Deployment", "web", replicas=5)])
    assert [wait.name for wait in more.starts_waiting] == ["web-4"]
    none = simulator.what_if(base, [workload("Deployment", "web", replicas=0)])
    assert none.quotas[0].after is not None
    assert none.quotas[0].after.pods.running == 0


def test_scaling_down_lets_the_waiting_pods_go_first(simulator: Simulator) -> None:
    base = [node("n"), quota("a"), workload("Deployment", "web", replicas=5)]
    found = simulator.what_if(base, [workload("Deployment", "web", replicas=4)])
    assert [(each.name, each.runs) for each in found.stops_waiting] == [("web-4", False)]


def test_a_pod_that_is_applied_again_stays_where_it_is(simulator: Simulator) -> None:
    base = [node("n"), quota("a"), *(pod(f"p{i}") for i in range(5))]
    found = simulator.what_if(base, [pod("p0")])
    assert (found.quotas, found.starts_waiting, found.stops_waiting) == ([], [], [])


def test_an_edited_export_of_a_workload_scales_it(simulator: Simulator) -> None:
    pods = [live(pod(f"w-{i}", nodeName="n"), owner="StatefulSet/w") for i in range(3)]
    base = [node("n"), quota("a"), live(workload("StatefulSet", "w", replicas=3)), *pods]
    found = simulator.what_if(base, [live(workload("StatefulSet", "w", replicas=1))])
    assert [each.after and each.after.pods.running for each in found.quotas] == [1]


def test_a_workload_with_larger_pods_replaces_them(simulator: Simulator) -> None:
    base = [node("n"), quota("a"), workload("Deployment", "web", replicas=2)]
    found = simulator.what_if(base, [workload("Deployment", "web", cpu=3, replicas=2)])
    (changed,) = found.quotas
    assert changed.after is not None
    assert (changed.after.used["cpu"], changed.after.pods.running) == ("6", 2)


def test_pods_of_a_lost_node_are_recreated_or_gone(simulator: Simulator) -> None:
    lost = live(pod("web-1", nodeName="m", cpu=8), owner="StatefulSet/web")
    bare = live(pod("bare", nodeName="n", cpu=2))
    alone = live(pod("alone", nodeName="m", cpu=0))
    base = [node("n"), node("m"), quota("a", most=16), lost, bare, alone]
    found = simulator.what_if(base, [deleted(node("m"))])
    assert [(wait.name, wait.reason) for wait in found.starts_waiting] == [
        ("web-1", "QuotaExhausted")
    ]
    (changed,) = found.quotas
    assert changed.after is not None
    assert changed.after.pods == report.Pods(running=1, waiting=1)


def test_objects_can_be_deleted(simulator: Simulator) -> None:
    web = workload("Deployment", "web", replicas=2)
    base = [node("n"), quota("a"), quota("b"), web, pod("p")]
    change = [deleted(quota("b")), deleted(web), deleted(pod("p")), deleted(pod("unknown"))]
    found = simulator.what_if(base, change)
    assert [
        (each.before and each.before.name, each.after and each.after.pods.running)
        for each in found.quotas
    ] == [("a", 0), ("b", None)]
    assert len(found.notes) == 1
    assert found.notes[0].endswith("(Pod a/unknown): there is nothing to delete")


def test_a_quota_with_pods_is_not_deleted(simulator: Simulator) -> None:
    found = simulator.what_if([node("n"), quota("a"), pod("p")], [deleted(quota("a"))])
    assert found.quotas == []
    assert "must not be deleted while it has live pods: a/p" in found.refused[0].message


def test_a_parent_may_be_created_after_its_child_and_deleted_before_it(
    simulator: Simulator,
) -> None:
    parent = quota("top", 4, labels={"quota.scheduling.koordinator.sh/is-parent": "true"})
    child = quota("a", 2, labels={PARENT: "top"})
    added = simulator.what_if([node("n")], [child, parent])
    assert added.refused == []
    assert [each.after and each.after.name for each in added.quotas] == ["top", "a"]
    gone = simulator.what_if([node("n"), parent, child], [deleted(parent), deleted(child)])
    assert gone.refused == []
    assert [each.after for each in gone.quotas] == [None, None]


def test_a_quota_that_is_applied_again_keeps_its_labels_and_its_age(simulator: Simulator) -> None:
    parent = live(quota("top", 4, labels={"quota.scheduling.koordinator.sh/is-parent": "true"}))
    child = live(quota("a", 2, labels={PARENT: "top"}))
    younger = quota("b", 2, labels={PARENT: "top"})
    found = simulator.what_if([node("n"), parent, child, younger], [quota("a", 3)])
    assert [refused.name for refused in found.refused] == ["a"]
    smaller = simulator.what_if([node("n"), parent, child, younger], [quota("a", 1)])
    assert [each.after and each.after.parent for each in smaller.quotas] == ["top"]


def test_applying_again_does_not_change_the_age(simulator: Simulator) -> None:
    parent = quota("top", 4, labels={"quota.scheduling.koordinator.sh/is-parent": "true"})
    older = quota("a", 3, labels={PARENT: "top"})
    younger = quota("b", 2, labels={PARENT: "top"})
    base = [node("n"), parent, older, younger]
    assert [each.accepted for each in simulator.rest(*base).quotas] == [True, True, False]
    found = simulator.what_if(base, [quota("a", 3, most=7)])
    assert [each.after and each.after.accepted for each in found.quotas] == [True]


def test_a_new_profile_grows_a_tree(simulator: Simulator) -> None:
    pooled = node("n")
    pooled["metadata"]["labels"] = {"pool": "x"}
    profile = {
        "kind": "ElasticQuotaProfile",
        "apiVersion": "quota.koordinator.sh/v1alpha1",
        "metadata": {"name": "x", "namespace": "sys"},
        "spec": {"quotaName": "x", "nodeSelector": {"matchLabels": {"pool": "x"}}},
    }
    grown = simulator.what_if([pooled], [profile, quota("a", 2, labels={PARENT: "x"})])
    assert grown.refused == []
    assert [each.after and (each.after.name, each.after.tree) for each in grown.quotas] == [
        ("x", "x"),
        ("a", "x"),
    ]
    gone = simulator.what_if([pooled, profile], [deleted(profile)])
    assert [(each.before and each.before.name, each.after) for each in gone.quotas] == [("x", None)]


def test_no_pod_is_admitted_in_a_terminating_namespace(simulator: Simulator) -> None:
    namespace = {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "a"}}
    going = live(namespace)
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert counts(simulator.rest(node("n"), quota("a"), going, pod("p"))) == (0, 1)
    assert counts(simulator.rest(node("n"), quota("a"), namespace, pod("p"))) == (1, 0)


def test_a_simulation_that_does_not_come_to_rest_is_reported(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settle, "MOST_ROUNDS", 1)
    found = simulator.rest(node("n"), quota("a"), pod("p"))
    assert not found.settled
    assert found.notes == ["not settled after 1 cycles: the figures are those of the last cycle"]
