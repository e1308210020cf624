"""``simulate`` treats manifests as the API server, the webhook and workload controllers would."""

import copy
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

from elasticquota_cli import main as cli
from elasticquota_cli.simulate import report, settle


Screen = pytest.CaptureFixture[str]
Manifest = dict[str, Any]
T = TypeVar("T")

PARENT = "quota.scheduling.koordinator.sh/parent"
NAME = "quota.scheduling.koordinator.sh/name"
GATE = {"name": "elasticquota.dev/admission"}


class Simulator:
    """Writes manifests to files, simulates them, and reads the result."""

    def __init__(self, folder: Path, capsys: Screen) -> None:
        self._folder = folder
        self._capsys = capsys

    def rest(self, *objects: Manifest) -> report.Simulation:
        return self._answer(report.Simulation, "-f", self._file("base.json", objects))

    def what_if(self, base: Iterable[Manifest], change: Iterable[Manifest]) -> report.Difference:
        first, second = self._file("base.json", base), self._file("change.json", change)
        return self._answer(report.Difference, "-f", first, "--what-if", second)

    def said(self) -> str:
        return self._capsys.readouterr().err

    def _file(self, name: str, objects: Iterable[Manifest]) -> str:
        file = self._folder / name
        whole = {"kind": "List", "apiVersion": "v1", "items": list(objects)}
        file.write_bytes(msgspec.json.encode(whole))
        return str(file)

    def _answer(self, kind: type[T], *arguments: str) -> T:
        assert cli.main(["simulate", "-o", "json", *arguments]) == 0
        return msgspec.json.decode(self._capsys.readouterr().out, type=kind)


@pytest.fixture
def simulator(tmp_path: Path, capsys: Screen) -> Simulator:
    return Simulator(tmp_path, capsys)


def node(name: str, cpu: int = 8) -> Manifest:
    return {
        "kind": "Node",
        "apiVersion": "v1",
        "metadata": {"name": name},
        "status": {"allocatable": {"cpu": cpu, "pods": 110}},
    }


def quota(
    name: str, least: int = 0, most: int = 8, labels: dict[str, str] | None = None
) -> Manifest:
    """A quota in the default tree, for the namespace of its name."""
    return {
        "kind": "ElasticQuota",
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "metadata": {"name": name, "namespace": name, "labels": labels or {}},
        "spec": {"min": {"cpu": least}, "max": {"cpu": most}},
    }


def pod(name: str, namespace: str = "a", cpu: int = 2, **spec: Any) -> Manifest:
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [{"resources": {"requests": {"cpu": cpu}}}], **spec},
    }


def workload(kind: str, name: str, cpu: int = 2, **spec: Any) -> Manifest:
    template = {"spec": pod("any", cpu=cpu)["spec"]}
    api = {"Job": "batch/v1", "ReplicationController": "v1"}.get(kind, "apps/v1")
    return {
        "kind": kind,
        "apiVersion": api,
        "metadata": {"name": name, "namespace": "a"},
        "spec": {"template": template, **spec},
    }


def live(manifest: Manifest, owner: str = "", **status: Any) -> Manifest:
    """The same object as a cluster prints it."""
    found = copy.deepcopy(manifest)
    metadata = found["metadata"]
    metadata |= {
        "uid": f"uid-{found['kind']}-{metadata['name']}",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "resourceVersion": "7",
        "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:metadata": {}}}],
    }
    if owner:
        kind, name = owner.split("/")
        metadata["ownerReferences"] = [{"kind": kind, "name": name, "controller": True}]
    return {**found, "status": {**found.get("status", {}), **status}}


def deleted(manifest: Manifest) -> Manifest:
    return {**manifest, "$patch": "delete"}


def counts(found: report.Simulation, name: str = "a") -> tuple[int, int]:
    """Running and waiting pods of a quota."""
    pods = next(each.pods for each in found.quotas if each.name == name)
    return pods.running, pods.waiting


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
    assert {(each.reason, "of group job/j, max" in each.message) for each in found.waiting} == {
        ("ExceedsMax", True)
    }


def test_the_order_of_a_strict_queue_is_shown(simulator: Simulator) -> None:
    strict = quota("a", most=5)
    strict["metadata"]["annotations"] = {"elasticquota.dev/queueing": "Strict"}
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
    found = simulator.rest(quota("a", labels={PARENT: "absent"}))
    assert [(each.accepted, each.reason) for each in found.quotas] == [(False, "ParentNotFound")]
    assert [refused.message for refused in found.refused] == [
        f"ElasticQuota a/a: metadata.labels[{PARENT}]: there is no quota 'absent'. Create it "
        "first, or correct the name. [EQ1101]"
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
